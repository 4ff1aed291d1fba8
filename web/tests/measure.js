// Measures the engine in WebAssembly, in Node.js and in Chromium, against the native one, and writes the figures into
// docs/web.md. `web/measure` runs it. Arguments name the parts to measure; without them, it measures all.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { Engine, NETWORK_FILES } from "../engine/module.js";
import { filesIn, packedSize } from "../site/pack.js";
import { firstMoves } from "./first-move.js";
import { built, dist, launchOptions, malecon, staticSite } from "./harness.js";
import { allowRelaxedVectors } from "./relaxed.js";

const DOCUMENT = fileURLToPath(new URL("../../docs/web.md", import.meta.url));
const marks = (part) => [`<!-- web/measure ${part} writes from here -->\n`, "<!-- to here -->\n"];

/** On each side, the moves to a position whose result is not known. */
const POSITIONS = { 4: ["d1", "swap", "d7", "a2"], 6: ["f6", "e5"], 8: ["h8", "g6"], 10: ["j10", "i8"] };
const MODULES = ["engine-relaxed.wasm", "engine-simd.wasm"];
const SIMULATIONS = 3000;
const ROUNDS = 3;
/** How long the searches last that compare threads. */
const SECONDS = 2;

const engineFile = (name) => path.join(dist, built("engine"), name);
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const query = (side, limits) =>
  JSON.stringify({ id: "1", side, moves: POSITIONS[side], want: ["moves"], top: 1, ...limits });

/** Simulations per second, from the answer to a query. */
function rate(text) {
  const { error, simulations, seconds } = JSON.parse(text);
  if (error) throw new Error(error);
  return simulations / seconds;
}

/** The engines: for each the name, and a function of a side length and a seed that searches and returns the rate. */
async function startEngines(browser, url) {
  const native = (environment) => (side, seed) => {
    // The first search also fetches the program's memory from the system.
    const input = [seed + ROUNDS, seed].map((seed) => query(side, { simulations: SIMULATIONS, seed })).join("\n");
    const options = { input, encoding: "utf8", env: { ...process.env, ...environment } };
    return rate(spawnSync(malecon, ["analyze"], options).stdout.trim().split("\n").at(-1));
  };
  const engines = [
    ["native", native({})],
    ["native, with AVX2 at most", native({ MALECON_SIMD: "avx2" })],
  ];
  allowRelaxedVectors();
  const networks = NETWORK_FILES.map((name) => readFileSync(engineFile(name)));
  for (const name of MODULES) {
    let last;
    const module = await WebAssembly.compile(readFileSync(engineFile(name)));
    const engine = new Engine(module, { networks, onAnswer: (text) => (last = text) });
    engines.push([
      `Node.js, \`${name}\``,
      (side, seed) => {
        engine.search(query(side, { simulations: SIMULATIONS, seed }), POSITIONS[side].length);
        return rate(last);
      },
    ]);
  }
  const search = await startWorker(browser, url);
  engines.push([
    "Chromium, with the module that it chooses",
    async (side, seed) => rate(await search(query(side, { simulations: SIMULATIONS, seed }))),
  ]);
  return engines;
}

/** A function that sends a query to the worker of a site and returns the answer. */
async function startWorker(browser, url) {
  const page = await browser.newPage();
  // The address of a file that is no page, so that nothing else asks the engine.
  await page.goto(`${url}${built("icon.svg")}`);
  await page.evaluate(
    (script) => {
      window.worker = new Worker(script, { type: "module" });
    },
    `/${built("engine")}/worker.js`,
  );
  return (text) =>
    page.evaluate((text) => {
      window.worker.postMessage(text);
      return new Promise((resolve) => Object.assign(window.worker, { onmessage: ({ data }) => resolve(data) }));
    }, text);
}

/** The rows of a table: simulations per second of searches for a time, with one thread and with several. */
async function threads(browser) {
  const sides = Object.keys(POSITIONS).map(Number);
  const sites = await Promise.all([false, true].map((isIsolated) => staticSite(closing, { isIsolated })));
  const workers = await Promise.all(sites.map((url) => startWorker(browser, url)));
  const rates = workers.map(() => sides.map(() => []));
  for (const [s, side] of sides.entries()) {
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [w, search] of workers.entries()) {
        const found = rate(await search(query(side, { seconds: SECONDS, seed: round })));
        if (round > 0) rates[w][s].push(found);
      }
    }
  }
  const [one, several] = rates.map((row) => row.map(median));
  return [
    row(`simulations/s in ${SECONDS} s`, ...sides.map((side) => `side ${side}`)),
    row("---", ...sides.map(() => "---:")),
    row("Chromium, one thread", ...one.map((rate) => rate.toFixed(0))),
    row(
      "Chromium, two threads",
      ...several.map((rate, s) => `${rate.toFixed(0)} (${(rate / one[s]).toFixed(2)} times)`),
    ),
  ];
}

