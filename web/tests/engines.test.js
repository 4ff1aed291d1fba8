// The protocol over the WebSocket of `malecon serve` and over the worker of the static site.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Engine, NETWORK_FILES, moduleFile } from "../engine/module.js";
import { ALL, NativeServer, built, dist, malecon, openContext, staticSite, useBrowser } from "./harness.js";
import { allowRelaxedVectors } from "./relaxed.js";

const browser = useBrowser();

/** The engine in WebAssembly on an isolated page. Its searches have two threads, as on a processor with two cores. */
const WITH_THREADS = "WebAssembly with threads";

const ENGINES = ["native", "WebAssembly", WITH_THREADS];

/** What the site serves in place of `worker.js`, so that the number of cores is always two. */
function withTwoCores(alter = (_, content) => content) {
  return (name, content) => {
    const altered = alter(name, content);
    return name.endsWith("/worker.js") ? altered.toString().replaceAll("navigator.hardwareConcurrency", "2") : altered;
  };
}

/** A page with a connection to an engine: `send` and `take` queries and answers. */
async function openConnection(t, engine, { alter, allowed, host } = {}) {
  const isExpected = (text) => text.includes("favicon.ico") || (allowed?.(text) ?? false);
  const context = await openContext(t, browser, { allowed: isExpected, areReviewsFixed: false });
  const page = await context.newPage();
  const isNative = engine === "native";
  const isIsolated = engine === WITH_THREADS;
  const site = { isIsolated, alter: isIsolated ? withTwoCores(alter) : alter, host };
  const url = isNative ? (await NativeServer.start(t)).url : await staticSite(t, site);
  // The address of a file that is no page, so that nothing else asks the engine.
  await page.goto(new URL(isNative ? "icon.svg" : built("icon.svg"), url).href);
  await page.evaluate(
    async (script) => {
      if (!script) {
        const address = new URL("/api", location.href);
        address.protocol = "ws:";
        const socket = new WebSocket(address);
        window.post = (text) => socket.send(text);
        socket.onmessage = ({ data }) => window.heard.push(JSON.parse(data));
        await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
      } else {
        const worker = new Worker(script, { type: "module" });
        window.post = (text) => worker.postMessage(text);
        worker.onmessage = ({ data }) => window.heard.push(JSON.parse(data));
      }
      window.heard = [];
      window.threads = 0;
      new BroadcastChannel("threads").onmessage = () => window.threads++;
    },
    isNative ? null : `/${built("engine")}/worker.js`,
  );
  const send = (...queries) =>
    page.evaluate(
      (texts) => texts.forEach((text) => window.post(text)),
      queries.map((query) => (typeof query === "string" ? query : JSON.stringify(query))),
    );
  /** Waits until there is an answer that fits `expected`, and removes it from those heard. */
  const take = async (expected) => {
    const handle = await page.waitForFunction((wanted) => {
      const fits = (answer) => Object.entries(wanted).every(([key, value]) => (answer[key] ?? null) === value);
      const at = window.heard.findIndex(fits);
      return at >= 0 ? window.heard.splice(at, 1)[0] : null;
    }, expected);
    return handle.jsonValue();
  };
  return { send, take, page, heard: () => page.evaluate(() => window.heard) };
}

