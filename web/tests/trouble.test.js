// What may happen in the middle of a game: a reload, a second tab, a server that dies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINES, NativeServer, dist, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`a game survives a reload (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    await game.newGame({ side: 5, play: "white", level: 1 });
    await game.play("e5", "white");
    await game.hasStones(2);
    await game.play(await freeVertex(game), "white");
    await game.hasStones(4);
    await game.find('[data-board][data-can-play="true"]').waitFor();
    const [stones, moves] = [await game.stones(), await game.moves()];
    await game.page.reload();
    await game.ready();
    await game.hasStones(4);
    assert.deepEqual([await game.stones(), await game.moves()], [stones, moves]);
    // It goes on.
    await game.play(await freeVertex(game), "white");
    await game.hasStones(6);
  });

  test(`two tabs have a game each (${engine})`, async (t) => {
    const [context, url] = [await openContext(t, browser), await site(t)];
    const [one, other] = [await GamePage.open(context, url), await GamePage.open(context, url)];
    await one.newGame({ side: 4, play: "white", level: 1 });
    await other.newGame({ side: 6, play: "white", level: 1 });
    await one.play("d4", "white");
    await other.play("f6", "white");
    await Promise.all([one.hasStones(2), other.hasStones(2)]);
    for (const [game, side, first] of [
      [one, "4", "d4"],
      [other, "6", "f6"],
    ]) {
      const moves = await game.moves();
      await game.page.reload();
      await game.ready();
      await game.hasStones(2);
      assert.equal(await game.find("[data-board]").getAttribute("data-side"), side);
      assert.deepEqual(await game.moves(), moves);
      assert.equal(moves[0], first);
    }
  });
}

test("a link that is followed, or taken up by a reload, stays the address all the time", async (t) => {
  const context = await openContext(t, browser);
  // The browser reloads the address that was written last, even in the middle of a change.
  await context.addInitScript(() => {
    const written = (self.written = []);
    const replace = history.replaceState.bind(history);
    history.replaceState = (state, unused, address) => {
      written.push(address);
      replace(state, unused, address);
    };
  });
  const game = await GamePage.open(context, await staticSite(t));
  const link = "#side=4&moves=a1,c3,a2,d4";
  const written = () => game.page.evaluate(() => self.written);
  await game.page.goto(new URL(link, game.page.url()).href);
  await game.hasStones(4);
  assert.deepEqual(
    (await written()).filter((address) => address !== link),
    [],
  );
  await game.page.reload();
  await game.hasStones(4);
  assert.deepEqual(
    (await written()).filter((address) => address !== link),
    [],
  );
  await game.action("previous").click();
  await game.hasStones(3);
  assert.equal((await written()).at(-1), "#side=4&moves=a1,c3,a2");
});

test("an illegal move of a link is left out, with what follows it", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), `${await staticSite(t)}#side=4&moves=a1,b2,a1,c3,d4`);
  await game.find("[data-toast]", { hasText: "a1 is not possible here." }).waitFor();
  await game.hasStones(2);
  assert.deepEqual(await game.moves(), ["a1", "b2"]);
});

test("a link with two stones on a vertex is refused, and the page goes on", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), `${await staticSite(t)}#side=5&white=a1&black=a1`);
  await game.find("[data-toast]", { hasText: "The link puts two stones on a1." }).waitFor();
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
});

