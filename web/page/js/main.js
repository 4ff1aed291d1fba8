// Starts the page: finds an engine, then hands over to the app.
//
// The engine is the server's if the page came from `malecon serve`, otherwise the one that runs in this browser.
// ?engine=server or ?engine=worker in the address chooses one.

import { App } from "./app.js";
import { EngineClient } from "./engine-client.js";
import { Settings } from "./settings.js";
import { tabId } from "./storage.js";
import { openSocket, openWorker } from "./transports.js";

function doors() {
  const socketUrl = new URL("api", location.href);
  socketUrl.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  socketUrl.hash = "";
  socketUrl.search = "";
  const workerUrl = new URL("engine/worker.js", location.href);
  workerUrl.hash = "";
  workerUrl.search = "";
  const all = [
    { name: "server", open: (handlers) => openSocket(socketUrl, handlers) },
    { name: "worker", open: (handlers) => openWorker(workerUrl, handlers) },
  ];
  const wanted = new URLSearchParams(location.search).get("engine");
  const chosen = all.filter(({ name }) => name === wanted);
  return chosen.length ? chosen : all;
}

async function start() {
  const client = new EngineClient(doors());
  const app = new App({ client, settings: new Settings(), tab: await tabId() });
  app.start();
  client.connect();
}

start();
