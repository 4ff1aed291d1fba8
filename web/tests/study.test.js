// Study: comments and marks, lines of the engine in the game, variations, links to whole games.

import assert from "node:assert/strict";
import { test } from "node:test";
import { flaws } from "./flaws.js";
import { ENGINES, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const GAME = "# side 5\ne5 f6 d4 c3 g6";

async function opened(t, { record = GAME, site = staticSite, ...options } = {}) {
  const game = await GamePage.open(await openContext(t, browser, options), await site(t));
  await game.paste(record);
  await game.hasStones(record.split("\n")[1].split(" ").length);
  return game;
}

const tool = (game, name) => game.find(`label:has(input[name="mark-tool"][value="${name}"])`);

/** The shapes and labels on the board, as "shape vertex", and the arrows, as "kind from-to". */
async function marks(game) {
  const found = await game
    .find("[data-mark], [data-arrow]")
    .evaluateAll((elements) =>
      elements.map(({ dataset: { mark, on, kind, arrow } }) => (mark ? `${mark} ${on}` : `${kind} ${arrow}`)),
    );
  return found.sort();
}

/** Waits until these marks, and no others, are on the board. */
async function hasMarks(game, expected) {
  for (let i = 0; i < 1000 && (await marks(game)).join() !== expected.join(); i++) await game.page.waitForTimeout(50);
  assert.deepEqual(await marks(game), expected);
}

async function record(game) {
  await game.action("share").click();
  await game.page.waitForFunction(() => document.querySelector("[data-record]").value !== "");
  const text = await game.find("[data-record]").inputValue();
  await game.page.keyboard.press("Escape");
  return text;
}

/** Waits until the fifth move of the list has this name. */
async function isFifth(game, name) {
  await game.page.waitForFunction(
    (move) => document.querySelectorAll("[data-moves] [data-node]")[4]?.dataset.move === move,
    name,
  );
}

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`comments and marks are written, recorded and read again (${engine})`, async (t) => {
    const game = await opened(t, { site });
    await game.action("annotate").click();
    const put = async (name, ...vertices) => {
      await tool(game, name).click();
      for (const vertex of vertices) await game.vertex(vertex).click();
    };
    await put("circle", "e5", "f6");
    await put("label", "d4", "b2");
    await put("arrow", "c3", "g6");
    // Again on an arrow: it is taken away, and put there once more.
    await put("arrow", "c3", "g6");
    await put("arrow", "c3", "g6");
    await put("line", "a1", "a4");
    // A second click takes the mark away.
    await put("circle", "f6");
    await game.find("[data-comment]").fill("White threatens [a fork].");
    assert.equal(Object.keys(await game.stones()).length, 5, "marks are no stones");
    const all = ["arrow c3-g6", "circle e5", "label b2", "label d4", "line a1-a4"];
    await hasMarks(game, all);
    assert.match(await game.vertex("d4").getAttribute("aria-label"), /letter A/);
    assert.deepEqual(await flaws(game.page), []);
    await picture(game.page, `annotate-${engine}`);
    const text = await record(game);
    for (const part of ["CR[e5]", "LB[d4:A][b2:B]", "AR[c3:g6]", "LN[a1:a4]", "C[White threatens [a fork\\].]"]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    await game.page.reload();
    await game.ready();
    await hasMarks(game, all);
    // Another position has none; a stone is played again when its tool is chosen.
    await game.action("previous").click();
    await game.hasStones(4);
    await hasMarks(game, []);
    await game.paste(text);
    await game.hasStones(5);
    await hasMarks(game, all);
    await game.find("[data-moves]", { hasText: "White threatens [a fork]." }).waitFor();
    await game.action("annotate").click();
    await game.find("[data-annotate]:visible").waitFor();
    assert.equal(await game.find("[data-comment]").inputValue(), "White threatens [a fork].");
    await game.vertex("h7").click();
    await game.hasStones(6);
    await game.action("previous").click();
    await game.action("clear-marks").click();
    await hasMarks(game, []);
  });
}

test("a comment that is being written stays on its position when the engine moves", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 4, play: "neither" });
  await game.action("pause").click();
  await game.action("annotate").click();
  const comment = game.find("[data-comment]");
  await comment.focus();
  await game.page.keyboard.type("before ");
  const moves = (await game.moves()).length;
  // The click of a script leaves the focus in the text.
  await game.action("step").evaluate((button) => button.click());
  await game.hasStones(moves + 1);
  await game.page.keyboard.type("and after");
  await game.find("[data-moves]", { hasText: "before and after" }).waitFor();
  await game.action("previous").click();
  await game.action("next").click();
  await game.page.waitForFunction(() => document.querySelector("[data-comment]").value === "");
});

