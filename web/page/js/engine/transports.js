// The two ways to an engine: a WebSocket to `malecon serve`, and a web worker that runs the engine in the browser.
//
// A transport is opened by an async function that resolves to {send(text), close(), about, largest} when the engine has
// answered; `about` is its answer to the action `version`. The function calls `onText` with each text from the engine,
// and `onClose` once when the connection is lost. `largest` is the size of the longest text that may be sent, in bytes: a
// server closes the connection after a longer one.

const CONNECT_TIMEOUT = 8000;
/** As the server has it (MAX_MESSAGE in websocket.rs). */
const LARGEST_MESSAGE = 4 << 20;
const GREETING = JSON.stringify({ id: "greeting", action: "version" });

/** Connects to the server's engine. Rejects if nothing answers at `url`. */
export function openSocket(url, { onText, onClose }) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const timer = setTimeout(() => socket.close(), CONNECT_TIMEOUT);
    const close = () => socket.close();
    const transport = { send: (text) => socket.send(text), close, about: null, largest: LARGEST_MESSAGE };
    socket.addEventListener("open", () => socket.send(GREETING));
    socket.addEventListener("message", ({ data }) => {
      if (transport.about) return onText(data);
      clearTimeout(timer);
      transport.about = JSON.parse(data);
      return resolve(transport);
    });
    socket.addEventListener("close", () => {
      clearTimeout(timer);
      if (transport.about) onClose();
      else reject(new Error(`no engine at ${url}`));
    });
  });
}

/** Starts the worker. Rejects if its script cannot be loaded, or if the browser cannot run the engine. */
export function openWorker(url, { onText, onClose }) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: "module" });
    const close = () => worker.terminate();
    const transport = { send: (text) => worker.postMessage(text), close, about: null, largest: Infinity };
    worker.addEventListener("message", ({ data }) => {
      if (transport.about) return onText(data);
      transport.about = JSON.parse(data);
      return resolve(transport);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      worker.terminate();
      if (transport.about) onClose();
      else reject(new Error(event.message?.replace(/^Uncaught /, "") || `cannot load ${url}`));
    });
    worker.postMessage(GREETING);
  });
}

/** Whether a host is the machine of the browser. */
export function isThisMachine(hostname) {
  return /^(localhost|127\.|\[::1\])/.test(hostname);
}