test("whatever the browser has kept, the page begins and can be played on", async (t) => {
  const context = await openContext(t, browser, { settings: null });
  const url = `${await staticSite(t)}#side=4`;
  const game = await GamePage.open(context, url);
  const node = { id: 0, parent: null, move: null };
  const game0 = {
    side: 4,
    swap: false,
    setup: {},
    seats: "white",
    level: 1,
    names: {},
    tree: [node],
    current: 0,
    head: 0,
  };
  for (const [settings, stored] of [
    ["{", "{"],
    ["null", "null"],
    ["7", "7"],
    ['"dark"', '"game"'],
    ["[]", "[]"],
    ['{"theme": 5, "side": "x", "level": 99, "overlay": null}', "{}"],
    ["{}", JSON.stringify({ ...game0, seats: "nobody" })],
    ["{}", JSON.stringify({ ...game0, setup: null })],
    ["{}", JSON.stringify({ ...game0, tree: [node, { id: 1, parent: 5, move: "d4" }] })],
    ["{}", JSON.stringify({ ...game0, level: "3", names: 4 })],
  ]) {
    await game.page.evaluate(
      ([one, other]) => {
        localStorage["malecon.settings"] = one;
        for (const id of [sessionStorage["malecon.tab"], "another tab"]) localStorage[`malecon.game.${id}`] = other;
      },
      [settings, stored],
    );
    await game.page.goto("about:blank");
    await game.page.goto(url);
    await game.ready();
    await game.action("open").click();
    await game.page.keyboard.press("Escape");
    await game.newGame({ side: 4, play: "both" });
    await game.play("d4", "white");
  }
});

test("where the browser must keep nothing, the page works all the same", async (t) => {
  const context = await openContext(t, browser);
  await context.addInitScript(() => {
    const refuse = () => {
      throw new DOMException("refused", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
      Object.defineProperty(self, name, { get: refuse });
    }
    if (self.LockManager) LockManager.prototype.request = async () => refuse();
    self.BroadcastChannel = class {
      constructor() {
        refuse();
      }
    };
  });
  // With a link, the tutorial is only offered.
  const game = await GamePage.open(context, `${await staticSite(t)}#side=4`);
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await game.play("c3", "black");
});

test("a game goes on when the server was killed and comes back", async (t) => {
  const server = await NativeServer.start(t);
  // The browser loads the icon late, perhaps just when the server is killed.
  const allowed = (text) => /WebSocket|ERR_CONNECTION_REFUSED|icon\.svg/.test(text);
  const context = await openContext(t, browser, { allowed });
  const game = await GamePage.open(context, server.url);
  await game.newGame({ side: 4, play: "white", level: 1 });
  await game.play("d4", "white");
  await game.hasStones(2);
  await game.find('[data-board][data-can-play="true"]').waitFor();
  await server.kill();
  await game.find("[data-banner]:visible").waitFor();
  await picture(game.page, "server-killed");
  // One can still move. The engine answers when it is back.
  const vertex = await freeVertex(game);
  await game.vertex(vertex).click();
  await game.hasStone(vertex, "white");
  // The engine writes records: before it is back, there is nothing to save.
  await game.action("share").click();
  for (const name of ["save", "copy"]) assert.ok(await game.find(`[data-${name}="record"]`).isDisabled(), name);
  await game.page.keyboard.press("Escape");
  await server.start();
  // The page also tries again by itself, perhaps before the click.
  game
    .action("reconnect")
    .click()
    .catch(() => {});
  await game.hasStones(4);
  await game.find("[data-banner]").waitFor({ state: "hidden" });
});

test("a review goes on where it was when the connection is lost, again and again", async (t) => {
  const server = await NativeServer.start(t);
  const context = await openContext(t, browser, { settings: { reviewSeconds: 0.3 } });
  const heard = [];
  /** The partial answers after which the connection is cut. */
  const cuts = [3, 7, 12];
  await context.routeWebSocket(/\/api$/, (socket) => {
    const engine = socket.connectToServer();
    let isCut = false;
    engine.onMessage((text) => {
      // What was on its way when the connection was cut is lost.
      if (isCut) return;
      const { partial, turn, move } = JSON.parse(text);
      if (partial && turn !== undefined) heard.push(`${turn}${move ? " checked" : ""}`);
      socket.send(text);
      if (partial && heard.length === cuts[0]) {
        cuts.shift();
        isCut = true;
        socket.close();
        engine.close();
      }
    });
  });
  const game = await GamePage.open(context, server.url);
  await game.paste("# side 4\nd4 c3 e5 c5 d3 b3 d2 e3");
  await game.hasStones(8);
  await game.find('[data-action="review"].small').click();
  await game.page.waitForFunction(() =>
    /No mistakes|istake|decided/.test(document.querySelector("[data-review-summary]").textContent),
  );
  await game.find("[data-review-progress]").waitFor({ state: "hidden" });
  assert.deepEqual(cuts, []);
  const line = [...Array(9).keys()];
  assert.deepEqual(heard, [
    ...line.map(String),
    ...line
      .slice(0, -1)
      .reverse()
      .map((turn) => `${turn} checked`),
  ]);
});

test("the static site works without a server behind it, in any folder", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t, { folder: "/games/havannah/" }));
  assert.equal(await game.find("[data-engine]").getAttribute("data-engine"), "worker");
});

