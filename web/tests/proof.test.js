// The screen that walks through a proof.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { COLOR_SCHEMES, ENGINES, openContext, picture, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

const proof = readFileSync(new URL("../../docs/proofs/side-4-a1.proof", import.meta.url));
const screen = "[data-proof-screen]";

const action = (game, name) => game.find(`[data-proof-action="${name}"]`);
const vertex = (game, name) => game.find(`${screen} [data-vertex="${name}"]`);
const rows = (game) => game.find("[data-proof-row]");

/** Waits until the board has this many stones. */
async function hasStones(game, count) {
  const selector = `${screen} [data-vertex][data-stone]`;
  await game.page.waitForFunction(([s, n]) => document.querySelectorAll(s).length === n, [selector, count]);
}

/** The number on each empty vertex. */
const lengths = (game) =>
  game
    .find(`${screen} [data-vertex][data-note]`)
    .evaluateAll((cells) => Object.fromEntries(cells.map(({ dataset }) => [dataset.vertex, Number(dataset.note)])));

async function openProof(game) {
  await game.action("proof").click();
  await hasStones(game, 1);
}

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`every reply has its answer, and the longest resistance leads to the end (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    await openProof(game);
    assert.match(await game.find("[data-proof-title]").innerText(), /^White wins side 4 with a1$/);
    assert.match(await game.find("[data-proof-task]").innerText(), /371,426 positions/);
    assert.match(await game.find("[data-proof-status]").innerText(), /Black to move: 36 more stones at most/);
    const first = await lengths(game);
    assert.equal(Object.keys(first).length, 36);
    assert.equal(Math.max(...Object.values(first)), 36);
    assert.equal(await rows(game).count(), 18);
    await picture(game.page, `proof-${engine}`);

    // A reply that is not the longest.
    const [quick] = Object.entries(first).sort(([, a], [, b]) => a - b)[0];
    await vertex(game, quick).click();
    await hasStones(game, 3);
    assert.match(game.page.url(), new RegExp(`#proof=${quick}$`));
    assert.equal(Math.max(...Object.values(await lengths(game))), first[quick] - 2);
    assert.match(await game.find("[data-proof-status]").innerText(), /^White answers [a-g]\d/);
    await game.page.reload();
    await hasStones(game, 3);
    await action(game, "undo").click();
    await hasStones(game, 1);

    for (let stones = 3; stones <= 37; stones += 2) {
      await action(game, "resist").click();
      await hasStones(game, stones);
    }
    assert.match(await game.find("[data-proof-status]").innerText(), /^White [a-g]\d: White won by (bridge|fork|ring)/);
    assert.ok((await game.find(`${screen} [data-winning]`).count()) >= 3);
    assert.ok(await action(game, "resist").isDisabled());
    await game.find(".word", { hasText: "two threats at once" }).first().waitFor();
    await picture(game.page, `proof-end-${engine}`);
    await game.find('[data-proof-row="3"]').click();
    await hasStones(game, 7);
    await action(game, "restart").click();
    await hasStones(game, 1);
    await action(game, "close").click();
    await game.find("main.app:visible [data-moves]").waitFor();
    assert.match(game.page.url(), /#side=/);
  });

  test(`proofs are opened from files, and a damaged one is refused in a line (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    await openProof(game);
    const file = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });
    const input = game.find("[data-proof-file]");
    const damaged = Buffer.from(proof);
    damaged[1000] ^= 1;
    await input.setInputFiles(file("damaged.proof", damaged));
    await game.find("[data-toast-text]", { hasText: /^damaged.proof: the checksum is wrong/ }).waitFor();
    await input.setInputFiles(file("game.proof", Buffer.from("(;FF[4]SZ[4];W[a1])")));
    await game.find("[data-toast]", { hasText: "game.proof: not a proof: it does not begin with" }).waitFor();
    // The proof before is still there.
    await vertex(game, "d4").click();
    await hasStones(game, 3);
    await input.setInputFiles(file("mine.proof", proof));
    await game.find("[data-proof-title]", { hasText: "mine.proof: White wins" }).waitFor();
    await hasStones(game, 1);
  });
}

test("the file is loaded only when the proof is opened; without it the game stays", async (t) => {
  const allowed = (message) => /404|Failed to load/.test(message);
  const context = await openContext(t, browser, { allowed });
  let isAway = true;
  let count = 0;
  await context.route("**/*.proof", (route) => {
    count += 1;
    return isAway ? route.fulfill({ status: 404 }) : route.continue();
  });
  const game = await GamePage.open(context, await ENGINES.native(t));
  assert.equal(count, 0);
  await game.action("proof").click();
  await game.find("[data-toast]", { hasText: "The proof could not be loaded. Is there a connection?" }).waitFor();
  await game.find("main.app:visible [data-moves]").waitFor();
  isAway = false;
  await openProof(game);
  assert.equal(count, 2);
});

test("a wrong link leads to the start; keys, puzzles and games from there", async (t) => {
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, `${await ENGINES.WebAssembly(t)}#proof=a1,z9`);
  await hasStones(game, 1);
  assert.match(game.page.url(), /#proof=$/);
  const { keyboard } = game.page;
  for (const [key, stones] of [
    ["ArrowRight", 3],
    ["ArrowRight", 5],
    ["ArrowLeft", 3],
    ["End", 37],
    ["Home", 1],
  ]) {
    await keyboard.press(key);
    await hasStones(game, stones);
  }
  await game.choose("[data-proof-lengths]");
  await game.find(`${screen} [data-note]`).first().waitFor({ state: "detached" });
  await game.action("puzzles").click();
  await game.find('[data-puzzle-screen][data-state="yours"]').waitFor();
  await game.find(screen).waitFor({ state: "hidden" });
  await openProof(game);
  await game.find("[data-puzzle-screen]").waitFor({ state: "hidden" });
  await game.newGame({ side: 6, play: "both" });
  await game.find(screen).waitFor({ state: "hidden" });
  assert.match(game.page.url(), /#side=6/);
});

for (const colorScheme of COLOR_SCHEMES) {
  test(`the proof on a phone of 360 pixels, and on a screen of 1200 (${colorScheme})`, async (t) => {
    for (const width of [360, 1200]) {
      const context = await openContext(t, browser, { colorScheme, viewport: { width, height: 760 } });
      const game = await GamePage.open(context, await ENGINES.WebAssembly(t));
      await openProof(game);
      await picture(game.page, `proof-start-${width}-${colorScheme}`);
      for (const stones of [3, 5, 7]) {
        await action(game, "resist").click();
        await hasStones(game, stones);
      }
      const scroll = await game.page.evaluate(() => document.scrollingElement.scrollWidth);
      assert.equal(scroll, width, "nothing is wider than the screen");
      await picture(game.page, `proof-${width}-${colorScheme}`);
    }
  });
}
