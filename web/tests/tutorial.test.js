// The first visit: puzzles, the first game, warnings, and the level that adapts.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { LESSONS, LESSON_SIDE } from "../page/js/game/lessons.js";
import { malecon, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const site = (t) => staticSite(t);
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** What the engine says about positions of a lesson after these moves: [{position, threats}]. */
function judge({ white, black }, lines) {
  const queries = lines.map((moves, i) =>
    JSON.stringify({ id: String(i), side: LESSON_SIDE, white, black, moves, want: ["position", "threats"] }),
  );
  const { stdout } = spawnSync(malecon, ["analyze"], { input: queries.join("\n"), encoding: "utf8" });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return answers.sort((a, b) => Number(a.id) - Number(b.id));
}

const wins = ({ threats }) => Object.keys(threats.white).sort();

test("each puzzle has one solution by the rules", () => {
  const kinds = new Set();
  for (const lesson of LESSONS) {
    const [start] = judge(lesson, [[]]);
    assert.equal(start.position.over, false, lesson.title);
    assert.equal(lesson.white.length, lesson.black.length, lesson.title);
    assert.deepEqual(start.threats.black, {}, "Black threatens nothing");
    if (!lesson.first) {
      assert.deepEqual(wins(start), lesson.wins, lesson.title);
      Object.values(start.threats.white)
        .flat()
        .forEach((kind) => kinds.add(kind));
      continue;
    }
    assert.deepEqual(wins(start), [], "nothing wins at once");
    const { legal } = start.position;
    for (const after of judge(
      lesson,
      legal.map((move) => [move]),
    )) {
      const move = legal[after.id];
      if (move === lesson.first) assert.deepEqual(wins(after), lesson.wins.toSorted(), lesson.title);
      else assert.ok(wins(after).length < 2, `${lesson.title}: ${move}`);
    }
    const [replied] = judge(lesson, [[lesson.first, lesson.wins[0]]]);
    assert.deepEqual(wins(replied), lesson.wins.slice(1).sort(), lesson.title);
  }
  assert.deepEqual([...kinds].sort(), ["bridge", "fork", "ring"]);
});

/** A vertex of the puzzle. */
const cell = (game, name) => game.find(`[data-dialog="tutorial"] [data-vertex="${name}"]`);
const text = (game) => game.find("[data-lesson-text]").innerText();
const says = (game, pattern) => game.find("[data-lesson-text]", { hasText: pattern }).waitFor();

test("a first visit teaches, and ends with a game at level 1", async (t) => {
  const game = await GamePage.open(await openContext(t, browser, { settings: null, ...PHONE }), await site(t));
  for (const [
    i,
    {
      title,
      wins: [first, second],
      first: opening,
      praise,
      hint,
    },
  ] of LESSONS.entries()) {
    await game.find("[data-lesson-title]", { hasText: title }).waitFor();
    await picture(game.page, `lesson-${i + 1}`);
    if (i === 0) {
      // Twice wrong: the first time in words, then the cell is shown.
      await cell(game, "g4").tap();
      await says(game, hint);
      assert.equal(await game.find('[data-dialog="tutorial"] [data-stone="white"]').count(), LESSONS[0].white.length);
      await cell(game, "g5").tap();
      await game
        .find(`[data-dialog="tutorial"] [data-vertex="${first}"][data-suggested]`)
        .waitFor({ state: "attached" });
    }
    if (opening) {
      await cell(game, opening).tap();
      await game
        .find(`[data-dialog="tutorial"] [data-vertex="${first}"][data-stone="black"]`)
        .waitFor({ state: "attached" });
    }
    await cell(game, opening ? second : first).tap();
    await says(game, praise);
    await game.find('[data-dialog="tutorial"] [data-winning]').first().waitFor({ state: "attached" });
    // What was solved stays solved.
    if (i === 2) {
      await picture(game.page, "lesson-solved");
      await game.page.reload();
      await game.find("[data-lesson-title]", { hasText: LESSONS[3].title }).waitFor();
    } else {
      await game.find("[data-lesson-next]").tap();
    }
  }
  assert.match(await text(game), /level 1/);
  await game.find("[data-lesson-next]").tap();
  await game.find('[data-dialog="tutorial"]').waitFor({ state: "hidden" });
  assert.equal(await game.find("select[data-level]").inputValue(), "1");
  await game.play("e5", "white");
  await game.hasStones(2);
  // Only the first visit begins with it.
  const other = await GamePage.open(game.page.context(), game.page.url().replace(/#.*/, ""));
  await other.find("[data-board]").waitFor();
  assert.equal(await other.find('[data-dialog="tutorial"]').isVisible(), false);
});

test("the puzzles can be skipped and found again; level 1 is where one begins", async (t) => {
  const context = await openContext(t, browser, { settings: null, viewport: { width: 640, height: 360 } });
  const game = await GamePage.open(context, await site(t));
  await game.find('[data-dialog="tutorial"]').waitFor();
  await picture(game.page, "lesson-landscape");
  await game.find('[data-dialog="tutorial"] footer [data-close]').click();
  await game.find("[data-toast]", { hasText: "Rules" }).waitFor();
  assert.equal(await game.find("select[data-level]").inputValue(), "1");
  await game.page.reload();
  await game.ready();
  assert.equal(await game.find('[data-dialog="tutorial"]').isVisible(), false);
  await game.action("rules").click();
  await game.find('[data-dialog="rules"] [data-action="tutorial"]').click();
  await game.find("[data-lesson-title]", { hasText: LESSONS[0].title }).waitFor();
});

test("a link to a position is shown, not the puzzles", async (t) => {
  const context = await openContext(t, browser, { settings: null });
  const game = await GamePage.open(context, `${await site(t)}#side=4&moves=d4`);
  await game.hasStone("d4", "white");
  assert.equal(await game.find('[data-dialog="tutorial"]').isVisible(), false);
});

/** A game of White against level 1 with these moves, as the page keeps it. */
const kept = (moves) => ({
  side: 5,
  swap: false,
  setup: { white: [], black: [], first: "white" },
  seats: "white",
  level: 1,
  names: {},
  counts: true,
  flag: null,
  clock: null,
  current: moves.length,
  head: moves.length,
  savedAt: 1,
  tree: [null, ...moves].map((move, id) => ({ id, parent: id ? id - 1 : null, move })),
});

/** Opens the page with a game that it has kept. */
async function resume(t, moves, options = {}) {
  const game = await GamePage.open(await openContext(t, browser, options), await site(t));
  // Before the page is loaded again, once: when it is left, it saves a game of its own.
  await game.page.addInitScript((stored) => {
    if (sessionStorage["resumed"]) return;
    sessionStorage["resumed"] = "yes";
    localStorage[`malecon.game.${sessionStorage["malecon.tab"]}`] = JSON.stringify(stored);
  }, kept(moves));
  await game.page.reload();
  await game.ready();
  return game;
}

const BRIDGE = ["e5", "a1", "f6", "a2", "g6", "a3", "e3", "a4"];

test("the user is warned of a threat, and again after overlooking it; the stone can be taken back", async (t) => {
  const game = await resume(t, BRIDGE, { settings: { warnings: true }, ...PHONE });
  const warning = game.find("[data-warning]:visible");
  await warning.waitFor();
  assert.match(await warning.innerText(), /You could lose here: Black threatens to win at a5 \(bridge\)/);
  assert.match(await game.vertex("a5").getAttribute("aria-label"), /Black can complete B/);
  await picture(game.page, "warning");
  await game.vertex("g7").tap();
  await game.find("[data-warning-text]", { hasText: "after g7, Black can win at once at a5" }).waitFor();
  // The opponent waits.
  assert.equal(Object.keys(await game.stones()).length, BRIDGE.length + 1);
  await warning.locator('[data-action="undo"]').tap();
  await game.hasStones(BRIDGE.length);
  await game.play("a5", "white");
  await game.hasStones(BRIDGE.length + 2);
  await warning.waitFor({ state: "hidden" });
});

test("who plays on after a warning gets the opponent's answer, and who wants no warnings gets none", async (t) => {
  const game = await resume(t, BRIDGE, { settings: { warnings: true } });
  await game.find("[data-warning]:visible").waitFor();
  await game.vertex("g7").click();
  await game.find("[data-warning-text]", { hasText: "after g7" }).waitFor();
  await game.find('[data-action="play-on"]').click();
  await game.hasStones(BRIDGE.length + 2);
  await game.action("undo").click();
  await game.find("[data-warning]:visible").waitFor();
  await game.find('[data-action="no-warnings"]').click();
  await game.find("[data-warning]").waitFor({ state: "hidden" });
  await game.vertex("g7").click();
  await game.hasStones(BRIDGE.length + 2);
});

test("a link to a position that is decided is neither won nor lost", async (t) => {
  const context = await openContext(t, browser, { settings: { play: "white", level: 3, adapts: true } });
  const game = await GamePage.open(context, `${await site(t)}#side=5&white=a1,a2,a3,a4,a5`);
  await game.result(/white won by bridge/i);
  assert.equal(await game.page.evaluate(() => JSON.parse(localStorage["malecon.settings"]).level), 3);
});

test("a win raises the level of the next game, once", async (t) => {
  const won = ["a1", "e5", "a2", "f6", "a3", "g7", "a4", "e3"];
  const game = await resume(t, won, { settings: { level: 1 } });
  await game.play("a5", "white");
  await game.result(/you won by bridge/i);
  await game.find("[data-toast]", { hasText: "The next game: Level 2" }).waitFor();
  await game.page.reload();
  await game.result(/you won by bridge/i);
  await game.action("rematch").click();
  await game.find('[data-player="white"] [data-name]', { hasText: "level 2" }).waitFor();
  assert.equal(await game.find("select[data-level]").inputValue(), "2");
  // Resigning is a loss.
  await game.hasStones(1);
  await game.action("resign").click();
  await game.action("resign").click();
  await game.result(/won by resignation/);
  await game.find("[data-toast]", { hasText: "The next game: Level 1" }).waitFor();
});
