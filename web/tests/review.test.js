// Records of games, and their reviews.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ENGINES, openContext, picture, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

/** A game as Little Golem writes it. */
const record = fileURLToPath(new URL("../../tests/data/records/swapped.hgf", import.meta.url));
const moves = readFileSync(record, "utf8").match(/;[WB]\[/g).length;

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`a game of Little Golem is reviewed (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    await game.action("open").click();
    await game.find("[data-file]").setInputFiles(record);
    await game.find('[data-board][data-side="4"]').waitFor();
    await game.result(/won by bridge/i);
    assert.equal((await game.moves()).length, moves);
    assert.deepEqual((await game.moves()).slice(0, 3), ["d1", "swap", "d7"]);

    assert.equal(await game.find("[data-moves] .mark").count(), 0);
    await game.action("review").click();
    await game.find("[data-review-summary]", { hasText: /\S/ }).waitFor();
    await game.find("[data-review-progress]").waitFor({ state: "hidden" });
    const mistake = game.find("[data-mistake]").first();
    await mistake.waitFor();
    const found = await game.find("[data-mistake]").count();
    assert.ok(
      found > 0 && found <= (await game.find("[data-moves] .mark").count()),
      "a finding has one mistake or more",
    );
    await picture(game.page, `review-${engine}`);
    // A click on a finding shows its position.
    const graph = game.find("[data-graph]");
    const before = await graph.getAttribute("aria-valuenow");
    await mistake.click();
    await game.find(`[data-graph]:not([aria-valuenow="${before}"])`).waitFor();
    assert.match(await graph.getAttribute("aria-valuetext"), /%/);
  });
}

/** Black does not stop the bridge at a5. */
const OVERLOOKED = { moves: "# side 5\na1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5", finding: /Black overlooked a5 .*12\./ };
/** White does not complete the bridge at a5, and black does not complete the one at i9. */
const BOTH = { moves: "# side 5\na1 e9 a2 f9 a3 g9 a4 h9 i7 c3 a5", finding: /Black overlooked i9 .*10\./ };

/** The page after the review of a game, with what decided it. */
async function reviewed(t, { moves, finding }, options) {
  const game = await GamePage.open(await openContext(t, browser, options), await ENGINES.native(t));
  await game.paste(moves);
  await game.find('[data-action="review"].small').click();
  await game.find("[data-findings] button", { hasText: finding }).waitFor();
  return game;
}

test("a finding is shown on the board, step by step, and tried against the engine", async (t) => {
  const game = await reviewed(t, OVERLOOKED);
  const lines = () =>
    game.find("[data-line-move]").evaluateAll((stones) => stones.map(({ dataset }) => dataset.lineMove));
  await game.find("[data-findings] button", { hasText: OVERLOOKED.finding }).click();
  await game.find("[data-finding]:visible").waitFor();
  assert.match(await game.find("[data-finding-title]").innerText(), OVERLOOKED.finding);
  assert.match(
    await game.find("[data-finding-text]").innerText(),
    /Black's chance fell to .* with f5 \(✕\)\. With a5 it was /,
  );
  assert.deepEqual(await lines(), ["1"]);
  assert.equal(await game.find('[data-mark="cross"]').getAttribute("data-on"), "f5");
  assert.equal(await game.find("[data-findings] [aria-current]").count(), 1);
  await game.action("step-forward").click();
  await game.find('[data-line-move="2"]').waitFor({ state: "attached" });
  await picture(game.page, "finding");
  await game.page.keyboard.press("ArrowUp");
  await game.find('[data-line-move="2"]').waitFor({ state: "detached" });
  await game.page.keyboard.press("ArrowDown");
  await game.find('[data-line-move="2"]').waitFor({ state: "attached" });
  // The position before black's last move, with black against the engine.
  assert.equal((await game.marked("data-stone")).length, 11);
  await game.action("try").click();
  // One may play in a finding, too: only the line tells when the attempt is drawn.
  await game.find('[data-line-move="1"]').waitFor({ state: "detached" });
  await game.find('[data-board][data-can-play="true"][data-to-move="black"]').waitFor();
  assert.deepEqual(await lines(), []);
  await game.play("a5", "black");
  await game.hasStones(13);
  await picture(game.page, "finding-tried");
  await game.action("end-try").click();
  await game.hasStones(11);
  assert.deepEqual(await lines(), ["1", "2"]);
  await game.action("close-finding").click();
  await game.find("[data-finding]").waitFor({ state: "hidden" });
  assert.deepEqual(await lines(), []);
});

test("keys go through the findings", async (t) => {
  const game = await reviewed(t, BOTH);
  const { keyboard } = game.page;
  const titles = [];
  const count = await game.find("[data-mistake]").count();
  assert.ok(count > 1);
  for (let i = 0; i < count; i++) {
    await keyboard.press("Shift+ArrowRight");
    const isNew = (shown) => document.querySelector("[data-finding-title]").textContent !== shown;
    await game.page.waitForFunction(isNew, titles.at(-1) ?? "");
    titles.push(await game.find("[data-finding-title]").innerText());
  }
  assert.equal(new Set(titles).size, count);
  assert.match(titles[0], BOTH.finding);
  await keyboard.press("Shift+ArrowLeft");
  await game.find("[data-finding-title]", { hasText: titles.at(-2) }).waitFor();
});

test("findings on a phone of 360 pixels", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
    const game = await reviewed(t, OVERLOOKED, { ...phone, colorScheme });
    await game.find("[data-findings] button", { hasText: OVERLOOKED.finding }).tap();
    await game.find("[data-finding]:visible").waitFor();
    await game.page.waitForFunction(() => document.querySelector("[data-board]").getBoundingClientRect().top >= 0);
    await game.isAsWideAsTheScreen();
    await picture(game.page, `finding-phone-${colorScheme}`);
  }
});

/** White resigned. */
const resigned = fileURLToPath(new URL("../../tests/data/records/resigned.hgf", import.meta.url));

test("a resigned game keeps its result", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.native(t));
  await game.action("open").click();
  await game.find("[data-file]").setInputFiles(resigned);
  await game.result(/black won by resignation/i);
  const stated = async () => {
    await game.action("share").click();
    await game.page.waitForFunction(() => document.querySelector("[data-record]").value !== "");
    const text = await game.find("[data-record]").inputValue();
    await game.page.keyboard.press("Escape");
    return text.match(/RE\[(.*?)\]/)?.[1];
  };
  assert.equal(await stated(), "B+R");
  // Also where an earlier position is shown, and after a reload.
  await game.action("first").click();
  await game.hasStones(0);
  assert.equal(await stated(), "B+R");
  await game.action("last").click();
  await game.result(/black won by resignation/i);
  await game.page.reload();
  await game.ready();
  await game.result(/black won by resignation/i);
  // One may go on from there.
  await game.find('[data-board][data-can-play="true"]').waitFor();
});

test("a record is pasted, and saved again as it was", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.WebAssembly(t));
  await game.paste("# side 4\nd4 c4 e5 c5");
  await game.hasStones(4);
  assert.deepEqual(await game.moves(), ["d4", "c4", "e5", "c5"]);
  await game.action("share").click();
  const text = game.find("[data-record]");
  await game.page.waitForFunction(() => document.querySelector("[data-record]").value !== "");
  assert.match(await text.inputValue(), /^\(;FF\[4\].*SZ\[4\].*;W\[d4\];B\[c4\];W\[e5\];B\[c5\]\)\s*$/s);
  for (const kind of ["svg", "png", "record"]) {
    const [download] = await Promise.all([
      game.page.waitForEvent("download"),
      game.find(`[data-save="${kind}"]`).click(),
    ]);
    assert.match(download.suggestedFilename(), kind === "record" ? /\.sgf$/ : new RegExp(`\\.${kind}$`));
  }
});

test("what is not a record is refused with a reason", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.WebAssembly(t));
  await game.paste("(;FF[4]SZ[4];W[zz99])");
  const error = game.find("[data-open-error]:visible");
  await error.waitFor();
  assert.match(await error.innerText(), /zz99/i);
});

test("a link to a position of the page is opened like a record", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.WebAssembly(t));
  await game.paste("https://example.org/havannah/#side=4&moves=d4,c4");
  await game.hasStones(2);
  assert.deepEqual(await game.moves(), ["d4", "c4"]);
});

test("a link in place of a record gets advice", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.native(t));
  await game.paste("https://www.littlegolem.net/jsp/game/game.jsp?gid=1234567");
  const error = game.find("[data-open-error]:visible");
  await error.waitFor();
  assert.match(await error.innerText(), /this is a link, not a record: save the game/);
});
