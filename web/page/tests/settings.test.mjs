import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULTS, known } from "../js/settings.js";

test("the defaults are valid", () => {
  assert.deepEqual(known(DEFAULTS), DEFAULTS);
});

test("stored settings that do not exist or have impossible values are ignored", () => {
  const stored = { side: 99, level: 0, play: "nobody", theme: 3, overlay: "none", colour: "red", analysis: true };
  assert.deepEqual(known(stored), { overlay: "none", analysis: true });
});
