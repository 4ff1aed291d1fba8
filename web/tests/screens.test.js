// Small screens, the keyboard, light and dark.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openContext, picture, staticSite, useBrowser } from "./harness.js";
import { openLibrary } from "./kept.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const site = (t) => staticSite(t);

test("a game on a phone of 360 pixels", async (t) => {
  const phone = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const game = await GamePage.open(await openContext(t, browser, phone), await site(t));
  await game.newGame({ side: 8, play: "white", level: 1 });
  const page = game.page;
  // The first touch shows the stone, the second one plays it.
  await game.vertex("h8").tap();
  await game.action("confirm").waitFor();
  assert.equal(Object.keys(await game.stones()).length, 0);
  await game.vertex("h8").tap();
  await game.hasStones(2);
  await picture(page, "phone-top");
  await game.isAsWideAsTheScreen();
  const board = await game.find("[data-board]").boundingBox();
  assert.ok(board.x >= 0 && board.x + board.width <= 360, "the whole board is seen");
  const small = await page.locator("button:visible, select:visible").evaluateAll((elements) =>
    elements
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([element, box]) => (box.height < 24 || box.width < 24) && !element.closest(".moves, .mistakes"))
      .map(([element]) => element.outerHTML),
  );
  assert.deepEqual(small, [], "buttons are large enough for fingers");
  await page.evaluate(() => scrollTo(0, document.scrollingElement.scrollHeight));
  await picture(page, "phone-bottom");
  for (const dialog of ["new-game", "open", "share", "settings", "rules"]) {
    await page.evaluate(() => scrollTo(0, 0));
    await game.action(dialog).click();
    const box = await game.find(`dialog[data-dialog="${dialog}"]`).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 360, `the dialog ${dialog} fits`);
    await picture(page, `phone-${dialog}`);
    await page.keyboard.press("Escape");
    await game.find(`dialog[data-dialog="${dialog}"]`).waitFor({ state: "hidden" });
  }
});

test("the top of the page is one row on screens of all widths", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  for (const width of [360, 390, 430, 511, 512, 700, 719, 720, 800, 999, 1000, 1100, 1135, 1136, 1280, 1328, 1366]) {
    await game.page.setViewportSize({ width, height: 700 });
    const { height } = await game.find(".top").boundingBox();
    assert.ok(height < 60, `at ${width} pixels it is ${height} high`);
  }
});

for (const [name, type] of [
  ["a phone", null],
  ["a phone whose clicks name no pointer, as in Firefox 128", "undefined"],
  ["a phone whose clicks name a mouse, as in Safari 18.2", "'mouse'"],
]) {
  test(`on a board of side 10 on ${name}, a finger can choose a cell in the lens`, (t) => chooseInLens(t, type));
}

/** `type` is what a click says of the pointer, as JavaScript, or null for what the browser does. */
async function chooseInLens(t, type) {
  const phone = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const context = await openContext(t, browser, phone);
  if (type) {
    await context.addInitScript(`{
      const { get } = Object.getOwnPropertyDescriptor(PointerEvent.prototype, "pointerType");
      Object.defineProperty(PointerEvent.prototype, "pointerType", {
        get() { return this.type === "click" ? ${type} : get.call(this); },
      });
    }`);
  }
  const game = await GamePage.open(context, await site(t));
  await game.newGame({ side: 10, play: "both" });
  const board = await game.find("[data-board]").boundingBox();
  assert.equal(board.width, 360, "the board has the whole width");
  await game.vertex("l12").tap();
  const frame = game.find("[data-lens] .lens-frame");
  await frame.waitFor();
  await picture(game.page, "lens");
  const box = await frame.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 360, "the lens is on the screen");
  const cell = 46;
  // The neighbour on the right is one cell away, large enough for a finger.
  const tapBeside = (cells) => game.page.touchscreen.tap(box.x + box.width / 2 + cells * cell, box.y + box.height / 2);
  await tapBeside(1);
  await game.find('[data-action="confirm"]', { hasText: "Play m12" }).waitFor();
  assert.equal(Object.keys(await game.stones()).length, 0);
  await tapBeside(1);
  await game.hasStone("m12", "white");
  await frame.waitFor({ state: "hidden" });
}

