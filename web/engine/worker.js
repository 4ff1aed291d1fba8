// The engine in the browser: a worker with the same messages as the WebSocket of `malecon serve`, JSON texts both ways.
//
// WebAssembly cannot hear a message while it computes. So this worker keeps an instance of the engine only for what needs
// no search, and has searches made by workers of its own, which it ends when they are cancelled. They need no threads and
// no shared memory, so the page can be served with any headers.

import { Engine, NETWORK_FILES, loadModule, loadNetwork, moduleFile } from "./module.js";

/**
 * Several positions are searched at once, in an instance each, if the processor has the cores; always at least two, so
 * that a game goes on during a review.
 */
const SEARCHERS = Math.max(2, Math.min(4, (navigator.hardwareConcurrency ?? 1) - 1));

/**
 * The positions that wait or are being searched: {id, query, turn, priority, isReview, wantsPartials, order, partial}.
 * `partial` is the last text that the search of a position has reported. A review counts as one position.
 */
let waiting = [];
let arrivals = 0;

/** The workers that search, each with the position that it is busy with, or null. */
const searchers = [];

/** The files of the networks. Each is loaded when a board needs it. */
const networks = [];

let module;
let engine;
/** The query that `engine` is answering. */
let present;

/** The end of what is being done. Queries are taken one after the other, also if one has to wait for its network. */
let done = begin().catch(giveUp);
self.onmessage = ({ data }) => {
  done = done.then(() => receive(data)).catch(giveUp);
};

async function begin() {
  module = await loadModule(new URL(moduleFile(), import.meta.url));
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
  self.postMessage(JSON.stringify({ id, turn, error: `internal error: ${reason}` }));
}

async function receive(query) {
  const { id = null, action, of, every } = parse(query);
  const isReview = action === "review";
  present = { id, query, isReview, wantsPartials: isReview || every !== undefined };
  if (action === "cancel" && typeof id === "string" && (of === undefined || typeof of === "string")) {
    cancel(id, of);
  } else {
    try {
      await provideNetwork(engine.networkOf(query));
      engine.admit(query);
    } catch (error) {
      startAgain(id, error);
    }
  }
  searchNext();
}

/** Loads a network, if it is not there, for this worker and for those that search. */
async function provideNetwork(index) {
  if (index === null || networks[index]) return;
  networks[index] = await loadNetwork(new URL(NETWORK_FILES[index], import.meta.url));
  for (const { worker } of searchers) worker?.postMessage({ networks });
}

/** The fields of a query. What is wrong with it is for the engine to say. */
function parse(query) {
  try {
    return Object(JSON.parse(query));
  } catch {
    return {};
  }
}

/** Cancels a query, or all of them. The answers that are still owed say that they were cut short. */
function cancel(id, of) {
  const isMeant = (job) => of === undefined || job.id === of;
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
      searcher = { worker: null, job: null };
      searchers.push(searcher);
    }
    if (!searcher.worker) start(searcher);
    searcher.job = waiting.shift();
    searcher.worker.postMessage({ query: searcher.job.query, turn: searcher.job.turn });
  }
}

function start(searcher) {
  const worker = new Worker(new URL("searcher.js", import.meta.url), { type: "module" });
  // What a worker has still sent before it was ended is of no interest.
  const receive = (report) => worker === searcher.worker && hear(searcher, report);
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => {
    event.preventDefault();
    receive({ failure: event.message ?? "the worker that searches cannot be started" });
  };
  worker.postMessage({ networks });
  worker.postMessage({ module });
  searcher.worker = worker;
}

function end(searcher) {
  searcher.worker.terminate();
  Object.assign(searcher, { worker: null, job: null });
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