/** Positions of all kinds, small and large boards, with and without a solver, won, swapped and set up. */
const QUERIES = [
  { side: 8, moves: ["h8", "g6"], simulations: 700 },
  { side: 8, moves: ["h8", "g6"], simulations: 333, seed: 99, level: 10, want: ["choice", "moves"] },
  { side: 4, moves: ["d4", "c3"], simulations: 2000 },
  { side: 4, moves: ["d1", "swap", "d7", "a2", "g7", "e7", "d6", "e6"], simulations: 1500 },
  { side: 5, moves: ["c3"], swap: true, simulations: 800, want: ["choice"] },
  { side: 6, moves: ["c3", "d4", "e5"], simulations: 500, want: ["choice", "moves"], level: 3 },
  { side: 10, white: ["a1", "b2"], black: ["k10", "j9"], simulations: 200, want: ["moves", "verdicts"] },
  { side: 6, moves: ["f6"], simulations: 1500, options: { preset: "rave" } },
  { side: 7, moves: ["g7", "f6"], turns: [0, 1, 2], simulations: 150 },
  { side: 4, moves: ["d4"], simulations: 100 },
  { side: 8, moves: ["h8"], simulations: 50 },
  { side: 4, moves: ["a1", "c3", "a2", "d4", "a3", "e5", "a4"], want: ["position", "moves"] },
  {
    side: 6,
    moves: ["f6", "e5"],
    want: ["position", "policy", "prediction", "ownership", "threats", "chains", "distances"],
  },
].map((query, i) => ({ id: `q${i}`, seed: 7, seconds: 600, ...query }));

const file = readFileSync(new URL("../../docs/proofs/side-4-a1.proof", import.meta.url)).toString("base64");
for (const replies of [[], ["d4"], ["d4", "a4", "e5"]]) {
  QUERIES.push({ id: `p${replies.length}`, action: "proof", file, replies });
}

test("both engines give the same answers at equal simulations and seed", async (t) => {
  const open = (file) => openConnection(t, "WebAssembly", { alter: withModule(file) });
  const engines = {
    native: await openConnection(t, "native"),
    WebAssembly: await openConnection(t, "WebAssembly"),
    [WITH_THREADS]: await openConnection(t, WITH_THREADS),
    "WebAssembly without relaxed vectors": await open("engine-simd.wasm"),
  };
  const answers = {};
  for (const [name, { send, take }] of Object.entries(engines)) {
    await send(...QUERIES);
    answers[name] = {};
    for (const { id, turns } of QUERIES) {
      for (const expected of turns?.map((turn) => ({ id, turn })) ?? [{ id }]) {
        const answer = await take(expected);
        delete answer.seconds;
        assert.ok(!answer.error, `${name}: ${JSON.stringify(answer)}`);
        answers[name][`${id} ${answer.turn}`] = answer;
      }
    }
  }
  const { native, ...others } = answers;
  assert.equal(Object.keys(native).length, QUERIES.length + 2);
  assert.equal(native["q0 2"].simulations, 700);
  // The openings of side 4 are proven, and the line goes to the end.
  const opening = native["q9 1"];
  assert.deepEqual([opening.verdict, opening.win_rate, opening.simulations], ["loss", 0, 0]);
  assert.ok(opening.pv.length > 6 && opening.moves.every(({ verdict }) => verdict === "loss"), JSON.stringify(opening));
  for (const [name, found] of Object.entries(others)) {
    for (const [key, answer] of Object.entries(found)) assert.deepEqual(answer, native[key], `${name}, ${key}`);
  }
});

test("both engines find the same in a review", async (t) => {
  const moves = ["d1", "swap", "d7", "a2", "g4", "e6", "d6"];
  const reviews = [];
  for (const engine of ["native", "WebAssembly"]) {
    const { send, take, heard } = await openConnection(t, engine);
    await send({ id: "r", action: "review", side: 4, moves, simulations: 50, seed: 7 });
    const { seconds, ...review } = await take({ id: "r", partial: false });
    assert.ok(seconds > 0);
    reviews.push([...(await heard()), review]);
  }
  assert.equal(reviews[0].length, 2 * moves.length + 2);
  assert.deepEqual(reviews[1], reviews[0]);
});

/** Serves the script that loads the module as a browser would run it for which `file` is the fastest one. */
function withModule(file) {
  return (name, content) => {
    if (name !== `${built("engine")}/worker.js`) return content;
    const script = content.toString();
    const changed = script.replaceAll(/engine-(relaxed|simd)\.wasm/g, file);
    assert.notEqual(changed, script);
    return changed;
  };
}

