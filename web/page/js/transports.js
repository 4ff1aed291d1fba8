// The two ways to an engine: a WebSocket to `malecon serve`, and a web worker that runs the engine in the browser.
//
// A transport is opened by an async function that resolves to {send(text), close()} when the engine can be asked.
// It calls `onText` with each text from the engine, and `onClose` once when the connection is lost.

const CONNECT_TIMEOUT = 8000;

/** Connects to the server's engine. Rejects if nothing answers at `url`. */
export function openSocket(url, { onText, onClose }) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const timer = setTimeout(() => socket.close(), CONNECT_TIMEOUT);
    let isOpen = false;
    socket.addEventListener("open", () => {
      isOpen = true;
      clearTimeout(timer);
      resolve({ send: (text) => socket.send(text), close: () => socket.close() });
    });
    socket.addEventListener("message", (event) => onText(event.data));
    socket.addEventListener("close", () => {
      clearTimeout(timer);
      if (isOpen) onClose();
      else reject(new Error(`no engine at ${url}`));
    });
  });
}

/** Starts the worker. Rejects if its script cannot be loaded. */
export function openWorker(url, { onText, onClose }) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: "module" });
    let isOpen = false;
    const probe = JSON.stringify({ id: "probe", action: "version" });
    worker.addEventListener("message", ({ data }) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      if (isOpen) return onText(text);
      isOpen = true;
      resolve({ send: (message) => worker.postMessage(message), close: () => worker.terminate() });
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      worker.terminate();
      if (isOpen) onClose();
      else reject(new Error(event.message || `no engine at ${url}`));
    });
    worker.postMessage(probe);
  });
}