test("a phone on its side shows the board, the status and the buttons together", async (t) => {
  const phone = { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const game = await GamePage.open(await openContext(t, browser, { ...phone, colorScheme: "dark" }), await site(t));
  await game.newGame({ side: 6, play: "white", level: 1 });
  await game.vertex("f6").tap();
  await game.hasStones(2);
  await picture(game.page, "landscape");
  for (const selector of [
    "[data-board]",
    "[data-status]",
    ...["undo", "redo", "hint", "resign"].map((name) => `.actions [data-action="${name}"]`),
  ]) {
    const { x, y, width, height } = await game.find(selector).boundingBox();
    assert.ok(x >= 0 && y >= 0 && x + width <= 640 && y + height <= 360, `${selector} is on the screen`);
  }
});

test("the rules are one tap away on a phone, their three pictures on the first screen", async (t) => {
  const phone = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const game = await GamePage.open(await openContext(t, browser, phone), await site(t));
  const button = game.action("rules");
  assert.equal(await button.innerText(), "Rules");
  await button.tap();
  for (const name of ["bridge", "fork", "ring"]) {
    const { y, height } = await game.find(`[data-rule-picture="${name}"] svg`).boundingBox();
    assert.ok(y >= 0 && y + height <= 640, name);
  }
});

test("a long list of moves makes the page no longer", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  const thoughts = "A thought.\n".repeat(40);
  const moves = ["e5", "f6", "g7", "d4", "c3", "g5"];
  await game.paste(`(;FF[4]SZ[5]${moves.map((move, i) => `;${"WB"[i % 2]}[${move}]C[${thoughts}]`).join("")})`);
  await game.hasStones(6);
  await game.find("[data-moves] .comment").nth(5).waitFor({ state: "attached" });
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
    [667, 375],
  ]) {
    await game.page.setViewportSize({ width, height });
    await game.endsWithItsContent();
    await picture(game.page, `long-list-${width}`);
  }
});

test("long words of a file are broken", async (t) => {
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const game = await GamePage.open(await openContext(t, browser, phone), await site(t));
  const word = "https://example.org/" + "x".repeat(100);
  const facts = `PW[${word}]PB[${word}]DT[${word}]C[${word}]`;
  await game.paste(`(;FF[4]SZ[5]${facts};W[e5]C[See ${word}];B[f6](;W[g7];B[d4])(;W[c3]C[${word}];B[g5]))`);
  await game.hasStones(4);
  await game.find("[data-toast]:visible").waitFor();
  await game.scrollsOnlyDown("the game");
  await picture(game.page, "long-words");
  await game.action("open").click();
  await game.find("[data-recent-game]").waitFor();
  await game.scrollsOnlyDown("the latest games");
  await game.page.keyboard.press("Escape");
  await openLibrary(game, 1);
  await game.scrollsOnlyDown("the library");
  await picture(game.page, "long-words-library");
  await game.find('[data-library-action="delete"]').click();
  await game.find("[data-toast-action]:visible").waitFor();
  await game.scrollsOnlyDown("what was deleted");
});

test("on a phone, a message does not cover the buttons that one needs next", async (t) => {
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const game = await GamePage.open(await openContext(t, browser, phone), await site(t));
  await game.paste(`(;FF[4]SZ[5];W[e5]C[${"A thought.\n".repeat(20)}];B[f6];W[g7])`);
  await game.hasStones(3);
  const toast = await game.find("[data-toast]:visible").boundingBox();
  const buttons = game.find("main:visible button:visible");
  assert.ok((await buttons.count()) > 10);
  for (const button of await buttons.all()) {
    const { y, height } = await button.boundingBox();
    assert.ok(y + height <= toast.y || toast.y + toast.height <= y, await button.evaluate((b) => b.outerHTML));
  }
  await picture(game.page, "phone-message");
  // What it does cover can be pressed all the same.
  await game.action("open").tap();
  await game.find('[data-dialog="open"]').waitFor();
});

test("the analysis is as wide as small screens", async (t) => {
  const options = { settings: { language: "es", analysis: true, openings: true } };
  const game = await GamePage.open(await openContext(t, browser, options), `${await site(t)}#side=5&moves=e5`);
  await game.find("[data-candidate]").nth(2).waitFor();
  for (const [width, height] of [
    [320, 640],
    [640, 450],
    [667, 375],
  ]) {
    await game.page.setViewportSize({ width, height });
    await game.isAsWideAsTheScreen(`the analysis on ${width} pixels`);
  }
});