test("marks and comments are made with the keyboard alone", async (t) => {
  const game = await opened(t);
  const { keyboard } = game.page;
  const tabTo = async (isThere) => {
    for (let i = 0; i < 80 && !(await isThere()); i++) await keyboard.press("Tab");
    assert.ok(await isThere(), "Tab leads there");
  };
  await tabTo(async () => (await game.focused("data-action")) === "annotate");
  await keyboard.press("Enter");
  await game.find("[data-annotate]").waitFor();
  assert.equal(await game.focused("value"), "stone", "the focus is on the tools");
  for (let i = 0; i < 6; i++) await keyboard.press("ArrowRight");
  assert.equal(await game.focused("value"), "arrow");
  await tabTo(async () => (await game.focused("data-comment")) !== null);
  await keyboard.type("d4 <- and q");
  await game.vertex("e5").focus();
  for (const key of ["Enter", "ArrowRight", "ArrowRight", "Enter"]) await keyboard.press(key);
  await hasMarks(game, ["arrow e5-g5"]);
  await game.find("[data-moves]", { hasText: "d4 <- and q" }).waitFor();
  await game.find('[data-annotate] [data-action="annotate"]').focus();
  await keyboard.press("Enter");
  assert.equal(await game.focused("data-action"), "annotate");
  await game.find("[data-annotate]").waitFor({ state: "hidden" });
});

test("on a phone, a line of the engine is opened, gone through and added with one action, which can be undone", async (t) => {
  const settings = { analysis: true, analysisSeconds: 1 };
  const game = await opened(t, { ...PHONE, colorScheme: "dark", settings });
  const line = game.find("[data-open-line]").first();
  await line.waitFor();
  await game.find("[data-analysis-summary]", { hasText: "done" }).waitFor();
  await line.tap();
  const steps = game.find("[data-line-steps]", { hasText: /^(\d+) of \1$/ });
  await steps.waitFor();
  const all = parseInt(await steps.innerText(), 10);
  assert.ok(all > 1);
  const hasLine = (count) =>
    game.page.waitForFunction((n) => document.querySelectorAll("[data-line-move]").length === n, count);
  await hasLine(all);
  await game.action("line-back").tap();
  await game.find("[data-line-steps]", { hasText: `${all - 1} of ${all}` }).waitFor();
  await hasLine(all - 1);
  await game.isAsWideAsTheScreen();
  assert.deepEqual(await flaws(game.page), []);
  await picture(game.page, "line-phone");
  await game.action("add-line").tap();
  await game.find("[data-toast]", { hasText: `${all} moves were added.` }).waitFor();
  await game.find("[data-line-card]").waitFor({ state: "hidden" });
  assert.equal((await game.moves()).length, 5 + all);
  await game.hasStones(5);
  // What was added is gone through as any line.
  await game.action("next").tap();
  await game.hasStones(6);
  await game.action("previous").tap();
  await game.hasStones(5);
  await game.find("[data-toast-action]").tap();
  await game.page.waitForFunction(() => document.querySelectorAll("[data-moves] [data-node]").length === 5);
});

test("the line of a finding is added to the game", async (t) => {
  const game = await opened(t, { record: "# side 5\na1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5" });
  await game.find('[data-action="review"].small').click();
  await game.find("[data-findings] button").first().click();
  await game.find("[data-finding]:visible").waitFor();
  await game.find("[data-review-files]:visible").waitFor();
  const before = await game.find("[data-moves] [data-node]").count();
  await game.find('[data-finding] [data-action="add-line"]').click();
  // The better move was not in the game.
  await game.find("[data-toast]", { hasText: /added/ }).waitFor();
  await game.find("[data-moves] [data-node]").nth(before).waitFor();
});

test("a variation becomes the main line, and that can be undone", async (t) => {
  const game = await opened(t);
  await game.action("previous").click();
  await game.hasStones(4);
  await game.play("h8", "white");
  await game.action("promote").click();
  await game.find("[data-toast]", { hasText: "This is the main line now." }).waitFor();
  await isFifth(game, "h8");
  await game.find("[data-toast-action]").click();
  await isFifth(game, "g6");
  await game.hasStones(5);
});

test("a link holds the whole game with its variations, comments, marks and names, and where one is", async (t) => {
  const context = await openContext(t, browser);
  const url = await staticSite(t);
  const game = await GamePage.open(context, url);
  const sgf = "(;FF[4]SZ[5]PW[Ann]PB[Zoë];W[e5];B[f6](;W[d4]C[Good & calm]CR[d4];B[c3])(;W[g6];B[h7](;W[a1])(;W[b1])))";
  await game.paste(sgf);
  await game.hasStones(4);
  for (const _ of "12") await game.action("previous").click();
  await game.find('[data-moves] [data-move="g6"]').click();
  await game.hasStones(3);
  await game.action("share").click();
  const link = await game.find("[data-game-link]").inputValue();
  assert.ok(link.length < 250, link);
  await picture(game.page, "share");
  const other = await GamePage.open(context, link);
  await other.hasStones(3);
  await other.hasStone("g6", "white");
  assert.deepEqual(await other.moves(), await game.moves());
  await other.find("[data-moves]", { hasText: "Good & calm" }).waitFor();
  assert.match(await other.find('[data-player="black"] [data-name]').innerText(), /Zoë/);
  await other.find('[data-moves] [data-move="d4"]').click();
  await hasMarks(other, ["circle d4"]);
  // The address is that of the position again; the whole game stays after a reload.
  await other.page.reload();
  await other.ready();
  assert.deepEqual(await other.moves(), await game.moves());
  // It can be pasted as well.
  await game.page.keyboard.press("Escape");
  await game.newGame({ side: 4, play: "both" });
  await game.paste(link);
  await game.hasStones(3);
});
