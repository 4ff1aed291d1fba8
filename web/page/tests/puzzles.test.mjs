import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

globalThis.addEventListener ??= () => {};
const { Puzzles, puzzleOf, readPuzzles, solvedIds } = await import("../js/store/puzzles.js");

const FILE = readFileSync(new URL("../puzzles.jsonl", import.meta.url), "utf8");

test("every puzzle of the file is understood", () => {
  const lines = FILE.split("\n").filter(Boolean);
  assert.equal(readPuzzles(FILE).length, lines.length);
  assert.ok(lines.length > 100);
});

test("lines that are not puzzles are left out", () => {
  const [good] = FILE.split("\n");
  const wrong = [
    "{",
    "null",
    "{}",
    good.replace(/"side":\d+/, '"side":99'),
    good.replace(/"theme":"[a-z ]+"/, '"theme":"?"'),
  ];
  assert.deepEqual(readPuzzles([...wrong, good].join("\n")), [JSON.parse(good)]);
});

test("what is stored is believed only where it can be right", () => {
  for (const stored of [null, 7, [], {}, { solved: null }, { solved: "1" }]) assert.deepEqual(solvedIds(stored), []);
  assert.deepEqual(solvedIds({ solved: [3, "4", -1, 1.5, null, 8] }), [3, 8]);
});

test("a link names a puzzle", () => {
  assert.equal(puzzleOf("#puzzle=12"), 12);
  for (const fragment of ["", "#", "#puzzle=", "#puzzle=x", "#puzzle=-1", "#side=5&moves=a1"]) {
    assert.equal(puzzleOf(fragment), null);
  }
});

test("the next puzzle is one that is not solved, and of the kind that is wanted", () => {
  const puzzles = new Puzzles();
  const puzzle = (id, grade, side) => ({ id, grade, side, theme: "ring" });
  puzzles.all = [puzzle(1, 2, 4), puzzle(2, 1, 5), puzzle(3, 2, 4), puzzle(4, 3, 4)];
  assert.deepEqual(
    puzzles.matching({}).map(({ id }) => id),
    [2, 1, 3, 4],
  );
  assert.equal(puzzles.next({}).id, 2);
  puzzles.solved = new Set([2, 3]);
  assert.equal(puzzles.next({}, 1).id, 4);
  assert.equal(puzzles.next({}, 4).id, 1);
  assert.equal(puzzles.next({ grade: 2 }, 1).id, 3, "all others are solved");
  assert.equal(puzzles.next({ side: 5 }, 2), null);
});
