// What people who play real games ran into: large text, small screens, states of the mouse and the keyboard, reviews.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { LESSONS } from "../page/js/game/lessons.js";
import { flaws } from "./flaws.js";
import { COLOR_SCHEMES, ENGINES, launchOptions, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const site = (t) => staticSite(t);
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** Black does not stop the bridge at a5. */
const OVERLOOKED = "# side 5\na1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5";

async function opened(t, record, options) {
  const game = await GamePage.open(await openContext(t, browser, options), await site(t));
  await game.paste(record);
  await game.find("[data-moves] [data-node]").first().waitFor();
  return game;
}

async function review(game) {
  await game.find('[data-action="review"].small').click();
  await game.find("[data-review-files]:visible").waitFor();
}

for (const colorScheme of COLOR_SCHEMES) {
  test(`axe finds nothing, with the mouse and the focus on moves, findings and games (${colorScheme})`, async (t) => {
    const game = await opened(t, OVERLOOKED, { colorScheme });
    const { page } = game;
    await review(game);
    await game.find("[data-findings] button").first().click();
    await game.find("[data-finding]:visible").waitFor();
    for (const selector of ["[data-moves] [aria-current]", "[data-findings] [aria-current]", '[data-action="try"]']) {
      await game.find(selector).first().hover();
      assert.deepEqual(await flaws(page), [], `with the mouse on ${selector}`);
      await game.find(selector).first().focus();
      assert.deepEqual(await flaws(page), [], `with the focus on ${selector}`);
    }
    await picture(page, `finding-wide-${colorScheme}`);
    await game.find('.top [data-action="library"]').click();
    await game.find("[data-library-open]").first().hover();
    assert.deepEqual(await flaws(page), [], "in the library");
    await page.goBack();
    await game.action("puzzles").click();
    await game.find("[data-puzzle-status]:visible").waitFor();
    assert.deepEqual(await flaws(page), [], "at a puzzle");
    await game.find('[data-puzzle-action="show"]').click();
    await game.find('[data-puzzle-screen][data-state="shown"]').waitFor();
    assert.deepEqual(await flaws(page), [], "at the solution of a puzzle");
    await game.find('[data-puzzle-action="close"]').click();
    await game.action("proof").click();
    await game.find("[data-proof-row]").first().waitFor();
    await game.find("[data-proof-row]").first().hover();
    assert.deepEqual(await flaws(page), [], "in the proof");
    await game.find('[data-proof-action="close"]').click();
    for (const dialog of ["new-game", "open", "share", "settings", "rules"]) {
      await game.action(dialog).click();
      await game.find(`dialog[data-dialog="${dialog}"]`).waitFor();
      assert.deepEqual(await flaws(page), [], dialog);
      await page.keyboard.press("Escape");
      await game.find(`dialog[data-dialog="${dialog}"]`).waitFor({ state: "hidden" });
    }
  });
}

for (const [name, width, size] of [
  ["a screen of 320 pixels", 320, 16],
  ["text of twice the size on a laptop", 1280, 32],
  ["text of twice the size on a phone", 412, 32],
]) {
  test(`nothing is cut off: ${name}`, async (t) => {
    const options = launchOptions();
    const args = [...options.args, `--blink-settings=defaultFontSize=${size}`];
    const large = { current: await chromium.launch({ ...options, args }) };
    t.after(() => large.current.close());
    const context = await openContext(t, large, { viewport: { width, height: 700 } });
    const game = await GamePage.open(context, await site(t));
    await game.paste(OVERLOOKED);
    await game.hasStones(13);
    await picture(game.page, `large-${width}-${size}`);
    await game.isAsWideAsTheScreen("the game");
    const undo = game.action("undo");
    const { font, height } = await undo.evaluate((button) => {
      return { font: parseFloat(getComputedStyle(button).fontSize), height: button.getBoundingClientRect().height };
    });
    assert.ok(font >= 0.8 * size && height >= 2 * size, "buttons grow with the text");
    await game.action("puzzles").click();
    await game.find("[data-puzzle-status]").waitFor();
    await game.isAsWideAsTheScreen("the puzzle");
    await game.page.goto(`${game.page.url().replace(/#.*/, "")}#games`);
    await game.find("[data-library-open]").first().waitFor();
    await game.isAsWideAsTheScreen("the library");
    for (const dialog of ["new-game", "open", "share", "settings", "rules"]) {
      await game.action(dialog).click();
      const box = await game.find(`dialog[data-dialog="${dialog}"]`).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, dialog);
      const [inner, needed] = await game
        .find(`dialog[data-dialog="${dialog}"]`)
        .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth]);
      assert.equal(needed, inner, `${dialog} is not cut off`);
      await game.page.keyboard.press("Escape");
    }
  });
}

