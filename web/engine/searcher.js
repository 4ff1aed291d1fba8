// A worker that searches. It blocks while it does, so worker.js ends it when a search is cancelled.

import { Engine } from "./module.js";

let engine = null;

self.onmessage = ({ data }) => {
  if (data.module) {
    engine = new Engine(data.module, { onAnswer: (text, isPartial) => self.postMessage({ text, isPartial }) });
    return;
  }
  try {
    engine.search(data.query, data.turn);
    self.postMessage({ isDone: true });
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
};
