// The engine's WebAssembly module: loading it, and talking to an instance of it. Works in workers and in Node.js.

/** A module with a function of this code, which returns a vector: valid where the browser has the instructions. */
function moduleOf(...code) {
  const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  const types = [0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b];
  const functions = [0x03, 0x02, 0x01, 0x00];
  const body = [0x00, ...code, 0x0b];
  return new Uint8Array([...header, ...types, ...functions, 0x0a, body.length + 2, 0x01, body.length, ...body]);
}

/** Puts a vector of zeros on the stack. */
const ZEROS = [0x41, 0x00, 0xfd, 0x0f];

/** i16x8.relaxed_dot_i8x16_i7x16_s. */
const RELAXED_VECTORS = moduleOf(...ZEROS, ...ZEROS, 0xfd, 0x92, 0x02);

/** The memory that instances of a module with threads share: in pages, as web/build says. */
const MEMORY = { initial: 256, maximum: 16384, shared: true };

/** Whether this browser has shared memory. Sharing it between workers also needs an isolated page. */
function hasSharedMemory() {
  try {
    return Boolean(new WebAssembly.Memory(MEMORY));
  } catch {
    return false;
  }
}

/** The file of the fastest module that this browser can run. */
export function moduleFile() {
  return WebAssembly.validate(RELAXED_VECTORS) && hasSharedMemory() ? "engine-relaxed.wasm" : "engine-simd.wasm";
}

/** A new memory for an instance of a module with threads; undefined for another module, which has its own. */
export function sharedMemory(module) {
  const isShared = WebAssembly.Module.imports(module).some(({ kind }) => kind === "memory");
  return isShared ? new WebAssembly.Memory(MEMORY) : undefined;
}

/** The files of the networks: for small boards, and for large ones. */
export const NETWORK_FILES = ["network.bin", "network-large.bin"];

/** A file that cannot be loaded. */
export class LoadError extends Error {
  constructor(url, cause) {
    super(`cannot load ${url}: ${cause.message}`, { cause });
    this.name = "LoadError";
  }
}

/** What `use(response)` makes of the file at a URL. Throws a LoadError if it cannot be loaded, or `signal` ends that. */
async function load(url, use, signal = null) {
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return await use(response);
  } catch (error) {
    // What reads the file does not say why that was ended.
    throw new LoadError(url, signal?.aborted ? signal.reason : error);
  }
}

/** Seconds after which a network of which nothing more comes is given up. */
const LONGEST_WAIT = 30;

