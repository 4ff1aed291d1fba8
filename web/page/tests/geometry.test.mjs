import assert from "node:assert/strict";
import test from "node:test";
import { Geometry, SIDES } from "../js/game/geometry.js";
import { TURNS } from "../js/game/orientation.js";

test("a board of side s has 3s(s-1)+1 vertices, 6 corners and 6(s-2) side vertices", () => {
  for (const side of SIDES) {
    const board = Geometry.of(side);
    const count = (rim) => board.vertices.filter((vertex) => vertex.rim === rim).length;
    assert.equal(board.vertices.length, 3 * side * (side - 1) + 1);
    assert.equal(count("corner"), 6);
    assert.equal(count("side"), 6 * (side - 2));
    assert.equal(new Set(board.vertices.map(({ name }) => name)).size, board.vertices.length);
  }
});

test("side lengths that are no board are rejected", () => {
  for (const side of [0, 1, 14, 4.5, NaN, "6"]) assert.throws(() => Geometry.of(side), RangeError);
});

test("the corners have the names of HavannahGui", () => {
  const corners = Geometry.of(5)
    .vertices.filter(({ rim }) => rim === "corner")
    .map(({ name }) => name);
  assert.deepEqual(corners.sort(), ["a1", "a5", "e1", "e9", "i5", "i9"]);
});

test("neighbours are drawn at distance 1, all others further away", () => {
  const board = Geometry.of(6);
  for (const v of board.vertices) {
    for (const w of board.vertices) {
      const distance = Math.hypot(v.x - w.x, v.y - w.y);
      if (v !== w) assert.equal(distance < 1.0001, v.neighbours.includes(w), `${v.name} ${w.name}`);
    }
  }
});

test("rows run from top to bottom and from left to right", () => {
  const board = Geometry.of(4);
  assert.deepEqual(
    board.rows.map((row) => row.map(({ name }) => name).join(" ")),
    [
      "d7 e7 f7 g7",
      "c6 d6 e6 f6 g6",
      "b5 c5 d5 e5 f5 g5",
      "a4 b4 c4 d4 e4 f4 g4",
      "a3 b3 c3 d3 e3 f3",
      "a2 b2 c2 d2 e2",
      "a1 b1 c1 d1",
    ],
  );
  for (const row of board.rows) row.slice(1).forEach((v, i) => assert.ok(v.x > row[i].x));
});

test("names are found in any case, and nothing else is", () => {
  const board = Geometry.of(4);
  assert.equal(board.find(" D4 ").name, "d4");
  for (const name of ["", "a5", "h1", "a0", "d", "swap"]) assert.equal(board.find(name), undefined, name);
});

/** All boards, upright and as they lie when they are turned and mirrored. */
const ways = [...Array(TURNS).keys()].flatMap((turn) => [false, true].map((isMirrored) => ({ turn, isMirrored })));
const boards = SIDES.flatMap((side) => ways.map((way) => Geometry.of(side, way)));

test("every row and every letter has a label beside the board, however it lies", () => {
  for (const board of boards) {
    const { side } = board;
    const labels = board.labels();
    assert.equal(labels.length, 2 * (2 * side - 1));
    for (const label of labels) {
      const nearest = Math.min(...board.vertices.map((v) => Math.hypot(v.x - label.x, v.y - label.y)));
      assert.ok(nearest > 0.99 && nearest < 1.01, `${label.letter} ${label.number} on side ${side}`);
    }
  }
});

test("a board that is turned and mirrored has the same neighbours, each at the same distance", () => {
  for (const board of boards.filter(({ side }) => side === 5)) {
    for (const vertex of board.vertices) {
      const upright = Geometry.of(5).find(vertex.name);
      assert.deepEqual(names(vertex.neighbours), names(upright.neighbours));
      for (const next of vertex.neighbours) {
        assert.ok(Math.abs(Math.hypot(next.x - vertex.x, next.y - vertex.y) - 1) < 1e-9);
      }
    }
  }
  // Upright, the row of a1 is at the bottom and begins on the left; half a turn brings it to the top and the right.
  const [a1, around] = [Geometry.of(5), Geometry.of(5, { turn: 6, isMirrored: false })].map((board) =>
    board.find("a1"),
  );
  assert.ok(a1.y > 0 && a1.x < 0 && around.y < 0 && around.x > 0);
  const mirrored = Geometry.of(5, { turn: 0, isMirrored: true }).find("a1");
  assert.ok(Math.abs(mirrored.x + a1.x) < 1e-9 && Math.abs(mirrored.y - a1.y) < 1e-9);
});

test("arrow keys reach every vertex and stay on the board, however it lies", () => {
  for (const board of boards) {
    const reached = new Set([board.at(0, 0)]);
    for (const vertex of reached) {
      for (const direction of ["left", "right", "up", "down", "start", "end"])
        reached.add(board.step(vertex, direction));
    }
    assert.equal(reached.size, board.vertices.length);
    assert.ok([...reached].every((vertex) => board.vertices.includes(vertex)));
  }
});

test("going up and down in a column leads back", () => {
  const board = Geometry.of(6);
  const start = board.find("f6");
  let vertex = start;
  for (let i = 0; i < 5; i++) vertex = board.step(vertex, "up", start.x);
  assert.equal(vertex.number, 10);
  for (let i = 0; i < 5; i++) vertex = board.step(vertex, "down", start.x);
  assert.equal(vertex, start);
});

test("a point belongs to the cell around it, and beside the board to none", () => {
  const board = Geometry.of(4);
  for (const { name, x, y } of board.vertices) {
    assert.equal(board.nearest(x + 0.3, y - 0.3).name, name);
  }
  assert.equal(board.nearest(4.2, 0), undefined);
});

function names(vertices) {
  return vertices.map(({ name }) => name);
}
