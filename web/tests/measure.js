// Measures the engine in WebAssembly, in Node.js and in Chromium, against the native one, on one position.
// `web/measure` runs it. Prints a table.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { Engine, NETWORK_FILES } from "../engine/module.js";
import { filesIn, packedSize } from "../site/pack.js";
import { firstMoves } from "./first-move.js";
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

/** What the first move on a small board does not need. */
const LATER = /service-worker|puzzles|manifest|\.png$|\/engine\.wasm$|network-large/;

function sizes() {
  const names = filesIn(dist);
  const size = (list) => `${(packedSize(dist, list) / 1024).toFixed(0)} KiB`;
  print("size of the site with gzip", size(names));
  print("of it, what the first move on side 5 needs", size(names.filter((name) => !LATER.test(name))));
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
for (const side of [5, 8]) {
  for (const isPhone of [false, true]) {
    const { empty, kept } = await firstMoves(browser, url, { side, isPhone, rounds: ROUNDS });
    const where = isPhone ? ", on a phone" : "";
    print(`first move on side ${side}${where}, 1 s of it thinking`, `${median(empty).toFixed(2)} s`);
    print("the same from what the browser keeps", `${median(kept).toFixed(2)} s`);
  }
}
await browser.close();
closing.forEach((close) => close());
