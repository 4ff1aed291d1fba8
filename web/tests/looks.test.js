// How the board looks and sounds: names of vertices, how it lies, its theme, on paper, stones that are heard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

async function opened(t, { fragment = "", settings = {}, ...options } = {}) {
  const context = await openContext(t, browser, { settings, ...options });
  return GamePage.open(context, (await staticSite(t)) + fragment);
}

/** Where the middle of a vertex is on the screen. */
async function placeOf(game, name) {
  const { x, y, width, height } = await game.vertex(name).locator(".hex").boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
}

test("vertices are called as in Little Golem, wherever one types or reads", async (t) => {
  const game = await opened(t, { fragment: "#side=5&moves=e5,i9" });
  await game.action("settings").click();
  await game.find('select[name="notation"]').selectOption("littlegolem");
  await game.page.keyboard.press("Escape");
  await game.find("[data-moves] [data-node]", { hasText: "i5" }).waitFor();
  assert.match(await game.vertex("i9").getAttribute("aria-label"), /^i5, corner, black stone/);
  // On this board, HavannahGui's g9 is Little Golem's g7.
  await game.find("#typed-move").fill("g7");
  await game.page.keyboard.press("Enter");
  await game.hasStone("g9", "white");
  await game.find("#typed-move").fill("g8");
  await game.page.keyboard.press("Enter");
  await game.find("[data-toast-text]", { hasText: "g8" }).waitFor();
  await game.action("hint").click();
  const hint = game.find("[data-status]", { hasText: "Hint" });
  await hint.waitFor();
  const suggested = await game.marked("data-suggested");
  assert.equal(suggested.length, 1);
  // The link stays as it is for all.
  assert.match(game.page.url(), /moves=e5,i9,g9$/);
  // A list of moves says whose names it has, and is read with them wherever it is opened.
  await game.action("share").click();
  await game.choose('input[name="format"][value="moves"]', '[data-dialog="share"]');
  await game.page.waitForFunction(() => document.querySelector("[data-record]").value.startsWith("# side 5\n# names"));
  const list = await game.find("[data-record]").inputValue();
  assert.equal(list, "# side 5\n# names littlegolem\ne5 i5 g7\n");
  await game.page.keyboard.press("Escape");
  await game.newGame({ side: 4, play: "both" });
  await game.paste(list);
  for (const [name, color] of Object.entries({ e5: "white", i9: "black", g9: "white" }))
    await game.hasStone(name, color);
});

test("the board can be turned and mirrored, and the arrow keys follow", async (t) => {
  const game = await opened(t, { fragment: "#side=5&moves=a1" });
  const before = await placeOf(game, "a1");
  await game.action("settings").click();
  await game.find('select[name="turn"]').selectOption("6");
  await game.page.keyboard.press("Escape");
  await game.page.waitForFunction((y) => {
    const box = document.querySelector('[data-vertex="a1"] .hex').getBoundingClientRect();
    return box.y < y - 100;
  }, before.y);
  await game.hasStone("a1", "white");
  const after = await placeOf(game, "a1");
  assert.ok(after.x > before.x && after.y < before.y, "half a turn brings the lower left corner to the upper right");
  await game.vertex("b2").focus();
  await game.page.keyboard.press("ArrowLeft");
  assert.equal(await game.focused("data-vertex"), "c2");
  await game.page.keyboard.press("ArrowUp");
  const [from, to] = [await placeOf(game, "c2"), await placeOf(game, await game.focused("data-vertex"))];
  assert.ok(to.y < from.y);
  // A corner at the top, mirrored.
  await game.action("settings").click();
  await game.find('select[name="turn"]').selectOption("1");
  await game.choose('input[name="mirrored"]', '[data-dialog="settings"]');
  await game.page.keyboard.press("Escape");
  await picture(game.page, "turned");
  await game.page.reload();
  await game.ready();
  await game.hasStone("a1", "white");
  const [left, right] = [await placeOf(game, "i5"), await placeOf(game, "a5")];
  assert.ok(left.x < right.x, "the corner that was on the left is on the right");
  // The lessons speak of the left and the right: their boards lie as always.
  await game.action("rules").click();
  await game.action("tutorial").click();
  const lesson = async (name) => (await game.find(`[data-lesson-board] [data-vertex="${name}"]`).boundingBox()).x;
  assert.ok((await lesson("a1")) < (await lesson("d1")));
});

