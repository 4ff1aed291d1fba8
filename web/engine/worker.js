// The engine in the browser: a worker with the same messages as the WebSocket of `malecon serve`, JSON texts both ways.
//
// WebAssembly cannot hear a message while it computes. So this worker keeps an instance of the engine only for what is
// soon done, and has searches made by workers of its own, which it ends when they are cancelled. Where the page is
// isolated, a search has several threads, each in a worker. Elsewhere workers cannot share memory, and it has one.

import {
  Engine,
  LoadError,
  NETWORK_FILES,
  loadModule,
  loadNetwork,
  moduleFile,
  placesFor,
  sharedMemory,
} from "./module.js";

const CORES = navigator.hardwareConcurrency ?? 1;

/**
 * Several positions are searched at once, in an instance each, if the processor has the cores; always at least two, so
 * that a game goes on during a review.
 */
const SEARCHERS = Math.max(2, Math.min(4, CORES - 1));

/** The most threads of a search. */
let maxThreads = 1;

/**
 * The positions that wait or are being searched: {id, query, turn, priority, isReview, hasOneThread, wantsPartials,
 * order, threads, partial}. `partial` is the last text that the search of a position has reported. A review counts as
 * one position.
 */
let waiting = [];
let arrivals = 0;

/**
 * What searches: {job, workers, memory, places}. `job` is the position that it is busy with, or null. The first of the
 * `workers` searches; the others run its threads in the `places`.
 */
const searchers = [];

/** The files of the networks. Each is loaded when a board needs it. */
const networks = [];

let module;
let engine;
/** The query that `engine` is answering. */
let present;
/** What this query cancels: {of}, with an id or null for all, or null if it cancels nothing. */
let cancelled = null;

/** The end of what is being done. Queries are taken one after the other, also if one has to wait for its network. */
let done = begin().catch(giveUp);
self.onmessage = ({ data }) => {
  done = done.then(() => receive(data)).catch(giveUp);
};

async function begin() {
  module = await loadModule(new URL(moduleFile(), import.meta.url));
  if (self.crossOriginIsolated && sharedMemory(module)) maxThreads = Math.min(SEARCHERS, CORES);
  startEngine();
}

/** An error that nothing handles reaches the page as an "error" event. */
function giveUp(error) {
  setTimeout(() => {
    throw error;
  });
}

function startEngine() {
  engine = new Engine(module, {
    networks,
    onAnswer: (text) => self.postMessage(text),
    onPosition: (turn, priority) => {
      waiting.push({ ...present, turn, priority, order: arrivals++, partial: null });
    },
    onCancel: (of) => {
      cancelled = { of };
    },
  });
}

/** Calls the engine. If it fails, it is started again. */
function call(id, use) {
  try {
    use();
  } catch (error) {
    startAgain(id, error);
  }
}

function startAgain(id, error) {
  startEngine();
  fail(id, error.message);
}

function fail(id, reason, turn) {
  refuse(id, `internal error: ${reason}`, turn);
}

function refuse(id, error, turn) {
  self.postMessage(JSON.stringify({ id, turn, error, field: null }));
}

async function receive(query) {
  const { id, action, every, simulations } = parse(query);
  const isReview = action === "review";
  const hasOneThread = isReview || action === "solve" || simulations !== null;
  present = { id, query, isReview, hasOneThread, wantsPartials: isReview || every !== null };
  cancelled = null;
  try {
    await provideNetwork(engine.networkOf(query));
    engine.admit(query);
    if (cancelled) cancel(id, cancelled.of);
  } catch (error) {
    if (error instanceof LoadError) refuse(id, error.message);
    else startAgain(id, error);
  }
  searchNext();
}

/** Loads a network, if it is not there, for this worker and for those that search. */
async function provideNetwork(index) {
  if (index === null || networks[index]) return;
  networks[index] = await loadNetwork(new URL(NETWORK_FILES[index], import.meta.url));
  for (const { workers } of searchers) workers[0]?.postMessage({ networks });
}