/** Loads the file of a network at a URL. */
export async function loadNetwork(url) {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new Error(`nothing came for ${LONGEST_WAIT} s`));
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, LONGEST_WAIT * 1000);
  };
  const watched = new TransformStream({
    transform(part, file) {
      wait();
      file.enqueue(part);
    },
  });
  const read = async ({ body }) => new Uint8Array(await new Response(body.pipeThrough(watched)).arrayBuffer());
  wait();
  try {
    return await load(url, read, controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Loads and compiles the module at a URL. */
export function loadModule(url) {
  return load(url, async (response) => {
    // Some servers do not know the type of WebAssembly files, without which they cannot be compiled while loading.
    const isTyped = response.headers.get("Content-Type")?.startsWith("application/wasm");
    return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
  });
}

/** Errors of WASI. */
const [SUCCESS, AGAIN, BAD_FILE] = [0, 6, 8];

/** What a module with threads needs of WASI: the clock and random numbers. There is no environment, and no file. */
function wasi(module, memory) {
  const view = () => new DataView(memory.buffer);
  const others = WebAssembly.Module.imports(module).map(({ name }) => [name, () => BAD_FILE]);
  return {
    ...Object.fromEntries(others),
    // The same for all workers.
    clock_time_get(_clock, _precision, at) {
      view().setBigUint64(at, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, length) {
      new Uint8Array(memory.buffer, at).set(crypto.getRandomValues(new Uint8Array(length)));
      return SUCCESS;
    },
    environ_sizes_get(count, size) {
      for (const at of [count, size]) view().setUint32(at, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    sched_yield: () => SUCCESS,
    proc_exit(status) {
      throw new Error(`the engine ended with the status ${status}`);
    },
  };
}

/** The states of a place for a thread. */
const [FREE, TAKEN] = [0, 1];
/** Milliseconds after which a thread that should have ended is not waited for any more. */
const PATIENCE = 1000;

/** Places for the threads of a search, besides the one that asks for them: for each its state, and what to run. */
export function placesFor(threads) {
  return new Int32Array(new SharedArrayBuffer(8 * threads));
}

/** Starts threads in these places, if there are any. Returns the number of the thread, or an error. */
function spawner(places) {
  let next = 0;
  return (work) => {
    if (!places?.length) return -AGAIN;
    const at = next;
    next = (next + 2) % places.length;
    // The thread that was here has ended, or is about to.
    if (Atomics.wait(places, at, TAKEN, PATIENCE) === "timed-out") return -AGAIN;
    places[at + 1] = work;
    Atomics.store(places, at, TAKEN);
    Atomics.notify(places, at);
    return 1 + at / 2;
  };
}

/** Runs the threads of one of the places, one after the other, for ever. */
export function runThreads({ module, memory, places, index }) {
  const at = 2 * index;
  let engine;
  for (;;) {
    Atomics.wait(places, at, FREE);
    // Not before: what the threads share is set up by the first instance in a memory.
    engine ??= new Engine(module, { memory, isFirst: false });
    engine.runThread(1 + index, places[at + 1]);
    Atomics.store(places, at, FREE);
    Atomics.notify(places, at);
  }
}

/** An instance of the module. Its calls block until they are done. If one throws, the instance is of no more use. */
export class Engine {
  #exports;
  #panic = null;

  /**
   * `networks` are the files of `NETWORK_FILES`, as far as they are loaded. `onAnswer(text, isPartial)` gets the
   * answers, `onPosition(turn, priority)` the positions that have to be searched, and `onCancel(id)` the query to
   * cancel, or null for all of them. In a module with threads, instances with the same `memory`, of which this is the
   * first, may run threads in `places`.
   */
  constructor(
    module,
    { networks = [], onAnswer, onPosition, onCancel, memory = sharedMemory(module), places, isFirst = true } = {},
  ) {
    const bytes = (at, length) => new Uint8Array(this.#exports.memory.buffer, at, length);
    // A copy: texts cannot be decoded in shared memory.
    const text = (at, length) => new TextDecoder().decode(bytes(at, length).slice());
    const imports = {
      malecon: {
        clock: () => performance.now(),
        entropy: () => crypto.getRandomValues(new Uint32Array(1))[0],
        network_size: (index) => networks[index].length,
        network: (index, at) => bytes(at).set(networks[index]),
      },
      host: {
        answer: (at, length, isPartial) => onAnswer(text(at, length), isPartial !== 0),
        position: (turn, priority) => onPosition?.(turn, priority),
        cancelled: (at, length, isAll) => onCancel?.(isAll ? null : text(at, length)),
        panicked: (at, length) => {
          this.#panic = text(at, length);
        },
      },
      env: { memory },
      wasi_snapshot_preview1: memory && wasi(module, memory),
      wasi: { "thread-spawn": spawner(places) },
    };
    this.#exports = new WebAssembly.Instance(module, imports).exports;
    if (isFirst) this.#exports._initialize?.();
  }

  /** Runs a thread that the first instance has asked for. */
  runThread(number, work) {
    this.#guard(() => this.#exports.wasi_thread_start(number, work));
  }

  /** The index of the network that a query needs in `NETWORK_FILES`, or null. */
  networkOf(query) {
    const network = this.#call("network", query);
    return network === 0 ? null : network - 1;
  }

  /** Answers what is soon done, and passes on the positions that have to be searched, and what the query cancels. */
  admit(query) {
    this.#call("admit", query);
  }

  /** Searches the position after `turn` moves of a query. */
  search(query, turn, threads = 1) {
    this.#call("search", query, turn, threads);
  }

  /** Answers for a position whose search was cancelled before it has found anything. */
  cancel(query, turn) {
    this.#call("cancel", query, turn);
  }

  /** The number that `malecon bench --signature` prints. */
  signature() {
    return BigInt.asUintN(64, this.#exports.signature());
  }

  /** The memory of the instance in bytes. */
  get memory() {
    return this.#exports.memory.buffer.byteLength;
  }

  #call(name, query, ...rest) {
    const bytes = new TextEncoder().encode(query);
    return this.#guard(() => {
      const at = this.#exports.room(bytes.length);
      new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
      return this.#exports[name](...rest);
    });
  }

  #guard(run) {
    try {
      return run();
    } catch (error) {
      throw new Error(this.#panic ?? error.message, { cause: error });
    }
  }
}
