// Keeps the site in the browser, so that it works without a network.
//
// All files but the page itself have names with a hash of their content, so a file that is kept is never out of date.
// Each version of the site has a cache of its own; what has not changed is taken over from the last one. A new version
// waits until no page uses the old one, or until a page wants it.

import { moduleFile } from "../engine/module.js";
// Made by pack.js: {version, files, links, engine}. `files` are the paths of all files, "./" that of the page; `links`
// are those of them that the page names; `engine` is the engine's folder.
import { SITE } from "site";

const { scope } = self.registration;
const PREFIX = `malecon ${scope} `;
const CACHE = PREFIX + SITE.version;
const urlOf = (path) => new URL(path, scope).href;
const FILES = new Set(SITE.files.map(urlOf));
const PAGE = urlOf("./");

/** What is kept from the start: all but the modules of the engine that this browser does not choose. */
function firstFiles() {
  const module = urlOf(`${SITE.engine}/${moduleFile()}`);
  return [...FILES].filter((url) => !url.endsWith(".wasm") || url === module);
}

/** Lets pages use shared memory: the browser then keeps them apart from other sites, of which they need nothing. */
function isolated(response) {
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return new Response(response.body, { headers });
}

/** A file from the network. */
async function load(url) {
  const response = await fetch(url, { cache: url === PAGE ? "no-cache" : "default" });
  return response.ok ? isolated(response) : response;
}

const kept = (url) => caches.match(url, { ignoreVary: true });

/**
 * Keeps a file. While a new version spreads over the servers of a host, the page may be that of another version: it is
 * not kept, because it would ask for files that are gone one day. The browser tries again later.
 */
async function keep(url, file) {
  if (url === PAGE) {
    const text = await file.clone().text();
    if (!SITE.links.every((name) => text.includes(name))) throw new Error("the page is that of another version");
  }
  const cache = await caches.open(CACHE);
  await cache.put(url, file);
}

async function install() {
  const begin = async (url) => {
    const file = (url !== PAGE && (await kept(url))) || (await load(url));
    if (!file.ok) throw new Error(`${url}: ${file.status}`);
    await keep(url, file);
  };
  await Promise.all(firstFiles().map(begin));
}

/** Old versions stay while another page may use them. */
async function takeOver() {
  const pages = await self.clients.matchAll({ includeUncontrolled: true });
  if (pages.length <= 1) {
    const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
  }
  await self.clients.claim();
}

async function answer(request) {
  const url = new URL(request.url);
  url.hash = "";
  if (request.mode === "navigate") url.search = "";
  const isPage = [PAGE, urlOf("index.html")].includes(url.href);
  const cached = isPage ? await (await caches.open(CACHE)).match(PAGE, { ignoreVary: true }) : await kept(url.href);
  if (cached) return cached;
  if (!FILES.has(url.href)) return fetch(request);
  const file = await load(url.href);
  // With a full disk, the page does without.
  if (file.ok) await keep(url.href, file.clone()).catch(() => {});
  return file;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(scope)) event.respondWith(answer(request));
});
