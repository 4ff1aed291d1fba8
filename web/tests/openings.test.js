// The explorer of openings: the library's games, the table of first stones, and the engine.

import assert from "node:assert/strict";
import { test } from "node:test";
import { flaws } from "./flaws.js";
import { COLOR_SCHEMES, ENGINES, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** Games of side 5: two that are images of each other, one with the same stones in another order, and another one. */
const GAMES = [
  ["Ann", "Ben", "W+R", "W[a1];B[e5];W[c3]"],
  ["Ann", "Cleo", "W+R", "W[e1];B[e5];W[g3]"],
  ["Ben", "Cleo", "B+R", "W[c3];B[e5];W[a1]"],
  ["Dan", "Ann", "B+R", "W[e5];B[d4]"],
];
const COLLECTION = GAMES.map(
  ([white, black, result, moves]) => `(;FF[4]SZ[5]PW[${white}]PB[${black}]RE[${result}];${moves})`,
);

async function openedWithGames(t, site, options) {
  const game = await GamePage.open(await openContext(t, browser, options), await site(t));
  await game.paste(COLLECTION.join("\n"));
  await game.find("[data-library-summary]", { hasText: "4 games." }).waitFor();
  await game.find('[data-library-action="close"]').click();
  await game.newGame({ side: 5, play: "both" });
  await game.choose("[data-openings-switch]");
  return game;
}

/** The row of a move: its games, the label of its results, the table's and the engine's chance. */
async function row(game, move) {
  const cells = game.find(`[data-opening="${move}"] td`);
  await cells.first().waitFor();
  return {
    games: await cells.nth(1).innerText(),
    results: await cells.nth(2).locator("[role=img]").getAttribute("aria-label"),
    table: await cells.nth(3).innerText(),
    engine: await cells.nth(4).innerText(),
  };
}

/** Waits until the first row has this many games. */
async function firstHas(game, games) {
  await game.page.waitForFunction(
    (count) => document.querySelector("[data-opening] td:nth-child(2)")?.innerText === String(count),
    games,
  );
}

const moves = (game) => game.find("[data-opening]").evaluateAll((rows) => rows.map((r) => r.dataset.opening));

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`first stones are listed with games, results, the table and the engine (${engine})`, async (t) => {
    const game = await openedWithGames(t, site);
    // Ann's two corners are one move.
    await firstHas(game, 2);
    const listed = (await moves(game)).slice(0, 3);
    const corner = listed[0];
    assert.ok(["a1", "a5", "e1", "e9", "i5", "i9"].includes(corner), corner);
    await game.find("[data-openings-legend]", { hasText: "Table:" }).waitFor();
    const { games, results, table } = await row(game, corner);
    assert.deepEqual([games, results], ["2", "White won 2, Black 0"]);
    assert.match(table, /^\d+\s%$/);
    assert.equal((await row(game, "e5")).results, "White won 0, Black 1");
    assert.match(await game.find("[data-openings-legend]").innerText(), /Switch the analysis on/);
    await game.choose("[data-analysis-switch]");
    await game.page.waitForFunction(() =>
      [...document.querySelectorAll("[data-opening] td:last-child")].some((cell) => /^\d+\s%$/.test(cell.innerText)),
    );
    await game.find("[data-openings-line]:visible").waitFor();
    await picture(game.page, `openings-${engine}`);
    // A click plays the move, and the list is that of the next position.
    await game.find(`[data-opening="${corner}"] button`).click();
    await game.hasStones(1);
    await game.find('[data-opening="e5"]').waitFor();
    assert.deepEqual([(await row(game, "e5")).games], ["2"]);
  });
}

test("a position reached by other moves counts, and its games are opened there", async (t) => {
  const game = await openedWithGames(t, staticSite);
  for (const [name, color] of [
    ["a1", "white"],
    ["e5", "black"],
  ]) {
    await game.play(name, color);
  }
  // The reply before this one was another row of two games.
  await game.find('[data-opening]:not([data-opening="e5"])').first().waitFor();
  await firstHas(game, 2);
  const [first] = await moves(game);
  await game.find(`[data-opening="${first}"]`).hover();
  await game.find("[data-line-move]").waitFor();
  assert.equal((await row(game, first)).results, "White won 1, Black 1");
  await game.play("c3", "white");
  await game.find("[data-openings-summary]", { hasText: "2 of your games came here." }).waitFor();
  const found = game.find("[data-openings-game]");
  assert.deepEqual((await found.allInnerTexts()).map((text) => text.split("\n")[0]).sort(), [
    "Ann – Ben",
    "Ben – Cleo",
  ]);
  await game.action("undo").click();
  await game.play("a5", "white");
  await game.find("[data-openings-summary]", { hasText: "None of your games has this position." }).waitFor();
  await game.action("undo").click();
  await game.action("undo").click();
  await game.hasStones(1);
  await game.find("[data-openings-game]", { hasText: "Ann – Ben" }).click();
  await game.find('[data-player="black"] [data-name]', { hasText: "Ben" }).waitFor();
  await game.hasStones(1);
});

test("after the first stone of a game with the pie rule, the table speaks of the swap", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 5, play: "both", swap: true });
  await game.choose("[data-openings-switch]");
  await game.play("e5", "white");
  const { table } = await row(game, "swap");
  assert.match(table, /^\d+\s%$/);
  await game.find('[data-opening="swap"] button').click();
  await game.hasStone("e5", "black");
});

for (const colorScheme of COLOR_SCHEMES) {
  test(`the explorer fits a phone, and axe finds nothing (${colorScheme})`, async (t) => {
    const options = { ...PHONE, colorScheme, settings: { analysis: true, analysisSeconds: 1 } };
    const game = await openedWithGames(t, staticSite, options);
    await game.find("[data-openings-more]:visible").waitFor();
    await game.find("[data-analysis-summary]", { hasText: "done" }).waitFor();
    const few = (await moves(game)).length;
    await game.find("[data-openings-more]").tap();
    assert.ok((await moves(game)).length > few);
    await game.isAsWideAsTheScreen();
    assert.deepEqual(await flaws(game.page), []);
    await game.find("[data-openings]").scrollIntoViewIfNeeded();
    await picture(game.page, `openings-phone-${colorScheme}`);
  });
}
