import assert from "node:assert/strict";
import test from "node:test";
import { QueryError } from "../js/engine/engine-client.js";
import { decisionOf, firstStone } from "../js/engine/setups.js";
import { emptySetup, onSide, setupFromText, setupOf, setupText, stoneOn, withStone } from "../js/game/setup.js";
import { play } from "../js/game/stones.js";

test("stones are put on a vertex, replaced and taken away, and the setup before stays as it was", () => {
  const empty = emptySetup(5);
  const white = withStone(empty, "c3", "white");
  const black = withStone(white, "c3", "black");
  assert.deepEqual([white.white, white.black], [["c3"], []]);
  assert.deepEqual([black.white, black.black], [[], ["c3"]]);
  assert.equal(stoneOn(black, "c3"), "black");
  assert.deepEqual(withStone(black, "c3", null), empty);
  assert.equal(stoneOn(empty, "c3"), null);
});

test("a smaller board has only the stones that are on it", () => {
  const setup = { side: 8, white: ["o15", "d4"], black: ["h15"], first: "black" };
  assert.deepEqual(onSide(setup, 4), { side: 4, white: ["d4"], black: [], first: "black" });
});

test("the position of a game is a setup", () => {
  const position = play({ white: ["a1"], first: "white" }, ["b2", "c3", "swap"]);
  assert.deepEqual(setupOf(4, position), { side: 4, white: ["a1", "b2"], black: ["c3"], first: "black" });
});

test("a setup goes into an address and back", () => {
  const setup = { side: 6, white: ["a1", "f6"], black: ["k11"], first: "black" };
  assert.deepEqual(setupFromText(setupText(setup)), setup);
  assert.equal(setupFromText(""), null);
  assert.throws(() => setupFromText("side=4&white=a1&black=a1,b2"), /two stones on a1/);
  assert.throws(() => setupFromText("side=4&white=k11"), /k11/);
});

/** An engine on whose board White has won with the stones "a1" to "a4", and that refuses any further stone. */
function engine() {
  const asked = [];
  const winning = ["a1", "a2", "a3", "a4"];
  const client = {
    ask: (query) => {
      asked.push(query);
      const [stones, isWon] = [[...query.white, ...query.black], winning.every((name) => query.white.includes(name))];
      const end = winning.every((name) => stones.includes(name))
        ? 1 + Math.max(...winning.map((w) => stones.indexOf(w)))
        : 0;
      const position = isWon ? { over: true, winner: "white", by: ["bridge"], winning } : { over: false };
      if (!isWon || end >= stones.length) return { answer: Promise.resolve({ position, choice: { move: "d4" } }) };
      const [color, index] = end < query.white.length ? ["white", end] : ["black", end - query.white.length];
      const error = `${color}[${index}]: the game is over: white won by bridge`;
      return { answer: Promise.reject(new QueryError({ error, field: color })) };
    },
  };
  return { client, asked };
}

test("a setup that is decided is known, whichever stone is the last", async () => {
  const won = { winner: "white", by: ["bridge"], winning: ["a1", "a2", "a3", "a4"] };
  for (const [white, black, expected] of [
    [["a1", "a2", "a3"], ["d4"], null],
    [["a1", "a2", "a3", "a4"], [], won],
    [["a1", "a2", "a3", "a4", "d4"], ["e5"], won],
    [["a1", "a2", "a3", "a4"], ["d4", "e5"], won],
  ]) {
    assert.deepEqual(await decisionOf(engine().client, { side: 4, white, black, first: "black" }), expected);
  }
});

test("another error than a decided game is not hidden", async () => {
  const error = new QueryError({ error: "black[0]: a1 is occupied by white", field: "black" });
  const client = { ask: () => ({ answer: Promise.reject(error) }) };
  await assert.rejects(decisionOf(client, { side: 4, white: ["a1"], black: ["a1"], first: "white" }), error);
});

test("the engine puts a first stone of its colour, at its level", async () => {
  const { client, asked } = engine();
  assert.equal(await firstStone(client, { side: 4, white: ["a1"], black: [] }, "white", 3), "d4");
  const { first, level, want } = asked[0];
  assert.deepEqual([first, level, want], ["white", 3, ["choice"]]);
});