test("the board is one stop of the keyboard, and the focus goes to what follows a resignation", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  await game.newGame({ side: 4, play: "white", level: 1 });
  await game.play("d4", "white");
  await game.hasStones(2);
  await game.find('[data-board][data-can-play="true"]').waitFor();
  await game.find("[data-skip]").focus();
  const stops = [];
  for (let i = 0; i < 60; i++) {
    await game.page.keyboard.press("Tab");
    stops.push(
      await game.page.evaluate(() => {
        const { activeElement: element } = document;
        return element.closest("[data-board-container]")
          ? (element.getAttribute("data-vertex") ?? element.tagName)
          : null;
      }),
    );
    if ((await game.focused("data-action")) === "resign") break;
  }
  const onBoard = stops.filter((stop) => stop !== null);
  assert.equal(onBoard.length, 1, String(onBoard));
  assert.match(onBoard[0], /^[a-g]\d$/);
  await game.page.keyboard.press("Enter");
  await game.page.keyboard.press("Enter");
  await game.result(/malecon won by resignation/i);
  await game.page.waitForFunction(() => document.activeElement.dataset.action === "review");
});

test("the board keeps its size when a finding is shown", async (t) => {
  const game = await opened(t, OVERLOOKED, { viewport: { width: 1366, height: 650 } });
  await review(game);
  const size = () => game.find("[data-board]").evaluate((board) => board.getBoundingClientRect().height);
  const before = await size();
  const findings = game.find("[data-findings] button");
  const count = await findings.count();
  assert.ok(count > 0);
  for (let i = 0; i < count; i++) {
    await findings.nth(i).click();
    await game.find("[data-finding]:visible").waitFor();
    assert.equal(await size(), before);
  }
  await picture(game.page, "finding-1366");
});

test("on a phone, the page goes to the progress of the review", async (t) => {
  const game = await opened(t, OVERLOOKED, { ...PHONE, settings: { reviewSeconds: 2 } });
  await game.result(/white won by bridge/i);
  await game.find('[data-result] [data-action="review"]').tap();
  await game.page.waitForFunction(() => {
    const { top, bottom } = document.querySelector("[data-review-progress]").getBoundingClientRect();
    return bottom > top && top >= 0 && bottom <= innerHeight;
  });
  await picture(game.page, "review-phone");
});

test("a review in the middle of a game is shown", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  await game.newGame({ side: 4, play: "white", level: 1 });
  await game.play("d4", "white");
  await game.hasStones(2);
  await game.find('[data-board][data-can-play="true"]').waitFor();
  await review(game);
  assert.match(await game.find(".graph-curve").getAttribute("d"), /L/);
  await game.find("[data-missing]", { hasText: /White: bridge \d/ }).waitFor();
});

