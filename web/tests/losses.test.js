// What could be lost, and who could lose the place where they are: two tabs, late undo, a database that is gone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { canHoldReviews, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { gameBesideLibrary, hasGames, isKept, listed, openLibrary } from "./kept.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

/** Black does not stop the bridge at a5. White could have begun another line at move 3. */
const MOVES = "a1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5".split(" ");
const WITH_VARIATION = `(;FF[4]SZ[5];W[a1];B[f6](${MOVES.slice(2)
  .map((move, i) => `;${"WB"[i % 2]}[${move}]`)
  .join("")})(;W[h8];B[h7]))`;

async function opened(t, { fragment = "", ...options } = {}) {
  return GamePage.open(await openContext(t, browser, options), (await staticSite(t)) + fragment);
}

const comment = async (game, text) => {
  await game.action("annotate").click();
  await game.find("[data-comment]").fill(text);
  await game.find("[data-moves]", { hasText: text }).waitFor();
};

test("a game of a link is kept once it has a comment or a review, and not before", async (t) => {
  const game = await opened(t, { fragment: "#side=4&moves=d4,c3" });
  await game.hasStones(2);
  await game.newGame({ side: 5, play: "both" });
  await openLibrary(game, 0);
  const other = await GamePage.open(game.page.context(), `${game.page.url().replace(/#.*/, "")}#side=4&moves=d4,c3,e5`);
  await other.hasStones(3);
  await comment(other, "Why not c5?");
  await other.newGame({ side: 5, play: "both" });
  await openLibrary(other, 1);
  await other.find("[data-library-open]").click();
  await other.find("[data-moves]", { hasText: "Why not c5?" }).waitFor();
});

test("what is undone late does not take later moves with it", async (t) => {
  const game = await opened(t);
  await game.paste("# side 4\nd4 c3 e5 c5");
  await game.hasStones(4);
  await game.action("delete").click();
  await game.hasStones(3);
  const offer = game.find("[data-toast-action]");
  await offer.waitFor();
  await game.play("d3", "black");
  await offer.waitFor({ state: "hidden" });
  await game.page.keyboard.press("Control+z");
  await game.hasStones(4);
  assert.deepEqual(await game.moves(), ["d4", "c3", "e5", "d3"]);
});

test("settings of two tabs are both kept", async (t) => {
  const context = await openContext(t, browser);
  const url = await staticSite(t);
  const [one, other] = [await GamePage.open(context, url), await GamePage.open(context, url)];
  await one.action("settings").click();
  await one.find('input[name="playerName"]').fill("Ann");
  await one.page.keyboard.press("Tab");
  await one.find('dialog[data-dialog="settings"] button[type="submit"]').click();
  await other.choose("[data-openings-switch]");
  await other.page.reload();
  await other.ready();
  const stored = await other.page.evaluate(() => JSON.parse(localStorage["malecon.settings"]));
  assert.deepEqual([stored.playerName, stored.openings], ["Ann", true]);
});

test("a review that ends while another line is shown makes the exercises of its own line", async (t) => {
  const context = await openContext(t, browser);
  await context.addInitScript(canHoldReviews);
  const game = await GamePage.open(context, await staticSite(t));
  await game.paste(WITH_VARIATION);
  await game.hasStones(13);
  await game.page.evaluate(() => window.holdReviews(5));
  await game.find('[data-action="review"].small').click();
  await game.find('[data-moves] [data-move="h7"]').click();
  await game.hasStones(4);
  await game.page.evaluate(() => window.letReviewsEnd());
  const said = await game.isSaid(/^The review is complete: \d+ finding/);
  await game.find('[data-moves] [data-move="a5"]').click();
  await game.find("[data-review-files]:visible").waitFor();
  const findings = await game.find("[data-mistake]").count();
  assert.match(said, new RegExp(`complete: ${findings} findings\\. [1-6] exercises? `));
});

test("a review goes on after a reload, and a new one that is stopped leaves the complete one", async (t) => {
  const context = await openContext(t, browser);
  await context.addInitScript(canHoldReviews);
  await context.addInitScript(() => {
    window.asked = [];
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (typeof message === "string") window.asked.push(JSON.parse(message));
      return postMessage.call(this, message, ...rest);
    };
  });
  const game = await GamePage.open(context, await staticSite(t));
  await game.paste(WITH_VARIATION);
  await game.hasStones(13);
  const button = game.find('[data-action="review"].small');
  const known = async () => {
    const isReview = ({ action, write }) => action === "review" && !write;
    return (await game.page.evaluate(() => window.asked)).findLast(isReview).known?.length ?? 0;
  };
  const begins = () => game.find("[data-review-progress]").waitFor();
  /** Begins a review and waits until it has found something about 5 positions, and no more. */
  const beginsAndStays = async () => {
    await game.page.evaluate(() => window.holdReviews(5));
    await button.click();
    await begins();
    await game.find("[data-review-summary]", { hasText: /position 6 of 14/ }).waitFor();
  };
  await beginsAndStays();
  assert.equal(await known(), 0);
  await game.page.reload();
  await game.ready();
  await game.hasStones(13);
  await game.page.evaluate(() => window.holdReviews(6));
  await button.click();
  await begins();
  assert.equal(await known(), 5, "what was found before is known");
  await game.page.evaluate(() => window.letReviewsEnd());

  const files = game.find("[data-review-files]:visible");
  await files.waitFor();
  const findings = () => game.find("[data-mistake]").allInnerTexts();
  const former = await findings();
  assert.ok(former.length > 0);
  await beginsAndStays();
  assert.equal(await known(), 0);
  assert.deepEqual(await findings(), former);
  assert.ok(await files.isVisible());
  await picture(game.page, "review-again");
  await button.click();
  await game.find("[data-review-progress]").waitFor({ state: "hidden" });
  assert.deepEqual(await findings(), former);
  await game.page.reload();
  await game.ready();
  await files.waitFor();
  assert.deepEqual(await findings(), former);
});

