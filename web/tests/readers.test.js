// What screen readers read: the names of parts, what is announced, and the ways of the keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { flaws } from "./flaws.js";
import { openContext, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

const opened = async (t, { fragment = "", ...options } = {}) =>
  GamePage.open(await openContext(t, browser, options), (await staticSite(t)) + fragment);

test("a player bar tells the colour, and the second click of a resignation is asked for aloud", async (t) => {
  const game = await opened(t);
  await game.newGame({ side: 5, play: "white", level: 1 });
  await game.play("e5", "white");
  await game.hasStones(2);
  assert.match(await game.find('[data-player="black"]').textContent(), /^\s*Black\s+Malecon, level 1, first steps/);
  await game.action("resign").click();
  await game.isSaid(/^Really resign\?$/);
  await game.action("resign").click();
  await game.find("[data-live-result]", { hasText: "Malecon won by resignation." }).waitFor({ state: "attached" });
  // What is over is not found again at the end of the page.
  await game.action("previous").click();
  await game.find("[data-live-result]", { hasText: /^$/ }).waitFor({ state: "attached" });
});

test("a review, its findings and their lines are read out, and an attempt leads back to the review", async (t) => {
  const game = await opened(t);
  await game.paste("# side 5\na1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5");
  await game.hasStones(13);
  await game.find("[data-findings]").waitFor({ state: "hidden" });
  await game.find('[data-action="review"].small').click();
  await game.isSaid(/^The review is complete: \d+ findings?\. \d+ exercises? (is|are) under “Puzzles”\.$/);
  await game.find("[data-findings] button").first().click();
  await game.isSaid(
    /^Black overlooked a5 .*\. Black's chance fell to \d+\s%.* Why: .*a5 completes a bridge and wins\./,
  );
  await game.action("step-forward").click();
  await game.isSaid(/^White [a-i]\d\.$/);
  await game.action("try").click();
  await game.play("h6", "black");
  await game.find("[data-finding-verdict]:visible", { hasText: "h6 is not as good" }).waitFor();
  await game.find("[data-status]", { hasText: "Malecon won by bridge" }).waitFor();
  // The attempt is a variation in the list of moves.
  assert.deepEqual(await flaws(game.page), []);
  assert.equal(await game.find("[data-result]").isVisible(), false);
  await game.action("end-try").click();
  await game.find("[data-status]", { hasText: "Black to move" }).waitFor();
});

test("fields and buttons of “Save & share” have names of their own", async (t) => {
  const game = await opened(t, { fragment: "#side=5&moves=e5" });
  await game.action("share").click();
  const dialog = game.page.getByRole("dialog", { name: "Save and share" });
  for (const name of ["Link to this position", "Link to the whole game, with variations, comments and marks"]) {
    await dialog.getByRole("textbox", { name, exact: true }).waitFor();
    await dialog.getByRole("button", { name: `Copy ${name}`, exact: true }).waitFor();
  }
});

test("the offer of the tutorial is a part of the page with a name", async (t) => {
  const game = await opened(t, { settings: null, fragment: "#side=5&moves=e5,f6" });
  await game.page.getByRole("region", { name: "New to Havannah? Five small puzzles teach the rules." }).waitFor();
  assert.deepEqual(await flaws(game.page), []);
});

test("from the filters of the puzzles, one Tab leads to the way back", async (t) => {
  const game = await opened(t);
  await game.action("puzzles").click();
  await game.find('[data-puzzle-filter="side"]').focus();
  await game.page.keyboard.press("Tab");
  assert.equal(await game.focused("data-puzzle-action"), "close");
});

test("one Tab leads to the list of moves and one on; arrow keys go through it, variations included", async (t) => {
  const game = await opened(t);
  await game.paste("(;FF[4]SZ[5];W[a1];B[b2](;W[c3];B[d4])(;W[e5]))");
  await game.hasStones(4);
  const { keyboard } = game.page;
  const isOn = async (move, stones) => {
    await game.find(`[data-moves] [data-move="${move}"][aria-current]`).waitFor();
    assert.equal(await game.focused("data-move"), move);
    await game.hasStones(stones);
  };
  await game.find('[data-moves] [data-move="d4"]').focus();
  await keyboard.press("Tab");
  assert.equal(await game.focused("data-move"), null);
  await keyboard.press("Shift+Tab");
  await isOn("d4", 4);
  await keyboard.press("ArrowLeft");
  await isOn("c3", 3);
  await keyboard.press("ArrowDown");
  await isOn("e5", 3);
  await keyboard.press("ArrowUp");
  await isOn("c3", 3);
  await keyboard.press("Home");
  await game.hasStones(0);
  assert.equal(await game.focused("data-move"), "a1", "the focus stays in the list");
  assert.deepEqual(await flaws(game.page), []);
});