test("what a record has is written again, and the review is saved as a record and as a page", async (t) => {
  const record =
    "(;FF[4]SZ[4]EV[Spring]DT[2024-05-01]PW[Ann]PB[Ben];W[d4]N[First]LB[c3:A]TR[e5];B[c3]C[Hm.];W[e5];B[c5];W[d3];B[b3])";
  for (const [engine, start] of Object.entries(ENGINES)) {
    const game = await GamePage.open(await openContext(t, browser), await start(t));
    await game.paste(record);
    await game.hasStones(6);
    await game.action("share").click();
    await game.page.waitForFunction(() => document.querySelector("[data-record]").value !== "");
    const text = await game.find("[data-record]").inputValue();
    for (const part of ["EV[Spring]", "DT[2024-05-01]", "PW[Ann]", "N[First]", "LB[c3:A]", "TR[e5]", "C[Hm.]"]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    await game.page.keyboard.press("Escape");
    await review(game);
    // Also after a reload.
    await game.page.reload();
    await game.ready();
    const saved = async (format) => {
      const [download] = await Promise.all([
        game.page.waitForEvent("download"),
        game.find(`[data-action="review-${format}"]`).click(),
      ]);
      return readFileSync(await download.path(), "utf8");
    };
    const sgf = await saved("sgf");
    for (const part of ["EV[Spring]", "N[First]", "Hm.", "White wins"])
      assert.ok(sgf.includes(part), `${engine}: ${part}`);
    const page = await saved("html");
    assert.ok(page.startsWith("<!DOCTYPE html>") && page.includes("Ann"));
  }
});

test("an attempt is against full strength, and is judged", async (t) => {
  const game = await opened(t, OVERLOOKED);
  await review(game);
  await game.find("[data-findings] button", { hasText: /a5 .*12\./ }).click();
  await game.action("try").click();
  await game.find('[data-player="white"] [data-name]', { hasText: /full strength/ }).waitFor();
  await game.find('[data-board][data-can-play="true"][data-to-move="black"]').waitFor();
  await game.play("c5", "black");
  await game
    .find("[data-finding-verdict]", { hasText: /^c5 is not as good: Black wins \d+ %, with a5 \d+ %\.$/ })
    .waitFor();
  await game.action("end-try").click();
  await game.hasStones(11);
  await game.action("try").click();
  await game.find('[data-board][data-can-play="true"][data-to-move="black"]').waitFor();
  await game.play("a5", "black");
  await game.find("[data-finding-verdict]", { hasText: /^a5 is the better move/ }).waitFor();
});

test("the finding and the live table have the same number for a move", async (t) => {
  const game = await opened(t, OVERLOOKED);
  await review(game);
  await game.find("[data-findings] button", { hasText: /a5 .*12\./ }).click();
  await game.choose("[data-analysis-switch]");
  const row = game.find('[data-candidate="a5"]');
  await row.waitFor();
  let compared = 0;
  for (let i = 0; i < 10; i++) {
    const [said, rate] = await game.page.evaluate(() => {
      const cells = document.querySelector('[data-candidate="a5"]')?.children;
      return [document.querySelector("[data-finding-text]").textContent, cells?.[1].textContent];
    });
    const [, chance] = said.match(/With a5 it was (\d+)\s%/);
    assert.ok(!rate || rate === `${chance} %`, `${rate} in the table; ${said}`);
    compared += rate ? 1 : 0;
    await game.page.waitForTimeout(150);
  }
  assert.ok(compared > 0);
});

test("overlays have legends; the race and the absence of threats are said", async (t) => {
  const game = await opened(t, "# side 5\na1 f6 a2 e6 a3 g6 i6 d5");
  await game.choose("[data-analysis-switch]");
  const overlay = game.find("[data-overlay]");
  const legend = (text) => game.find("[data-legend]", { hasText: text }).waitFor();
  await legend(/chance of winning/);
  await overlay.selectOption("policy");
  await legend(/network/);
  await overlay.selectOption("race");
  await legend(/White \d+, Black \d+/);
  await game.find("[data-note], .frame").first().waitFor({ state: "attached" });
  await picture(game.page, "race");
  await overlay.selectOption("threats");
  await legend(/No threats/);
  assert.equal(await overlay.locator('[value="ownership"]').count(), 0);
});

test("without an evaluation there is no bar of one half", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  await game.newGame({ side: 4, play: "both" });
  await game.find("[data-win-bar]:visible").waitFor();
  assert.equal(await game.find("[data-win-bar-white]").isVisible(), false);
  await game.choose("[data-analysis-switch]");
  await game.find("[data-win-bar]:not([data-unknown])").waitFor();
});

test("a taken cell is called taken; messages cover neither the top row nor the board", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await site(t));
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await game.vertex("d4").click();
  const toast = game.find("[data-toast]", { hasText: "d4 is taken." });
  await toast.waitFor();
  const [message, top, board] = await Promise.all(
    [toast, game.find(".top"), game.find("[data-board]")].map((part) => part.boundingBox()),
  );
  assert.ok(message.y > top.y + top.height);
  assert.ok(message.x > board.x + board.width || message.y > board.y + board.height);
});

for (const [name, options] of [
  ["a laptop", { viewport: { width: 1366, height: 650 } }],
  ["a phone", PHONE],
]) {
  test(`the board of the first visit stays where it is, on ${name}`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser, { settings: null, ...options }), await site(t));
    const title = game.find("[data-lesson-title]");
    const places = new Set();
    const look = async () => places.add((await game.find('[data-dialog="tutorial"] [data-board]').boundingBox()).y);
    const cell = (vertex) => game.find(`[data-dialog="tutorial"] [data-vertex="${vertex}"]`);
    for (const { title: heading, wins, first } of LESSONS.slice(0, 3)) {
      await title.filter({ hasText: heading }).waitFor();
      await look();
      assert.equal(first, undefined);
      await cell("g4").click();
      await game.find("[data-lesson-text]", { hasText: "does not do it" }).waitFor();
      await look();
      await cell(wins[0]).click();
      await game.find("[data-lesson-next]:visible").waitFor();
      await look();
      await game.find("[data-lesson-next]").click();
    }
    assert.equal(places.size, 1, [...places].join(", "));
  });
}

test("who first comes by a link is offered the puzzles of the first visit", async (t) => {
  const context = await openContext(t, browser, { settings: null });
  const game = await GamePage.open(context, `${await site(t)}#side=4&moves=d4`);
  await game.hasStone("d4", "white");
  await game.find("[data-welcome]").getByRole("button", { name: "Show me" }).click();
  await game.find("[data-lesson-title]", { hasText: "Close a bridge" }).waitFor();
  await game.page.keyboard.press("Escape");
  await game.find("[data-welcome]").waitFor({ state: "hidden" });
});

test("a link to a server on this computer says so", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.native(t));
  await game.action("share").click();
  await game.find("[data-link-note]", { hasText: "works on this computer only" }).waitFor();
});
