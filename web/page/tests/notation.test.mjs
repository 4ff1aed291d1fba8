import assert from "node:assert/strict";
import test from "node:test";
import { Geometry, SIDES } from "../js/game/geometry.js";
import {
  NOTATIONS,
  boardLabels,
  findSpoken,
  inUsedNames,
  speakOf,
  spokenName,
  useNotation,
} from "../js/game/notation.js";
import { lineText, moveSentence } from "../js/game/wording.js";

test.afterEach(() => useNotation("havannahgui"));

/** The names of vertices of a board in a notation. */
function namesIn(notation, side, names) {
  useNotation(notation);
  const board = Geometry.of(side);
  return names.map((name) => spokenName(board.find(name), board));
}

test("vertices have the names that other programs give them", () => {
  const corners = ["a1", "i9", "i5", "e9"];
  assert.deepEqual(namesIn("havannahgui", 5, corners), corners);
  assert.deepEqual(namesIn("littlegolem", 5, corners), ["a1", "i5", "i1", "e9"]);
  assert.deepEqual(namesIn("gogui", 5, corners), ["A1", "J9", "J5", "E9"]);
  assert.deepEqual(namesIn("littlegolem", 8, ["h1", "i2", "o8", "o15"]), ["h1", "i1", "o1", "o8"]);
});

test("each name leads back to its vertex, in any case", () => {
  for (const notation of NOTATIONS) {
    useNotation(notation);
    for (const board of SIDES.map((side) => Geometry.of(side))) {
      for (const vertex of board.vertices) {
        const name = spokenName(vertex, board);
        assert.equal(findSpoken(` ${name.toUpperCase()} `, board), vertex, `${notation}: ${name}`);
      }
      for (const text of ["", "d", "swap", "a0", "z9"]) assert.equal(findSpoken(text, board), undefined, text);
    }
  }
});

test("texts name the vertices of the board that is shown", () => {
  useNotation("littlegolem");
  speakOf(Geometry.of(5));
  assert.equal(moveSentence("i9", "white"), "White i5");
  assert.equal(lineText(["i9", "swap", "d4"]), "i5 swap d4");
  useNotation("gogui");
  assert.equal(moveSentence("i9", "white"), "White J9");
  const labels = boardLabels(Geometry.of(5)).map(({ text }) => text);
  assert.deepEqual(labels.slice(0, 9), ["9", "8", "7", "6", "5", "4", "3", "2", "1"]);
  assert.deepEqual(labels.slice(9).join(""), "ABCDEFGHJ");
});

test("a list of moves has the names of the user, and says whose they are", () => {
  const board = Geometry.of(5);
  const list = "# side 5\ni9 swap white:e5 resign\n";
  assert.equal(inUsedNames(list, board), list);
  useNotation("littlegolem");
  assert.equal(inUsedNames(list, board), "# side 5\n# names littlegolem\ni5 swap white:e5 resign\n");
  useNotation("gogui");
  assert.equal(inUsedNames(list, board), "# side 5\n# names gogui\nJ9 swap white:E5 resign\n");
  assert.equal(inUsedNames("# side 5\n# no moves\n", board), "# side 5\n# names gogui\n# no moves\n");
});