test("the focus stays in the list of moves while a review marks them", async (t) => {
  const game = await opened(t);
  await game.paste(WITH_VARIATION);
  await game.hasStones(13);
  await game.find('[data-moves] [data-move="a2"]').focus();
  await game.page.keyboard.press("ArrowDown");
  // The focus follows when the page has been drawn anew.
  await game.page.waitForFunction(() => !["a2", undefined].includes(document.activeElement?.dataset.move));
  const move = await game.focused("data-move");
  assert.notEqual(move, null);
  await game.find('[data-action="review"].small').evaluate((button) => button.click());
  await game.find("[data-moves] .mark").first().waitFor();
  await game.find("[data-review-files]:visible").waitFor();
  assert.equal(await game.focused("data-move"), move);
});

test("the list of moves stays where it is scrolled while Malecon searches", async (t) => {
  const game = await opened(t, { settings: { analysis: true } });
  await game.paste(WITH_VARIATION);
  await game.hasStones(13);
  // The game is over after its last move.
  await game.action("previous").click();
  await game.hasStones(12);
  const list = game.find("[data-moves]");
  assert.ok((await list.evaluate((element) => element.scrollTop)) > 0);
  await list.evaluate((element) => (element.scrollTop = 0));
  await game.find("[data-candidate]").first().waitFor();
  await game.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(await list.evaluate((element) => element.scrollTop), 0);
  await game.action("previous").click();
  await game.hasStones(11);
  assert.ok((await list.evaluate((element) => element.scrollTop)) > 0);
});

for (const isTouch of [false, true]) {
  test(`a ${isTouch ? "tap" : "click"} is not lost when a review changes the page under it`, async (t) => {
    const context = await openContext(t, browser, { hasTouch: isTouch });
    await context.addInitScript(canHoldReviews);
    const game = await GamePage.open(context, await staticSite(t));
    await game.paste(WITH_VARIATION);
    await game.hasStones(13);
    await game.page.evaluate(() => window.holdReviews(0));
    await game.find('[data-action="review"].small').click();
    await game.page.waitForFunction(() => window.isReviewHeld());
    const move = game.find('[data-moves] [data-move="a2"]');
    await move.scrollIntoViewIfNeeded();
    const box = await move.boundingBox();
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const devtools = await context.newCDPSession(game.page);
    const touch = (type) =>
      devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchStart" ? [at] : [] });
    await game.page.mouse.move(at.x, at.y);
    await (isTouch ? touch("touchStart") : game.page.mouse.down());
    await game.page.evaluate(() => window.letReviewsEnd());
    await game.isSaid(/^The review is complete/);
    await (isTouch ? touch("touchEnd") : game.page.mouse.up());
    await game.hasStones(3);
    await game.find("[data-review-files]:visible").waitFor();
  });
}

test("a double click in the library deletes one game, which can be brought back", async (t) => {
  const game = await opened(t);
  for (const side of [4, 5, 6]) {
    await game.newGame({ side, play: "both" });
    await game.play("b2", "white");
    await isKept(game, side, 1);
  }
  await openLibrary(game, 3);
  await game.find('[data-library-action="delete"]').nth(1).dblclick();
  await hasGames(game, 2);
  await game.find("[data-toast-action]").click();
  await hasGames(game, 3);
});

test("a record that is opened twice in a hurry is one game", async (t) => {
  const game = await opened(t);
  await game.action("open").click();
  await game.find("[data-paste]").fill("# side 4\nd4 c3 e5");
  await game.find("[data-open-form]").evaluate((form) => {
    form.requestSubmit();
    form.requestSubmit();
  });
  await game.hasStones(3);
  await isKept(game, 4, 3);
  await openLibrary(game, 1);
});

test("a screen opens although a move changes the address at the same time", async (t) => {
  const game = await opened(t);
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await game.page.evaluate(() => {
    const { hash } = location;
    location.hash = "games";
    history.replaceState(history.state, "", hash);
  });
  await game.find("[data-library-screen]").waitFor();
});

