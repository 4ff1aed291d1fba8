import assert from "node:assert/strict";
import test from "node:test";
import { Annotator } from "../js/game/annotator.js";
import { Game } from "../js/game/game.js";
import { Geometry } from "../js/game/geometry.js";
import { TOOLS, marksOf, withMark, withoutMarks } from "../js/game/marks.js";

const board = Geometry.of(4);

test("marks are read from the properties of SGF, but not those off the board", () => {
  const properties = {
    CR: ["a1", "z9"],
    TR: ["b2"],
    LB: ["c3:1\\:2", "d4:\\]"],
    AR: ["a1:b2", "a1:a1", "a1:z9"],
    LN: ["c3:d4"],
    N: ["A name"],
  };
  assert.deepEqual(marksOf(properties, board), {
    shapes: { a1: "circle", b2: "triangle" },
    labels: { c3: "1:2", d4: "]" },
    arrows: [
      { kind: "arrow", from: "a1", to: "b2" },
      { kind: "line", from: "c3", to: "d4" },
    ],
  });
  assert.deepEqual(marksOf(null, board), { shapes: {}, labels: {}, arrows: [] });
});

test("each mark is put on the board and taken away; other properties stay", () => {
  const others = { N: ["A name"] };
  for (const tool of TOOLS) {
    const to = ["arrow", "line"].includes(tool) ? "b2" : null;
    const marked = withMark(others, board, tool, "a1", to);
    assert.notDeepEqual(marked, others, tool);
    assert.deepEqual(withMark(marked, board, tool, "a1", to), others, tool);
    assert.deepEqual(withoutMarks(marked), others, tool);
    assert.equal(withoutMarks(withMark(null, board, tool, "a1", to)), null);
  }
});

test("a vertex has one shape or label, and labels are the first letters that are free", () => {
  const put = (properties, [tool, name]) => withMark(properties, board, tool, name);
  const steps = [
    ["circle", "a1"],
    ["label", "a1"],
    ["label", "b2"],
    ["label", "c3"],
    ["square", "a1"],
    ["label", "d4"],
  ];
  const { shapes, labels } = marksOf(steps.reduce(put, null), board);
  assert.deepEqual([shapes, labels], [{ a1: "square" }, { b2: "B", c3: "C", d4: "A" }]);
});

test("an arrow needs two vertices; the same one twice, or another position, forgets it", () => {
  const game = new Game({ side: 4 });
  const annotator = new Annotator(game);
  annotator.toggle();
  assert.equal(annotator.isMarking, false, "at first a click plays");
  annotator.choose("arrow");
  annotator.mark("a1");
  assert.equal(annotator.from, "a1");
  annotator.mark("a1");
  assert.deepEqual([annotator.from, game.current.properties], [null, null]);
  annotator.mark("a1");
  annotator.mark("b2");
  assert.deepEqual(game.current.properties, { AR: ["a1:b2"] });
  annotator.mark("c3");
  annotator.gameChanged("show");
  assert.equal(annotator.from, null);
  annotator.comment("A bridge", game.current);
  assert.equal(game.current.comment, "A bridge");
  annotator.comment("", game.current);
  annotator.clear();
  assert.deepEqual([game.current.comment, game.current.properties], ["", null]);
});
