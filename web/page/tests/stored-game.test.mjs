import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../js/game/game.js";
import { checkedGame } from "../js/store/stored-game.js";

function storedGame() {
  const game = new Game({
    id: "1-2",
    side: 5,
    swap: true,
    seats: "white",
    level: 2,
    clock: { main: 60_000, increment: 0 },
  });
  for (const move of ["e5", "swap", "f6", "black:d4"]) game.play(move);
  game.current.evaluation = { white: 0.25, simulations: 10, isDecided: false };
  const reason = { text: "c3 makes a ring", marks: { c3: "circle" }, line: ["c3", "b2"] };
  const chances = { better_chance: 0.6, played_chance: 0.3 };
  game.current.mistake = { kind: "blunder", loss: 0.3, better: "c3", line: ["c3"], reason, ...chances };
  game.current.findings = [{ move: 4, text: "Black overlooked c3 at move 4", decisive: true }];
  Object.assign(game.current, { isChecked: true, seconds: 1, draft: { isChecked: true, seconds: 2 } });
  game.current.result = { winner: "white", by: ["resign"] };
  return JSON.parse(JSON.stringify(game));
}

/** The stored game with something changed at a path such as ["tree", 0, "id"]. */
function changed(path, value) {
  const stored = storedGame();
  const last = path.at(-1);
  const place = path.slice(0, -1).reduce((object, key) => object[key], stored);
  if (value === undefined) delete place[last];
  else place[last] = value;
  return stored;
}

test("a stored game is taken up as it is", () => {
  assert.deepEqual(checkedGame(storedGame()), storedGame());
});

test("what cannot be a game is not taken up", () => {
  for (const stored of [null, undefined, 3, "game", [], {}, { side: 5 }, { side: 5, tree: [] }]) {
    assert.equal(checkedGame(stored), null, JSON.stringify(stored));
  }
});

test("a game in which anything has a wrong type is not taken up", () => {
  for (const [path, ...values] of [
    [["side"], "5", 99, null, 4.5, undefined],
    [["swap"], "yes", undefined],
    [["seats"], "nobody", ["white"], "toString", undefined],
    [["level"], "3", 0, 11],
    [["levels"], 3, { white: 1 }, { white: 0, black: 1 }],
    [["isPaused"], "no"],
    [["setup"], null, [], undefined],
    [["setup", "white"], "a1", ["z9"], [3]],
    [["setup", "first"], "red"],
    [["names"], null, "Ann", undefined],
    [["names", "white"], {}],
    [["flag"], "green", 1],
    [["clock"], 7, [], { main: 1 }],
    [["clock", "left"], null, undefined],
    [["clock", "left", "white"], "1", null],
    [["tree"], {}, "tree", undefined],
    [["tree", 1], null, 4],
    [["tree", 1, "parent"], 77, 1, null, undefined],
    [["tree", 2, "id"], 1, 0],
    [["tree", 1, "move"], 5, "z9", null, undefined],
    [["tree", 1, "comment"], 5],
    [["tree", 1, "clock"], 5, { white: 1 }],
    [["current"], 77, "0", undefined],
    [["head"], null, undefined],
  ]) {
    for (const value of values) assert.equal(checkedGame(changed(path, value)), null, `${path}: ${value}`);
  }
});

test("judgements that make no sense are left out", () => {
  const index = storedGame().tree.findIndex(({ mistake }) => mistake);
  const { mistake } = storedGame().tree[index];
  const withReason = (changes) => ({ ...mistake, reason: { ...mistake.reason, ...changes } });
  for (const [name, ...values] of [
    ["evaluation", 3, {}, { white: 2, simulations: 1 }, { white: "1", simulations: null }],
    ["evaluation", { white: "0.5", simulations: 1 }, { white: null, simulations: 1 }, { white: [], simulations: 1 }],
    ["mistake", "?", {}, { ...mistake, kind: "slip" }, { ...mistake, line: "c3" }, { ...mistake, line: ["z9"] }],
    ["mistake", { ...mistake, better: "z9" }, { ...mistake, better_chance: 2 }, { ...mistake, played_chance: null }],
    ["mistake", { ...mistake, reason: "?" }, withReason({ text: 3 }), withReason({ line: ["k1"] })],
    ["mistake", withReason({ marks: { z9: "circle" } }), withReason({ marks: { c3: "star" } })],
    ["mistake", withReason({ marks: null })],
    ["findings", "?", {}, [3], [{ move: "4", text: "", decisive: true }], [{ move: 4, text: "" }]],
    ["seconds", "1", -1],
    ["draft", 3, "?", []],
    ["result", "white", {}, { winner: "red", by: [] }, { winner: "white", by: "resign" }],
  ]) {
    for (const value of values) {
      const node = checkedGame(changed(["tree", index, name], value)).tree[index];
      assert.equal(name in node, false, `${name}: ${JSON.stringify(value)}`);
    }
  }
  const draft = { mistake: "?", assessment: {}, isChecked: 1, seconds: 2 };
  assert.deepEqual(checkedGame(changed(["tree", index, "draft"], draft)).tree[index].draft, { seconds: 2 });
});

test("a game that was taken up can be restored", () => {
  const game = new Game({ side: 4 });
  game.restore(checkedGame(changed(["flag"], undefined)));
  assert.deepEqual(game.tree.moves(game.head), ["e5", "swap", "f6", "black:d4"]);
  assert.equal(game.isOutOfTime(), false);
});
