// Games by clicks, on both engines.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ENGINES, openContext, picture, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

for (const [engine, site] of Object.entries(ENGINES)) {
  describe(`with the ${engine} engine`, () => {
    test("two people play from the first move to a win", async (t) => {
      const game = await GamePage.open(await openContext(t, browser), await site(t));
      await game.newGame({ side: 4, play: "both" });
      const moves = ["a1", "c3", "a2", "d4", "a3", "e5", "a4"];
      for (const [i, move] of moves.entries()) await game.play(move, i % 2 === 0 ? "white" : "black");
      await game.result(/white won by bridge/i);
      assert.deepEqual(await game.marked("data-winning"), ["a1", "a2", "a3", "a4"]);
      assert.deepEqual(await game.moves(), moves);
      assert.equal(await game.find("[data-board]").getAttribute("data-can-play"), "false");
      await picture(game.page, `won-${engine}`);
    });

    test("a person plays the engine until the game is over", async (t) => {
      const game = await GamePage.open(await openContext(t, browser), await site(t));
      await game.newGame({ side: 4, play: "white", level: 1 });
      // The user follows the hints, which are stronger than level 1.
      let moves = 0;
      while (!(await game.turnOrEnd())) {
        const before = Object.keys(await game.stones()).length;
        assert.equal(before, 2 * moves, "the engine has answered each move with one stone");
        await game.action("hint").click();
        await game.find("[data-vertex][data-suggested]").waitFor({ state: "attached" });
        const [hint] = await game.marked("data-suggested");
        await game.vertex(hint).click();
        await game.hasStone(hint, "white");
        moves += 1;
      }
      await game.result(/^(white|black|you|malecon)\b.* (won|win|wins)\b/i);
      assert.ok((await game.marked("data-winning")).length > 0);
      await picture(game.page, `against-${engine}`);
    });

    test("a hint says why and marks the stones that it speaks of", async (t) => {
      const game = await GamePage.open(await openContext(t, browser), await site(t));
      await game.newGame({ side: 4, play: "both" });
      const moves = ["a1", "c3", "a2", "d4", "a3", "e5"];
      for (const [i, move] of moves.entries()) await game.play(move, i % 2 === 0 ? "white" : "black");
      await game.action("hint").click();
      await game.find('[data-vertex="a4"][data-suggested]').waitFor({ state: "attached" });
      const sentence = "Hint: a4 completes a bridge and wins.";
      await game.find("[data-status]").filter({ hasText: sentence }).waitFor();
      await game.isSaid(/a4 completes a bridge and wins/);
      const marked = await game.find('[data-mark="circle"]').evaluateAll((marks) => marks.map((m) => m.dataset.on));
      assert.deepEqual(marked.sort(), ["a1", "a2", "a3"]);
      await picture(game.page, `hint-${engine}`);
      await game.play("a4", "white");
      assert.equal(await game.find("[data-mark]").count(), 0);
    });

    test("a stone is swapped", async (t) => {
      const game = await GamePage.open(await openContext(t, browser), await site(t));
      await game.newGame({ side: 5, play: "black", level: 1, swap: true });
      await game.hasStones(1);
      const [[first, color]] = Object.entries(await game.stones());
      assert.equal(color, "white");
      await game.action("swap").click();
      await game.hasStone(first, "black");
      // The engine, which is white, moves again; after that there is nothing to swap.
      await game.hasStones(2);
      await game.find('[data-board][data-to-move="black"][data-can-play="true"]').waitFor();
      assert.equal(await game.find('[data-action="swap"]:visible').count(), 0);
      const moves = await game.moves();
      assert.deepEqual(moves.slice(0, 2), [first, "swap"]);
      await picture(game.page, `swapped-${engine}`);
    });

    test("a swap that is typed without the pie rule says that it is off", async (t) => {
      const game = await GamePage.open(await openContext(t, browser), await site(t));
      await game.newGame({ side: 4, play: "both" });
      await game.play("d4", "white");
      await game.find('[data-board][data-to-move="black"][data-can-play="true"]').waitFor();
      await game.find("#typed-move").fill("swap");
      await game.page.keyboard.press("Enter");
      await game.find("[data-toast-text]", { hasText: "The pie rule is off in this game." }).waitFor();
    });

    test("moves are taken back and played again", async (t) => {
      const game = await GamePage.open(await openContext(t, browser), await site(t));
      await game.newGame({ side: 4, play: "both" });
      await game.play("d4", "white");
      await game.play("e5", "black");
      await game.action("undo").click();
      await game.hasStones(1);
      await game.action("redo").click();
      await game.hasStone("e5", "black");
      await game.action("undo").click();
      await game.play("c3", "black");
      assert.deepEqual((await game.moves()).sort(), ["c3", "d4", "e5"], "the other line is kept as a variation");
    });
  });
}
