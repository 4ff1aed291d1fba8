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
    assert.equal(await game.find("[data-moves] .mark").count(), await game.find("[data-mistake]").count());
    await picture(game.page, `review-${engine}`);
    // A click on a mistake shows its position.
    const graph = game.find("[data-graph]");
    const before = await graph.getAttribute("aria-valuenow");
    await mistake.click();
    await game.find(`[data-graph]:not([aria-valuenow="${before}"])`).waitFor();
    assert.match(await graph.getAttribute("aria-valuetext"), /%/);
  });
}

test("a record is pasted, and saved again as it was", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.WebAssembly(t));
  await game.action("open").click();
  await game.find("[data-paste]").fill("# side 4\nd4 c4 e5 c5");
  await game.find('[data-dialog="open"] button[value="load"]').click();
  await game.hasStones(4);
  assert.deepEqual(await game.moves(), ["d4", "c4", "e5", "c5"]);
  await game.action("share").click();
  const text = game.find("[data-record]");
  await game.page.waitForFunction(() => document.querySelector("[data-record]").value !== "");
  assert.match(await text.inputValue(), /^\(;FF\[4\].*SZ\[4\].*;W\[d4\];B\[c4\];W\[e5\];B\[c5\]\)\s*$/s);
  for (const kind of ["svg", "png", "record"]) {
    const [download] = await Promise.all([
      game.page.waitForEvent("download"), game.find(`[data-save="${kind}"]`).click(),
    ]);
    assert.match(download.suggestedFilename(), kind === "record" ? /\.sgf$/ : new RegExp(`\\.${kind}$`));
  }
});

test("what is not a record is refused with a reason", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.WebAssembly(t));
  await game.action("open").click();
  await game.find("[data-paste]").fill("(;FF[4]SZ[4];W[zz99])");
  await game.find('[data-dialog="open"] button[value="load"]').click();
  const error = game.find("[data-open-error]:visible");
  await error.waitFor();
  assert.match(await error.innerText(), /zz99/i);
});

test("a link to a position of the page is opened like a record", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.WebAssembly(t));
  await game.action("open").click();
  await game.find("[data-paste]").fill("https://example.org/havannah/#side=4&moves=d4,c4");
  await game.find('[data-dialog="open"] button[value="load"]').click();
  await game.hasStones(2);
  assert.deepEqual(await game.moves(), ["d4", "c4"]);
});

test("a link to Little Golem gets the link to the record", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await ENGINES.native(t));
  await game.action("open").click();
  await game.find("[data-paste]").fill("https://www.littlegolem.net/jsp/game/game.jsp?gid=1234567");
  await game.find('[data-dialog="open"] button[value="load"]').click();
  const error = game.find("[data-open-error]:visible");
  await error.waitFor();
  assert.match(await error.innerText(), /littlegolem\.net\/servlet\/sgf\/1234567\/game1234567\.hgf/);
});
