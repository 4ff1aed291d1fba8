import assert from "node:assert/strict";
import test from "node:test";
import { levelAfter } from "../js/game/levels.js";

test("a win raises the level, a loss lowers it, a draw leaves it", () => {
  assert.equal(levelAfter(3, "white", "white"), 4);
  assert.equal(levelAfter(3, "white", "black"), 2);
  assert.equal(levelAfter(3, "draw", "black"), 3);
});

test("there is no level below 1 or above 10", () => {
  assert.equal(levelAfter(1, "black", "white"), 1);
  assert.equal(levelAfter(10, "black", "black"), 10);
});
