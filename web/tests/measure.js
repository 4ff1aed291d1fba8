// Measures the engine in WebAssembly, in Node.js and in Chromium, against the native one, on one position.
// `web/measure` runs it. Prints a table.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { Engine, NETWORK_FILES } from "../engine/module.js";
import { built, dist, launchOptions, malecon, staticSite } from "./harness.js";

const POSITION = { side: 8, moves: ["h8", "g6"], want: ["moves"], top: 1, seed: 1 };
const SIMULATIONS = { "engine-simd.wasm": 5000, "engine.wasm": 200 };
const ROUNDS = 3;

const query = (simulations, seed) => JSON.stringify({ id: "1", ...POSITION, simulations, seed });
const rate = ({ simulations, seconds }) => simulations / seconds;
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const print = (what, value) => console.log(`${what.padEnd(58)} ${value}`);

function native(environment) {
  const lines = Array.from({ length: ROUNDS }, (_, i) => query(SIMULATIONS["engine-simd.wasm"], i)).join("\n");
  const options = { input: lines, encoding: "utf8", env: { ...process.env, ...environment } };
  const { stdout } = spawnSync(malecon, ["analyze"], options);
  return median(
    stdout
      .trim()
      .split("\n")
      .map((line) => rate(JSON.parse(line))),
  );
}

async function inNode(file) {
  const read = (name) => readFileSync(path.join(dist, built("engine"), name));
  const module = await WebAssembly.compile(read(file));
  const networks = NETWORK_FILES.map(read);
  const rates = [];
  const engine = new Engine(module, {
    networks,
    onAnswer: (text, isPartial) => isPartial || rates.push(rate(JSON.parse(text))),
  });
  // The first search is made while the module is still being optimised.
  for (let seed = 0; seed <= ROUNDS; seed++) engine.search(query(SIMULATIONS[file], seed), POSITION.moves.length);
  return median(rates.slice(1));
}

async function inBrowser(page) {
  const texts = Array.from({ length: ROUNDS + 1 }, (_, i) => query(SIMULATIONS["engine-simd.wasm"], i));
  const script = `/${built("engine")}/worker.js`;
  const rates = await page.evaluate(
    async ([path, queries]) => {
      const worker = new Worker(path, { type: "module" });
      const found = [];
      for (const text of queries) {
        worker.postMessage(text);
        const { data } = await new Promise((resolve) => Object.assign(worker, { onmessage: resolve }));
        const { simulations, seconds } = JSON.parse(data);
        found.push(simulations / seconds);
      }
      return found;
    },
    [script, texts],
  );
  return median(rates.slice(1));
}

/** From the request of the page to the engine's first stone on the screen, in seconds, with an empty cache. */
async function firstMove(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const settings = { side: 8, play: "black", level: 10, moveSeconds: 1 };
  await page.addInitScript((stored) => localStorage.setItem("malecon.settings", JSON.stringify(stored)), settings);
  const start = performance.now();
  await page.goto(url);
  await page.locator("[data-vertex][data-stone]").first().waitFor({ state: "attached" });
  const seconds = (performance.now() - start) / 1000;
  await context.close();
  return seconds;
}

function sizes() {
  const files = readdirSync(dist, { recursive: true }).map((name) => path.join(dist, name));
  const all = files.filter((file) => statSync(file).isFile());
  const size = (list, measure) => `${(list.reduce((sum, file) => sum + measure(file), 0) / 1024).toFixed(0)} KiB`;
  const packed = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
  const plain = (file) => statSync(file).size;
  const loaded = all.filter((file) => !file.endsWith("/engine.wasm"));
  print("size of the site, with both modules", size(all, plain));
  print("what a browser with vectors loads", `${size(loaded, plain)}, ${size(loaded, packed)} with gzip`);
}

const closing = [];
const url = await staticSite({ after: (close) => closing.push(close) });
const browser = await chromium.launch(launchOptions());
const page = await browser.newPage();
// The address of a file that is no page, so that nothing else asks the engine.
await page.goto(`${url}${built("icon.svg")}`);

const version = execFileSync(malecon, ["--version"], { encoding: "utf8" }).trim();
console.log(`${version}, Node.js ${process.version}, Chromium ${browser.version()}`);
sizes();
const full = native({});
const share = (simulations) => `${simulations.toFixed(0)} simulations/s, ${((100 * simulations) / full).toFixed(0)} %`;
print("native, one thread", share(full));
print("native, AVX2", share(native({ MALECON_SIMD: "avx2" })));
print("WebAssembly with vectors, Node.js", share(await inNode("engine-simd.wasm")));
print("WebAssembly with vectors, Chromium", share(await inBrowser(page)));
print("WebAssembly without vectors, Node.js", share(await inNode("engine.wasm")));
const moves = [];
for (let i = 0; i < ROUNDS; i++) moves.push(await firstMove(browser, url));
print("from opening the page to the first move, 1 s of it thinking", `${median(moves).toFixed(2)} s`);
await browser.close();
closing.forEach((close) => close());
