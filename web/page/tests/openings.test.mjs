import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../js/game/emitter.js";
import { factsOf } from "../js/game/facts.js";
import { Game } from "../js/game/game.js";
import { Geometry } from "../js/game/geometry.js";
import { KeyedPosition, keysOfGame } from "../js/game/position-keys.js";
import { Openings } from "../js/store/openings.js";

const keyOf = (moves, setup = {}, side = 5) => keysOfGame({ side, setup, moves }).at(-1);

test("positions have the same key whatever the order of the moves, others have another one", () => {
  assert.equal(keyOf(["a1", "b2", "c3", "d4"]), keyOf(["c3", "d4", "a1", "b2"]));
  assert.notEqual(keyOf(["a1", "b2", "c3", "d4"]), keyOf(["a1", "c3", "b2", "d4"]));
  assert.notEqual(keyOf(["a1", "b2"]), keyOf(["a1", "b2", "black:e5"]));
});

test("the twelve images of a position have its key", () => {
  const images = (name) => {
    const key = keyOf([name]);
    return Geometry.of(5).vertices.filter((vertex) => keyOf([vertex.name]) === key);
  };
  assert.deepEqual([images("e5").length, images("a1").length, images("b2").length, images("c2").length], [1, 6, 6, 12]);
  const corners = images("a1").map(({ rim }) => rim);
  assert.ok(corners.every((rim) => rim === "corner"));
  // A stone and its neighbour in the order of the board's turn, beside another pair that is no image of it.
  assert.equal(keyOf(["a1", "b1"]), keyOf(["e1", "f2"]));
  assert.equal(keyOf(["a1", "b1"]), keyOf(["a1", "a2"]));
  assert.notEqual(keyOf(["a1", "b1"]), keyOf(["a1", "b2"]));
});

test("who is to move matters, and set-up stones count as others", () => {
  const stones = { white: ["a1"], black: ["b2"] };
  const of = (setup) => new KeyedPosition(5, setup).key();
  assert.equal(of({ ...stones, first: "white" }), keyOf(["a1", "b2"]));
  assert.notEqual(of({ ...stones, first: "black" }), keyOf(["a1", "b2"]));
});

test("a swap gives the stone another colour, and the key after a move is that of the position", () => {
  assert.equal(keyOf(["c3", "swap"]), new KeyedPosition(5, { black: ["c3"], first: "white" }).key());
  for (const move of ["swap", "d4", "a1"]) {
    const position = new KeyedPosition(5);
    position.play("c3");
    const before = position.key();
    const expected = keyOf(["c3", move]);
    assert.equal(position.keyAfter(move), expected);
    assert.equal(position.key(), before, "nothing has changed");
    position.play(move);
    assert.equal(position.key(), expected);
  }
  assert.equal(new KeyedPosition(5).keyAfter("swap"), null);
  assert.equal(new KeyedPosition(5, { white: ["a1"] }).keyAfter("a1"), null);
});

/** A library with these games: [id, moves, winner, start]. */
function libraryOf(games) {
  const library = new Emitter();
  const entryOf = ([id, moves, winner, start = {}]) => {
    const game = new Game({ side: 5, ...start });
    game.tree.playAll(moves.split(" "));
    return { id, ...factsOf(game, {}, winner && { winner, by: [] }) };
  };
  library.list = async () => games.map(entryOf);
  return library;
}

async function openingsOf(games) {
  const openings = new Openings(libraryOf(games));
  const isRead = new Promise((resolve) => openings.on("change", resolve));
  openings.want(true, 5);
  await isRead;
  return openings;
}

const LEGAL = Geometry.of(5).vertices.map(({ name }) => name);

test("the games of the library are counted by position, with images and transpositions", async () => {
  const openings = await openingsOf([
    ["1", "a1 e5 c3", "white"],
    ["2", "e1 e5 g3 resign", "white"], // An image of the first two moves of the first one.
    ["3", "c3 e5 a1", "black"], // The stones of the first one in another order.
    ["4", "e5 d4", "draw"],
    ["5", "a1 e5 c3", null],
    ["6", "a1", "white", { side: 4 }],
  ]);
  const start = { side: 5, setup: {}, moves: [] };
  const rows = openings.movesAt(start, LEGAL, "5");
  const row = (move) => rows.find(({ images }) => images.includes(move));
  assert.deepEqual(
    rows.map(({ games }) => games),
    [2, 1, 1],
  );
  assert.deepEqual(
    [row("a1"), row("e5")].map(({ white, black, draws }) => [white, black, draws]),
    [
      [2, 0, 0],
      [0, 0, 1],
    ],
  );
  assert.equal(row("a1").images.length, 6, "the corners are one move");
  const later = { side: 5, setup: {}, moves: ["a1", "e5"] };
  const [next] = openings.movesAt(later, LEGAL, "5");
  assert.ok(next.images.includes("c3"));
  const third = openings.movesAt(later, ["c3"], "5")[0];
  assert.deepEqual([third.games, third.white, third.black], [2, 1, 1]);
  const games = openings.gamesAt({ ...later, moves: ["a1", "e5", "c3"] }, "5");
  assert.deepEqual(
    games.map(({ entry, after }) => [entry.id, after]),
    [
      ["1", 3],
      ["3", 3],
    ],
  );
});

test("games with set-up stones are told from those without", async () => {
  const setup = { white: ["a1"], black: ["e5"], first: "white" };
  const openings = await openingsOf([
    ["1", "c3", "white", { setup }],
    ["2", "c3", "black", { setup: { ...setup, first: "black" } }],
  ]);
  const [row] = openings.movesAt({ side: 5, setup: {}, moves: ["a1", "e5"] }, ["c3"], null);
  assert.deepEqual([row.games, row.white], [1, 1], "the same stones, with the same player to move");
});
