// A worker that searches. It blocks while it does, so worker.js ends it when a search is cancelled.

import { Engine } from "./module.js";

const networks = [];
let engine = null;

self.onmessage = ({ data }) => {
  if (data.networks) {
    Object.assign(networks, data.networks);
    return;
  }
  if (data.module) {
    engine = new Engine(data.module, {
      ...data,
      networks,
      onAnswer: (text, isPartial) => self.postMessage({ text, isPartial }),
    });
    return;
  }
  try {
    engine.search(data.query, data.turn, data.threads);
    self.postMessage({ isDone: true });
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
};
