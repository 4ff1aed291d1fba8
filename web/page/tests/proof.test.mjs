import assert from "node:assert/strict";
import { test } from "node:test";
import { base64, lengthNotes, repliesOf, rowsOf, stepWord } from "../js/engine/proof.js";

test("a link names the replies in a proof", () => {
  assert.deepEqual(repliesOf("#proof=b2,C3"), ["b2", "c3"]);
  assert.deepEqual(repliesOf("#proof="), []);
  assert.deepEqual(repliesOf("#proof"), []);
  assert.equal(repliesOf("#side=6&moves=c3"), null);
  assert.equal(repliesOf(""), null);
});

test("bytes of any number become base64", () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * i) % 251);
  assert.equal(base64(bytes), Buffer.from(bytes).toString("base64"));
  assert.equal(base64(new Uint8Array()), "");
});

test("rows have a reply and its answer, the first perhaps an answer alone", () => {
  const [first, reply, answer] = ["white", "black", "white"].map((color, i) => ({ color, move: `a${i + 1}` }));
  assert.deepEqual(rowsOf([reply, answer], "white"), [{ reply, answer }]);
  assert.deepEqual(rowsOf([first, reply, answer], "white"), [
    { reply: null, answer: first },
    { reply, answer },
  ]);
  assert.deepEqual(rowsOf([], "white"), []);
});

test("a word says what a stone does", () => {
  const word = (step) => stepWord({ by: [], blocks: false, threats: 0, ...step });
  assert.equal(word({}), "");
  assert.equal(word({ threats: 1 }), "a threat");
  assert.equal(word({ threats: 3, blocks: true }), "two threats at once");
  assert.equal(word({ blocks: true }), "must block");
  assert.equal(word({ blocks: true, threats: 1 }), "blocks with a threat");
  assert.equal(word({ by: ["bridge", "ring"], blocks: true }), "bridge and ring");
});

test("the longest replies are marked on the board, unless all are alike", () => {
  const notes = lengthNotes({ a2: 10, b2: 30, c3: 20 });
  assert.deepEqual(notes.get("b2"), { heat: 1, text: "30", best: true, label: "30 stones to the end" });
  assert.deepEqual([notes.get("a2").heat, notes.get("c3").heat], [0, 0.5]);
  assert.ok([...lengthNotes({ a2: 2, b2: 2 }).values()].every(({ best, heat }) => !best && heat === 0));
});