test("a board may look like paper, and its pictures do, too", async (t) => {
  const game = await opened(t, { fragment: "#side=5&moves=e5" });
  const color = () =>
    game
      .vertex("e6")
      .locator(".hex")
      .evaluate((cell) => getComputedStyle(cell).fill);
  assert.equal(await color(), "rgb(220, 196, 145)");
  await game.action("settings").click();
  await game.find('select[name="boardTheme"]').selectOption("paper");
  assert.equal(await color(), "rgb(255, 255, 255)");
  await game.page.keyboard.press("Escape");
  await game.action("share").click();
  const [file] = await Promise.all([
    game.page.waitForEvent("download"),
    game.find('[data-dialog="share"] [data-save="svg"]').click(),
  ]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  assert.match(Buffer.concat(chunks).toString(), /fill="#ffffff"/);
});

test("a number in the settings cannot be left empty", async (t) => {
  const game = await opened(t, {});
  const seconds = () => game.page.evaluate(() => JSON.parse(localStorage["malecon.settings"]).moveSeconds);
  const before = await seconds();
  await game.action("settings").click();
  const field = game.find('input[name="moveSeconds"]');
  for (const [text, expected] of [
    ["", before],
    ["3", 3],
  ]) {
    await field.fill(text);
    await field.press("Tab");
    assert.equal(await seconds(), expected);
  }
});

test("what is printed are the board and all moves", async (t) => {
  const game = await opened(t, { fragment: "#side=5&moves=e5,f6,g5", colorScheme: "dark" });
  await game.page.emulateMedia({ media: "print" });
  for (const shown of ["[data-board]", "[data-moves]"]) assert.ok(await game.find(shown).isVisible(), shown);
  for (const left of [".top", ".actions", ".analysis", ".review", ".navigation"]) {
    assert.equal(await game.find(`${left}:visible`).count(), 0, left);
  }
  const ground = await game.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(ground, "rgb(255, 255, 255)", "also where the page is dark");
  await picture(game.page, "print");
  // The button prints, after its dialog has closed.
  await game.page.emulateMedia({ media: "screen" });
  await game.page.evaluate(() => {
    window.print = () => (document.body.dataset.printed = String(document.querySelector("dialog[open]") === null));
  });
  await game.action("share").click();
  await game.find("[data-print]").click();
  await game.find('body[data-printed="true"]').waitFor();
});

test("stones are heard only if one wants", async (t) => {
  for (const sound of [false, true]) {
    const game = await opened(t, { settings: sound ? { sound } : {} });
    await game.page.evaluate(() => {
      window.heard = 0;
      const { start } = AudioBufferSourceNode.prototype;
      AudioBufferSourceNode.prototype.start = function (...times) {
        window.heard += 1;
        return start.apply(this, times);
      };
    });
    await game.newGame({ side: 5, play: "both" });
    await game.play("e5", "white");
    await game.play("f6", "black");
    assert.equal(await game.page.evaluate(() => window.heard), sound ? 2 : 0);
  }
});

test("with the system's own colours, what is chosen can be told", async (t) => {
  const game = await opened(t, { forcedColors: "active" });
  await game.action("new-game").click();
  const ground = (value) =>
    game
      .find(`[data-dialog="new-game"] input[name="side"][value="${value}"] + span`)
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.notEqual(await ground(5), await ground(6));
  await picture(game.page, "forced-colors");
});
