import assert from "node:assert/strict";
import test from "node:test";
import { hintSentence } from "../js/game/wording.js";

test("a hint is told by its reason, or else by its move", () => {
  const reason = { text: "e5 joins d4 with f6", marks: { d4: "circle" }, line: [] };
  assert.equal(hintSentence({ move: "e5", reason }), "Hint: e5 joins d4 with f6.");
  assert.equal(hintSentence({ move: "e5", reason: null }), "Malecon would play e5.");
  assert.equal(hintSentence({ move: "swap", reason: null }), "Malecon would swap.");
  assert.equal(hintSentence(null), "There is nothing to play here.");
});