test("a name that is typed stays while another tab plays", async (t) => {
  const [one, other] = await gameBesideLibrary(await openContext(t, browser), await staticSite(t));
  await other.find('[data-library-action="rename"]').click();
  await other.page.keyboard.type("My best");
  await one.play("c3", "black");
  await isKept(one, 4, 2);
  // The news come to the other tab in this time.
  await other.page.waitForTimeout(300);
  await other.page.keyboard.type(" game");
  await other.page.keyboard.press("Enter");
  await other.find("[data-library-open]", { hasText: "My best game" }).waitFor();
});

test("a game that was deleted comes back only if it goes on", async (t) => {
  const game = await opened(t);
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await game.play("c3", "black");
  await isKept(game, 4, 2);
  await openLibrary(game, 1);
  await game.find('[data-library-action="delete"]').click();
  await hasGames(game, 0);
  await game.find('[data-library-action="close"]').click();
  await game.action("previous").click();
  // Also after a reload, when the game on the board is taken up again.
  await game.page.reload();
  await game.ready();
  await game.hasStones(1);
  await game.page.waitForTimeout(500);
  await openLibrary(game, 0);
  await game.find('[data-library-action="close"]').click();
  await game.newGame({ side: 5, play: "both" });
  await game.play("e5", "white");
  await isKept(game, 5, 1);
  await openLibrary(game, 1);
  assert.match((await listed(game))[0], /side 5/);
});

test("games are kept again after the browser has cleared its data", async (t) => {
  const game = await opened(t);
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await isKept(game, 4, 1);
  const devtools = await game.page.context().newCDPSession(game.page);
  const { origin } = new URL(game.page.url());
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
  await game.play("c3", "black");
  await openLibrary(game, 1);
  await game.find("[data-library-open]", { hasText: "side 4, 2 moves" }).waitFor();
});

test("an exercise about a swap that was a mistake is asked", async (t) => {
  const game = await opened(t);
  await game.newGame({ side: 5, play: "both" });
  await game.play("e5", "white");
  await isKept(game, 5, 1);
  await game.page.evaluate(async () => {
    const settled = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await settled(indexedDB.open("malecon"));
    const query = { side: 5, swap: true, moves: ["a1"] };
    const exercise = {
      id: "m1",
      side: 5,
      query,
      moves: ["a1"],
      to_move: "black",
      played: "swap",
      number: 2,
      better: "e5",
    };
    const chances = { betterChance: 0.6, playedChance: 0.4 };
    const store = database.transaction("exercises", "readwrite").objectStore("exercises");
    await settled(
      store.put({ ...exercise, ...chances, line: ["e5"], text: null, reason: null, title: "A game", addedAt: 1 }),
    );
    database.close();
  });
  await game.page.reload();
  await game.ready();
  await game.action("puzzles").click();
  await game.find('[data-puzzle-filter="source"]').selectOption("mistakes");
  await game.find("[data-puzzle-task]", { hasText: "Move 2 of A game, side 5. Black played swap" }).waitFor();
  await game.find("[data-puzzle-status]", { hasText: /./ }).waitFor();
});

test("a late undo in the editor undoes nothing else, and first stones are placed on one screen", async (t) => {
  const game = await opened(t);
  await game.paste("# side 8\nd4 c3 h15");
  await game.hasStones(3);
  await openLibrary(game, 1);
  await game.action("new-game").click();
  await game.choose('input[name="play"][value="white"]', "dialog[open]");
  await game.find("[data-more-choices] summary").click();
  await game.find('select[name="handicap"]').selectOption("white");
  await game.find('dialog[open] button[value="start"]').click();
  await game.find("[data-editor-status]:visible").waitFor();
  assert.equal(await game.find("main:visible").count(), 1);
  await game.find('[data-editor-action="close"]').click();
  await game.page.evaluate(() => (location.hash = "editor:side=8&white=d4,h15&black=c3"));
  await game.find("[data-editor-status]", { hasText: "2 white stones" }).waitFor();
  await game.choose('input[name="editor-side"][value="4"]', "[data-editor-screen]");
  const offer = game.find("[data-toast-action]");
  await offer.waitFor();
  await game.find('[data-editor-action="undo"]').click();
  await game.find("[data-editor-status]", { hasText: "2 white stones" }).waitFor();
  await offer.click();
  await game.find('[data-editor-screen] [data-vertex="e5"]').click();
  await game.find("[data-editor-status]", { hasText: "3 white stones" }).waitFor();
});

test("the engine answers in a tab that was left right after a move", async (t) => {
  const context = await openContext(t, browser);
  // Whether the tab is in the background, where no frames are drawn.
  await context.addInitScript(() => {
    window.isAway = false;
    const next = requestAnimationFrame;
    window.requestAnimationFrame = (draw) => next((time) => window.isAway || draw(time));
    Object.defineProperty(document, "hidden", { get: () => window.isAway });
  });
  const game = await GamePage.open(context, await staticSite(t));
  await game.newGame({ side: 4, play: "white", level: 1 });
  await game.find("#typed-move").fill("d4");
  await game.page.evaluate(() => {
    document.querySelector("#typed-move").form.requestSubmit();
    window.isAway = true;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  const isAnswered = () => document.querySelectorAll("[data-vertex][data-stone]").length === 2;
  await game.page.waitForFunction(isAnswered, null, { polling: 100 });
});
