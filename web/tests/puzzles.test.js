// The screen of the puzzles.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGINES, openContext, picture, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

const puzzles = readFileSync(new URL("../page/puzzles.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
/** The game is won by the second move. */
const puzzle = puzzles.find(({ side, moves_to_win: count }) => side === 4 && count === 2);
const screen = "[data-puzzle-screen]";

const state = (game, name) => game.find(`${screen}[data-state="${name}"]`).waitFor();
const action = (game, name) => game.find(`[data-puzzle-action="${name}"]`);
const vertex = (game, name) => game.find(`${screen} [data-vertex="${name}"]`);

/** An empty vertex that is not in the line. */
function otherVertex() {
  const names = ["d4", "c3", "e5", "d5", "c4", "e4", "d3", "b2", "f6", "c5", "e3"];
  return names.find((name) => ![...puzzle.moves, ...puzzle.line].includes(name));
}

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`a puzzle is solved after a wrong move, and remembered (${engine})`, async (t) => {
    const context = await openContext(t, browser);
    const game = await GamePage.open(context, `${await site(t)}#puzzle=${puzzle.id}`);
    await state(game, "yours");
    assert.match(await game.find("[data-puzzle-task]").innerText(), /One move wins, in 2 moves/);
    const other = otherVertex();
    await vertex(game, other).click();
    await state(game, "wrong");
    await game.find(`${screen} [data-line-move="1"]`).waitFor({ state: "attached" });
    const said = await game.find("[data-puzzle-status]").innerText();
    assert.match(said, new RegExp(`^${other} is not the move. Here is how`));
    await picture(game.page, `puzzle-wrong-${engine}`);
    await action(game, "retry").click();
    await state(game, "yours");
    const [first, , last] = puzzle.line;
    await vertex(game, first).click();
    await game.find(`${screen} [data-vertex="${puzzle.line[1]}"][data-stone]`).waitFor({ state: "attached" });
    await state(game, "yours");
    await vertex(game, last).click();
    await state(game, "solved");
    await game.find(`${screen} [data-winning]`).first().waitFor({ state: "attached" });
    await picture(game.page, `puzzle-solved-${engine}`);
    await game.find(`[data-puzzle="${puzzle.id}"][data-solved]`).waitFor();
    await action(game, "next").click();
    await game.find(`[data-puzzle-title]:not(:text-is("Puzzle ${puzzle.id}"))`).waitFor();
    await game.page.reload();
    await game.find(`[data-puzzle="${puzzle.id}"][data-solved]`).waitFor();
    await action(game, "close").click();
    await game.find("main.app:visible [data-moves]").waitFor();
    assert.match(game.page.url(), /#side=/);
  });
}

test("hints, the solution, filters and the keyboard", async (t) => {
  const context = await openContext(t, browser, { colorScheme: "dark", viewport: { width: 360, height: 720 } });
  const game = await GamePage.open(context, await ENGINES.native(t));
  await game.action("puzzles").click();
  await state(game, "yours");
  await game.page.evaluate((id) => (location.hash = `puzzle=${id}`), puzzle.id);
  await game.find(`[data-puzzle-title]:text-is("Puzzle ${puzzle.id}")`).waitFor();
  await action(game, "hint").click();
  await action(game, "hint").click();
  await game.find(`${screen} [data-vertex="${puzzle.line[0]}"][data-suggested]`).waitFor({ state: "attached" });
  await vertex(game, puzzle.line[0]).focus();
  await game.page.keyboard.press("Enter");
  await game.find(`${screen} [data-vertex="${puzzle.line[0]}"][data-stone]`).waitFor({ state: "attached" });
  await state(game, "yours");
  await action(game, "show").click();
  await state(game, "shown");
  assert.equal(await game.find(`${screen} [data-line-move]`).count(), puzzle.line.length);
  await game.find('[data-puzzle-filter="side"]').selectOption("4");
  await game.find('[data-puzzle-filter="grade"]').selectOption("2");
  const wanted = puzzles.filter(({ side, grade }) => side === 4 && grade === 2).length;
  await game.find("[data-puzzle-progress]", { hasText: `0 of ${wanted} solved` }).waitFor();
  const isInSight = await game.find(`${screen} [aria-current]`).evaluate((link) => {
    const [own, list] = [link, link.closest("ol, ul")].map((element) => element.getBoundingClientRect());
    return own.top >= list.top && own.bottom <= list.bottom;
  });
  assert.ok(isInSight, "the present puzzle is in sight, whatever was in the list before");
  await game.isAsWideAsTheScreen();
  await picture(game.page, "puzzle-phone-dark");
});

test("a link to a puzzle that does not exist, and stored nonsense, lead to a puzzle", async (t) => {
  const context = await openContext(t, browser);
  await context.addInitScript('if (origin !== "null") localStorage["malecon.puzzles"] = \'{"solved":"all"}\'');
  const game = await GamePage.open(context, `${await ENGINES.native(t)}#puzzle=99999`);
  await state(game, "yours");
  await game.find("[data-toast]", { hasText: "There is no puzzle 99999 in this browser." }).waitFor();
  assert.match(await game.find("[data-puzzle-progress]").innerText(), /^0 of /);
});

test("a link, or a game that is opened, takes the place of a puzzle", async (t) => {
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, `${await ENGINES.native(t)}#puzzle=${puzzle.id}`);
  const { page } = game;
  await state(game, "yours");
  await page.evaluate(() => (location.hash = "side=4&moves=d4,c4"));
  await game.find("main.app:visible [data-moves] [data-node]").nth(1).waitFor();
  assert.deepEqual(await game.moves(), ["d4", "c4"]);
  assert.match(page.url(), /#side=4&moves=d4,c4$/);
  await page.goBack();
  await state(game, "yours");
  await game.newGame({ side: 6, play: "both" });
  await game.find(screen).waitFor({ state: "hidden" });
  assert.match(page.url(), /#side=6/);
  await game.action("puzzles").click();
  await state(game, "yours");
  await game.paste("# side 4\nd4 c4 e5");
  await game.hasStones(3);
  await game.find(screen).waitFor({ state: "hidden" });
});

test("without the file of the puzzles the game stays, and the page says why", async (t) => {
  const allowed = (message) => /404|Failed to load/.test(message);
  const context = await openContext(t, browser, { allowed });
  await context.route("**/puzzles.jsonl", (route) => route.fulfill({ status: 404 }));
  const game = await GamePage.open(context, `${await ENGINES.native(t)}#puzzle=${puzzle.id}`);
  await game.find("[data-toast]", { hasText: "The puzzles could not be loaded" }).waitFor();
  await game.find("main.app:visible [data-moves]").waitFor();
  assert.match(game.page.url(), /#side=/);
});

test("the focus goes to the board that is shown", async (t) => {
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, `${await ENGINES.native(t)}#puzzle=${puzzle.id}`);
  await state(game, "yours");
  const isOnBoard = (within) =>
    game.page.waitForFunction((root) => document.activeElement.matches(`${root} [data-vertex]`), within);
  await action(game, "show").click();
  await state(game, "shown");
  await isOnBoard(screen);
  await game.find("[data-skip]").focus();
  await game.page.keyboard.press("Enter");
  await isOnBoard(screen);
  assert.match(game.page.url(), new RegExp(`#puzzle=${puzzle.id}$`));
  await action(game, "close").click();
  await isOnBoard("#board");
});