/** What this worker needs of a query; null where a field is absent. What is wrong with it is for the engine to say. */
function parse(query) {
  const fields = { id: null, action: null, every: null, simulations: null };
  try {
    return { ...fields, ...JSON.parse(query) };
  } catch {
    return fields;
  }
}

/** Cancels a query, or all of them if `of` is null. The answers that are still owed say that they were cut short. */
function cancel(id, of) {
  const isMeant = (job) => of === null || job.id === of;
  const dropped = waiting.filter(isMeant);
  waiting = waiting.filter((job) => !isMeant(job));
  for (const searcher of searchers) {
    if (searcher.job && isMeant(searcher.job)) {
      dropped.push(searcher.job);
      end(searcher);
    }
  }
  dropped.sort((a, b) => a.order - b.order);
  for (const { id, query, turn, partial } of dropped) {
    if (partial) {
      self.postMessage(JSON.stringify({ ...JSON.parse(partial), partial: undefined, cancelled: true }));
    } else {
      call(id, () => engine.cancel(query, turn));
    }
  }
  self.postMessage(JSON.stringify({ id, stopped: dropped.length }));
}

/** Gives waiting positions to idle searchers: those of higher priority first, then those that came first. */
function searchNext() {
  waiting.sort((a, b) => b.priority - a.priority || a.order - b.order);
  while (waiting.length > 0) {
    // The first idle one, so that searches of one game in a row are made where the tree of the last one is.
    let searcher = searchers.find(({ job }) => job === null);
    if (!searcher) {
      if (searchers.length === SEARCHERS) return;
      searcher = { workers: [], job: null };
      searchers.push(searcher);
    }
    const job = waiting.shift();
    job.threads = threadsFor(job);
    searcher.job = job;
    if (searcher.workers.length === 0) start(searcher);
    while (searcher.workers.length < job.threads) addThread(searcher);
    searcher.workers[0].postMessage(job);
  }
}

/**
 * How many threads a position gets: as many as other searches leave. A search with a number of simulations has one, so
 * that its answer is always the same, and a review, so that a game can go on. The solver can use no more.
 */
function threadsFor({ hasOneThread }) {
  if (hasOneThread) return 1;
  const taken = searchers.reduce((sum, { job }) => sum + (job?.threads ?? 0), 0);
  return Math.max(1, maxThreads - taken);
}

function start(searcher) {
  if (maxThreads > 1) {
    searcher.memory = sharedMemory(module);
    searcher.places = placesFor(maxThreads - 1);
  }
  const worker = addWorker(searcher, "searcher.js");
  worker.postMessage({ networks });
  worker.postMessage({ module, memory: searcher.memory, places: searcher.places });
}

function addThread(searcher) {
  const { memory, places } = searcher;
  const index = searcher.workers.length - 1;
  addWorker(searcher, "thread.js").postMessage({ module, memory, places, index });
}

function addWorker(searcher, script) {
  const worker = new Worker(new URL(script, import.meta.url), { type: "module" });
  // What a worker has still sent before it was ended is of no interest.
  const receive = (report) => searcher.workers.includes(worker) && hear(searcher, report);
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    receive({ failure: event.message ?? "the worker that searches cannot be started" });
  };
  searcher.workers.push(worker);
  return worker;
}

function end(searcher) {
  for (const worker of searcher.workers) worker.terminate();
  Object.assign(searcher, { workers: [], job: null, memory: undefined, places: undefined });
}

/** Takes what a searcher reports about its position. */
function hear(searcher, { text, isPartial, isDone, failure }) {
  const { job } = searcher;
  if (failure !== undefined) {
    end(searcher);
    if (job) fail(job.id, failure, job.turn);
    searchNext();
  } else if (isDone) {
    searcher.job = null;
    searchNext();
  } else {
    if (isPartial && !job.isReview) job.partial = text;
    if (!isPartial || job.wantsPartials) self.postMessage(text);
  }
}
