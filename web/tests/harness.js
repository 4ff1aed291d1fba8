// What the tests need: a browser, the static site with the engine in WebAssembly, and `malecon serve` with the native
// engine.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { OFFERED_FOR, SHOWN_FOR } from "../page/js/views/announcer.js";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "../..");
export const dist = path.join(root, "web/dist");
const screenshots = path.join(here, "screenshots");

export const malecon = process.env.MALECON ?? path.join(root, "target/release/malecon");

/** Far more than anything takes, even on a busy machine: a bound for what never happens. */
export const PATIENCE = 60_000;

/** Milliseconds by which each drawing of the page is delayed: shows tests that read the page before it is drawn. */
const DRAW_DELAY = Number(process.env.DRAW_DELAY ?? 0);

/**
 * What a review searches each position with in place of a time, so that it finds the same on every machine, however busy
 * it is.
 */
const REVIEWS = { simulations: 400, seed: 1 };

/**
 * Pages of Chromium's own user interface, which it loads for each new profile. They took more time than most tests. The
 * others are those of Playwright's list that matter here: of two lists, Chromium takes the last.
 */
const LEFT_OUT = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
  ...["AimEnabled", "HttpsUpgrades", "MediaRouter", "OptimizationHints", "PaintHolding", "Translate"],
];

/** Chromium without what it does in the background, which fails on machines without a network. */
const SWITCHES = [
  `--disable-features=${LEFT_OUT}`,
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--disable-gpu",
];

export function launchOptions() {
  return {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? [...SWITCHES, "--no-sandbox"] : SWITCHES,
  };
}

/** Starts Chromium before the tests of a file and ends it after them. */
export function useBrowser() {
  const browser = { current: null };
  before(async () => {
    browser.current = await chromium.launch(launchOptions());
  });
  after(() => browser.current?.close());
  return browser;
}

const opened = new WeakMap();

/** Closes what a test has opened when it ends: first all `pages`, then the `servers`, which a page would miss. */
function closeAtEnd(t, kind, close) {
  if (!opened.has(t)) {
    opened.set(t, { pages: [], servers: [] });
    t.after(async () => {
      const { pages, servers } = opened.get(t);
      const results = [];
      for (const all of [pages, servers]) results.push(...(await Promise.allSettled(all.map((close) => close()))));
      const failed = results.find(({ status }) => status === "rejected");
      if (failed) throw failed.reason;
    });
  }
  opened.get(t)[kind].push(close);
}

/** Runs in a page before its own scripts: its reviews search with fixed limits. */
function fixReviews(limits) {
  const fixed = (message) => {
    if (typeof message !== "string" || !message.includes('"action":"review"')) return message;
    const { seconds, ...query } = JSON.parse(message);
    return JSON.stringify({ ...query, ...limits });
  };
  for (const [kind, name] of [
    [WebSocket, "send"],
    [Worker, "postMessage"],
  ]) {
    const send = kind.prototype[name];
    kind.prototype[name] = function (message, ...rest) {
      return send.call(this, fixed(message), ...rest);
    };
  }
}

/**
 * Runs in a page before its own scripts: `holdReviews(count)` holds back what the engine in WebAssembly finds in reviews
 * after so many positions, so that they are stopped or left before their end, however fast the engine is.
 * `letReviewsEnd()` delivers it, and `isReviewHeld()` says whether there is a whole review to deliver.
 */
export function canHoldReviews() {
  let limit = Infinity;
  const held = [];
  let isWhole = false;
  const isHeld = (data) => {
    const { turn, move, findings } = JSON.parse(data);
    const isOfReview = turn !== undefined || findings !== undefined;
    isWhole ||= Boolean(findings);
    return limit < Infinity && isOfReview && Boolean(turn >= limit || move || findings);
  };
  window.holdReviews = (count) => {
    limit = count;
  };
  window.isReviewHeld = () => isWhole;
  window.letReviewsEnd = () => {
    limit = Infinity;
    for (const deliver of held.splice(0)) deliver();
  };
  const { addEventListener } = Worker.prototype;
  Worker.prototype.addEventListener = function (type, listener, ...rest) {
    const deliver = (event) => (isHeld(event.data) ? held.push(() => listener(event)) : listener(event));
    return addEventListener.call(this, type, type === "message" ? deliver : listener, ...rest);
  };
}

/** Runs in a page before its own scripts: timers of these milliseconds wait `patience` times as long. */
export function waitLonger({ times, patience }) {
  const { setTimeout } = window;
  window.setTimeout = (act, time, ...rest) => setTimeout(act, times.includes(time) ? patience * time : time, ...rest);
}

/** Runs in a page before its own scripts: `said` gets all that is read out, which the page itself replaces at once. */
function listen() {
  window.said = [];
  addEventListener("DOMContentLoaded", () => {
    for (const region of document.querySelectorAll("[aria-live]")) {
      new MutationObserver((changes) => {
        window.said.push(...changes.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.textContent)));
      }).observe(region, { childList: true });
    }
  });
}

