import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULTS, known } from "../js/store/settings.js";

test("the defaults are valid", () => {
  assert.deepEqual(known(DEFAULTS), DEFAULTS);
});

test("stored settings that do not exist or have impossible values are ignored", () => {
  const stored = { side: 99, level: 0, play: "nobody", theme: 3, overlay: "none", colour: "red", analysis: true };
  assert.deepEqual(known(stored), { overlay: "none", analysis: true });
  const numbers = { moveSeconds: -1, analysisSeconds: 1e9, reviewSeconds: "1", clockMain: 5, tutorial: 2.5 };
  assert.deepEqual(known(numbers), { clockMain: 5 });
});

test("what is stored in place of settings may be anything", () => {
  for (const stored of [null, undefined, 7, "theme", true, [], ["side"], { __proto__: { side: 4 } }, { toString: 1 }]) {
    assert.deepEqual(known(stored), {}, JSON.stringify(stored));
  }
});

test("a language or a look that this version does not have is not taken up", () => {
  const right = { language: "pl", notation: "gogui", turn: 11, mirrored: true, boardTheme: "paper", sound: true };
  assert.deepEqual(known(right), right);
  const wrong = { language: "tlh", notation: "chess", turn: 12, mirrored: 1, boardTheme: "lava", sound: "loud" };
  assert.deepEqual(known(wrong), {});
});
