import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { claimText, findingText } from "../js/game/claims.js";
import { findingSentence, reasonText } from "../js/game/wording.js";
import { LANGUAGES } from "../js/language/languages.js";
import { speak } from "../js/language/texts.js";

/** A reason of each kind with the engine's own text; a test of the engine checks that it is so. */
const lines = readFileSync(new URL("claims.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter(Boolean);
const reasons = lines.map((line) => JSON.parse(line));

const finding = { kind: "overlooked", player: "white", better: "f2", played: "c3", moves: [9] };

test("in English, the page says what the engine does", () => {
  assert.ok(reasons.length >= 40);
  for (const { text, claim } of reasons) assert.equal(claimText(claim), text);
  assert.equal(findingText(finding), "White overlooked f2 at move 9.");
  const both = { ...finding, player: "both", moves: [9, 12, 23] };
  assert.equal(findingText(both), "Both overlooked f2 from move 9 to 23.");
  const first = { ...finding, moves: [1] };
  assert.equal(findingText({ ...first, kind: "no-swap", player: "black" }), "Black should have swapped at move 1.");
  const strong = "White's first stone c3 was too strong for the pie rule; f2 is fairer.";
  assert.equal(findingText({ ...first, kind: "too-strong" }), strong);
  assert.equal(findingText({ ...first, kind: "too-weak" }), "White's first stone c3 was too weak; f2 is better.");
});

test("every language says every claim, with its vertices", async (context) => {
  const english = (await import("../js/language/en.js")).default;
  context.after(() => speak("en", english));
  const vertices = (text) => [...new Set(text.match(/\b[a-g][1-9]\b/g))].sort();
  for (const code of Object.keys(LANGUAGES)) {
    speak(code, (await import(`../js/language/${code}.js`)).default);
    for (const { text, claim } of reasons) {
      const said = claimText({ ...claim, also: undefined });
      const [expected] = claim.also ? [text.split(". White needs")[0]] : [text];
      assert.deepEqual(vertices(said), vertices(expected), `${code}: ${said}`);
    }
    assert.match(findingText(finding), /f2.*9|9.*f2/, code);
  }
});

test("what the page does not understand is told in the engine's words", () => {
  const text = "d4 does what no version before could do";
  assert.equal(reasonText({ text, claim: { kind: "new", player: "white", move: "d4" } }), text);
  assert.equal(reasonText({ text }), text);
  assert.equal(findingSentence({ text, claim: { kind: "new", moves: [1] } }), text);
});
