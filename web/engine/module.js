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

/** The modules with vectors, the fastest first, each with one that is valid where it runs. */
const MODULES = [
  // i16x8.relaxed_dot_i8x16_i7x16_s
  ["engine-relaxed.wasm", moduleOf(...ZEROS, ...ZEROS, 0xfd, 0x92, 0x02)],
  // i8x16.popcnt
  ["engine-simd.wasm", moduleOf(...ZEROS, 0xfd, 0x62)],
];

/** The file of the fastest module that this browser can run. */
export function moduleFile() {
  return MODULES.find(([, sample]) => WebAssembly.validate(sample))?.[0] ?? "engine.wasm";
}

/** The files of the networks: for small boards, and for large ones. */
export const NETWORK_FILES = ["network.bin", "network-large.bin"];

async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`);
  return response;
}

/** Loads the file of a network at a URL. */
export async function loadNetwork(url) {
  return new Uint8Array(await (await load(url)).arrayBuffer());
}

/** Loads and compiles the module at a URL. */
export async function loadModule(url) {
  const response = await load(url);
  // Some servers do not know the type of WebAssembly files, without which they cannot be compiled while loading.
  const isTyped = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** An instance of the module. Its calls block until they are done. If one throws, the instance is of no more use. */
export class Engine {
  #exports;
  #panic = null;

  /**
   * `networks` are the files of `NETWORK_FILES`, as far as they are loaded. `onAnswer(text, isPartial)` gets the
   * answers, `onPosition(turn, priority)` the positions that have to be searched.
   */
  constructor(module, { networks, onAnswer, onPosition }) {
    const text = (at, length) => new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, at, length));
    const imports = {
      malecon: {
        clock: () => performance.now(),
        entropy: () => crypto.getRandomValues(new Uint32Array(1))[0],
        network_size: (index) => networks[index].length,
        network: (index, at) => new Uint8Array(this.#exports.memory.buffer, at).set(networks[index]),
      },
      host: {
        answer: (at, length, isPartial) => onAnswer(text(at, length), isPartial !== 0),
        position: (turn, priority) => onPosition?.(turn, priority),
        panicked: (at, length) => {
          this.#panic = text(at, length);
        },
      },
    };
    this.#exports = new WebAssembly.Instance(module, imports).exports;
  }

  /** The index of the network that a query needs in `NETWORK_FILES`, or null. */
  networkOf(query) {
    const network = this.#call("network", query);
    return network === 0 ? null : network - 1;
  }

  /** Answers what needs no search and passes on the positions that do. */
  admit(query) {
    this.#call("admit", query);
  }

  /** Searches the position after `turn` moves of a query. */
  search(query, turn) {
    this.#call("search", query, turn);
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
    const at = this.#exports.room(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    try {
      return this.#exports[name](...rest);
    } catch (error) {
      throw new Error(this.#panic ?? error.message, { cause: error });
    }
  }
}
