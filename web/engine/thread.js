// A worker for the threads of a search but its first. It hears only one message, for it waits for threads from then on.
// worker.js ends it together with the worker that searches.

import { runThreads } from "./module.js";

self.onmessage = ({ data }) => {
  try {
    runThreads(data);
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
};