test("the win bar names the colour that is ahead", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  await game.page.goto(`${game.page.url().replace(/#.*/, "")}#side=4&moves=a1,c3,a2,d4,a3,e5,a4`);
  await game.page.reload();
  await game.find("[data-win-bar-text]", { hasText: /^White 100\s%$/ }).waitFor();
  await picture(game.page, "win-bar");
});

test("a game is played with the keyboard alone", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  const { keyboard } = game.page;
  const tabTo = async (isThere) => {
    for (let i = 0; i < 80; i++) {
      await keyboard.press("Tab");
      if (await isThere()) return;
    }
    assert.fail("Tab does not lead there");
  };
  // A new game, by its dialog.
  await tabTo(async () => (await game.focused("data-action")) === "new-game");
  await keyboard.press("Enter");
  await game.find('dialog[data-dialog="new-game"]').waitFor();
  const chooseByArrows = async (name, value) => {
    await tabTo(async () => (await game.focused("name")) === name);
    for (let i = 0; i < 12 && (await game.focused("value")) !== value; i++) await keyboard.press("ArrowRight");
    const input = game.find(`dialog[open] input[name="${name}"][value="${value}"]`);
    if (!(await input.isChecked())) await keyboard.press("Space");
    assert.ok(await input.isChecked());
  };
  await chooseByArrows("side", "4");
  await chooseByArrows("play", "both");
  await keyboard.press("Enter");
  await game.find('[data-board][data-side="4"]').waitFor();
  // Both colours, with the arrow keys on the board.
  if ((await game.focused("data-vertex")) === null) {
    await tabTo(async () => (await game.focused("data-vertex")) !== null);
  }
  const steer = async (target) => {
    const position = (name) =>
      game.vertex(name).evaluate((cell) => {
        const box = cell.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      });
    const to = await position(target);
    for (let i = 0; i < 40; i++) {
      const name = await game.focused("data-vertex");
      if (name === target) return;
      const at = await position(name);
      if (Math.abs(to.y - at.y) > 4) await keyboard.press(to.y < at.y ? "ArrowUp" : "ArrowDown");
      else await keyboard.press(to.x < at.x ? "ArrowLeft" : "ArrowRight");
    }
    assert.fail(`the arrow keys do not lead to ${target}`);
  };
  const moves = ["a1", "c3", "a2", "d4", "a3", "e5"];
  for (const [i, move] of moves.entries()) {
    await game.find(`[data-board][data-can-play="true"][data-to-move="${i % 2 === 0 ? "white" : "black"}"]`).waitFor();
    await steer(move);
    await keyboard.press("Enter");
    await game.hasStone(move, i % 2 === 0 ? "white" : "black");
  }
  assert.match(await game.vertex("a1").getAttribute("aria-label"), /white/i);
  await picture(game.page, "keyboard");
  // The last move is typed.
  await tabTo(async () => (await game.focused("id")) === "typed-move");
  await keyboard.type("a4");
  await keyboard.press("Enter");
  await game.result(/white won by bridge/i);
  assert.match(await game.find("[data-live-result]").innerText(), /won/i);
});

for (const colorScheme of ["light", "dark"]) {
  test(`live analysis is drawn on the board (${colorScheme})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser, { colorScheme }), await site(t));
    await game.newGame({ side: 6, play: "both" });
    for (const [i, move] of ["f6", "e5", "g7"].entries()) await game.play(move, i % 2 === 0 ? "white" : "black");
    await game.choose("[data-analysis-switch]");
    await game.find("[data-candidate]").nth(2).waitFor();
    const best = await game.find("[data-candidate]").first().getAttribute("data-candidate");
    await game.find("[data-candidate]").first().hover();
    await game.find("[data-line-move]").first().waitFor({ state: "attached" });
    await picture(game.page, `analysis-${colorScheme}`);
    // The position changes, and with it the analysis.
    await game.vertex(best).click();
    await game.hasStone(best, "black");
    await game.find(`[data-candidates]:not(:has([data-candidate="${best}"])) [data-candidate]`).first().waitFor();
  });
}
