// The library as tests look into it.

import assert from "node:assert/strict";
import { PATIENCE } from "./harness.js";
import { GamePage } from "./page.js";

/** Opens the library and waits for a number of games. */
export async function openLibrary(game, count) {
  const button = game.find('.top [data-action="library"]');
  if (await button.isVisible()) await button.click();
  else {
    await game.action("open").click();
    await game.find('[data-dialog="open"] [data-action="library"]').click();
  }
  await hasGames(game, count);
}

export async function hasGames(game, count) {
  if (count === 0) return game.find("[data-library-summary]", { hasText: "No games yet." }).waitFor();
  const text = new RegExp(`^${count.toLocaleString("en")} games?\\.$`);
  return game.find("[data-library-summary]", { hasText: text }).waitFor();
}

/** The titles and details of the games that are listed. */
export const listed = (game) => game.find("[data-library-open]").allInnerTexts();

/** The entries of the library. */
export function entries(game) {
  return game.page.evaluate(async () => {
    const settled = (request) =>
      new Promise((resolve, reject) =>
        Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }),
      );
    const database = await settled(indexedDB.open("malecon"));
    const list = await settled(database.transaction("entries").objectStore("entries").getAll());
    database.close();
    return list;
  });
}

/** Waits until the library has written a game of this side with so many moves. */
export async function isKept(game, side, moves) {
  const end = Date.now() + PATIENCE;
  while (!(await entries(game)).some((entry) => entry.side === side && entry.moves === moves)) {
    assert.ok(Date.now() < end, `the library has no game of side ${side} with ${moves} moves`);
    await game.page.waitForTimeout(50);
  }
}

/** Two tabs: one with a game of side 4 after its first move, and one with the library, which lists it. */
export async function gameBesideLibrary(context, url) {
  const game = await GamePage.open(context, url);
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await isKept(game, 4, 1);
  const library = await GamePage.open(context, url);
  await openLibrary(library, 1);
  return [game, library];
}
