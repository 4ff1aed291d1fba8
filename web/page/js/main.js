// Starts the page with the engine of its site.

import { App } from "./app.js";
import { fillTexts } from "./views/dom.js";
import { EngineClient } from "./engine/engine-client.js";
import { Installation } from "./store/installation.js";
import { languageFor } from "./language/languages.js";
import { loadLanguage } from "./language/texts.js";
import { Settings } from "./store/settings.js";
import { SITE } from "./site.js";
import { tabId } from "./store/storage.js";
import { openSocket, openWorker } from "./engine/transports.js";

/** The way to the engine of the site. */
function door({ name, path }) {
  const url = new URL(path, location.origin + location.pathname);
  if (name === "worker") return { name, open: (handlers) => openWorker(url, handlers) };
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return { name, open: (handlers) => openSocket(url, handlers) };
}

async function start() {
  const client = new EngineClient(door(SITE.engine));
  // The engine starts while the page is made.
  const isConnected = client.connect();
  const settings = new Settings();
  await loadLanguage(languageFor(settings.get("language"), navigator.languages));
  fillTexts();
  const installation = new Installation(SITE.serviceWorker);
  const app = new App({ client, installation, settings, tab: await tabId() });
  app.start();
  await isConnected;
  // Only now, so that what is kept for later does not delay the first move.
  installation.start();
}

start();
