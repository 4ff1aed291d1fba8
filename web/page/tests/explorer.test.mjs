import assert from "node:assert/strict";
import test from "node:test";
import { FirstStones, explorerRows } from "../js/engine/explorer.js";
import { OpenLine } from "../js/engine/line.js";
import { Game } from "../js/game/game.js";

const STONES = [
  { vertices: ["a1", "e1"], games: 24, points: 20, value: 0.8 },
  { vertices: ["e5"], games: 24, points: 12, value: 0.5 },
];
const LIBRARY = [{ move: "e5", images: ["e5"], games: 3, white: 2, black: 1, draws: 0 }];

function rowsOf(parts) {
  const game = new Game({ side: 5 });
  const node = game.current;
  const all = { library: [], stones: [], isEmpty: false, swapped: null, answer: null, node, toMove: "white", ...parts };
  return explorerRows(all);
}

test("the table, the library and the engine meet in one row, whichever image of the move they name", () => {
  const moves = [
    { move: "e1", visits: 90, win_rate: 0.7, verdict: null },
    { move: "a1", visits: 10, win_rate: 0.6, verdict: null },
    { move: "b2", visits: 5, win_rate: 0.4, verdict: null },
    { move: "c3", visits: 0, win_rate: null, verdict: null },
  ];
  const rows = rowsOf({ library: LIBRARY, stones: STONES, isEmpty: true, answer: { moves } });
  assert.deepEqual(
    rows.map(({ move, games, table, chance }) => [move, games, table?.value, chance]),
    [
      ["e5", 3, 0.5, undefined],
      ["a1", 0, 0.8, 0.7],
      ["b2", 0, undefined, 0.4],
    ],
  );
});

test("the engine's chance is that of the player to move, and is known of moves of the tree without a search", () => {
  const game = new Game({ side: 5 });
  game.play("e5");
  const node = game.current;
  game.play("d4").evaluation = { white: 0.25, simulations: 10, isDecided: false };
  const library = [{ ...LIBRARY[0], move: "d4", images: ["d4"] }];
  const [row] = rowsOf({ library, node, toMove: "black" });
  assert.equal(row.chance, 0.75);
});

test("the table speaks of the first stone only, and then of the swap", () => {
  assert.deepEqual(rowsOf({ stones: STONES }), []);
  const [row] = rowsOf({ stones: STONES, swapped: "e1", toMove: "black" });
  assert.deepEqual([row.move, row.table], ["swap", { games: 24, value: 0.8 }]);
});

test("the table of a board is asked for once", async () => {
  let asked = 0;
  const client = { ask: () => ({ answer: Promise.resolve({ stones: STONES, asked: ++asked }) }) };
  const known = new FirstStones(client);
  const isKnown = new Promise((resolve) => known.on("change", resolve));
  assert.deepEqual(known.of(5), []);
  await isKnown;
  assert.deepEqual([known.of(5), asked], [STONES, 1]);
});

test("a line is gone through, and closes when its position is left", () => {
  const game = new Game({ side: 5 });
  game.play("e5");
  const line = new OpenLine(game);
  game.on("change", (kind) => line.gameChanged(kind));
  line.open(["d4", "c3", "b2"]);
  const stones = () => line.stones().map(({ name, color }) => `${color} ${name}`);
  assert.deepEqual(stones(), ["black d4", "white c3", "black b2"]);
  for (const [by, count] of [
    [-1, 2],
    [-5, 0],
    [1, 1],
    [9, 3],
  ]) {
    line.move(by);
    assert.equal(stones().length, count);
  }
  assert.equal(game.addLine(line.moves), 3);
  assert.equal(game.addLine(line.moves), 0, "it is there already");
  assert.equal(line.isOpen, true);
  game.show(game.tree.root);
  assert.deepEqual([line.isOpen, stones()], [false, []]);
});
