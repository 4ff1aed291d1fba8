// Positions that are set up, handicaps, colours by lot, and the engine against itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { flaws } from "./flaws.js";
import { ENGINES, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const SCREEN = "[data-editor-screen]";

const button = (game, name) => game.find(`[data-editor-action="${name}"]`);

async function openEditor(game) {
  await game.action("new-game").click();
  await game.find("[data-more-choices] summary").click();
  await game.find('dialog[open] [data-action="editor"]').click();
  await game.find(SCREEN).waitFor();
}

/** Puts stones of a colour on the board of the editor. */
async function place(game, color, names) {
  await game.choose(`input[name="editor-tool"][value="${color}"]`, SCREEN);
  for (const name of names) await game.find(`${SCREEN} [data-vertex="${name}"]`).click();
}

/** The stones of the editor, as an object from vertex to colour. */
const stonesOf = (game) =>
  game
    .find(`${SCREEN} [data-vertex][data-stone]`)
    .evaluateAll((cells) => Object.fromEntries(cells.map(({ dataset }) => [dataset.vertex, dataset.stone])));

async function record(game) {
  await game.action("share").click();
  const field = game.find("[data-record]");
  await game.page.waitForFunction(() => document.querySelector("[data-record]").value !== "");
  const text = await field.inputValue();
  await game.page.keyboard.press("Escape");
  return text;
}

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`a position is set up, played from, recorded and kept (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    await openEditor(game);
    await game.choose('input[name="editor-side"][value="4"]', SCREEN);
    await place(game, "white", ["a1", "a2", "a3", "d4"]);
    await place(game, "black", ["c3", "e5", "d4"]);
    await place(game, "none", ["e5"]);
    assert.deepEqual(await stonesOf(game), { a1: "white", a2: "white", a3: "white", c3: "black", d4: "black" });
    await button(game, "undo").click();
    assert.equal((await stonesOf(game)).e5, "black");
    await game.choose('input[name="editor-turn"][value="black"]', SCREEN);
    await game
      .find(`${SCREEN} [data-editor-status]`, { hasText: "3 white stones, 3 black stones. Black to move." })
      .waitFor();
    await picture(game.page, `editor-${engine}`);
    // The address has it all.
    await game.page.reload();
    await game.ready();
    assert.equal(Object.keys(await stonesOf(game)).length, 6);
    await game.choose('input[name="editor-play"][value="both"]', SCREEN);
    await button(game, "start").click();
    await game.hasStones(6);
    await game.play("a4", "black");
    const text = await record(game);
    for (const part of ["AW[a1][a2][a3]", "AB[c3][e5][d4]", "PL[B]", "B[a4]"]) assert.ok(text.includes(part), text);
    await game.action("library").click();
    await game.find("[data-library-open]", { hasText: "side 4, 6 stones set up, 1 move" }).click();
    await game.hasStones(7);
  });
}

test("a position that is decided says so, shows the structure, and cannot be played from", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await openEditor(game);
  await game.choose('input[name="editor-side"][value="4"]', SCREEN);
  await place(game, "black", ["d4", "e5"]);
  await place(game, "white", ["a1", "a2", "a3", "a4", "b3"]);
  const status = game.find("[data-editor-status]");
  await status.filter({ hasText: /^White won by bridge already/ }).waitFor();
  await game.find(`${SCREEN} [data-vertex="a4"][data-winning]`).waitFor({ state: "attached" });
  for (const name of ["start", "analyse"]) assert.equal(await button(game, name).isDisabled(), true, name);
  assert.deepEqual(await flaws(game.page), []);
  await picture(game.page, "editor-decided");
  await place(game, "white", ["a2"]);
  await status.filter({ hasText: "4 white stones, 2 black stones." }).waitFor();
  await button(game, "analyse").click();
  await game.find(SCREEN).waitFor({ state: "hidden" });
  await game.find("[data-analysis-switch]:checked").waitFor({ state: "attached" });
  await game.hasStones(6);
  await game.find("[data-candidate]").first().waitFor();
});

test("the editor takes over the position of the game, and stones that a smaller board lacks come back", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.paste("# side 8\nd4 c3 h15");
  await game.hasStones(3);
  await openEditor(game);
  assert.deepEqual(await stonesOf(game), { d4: "white", c3: "black", h15: "white" });
  assert.equal(await game.find('input[name="editor-turn"][value="black"]').isChecked(), true);
  await game.choose('input[name="editor-side"][value="4"]', SCREEN);
  await game.find("[data-toast]", { hasText: "One stone is not on the smaller board." }).waitFor();
  assert.deepEqual(await stonesOf(game), { d4: "white", c3: "black" });
  await game.find("[data-toast-action]").click();
  assert.equal(Object.keys(await stonesOf(game)).length, 3);
  await button(game, "clear").click();
  assert.deepEqual(await stonesOf(game), {});
  await button(game, "present").click();
  assert.equal(Object.keys(await stonesOf(game)).length, 3);
  await button(game, "close").click();
  await game.find("main.app [data-moves]").waitFor();
  assert.equal((await game.moves()).length, 3, "the game is as it was");
});

test("a position is set up with the keyboard alone", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  const { keyboard } = game.page;
  await openEditor(game);
  for (let i = 0; i < 40 && !(await game.focused("data-vertex")); i++) await keyboard.press("Tab");
  assert.equal(await game.focused("data-vertex"), "e5", "Tab leads to the middle of the board");
  for (const key of ["w", "ArrowRight", "b", "ArrowRight", "Enter", "ArrowRight", "w", "x"]) await keyboard.press(key);
  assert.deepEqual(await stonesOf(game), { e5: "white", f5: "black", g5: "white" });
  for (let i = 0; i < 40 && (await game.focused("data-editor-action")) !== "start"; i++) await keyboard.press("Tab");
  await keyboard.press("Enter");
  await game.hasStones(3);
});

test("the editor fits a phone, and touches set stones", async (t) => {
  const game = await GamePage.open(
    await openContext(t, browser, { ...PHONE, colorScheme: "dark" }),
    await staticSite(t),
  );
  await openEditor(game);
  await game.find(`${SCREEN} [data-vertex="d4"]`).tap();
  await game.find(`label:has(input[name="editor-tool"][value="black"])`).tap();
  await game.find(`${SCREEN} [data-vertex="e5"]`).tap();
  assert.deepEqual(await stonesOf(game), { d4: "white", e5: "black" });
  await game.isAsWideAsTheScreen();
  for (const selector of ["[data-board]", "[data-editor-tools]", '[data-editor-action="undo"]']) {
    const { y, height } = await game.find(`${SCREEN} ${selector}`).boundingBox();
    assert.ok(y >= 0 && y + height <= 640, `${selector} is on the screen`);
  }
  assert.deepEqual(await flaws(game.page), []);
  await picture(game.page, "editor-phone");
});

test("White places three first stones, which are set up, and Black moves first", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.action("new-game").click();
  await game.choose('input[name="side"][value="4"]', "dialog[open]");
  await game.choose('input[name="play"][value="white"]', "dialog[open]");
  await game.find("[data-more-choices] summary").click();
  await game.find('select[name="handicap"]').selectOption("white");
  assert.equal(await game.find('dialog[open] input[name="swap"]').isDisabled(), true);
  await game.find('input[name="handicapCount"]').fill("3");
  await game.find('dialog[open] button[value="start"]').click();
  const status = game.find("[data-editor-status]");
  await status.filter({ hasText: "White still places 3 stones." }).waitFor();
  assert.equal(await button(game, "start").isDisabled(), true);
  await game.find(`${SCREEN} [data-vertex="d4"]`).click();
  await button(game, "clear").click();
  for (const name of ["d4", "c3", "e5"]) await game.find(`${SCREEN} [data-vertex="${name}"]`).click();
  await status.filter({ hasText: "All first stones are on the board." }).waitFor();
  // A fourth one is refused.
  await game.find(`${SCREEN} [data-vertex="b2"]`).click();
  await game.find("[data-toast]", { hasText: "Take one away" }).waitFor();
  await picture(game.page, "handicap");
  await button(game, "start").click();
  await game.hasStones(4);
  const text = await record(game);
  for (const part of ["HA[3]", "AW[d4][c3][e5]", "PL[B]", ";B["]) assert.ok(text.includes(part), text);
});

test("a wrong number of first stones that nobody places does not keep a game from starting", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.action("new-game").click();
  await game.choose('input[name="side"][value="4"]', "dialog[open]");
  await game.choose('input[name="play"][value="both"]', "dialog[open]");
  await game.find("[data-more-choices] summary").click();
  await game.find('select[name="handicap"]').selectOption("white");
  await game.find('input[name="handicapCount"]').fill("12");
  await game.find('select[name="handicap"]').selectOption("none");
  await game.find('dialog[open] button[value="start"]').click();
  await game.play("d4", "white");
});

test("a wrong number of first stones is shown, also if it was folded away", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.action("new-game").click();
  const more = game.find("[data-more-choices] summary");
  await more.click();
  await game.find('select[name="handicap"]').selectOption("white");
  await game.find('input[name="handicapCount"]').fill("12");
  await more.click();
  await game.find('input[name="handicapCount"]').waitFor({ state: "hidden" });
  await game.find('dialog[open] button[value="start"]').click();
  await game.find('input[name="handicapCount"]:visible').fill("2");
  await game.find('dialog[open] button[value="start"]').click();
  await game.find("[data-editor-status]").filter({ hasText: "2 stones" }).waitFor();
});

test("Malecon places first stones of its own", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.action("new-game").click();
  await game.choose('input[name="play"][value="white"]', "dialog[open]");
  await game.find("[data-more-choices] summary").click();
  await game.find('select[name="handicap"]').selectOption("black");
  await game.find('dialog[open] button[value="start"]').click();
  await game.find("[data-editor-status]", { hasText: "All first stones are on the board." }).waitFor();
  assert.deepEqual(Object.values(await stonesOf(game)), ["black", "black"]);
  await button(game, "start").click();
  await game.find(SCREEN).waitFor({ state: "hidden" });
  await game.hasStones(2);
  await game.play(await game.find(`[data-playable]`).first().getAttribute("data-vertex"), "white");
  await game.hasStones(4);
});

test("a colour by lot is one of the two, and is said", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 4, play: "random" });
  const [, color] = (await game.isSaid(/You play (White|Black)\./)).match(/You play (White|Black)\./);
  assert.equal(await game.find(`[data-seats] input[value="${color.toLowerCase()}"]`).isChecked(), true);
  await game.action("new-game").click();
  assert.equal(
    await game.find('dialog[open] input[name="play"][value="random"]').isChecked(),
    true,
    "the choice is kept",
  );
});

test("the engine plays itself at two levels, pauses, steps and goes on", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.action("new-game").click();
  await game.choose('input[name="side"][value="4"]', "dialog[open]");
  await game.choose('input[name="play"][value="neither"]', "dialog[open]");
  await game.choose('input[name="level"][value="2"]', "dialog[open]");
  await game.choose('input[name="levelBlack"][value="4"]', "dialog[open]");
  await game.find('dialog[open] button[value="start"]').click();
  await game.action("pause").click();
  await game.find("[data-status]", { hasText: /^Paused/ }).waitFor();
  assert.match(await game.find('[data-player="white"] [data-name]').innerText(), /level 2/i);
  assert.match(await game.find('[data-player="black"] [data-name]').innerText(), /level 4/i);
  assert.deepEqual(await flaws(game.page), []);
  await picture(game.page, "self-play");
  const count = Object.keys(await game.stones()).length;
  await game.action("step").click();
  await game.hasStones(count + 1);
  await game.find("[data-status]", { hasText: /^Paused/ }).waitFor();
  await game.page.reload();
  await game.ready();
  await game.hasStones(count + 1);
  await game.find("[data-status]", { hasText: /^Paused/ }).waitFor();
  await game.action("undo").click();
  await game.hasStones(count);
  await game.action("pause").click();
  await game.hasStones(count + 2);
});