for (const engine of ENGINES) {
  test(`a search is cancelled, and others go on (${engine})`, async (t) => {
    const { send, take } = await openConnection(t, engine);
    const long = { side: 8, moves: ["h8"], seconds: 600, every: 0.05 };
    await send({ id: "long", ...long }, { id: "other", ...long });
    await take({ id: "long", partial: true });
    await send({ id: "stop", action: "cancel", of: "long" });
    const answer = await take({ id: "long", partial: null });
    assert.equal(answer.cancelled, true);
    assert.ok(answer.moves.length > 0 && answer.simulations > 0);
    assert.equal((await take({ id: "stop" })).stopped, 1);
    await take({ id: "other", partial: true });
    await send({ id: "stop all", action: "cancel" });
    assert.equal((await take({ id: "other", partial: null })).cancelled, true);
    assert.equal((await take({ id: "stop all" })).stopped, 1);
    await send({ id: "next", side: 5, simulations: 50 });
    assert.equal((await take({ id: "next" })).simulations, 50);
  });

  test(`a review is cancelled (${engine})`, async (t) => {
    const { send, take } = await openConnection(t, engine);
    const moves = ["h8", "g6", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
    await send({ id: "review", action: "review", side: 8, moves, seconds: 2 });
    await take({ id: "review", partial: true });
    await send({ id: "stop", action: "cancel", of: "review" });
    assert.deepEqual(await take({ id: "review", partial: null }), { id: "review", cancelled: true });
    assert.equal((await take({ id: "stop" })).stopped, 1);
  });

  test(`what needs no search is answered while searches run (${engine})`, async (t) => {
    const { send, take } = await openConnection(t, engine);
    const searches = Array.from({ length: 12 }, (_, i) => ({ id: `s${i}`, side: 8, seconds: 600 }));
    await send(...searches, { id: "now", side: 8, moves: ["h8"], want: ["position"] });
    assert.equal((await take({ id: "now" })).position.stones.h8, "white");
    await send({ id: "stop", action: "cancel" });
    for (const { id } of searches) assert.equal((await take({ id })).cancelled, true);
    assert.equal((await take({ id: "stop" })).stopped, searches.length);
  });

  test(`the solver and many playouts can be cancelled, and nothing waits for them (${engine})`, async (t) => {
    const { send, take } = await openConnection(t, engine);
    const board = { side: 6, seconds: 600 };
    await send(
      { id: "solver", action: "solve", ...board },
      { id: "playouts", want: ["ownership"], options: { analysis_playouts: 1e9 }, ...board },
      { id: "now", side: 6, moves: ["f6"], want: ["position", "criticality"] },
    );
    assert.equal((await take({ id: "now" })).position.stones.f6, "white");
    for (const of of ["solver", "playouts"]) {
      await send({ id: `stop ${of}`, action: "cancel", of });
      assert.equal((await take({ id: of })).cancelled, true);
      assert.equal((await take({ id: `stop ${of}` })).stopped, 1);
    }
  });

  test(`a field that is null counts as absent (${engine})`, async (t) => {
    const { send, take, heard } = await openConnection(t, engine);
    const absent = { every: null, simulations: null, seed: null, options: null, action: null };
    await send({ id: "search", side: 8, seconds: 1.2, ...absent });
    assert.ok((await take({ id: "search", partial: null })).moves.length > 0);
    assert.deepEqual(await heard(), []);
    await send({ id: "long", side: 8, seconds: 600, ...absent }, { id: "stop", action: "cancel", of: null });
    assert.equal((await take({ id: "long" })).cancelled, true);
    assert.equal((await take({ id: "stop" })).stopped, 1);
  });

  test(`bad queries get an error and do no harm (${engine})`, async (t) => {
    const { send, take } = await openConnection(t, engine);
    await send(
      "{",
      { id: "cancel all", action: "cancel", off: "good" },
      { id: "cancel", action: "cancel", of: 7 },
      { id: "side", side: 42 },
      { id: "move", side: 4, moves: ["d4", "d4"] },
      { id: "good", side: 5, simulations: 20, sidde: 1 },
    );
    assert.match((await take({ id: null })).error, /JSON/);
    assert.match((await take({ id: "cancel all", field: "off" })).warning, /off/);
    assert.equal((await take({ id: "cancel all" })).stopped, 0);
    assert.equal((await take({ id: "cancel" })).field, "of");
    assert.equal((await take({ id: "side" })).field, "side");
    assert.match((await take({ id: "move" })).error, /d4/);
    assert.match((await take({ id: "good", field: "sidde" })).warning, /sidde/);
    assert.equal((await take({ id: "good" })).simulations, 20);
  });
}

/** Serves the script of threads so that it tells the page when one begins. */
function withNews(name, content) {
  if (!name.endsWith("/thread.js")) return content;
  return `const { Instance } = WebAssembly;
    WebAssembly.Instance = function (...all) {
      new BroadcastChannel("threads").postMessage("begins");
      return new Instance(...all);
    };
    ${content}`;
}

test("a search has two threads where the page is isolated", async (t) => {
  const { send, take, page } = await openConnection(t, WITH_THREADS, { alter: withNews });
  const fixed = { side: 8, moves: ["h8", "g6"], simulations: 300, seed: 7, want: ["moves"] };
  const ask = async (id) => {
    await send({ id, ...fixed });
    const { id: _, seconds, ...answer } = await take({ id });
    return answer;
  };
  const before = await ask("before");
  assert.equal(await page.evaluate(() => window.threads), 0);
  for (const id of ["one", "other"]) {
    await send({ id, side: 8, moves: ["h8", "g6"], seconds: 0.5, simulations: null, want: ["moves"] });
    const { simulations, moves, error } = await take({ id });
    assert.ok(simulations > 0 && moves.length > 0, error);
  }
  // The worker of the thread is used again.
  await page.waitForFunction(() => window.threads === 1);
  assert.deepEqual(await ask("after"), before);
});

test("a search has one thread where the page is not isolated", async (t) => {
  const host = { build: dist };
  const { send, take } = await openConnection(t, "WebAssembly", { alter: withTwoCores(), host });
  await send({ id: "search", side: 8, seconds: 0.3 });
  assert.ok((await take({ id: "search" })).simulations > 0);
  const scripts = host.served.filter((name) => /(worker|searcher|thread)\.js$/.test(name)).map((s) => path.basename(s));
  assert.deepEqual(scripts, ["worker.js", "searcher.js"]);
});

test("a thread that fails costs its query alone", async (t) => {
  let loads = 0;
  const alter = (name, content) => (name.endsWith("/thread.js") && loads++ === 0 ? null : content);
  const allowed = (text) => text.includes("thread.js");
  const { send, take } = await openConnection(t, WITH_THREADS, { alter, allowed });
  await send({ id: "fails", side: 5, moves: ["e5"], seconds: 600 });
  assert.match((await take({ id: "fails" })).error, /^internal error: /);
  await send({ id: "works", side: 5, moves: ["e5"], seconds: 0.2 });
  assert.ok((await take({ id: "works" })).simulations > 0);
});

test("a search that fails costs its query alone (WebAssembly)", async (t) => {
  // The first worker that is to search cannot be loaded; the next one can.
  let loads = 0;
  const alter = (name, content) => (name.endsWith("/searcher.js") && loads++ === 0 ? null : content);
  const allowed = (text) => text.includes("searcher.js");
  const { send, take } = await openConnection(t, "WebAssembly", { alter, allowed });
  await send({ id: "fails", side: 5, moves: ["e5"], simulations: 20 });
  const answer = await take({ id: "fails" });
  assert.match(answer.error, /^internal error: /);
  assert.deepEqual([answer.turn, answer.field], [1, null]);
  await send({ id: "works", side: 5, moves: ["e5"], simulations: 20 });
  assert.equal((await take({ id: "works" })).simulations, 20);
});

test("a network that cannot be loaded costs its query alone (WebAssembly)", async (t) => {
  let loads = 0;
  const alter = (name, content) => (name.endsWith("/network.bin") && loads++ === 0 ? null : content);
  const allowed = (text) => text.includes("network.bin");
  const { send, take } = await openConnection(t, "WebAssembly", { alter, allowed });
  await send({ id: "fails", side: 5, simulations: 20 }, { id: "works", side: 5, simulations: 20 });
  const { error, field } = await take({ id: "fails" });
  assert.match(error, /^cannot load \S+network\.bin: 404/);
  assert.equal(field, null);
  assert.equal((await take({ id: "works" })).simulations, 20);
});

test("a network of which no more comes costs its query alone (WebAssembly)", async (t) => {
  const host = { build: dist, stuck: "/network.bin" };
  // Less patience, so that the test need not wait.
  const alter = (name, content) => {
    if (!name.endsWith("/worker.js")) return content;
    const script = String(content);
    const [, seconds] = /nothing came for \$\{([\w$]+)\} s/.exec(script);
    return script.replace(`${seconds}=30`, () => `${seconds}=3`);
  };
  const { send, take } = await openConnection(t, "WebAssembly", { alter, host });
  await send({ id: "fails", side: 5, simulations: 20 });
  const { error, field } = await take({ id: "fails" });
  assert.match(error, /^cannot load \S+network\.bin: nothing came for 3 s$/);
  assert.equal(field, null);
  host.stuck = null;
  await send({ id: "works", side: 5, simulations: 20 });
  assert.equal((await take({ id: "works" })).simulations, 20);
});

test("what needs no network is answered where none can be loaded (WebAssembly)", async (t) => {
  const alter = (name, content) => (name.includes("network") ? null : content);
  const { send, take, heard } = await openConnection(t, "WebAssembly", { alter });
  const want = ["position", "ownership", "criticality", "threats", "frames", "chains", "distances"];
  for (const side of [3, 8]) {
    await send({ id: "parts", side, moves: ["a1", "b2"], want });
    const answer = await take({ id: "parts" });
    for (const part of want) assert.ok(answer[part], `${part}: ${answer.error}`);
  }
  await send({ id: "solver", action: "solve", side: 3 });
  assert.equal((await take({ id: "solver" })).value, "white");
  assert.deepEqual(await heard(), []);
});

for (const name of ["engine-relaxed.wasm", ...(ALL ? ["engine-simd.wasm"] : [])]) {
  test(`the signature is the native one (${name})`, async () => {
    const expected = execFileSync(malecon, ["bench", "--signature"], { encoding: "utf8" }).trim();
    allowRelaxedVectors();
    const read = (file) => readFile(path.join(dist, built("engine"), file));
    const networks = await Promise.all(NETWORK_FILES.map(read));
    const engine = new Engine(await WebAssembly.compile(await read(name)), { networks, onAnswer: assert.fail });
    assert.equal(engine.signature().toString(), expected);
  });
}

/** The most bytes that a module may have with gzip: somewhat more than the largest has. */
const MODULE_LIMIT = 900_000;

test("the modules are small, and the fastest one runs here", () => {
  const folder = path.join(dist, built("engine"));
  const names = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  assert.deepEqual(names.sort(), ["engine-relaxed.wasm", "engine-simd.wasm"]);
  for (const name of names) {
    const size = gzipSync(readFileSync(path.join(folder, name)), { level: 9 }).length;
    assert.ok(size <= MODULE_LIMIT, `${name} has ${size} bytes with gzip; the limit is ${MODULE_LIMIT}`);
  }
  allowRelaxedVectors();
  assert.equal(moduleFile(), "engine-relaxed.wasm");
});