/** The rows of a table: each engine's simulations per second on each side, and their share of the native engine's. */
async function speeds(engines) {
  const sides = Object.keys(POSITIONS).map(Number);
  const rates = engines.map(() => sides.map(() => []));
  for (const [s, side] of sides.entries()) {
    // One engine after the other in each round, so that what else the machine does meets all of them. The first round
    // is made while modules are still being optimised.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [e, [, search]] of engines.entries()) {
        const found = await search(side, round);
        if (round > 0) rates[e][s].push(found);
      }
    }
  }
  const medians = rates.map((row) => row.map(median));
  const cell = (rate, s) => `${rate.toFixed(0)} (${((100 * rate) / medians[0][s]).toFixed(0)} %)`;
  return [
    row("simulations/s, one thread", ...sides.map((side) => `side ${side}`)),
    row("---", ...sides.map(() => "---:")),
    ...engines.map(([name], e) => row(name, ...medians[e].map(cell))),
  ];
}

const row = (...cells) => `| ${cells.join(" | ")} |`;
const kib = (bytes) => `${Math.ceil(bytes / 1024)} KiB`;

/** What the first move on a small board does not need. */
const LATER = /service-worker|puzzles|manifest|\.png$|\/thread\.js$|\/engine(-simd)?\.wasm$|network-large/;

function sizes() {
  const names = filesIn(dist);
  const needed = names.filter((name) => !LATER.test(name));
  const contents = names.map((name) => readFileSync(path.join(dist, name)));
  const site = contents.reduce((sum, content) => sum + content.length, 0);
  const module = (name) => {
    const content = readFileSync(engineFile(name));
    return row(`\`${name}\``, kib(content.length), kib(gzipSync(content, { level: 9 }).length));
  };
  return [
    row("size", "plain", "gzip"),
    row("---", "---:", "---:"),
    row("the whole site", kib(site), kib(packedSize(dist, names))),
    row("what the first move on side 5 needs", "", kib(packedSize(dist, needed))),
    ...MODULES.map(module),
  ];
}

async function firstMoveTimes(browser, url) {
  const lines = [
    row("first move, 1 s of it thinking", "nothing kept", "kept by the browser"),
    row("---", "---:", "---:"),
  ];
  for (const side of [5, 8]) {
    for (const isPhone of [false, true]) {
      const times = await firstMoves(browser, url, { side, isPhone, rounds: ROUNDS });
      const seconds = [times.empty, times.kept].map((list) => `${median(list).toFixed(1)} s`);
      lines.push(row(`side ${side}${isPhone ? ", a processor with a quarter of the speed" : ""}`, ...seconds));
    }
  }
  return lines;
}

/** Puts lines into the document, between the marks of a part. */
function write(part, lines) {
  const text = readFileSync(DOCUMENT, "utf8");
  const [mark, end] = marks(part);
  const start = text.indexOf(mark) + mark.length;
  const stop = text.indexOf(end, start);
  if (start < mark.length || stop < 0) throw new Error(`${DOCUMENT} lacks the marks between which figures are written`);
  const figures = `\n${lines.join("\n")}\n\n`;
  writeFileSync(DOCUMENT, text.slice(0, start) + figures + text.slice(stop));
  console.log(figures);
}

const closers = [];
const closing = { after: (close) => closers.push(close) };
const url = await staticSite(closing);
const browser = await chromium.launch(launchOptions());
const version = execFileSync(malecon, ["--version"], { encoding: "utf8" }).trim();
const PARTS = {
  async speed() {
    const versions = `${version}, Node.js ${process.version}, Chromium ${browser.version()}, ${cpus()[0].model}:`;
    return [versions, "", ...(await speeds(await startEngines(browser, url)))];
  },
  threads: () => threads(browser),
  size: sizes,
  start: () => firstMoveTimes(browser, url),
};
const named = process.argv.slice(2);
for (const part of named.length ? named : Object.keys(PARTS)) write(part, await PARTS[part]());
await browser.close();
closers.forEach((close) => close());
process.exit();