test("a web server need not know the type of WebAssembly files", async (t) => {
  const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t, { types }));
  await game.newGame({ side: 4, play: "black", level: 1 });
  await game.hasStones(1);
});

test("a page for which the engine has no room says so, and begins when another page closes", async (t) => {
  const server = await NativeServer.start(t, ["--clients", "2"]);
  const context = await openContext(t, browser, { allowed: (text) => /WebSocket.*503/.test(text) });
  const games = [await GamePage.open(context, server.url), await GamePage.open(context, server.url)];
  const page = await context.newPage();
  await page.goto(server.url);
  await page.locator("[data-banner]:visible", { hasText: /busy with other pages: close some/ }).waitFor();
  for (const game of games) assert.equal(await game.find("[data-engine]").getAttribute("data-state"), "ready");
  await games[0].page.close();
  await page.locator('[data-engine][data-state="ready"]').waitFor();
  await page.locator("[data-banner]").waitFor({ state: "hidden" });
});

for (const [name, reason, alter] of [
  ["has no worker", /cannot load http\S+worker\.js/, (file, content) => (file.includes("worker.js") ? null : content)],
  ["has no module", /cannot load http\S+\.wasm: 404/, (file, content) => (file.endsWith(".wasm") ? null : content)],
  [
    "cannot run WebAssembly",
    /WebAssembly is not defined/,
    (file, content) => (file.endsWith("/worker.js") ? `delete self.WebAssembly;${content}` : content),
  ],
]) {
  test(`a page that ${name} says so`, async (t) => {
    const context = await openContext(t, browser, { allowed: () => true });
    const page = await context.newPage();
    await page.goto(await staticSite(t, { alter }));
    await page.locator('[data-engine][data-state="failed"]').waitFor();
    const banner = page.locator("[data-banner]:visible", { hasText: /cannot load or run the engine: / });
    await banner.filter({ hasText: reason }).waitFor();
  });
}

test("a game goes on when the network of its board can be loaded at last", async (t) => {
  const host = { build: dist };
  // Nothing is kept for later.
  const alter = (name, content) => (name === "service-worker.js" ? null : content);
  const allowed = (text) => /ERR_EMPTY_RESPONSE|fetching the script/.test(text);
  const game = await GamePage.open(await openContext(t, browser, { allowed }), await staticSite(t, { host, alter }));
  const failed = game.find("[data-toast]", { hasText: /Malecon cannot move: .*network-large\.bin/ });
  host.isAway = true;
  await game.newGame({ side: 8, play: "white", level: 1 });
  await game.play("h8", "white");
  await failed.waitFor();
  await game.action("undo").click();
  await game.hasStones(0);
  await game.play("h8", "white");
  await failed.waitFor();
  host.isAway = false;
  await game.hasStones(2);
});

/** An empty vertex far from the corners, where nothing is decided yet. */
async function freeVertex(game) {
  const stones = await game.stones();
  return ["c3", "d5", "e4", "c4", "d3", "e6", "c5"].find((name) => !stones[name]);
}
