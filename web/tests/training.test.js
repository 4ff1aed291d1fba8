// Learning from one's mistakes: the findings of reviews as exercises, which are asked again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const DAY = 86_400_000;

/** Ben does not stop the bridge at a5, at move 12. */
const moves = "a1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5".split(" ");
const RECORD = `(;FF[4]SZ[5]PW[Ann]PB[Ben]${moves.map((move, i) => `;${"WB"[i % 2]}[${move}]`).join("")})`;

const status = (game, text) => game.find("[data-puzzle-status]", { hasText: text }).waitFor();
const filter = (game, name, value) => game.find(`[data-puzzle-filter="${name}"]`).selectOption(value);
const cell = (game, name) => game.find(`[data-puzzle-screen] [data-vertex="${name}"]`);

/** The page after the review of the game, with the exercise of move 12 of the user's own mistakes. */
async function atExercise(t, options) {
  const context = await openContext(t, browser, { settings: { playerName: "ben", confirm: "never" }, ...options });
  const game = await GamePage.open(context, await staticSite(t));
  await game.paste(RECORD);
  await game.hasStones(13);
  await game.find('[data-action="review"].small').click();
  await game.find("[data-review-files]:visible").waitFor();
  await game.action("puzzles").click();
  await game.find("[data-puzzle-title]", { hasText: "Puzzle" }).waitFor();
  await filter(game, "source", "mine");
  await game.find("[data-puzzle-title]", { hasText: "A mistake of a game" }).waitFor();
  await game.find('[data-puzzle][aria-label*="move 12,"]').click();
  await game.find("[data-puzzle-task]", { hasText: "Move 12 of Ann – Ben, side 5. Black played f5 (✕)" }).waitFor();
  return game;
}

test("a mistake of one's own becomes an exercise, which is judged and asked again", async (t) => {
  const game = await atExercise(t);
  assert.equal(await game.find('[data-puzzle-screen] [data-mark="cross"]').getAttribute("data-on"), "f5");
  // Only Black's, who is Ben.
  const labels = await game
    .find("[data-puzzle]")
    .evaluateAll((links) => links.map((link) => link.getAttribute("aria-label")));
  assert.ok(labels.length > 0 && labels.every((label) => label.includes("Black")), labels.join("; "));
  await picture(game.page, "exercise");
  await cell(game, "f5").click();
  await status(game, "f5 is the move of the game");
  await game.find('[data-puzzle-action="retry"]').click();
  await cell(game, "c5").click();
  await status(game, /^c5 is not as good: Black wins \d+ %, but \d+ % is possible\.$/);
  await game.find('[data-puzzle-action="retry"]').click();
  await cell(game, "a5").click();
  await status(game, /^a5 is right: Black wins \d+ %\. Why: /);
  const count = labels.length;
  // The first answer was wrong, so it comes again tomorrow, and not before.
  const progress = game.find("[data-puzzle-progress]");
  await game.find("[data-puzzle-progress]", { hasText: `0 of ${count} solved` }).waitFor();
  assert.doesNotMatch(await progress.innerText(), /repeat/);
  const comeBack = async (days) => {
    await game.page.clock.setFixedTime(Date.now() + days * DAY);
    await game.page.reload();
    await game.ready();
    await game.find("[data-puzzle-task]", { hasText: "Move 12" }).waitFor();
    await filter(game, "source", "mine");
  };
  await comeBack(1);
  await game.find("[data-puzzle-progress]", { hasText: `0 of ${count} solved, 1 to repeat` }).waitFor();
  // Right at once, two days in a row.
  await cell(game, "a5").click();
  await status(game, "a5 is right");
  await game.find("[data-puzzle-progress]", { hasText: `1 of ${count} solved, 2 days in a row` }).waitFor();
  await comeBack(2);
  assert.doesNotMatch(await progress.innerText(), /repeat/);
  await comeBack(60);
  await game.find("[data-puzzle-progress]", { hasText: "1 to repeat" }).waitFor();
});

test("an exercise on a phone, with a hint and the solution", async (t) => {
  const game = await atExercise(t, PHONE);
  await game.isAsWideAsTheScreen();
  await picture(game.page, "exercise-phone");
  await game.find('[data-puzzle-action="hint"]').tap();
  await status(game, "The move is a5.");
  await game.find('[data-puzzle-action="show"]').tap();
  await status(game, /^a5 was better: Black wins \d+ %/);
  await game.find('[data-puzzle-screen] [data-line-move="1"]').waitFor({ state: "attached" });
});

test("a puzzle that was not solved at once is asked again, before new ones", async (t) => {
  const game = await GamePage.open(
    await openContext(t, browser, { settings: { confirm: "never" } }),
    await staticSite(t),
  );
  await game.action("puzzles").click();
  const title = game.find("[data-puzzle-title]");
  await title.waitFor();
  const first = await title.innerText();
  await game.find('[data-puzzle-action="show"]').click();
  await status(game, "The solution:");
  await game.find('[data-puzzle-action="next"]').click();
  await game.page.waitForFunction((was) => document.querySelector("[data-puzzle-title]").textContent !== was, first);
  await game.page.clock.setFixedTime(Date.now() + 2 * DAY);
  await game.page.reload();
  await game.ready();
  await title.waitFor();
  await game.find("[data-puzzle-progress]", { hasText: "1 to repeat" }).waitFor();
  await game.find('[data-puzzle-action="next"]').click();
  await game.find("[data-puzzle-title]", { hasText: new RegExp(`^${first}$`) }).waitFor();
});