/**
 * A new profile of the browser: its own storage, and settings that make the engine move at once; none at all if
 * `settings` is null, as on a first visit. Reviews have fixed limits if `areReviewsFixed`, which they are not where
 * `settings` says how long they take. `options` are those of Playwright. Errors in a page, also in its console, fail the
 * test; `allowed` says which are expected.
 */
export async function openContext(
  t,
  browser,
  { settings = {}, areReviewsFixed = !settings?.reviewSeconds, allowed = () => false, ...options } = {},
) {
  const context = await browser.current.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const stored = JSON.stringify({ moveSeconds: 0.2, warnings: false, ...settings });
  await context.addInitScript(listen);
  // A busy machine would take messages away before the test has seen them, or answered a question.
  await context.addInitScript(waitLonger, { times: [SHOWN_FOR, OFFERED_FOR], patience: 60 });
  if (areReviewsFixed) await context.addInitScript(fixReviews, REVIEWS);
  if (DRAW_DELAY) {
    await context.addInitScript(`requestAnimationFrame = (draw) => setTimeout(draw, ${DRAW_DELAY})`);
  }
  if (settings) {
    await context.addInitScript(
      `if (origin !== "null") localStorage["malecon.settings"] ??= ${JSON.stringify(stored)}`,
    );
  }
  const errors = [];
  const note = (text) => allowed(text) || errors.push(text);
  context.on("weberror", (error) => note(String(error.error())));
  context.on(
    "console",
    (message) => message.type() === "error" && note(`${message.text()} (${message.location().url})`),
  );
  closeAtEnd(t, "pages", async () => {
    await context.close();
    assert.deepEqual(errors, [], "errors in the page");
  });
  return context;
}

/** Whether what takes long is tested in all languages, colours and modules. */
export const ALL = process.env.ALL_TESTS === "yes";

export const COLOR_SCHEMES = ALL ? ["light", "dark"] : ["light"];

/** Saves a picture of the page, if the variable `PICTURES` asks for pictures to look at. */
export async function picture(page, name) {
  if (!process.env.PICTURES) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
}

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The content security policy that the page is made for. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** What lets pages share memory between workers. */
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** The path of a file or a folder of the site, by its name without the hash. */
export function built(name) {
  const { name: stem, ext } = path.parse(name);
  const found = readdirSync(dist).filter((file) => file.replace(/-[0-9a-f]{8}(?=\.|$)/, "") === stem + ext);
  assert.equal(found.length, 1, `web/dist has one ${name}`);
  return found[0];
}

/**
 * Serves the static site, below `folder`, as any web server would. Returns its address. `alter(name, content)` may
 * serve something else in place of a file, or null for nothing. `host` may be changed while the site is served: the
 * build that it has, whether it `isAway`, and the end of the name of a file that is `stuck` after its first half;
 * `host.served` has the names of the files that were asked for. `isIsolated` is for a server that lets pages share memory.
 */
export async function staticSite(
  t,
  { folder = "/", types = TYPES, alter = (_, content) => content, host = { build: dist }, isIsolated = false } = {},
) {
  host.served = [];
  const server = createServer(async (request, response) => {
    if (host.isAway) return request.socket.destroy();
    const { pathname } = new URL(request.url, "http://localhost");
    const name = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const file = path.join(host.build, path.relative(folder, decodeURIComponent(name)));
    const relative = path.relative(host.build, file);
    host.served.push(relative);
    try {
      if (!name.startsWith(folder) || relative.startsWith("..")) throw new Error("outside the site");
      const content = alter(relative, await readFile(file));
      if (content === null) throw new Error("withheld");
      const type = types[path.extname(file)];
      response.writeHead(200, {
        "Content-Security-Policy": POLICY,
        ...(type && { "Content-Type": type }),
        ...(isIsolated && ISOLATION),
      });
      if (host.stuck && relative.endsWith(host.stuck)) response.write(content.subarray(0, content.length / 2));
      else response.end(content);
    } catch {
      response.writeHead(404).end();
    }
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  closeAtEnd(t, "servers", () => server.close());
  return `http://127.0.0.1:${server.address().port}${folder}`;
}

/** `malecon serve`. It can be killed and started again at the same address. */
export class NativeServer {
  #child = null;

  static async start(t, options = []) {
    const server = new NativeServer();
    server.options = options;
    server.port = 0;
    closeAtEnd(t, "servers", () => server.kill());
    await server.start();
    return server;
  }

  async start() {
    const options = ["serve", "--port", String(this.port), ...this.options];
    this.#child = spawn(malecon, options, { stdio: ["ignore", "pipe", "inherit"] });
    const child = this.#child;
    process.once("exit", () => child.kill("SIGKILL"));
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const url = line.match(/http:\/\/\S+/)?.[0];
      if (url) {
        this.url = new URL(url).href;
        this.port = Number(new URL(url).port);
        return;
      }
    }
    throw new Error("malecon serve ended without telling its address");
  }

  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

/** The two engines: each starts a site and returns the address of its page. The native one serves the plain modules. */
export const ENGINES = {
  native: async (t) => (await NativeServer.start(t)).url,
  WebAssembly: (t) => staticSite(t),
};
