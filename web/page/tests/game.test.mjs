import assert from "node:assert/strict";
import test from "node:test";
import { Game, seatsOf } from "../js/game/game.js";
import { play, splitMove } from "../js/game/stones.js";
import { GameTree } from "../js/game/tree.js";

test("colours alternate, unless a move names its colour", () => {
  const { stones, toMove, last, movers } = play({}, ["a1", "b2", "black:c3"]);
  assert.deepEqual(
    [...stones],
    [
      ["a1", "white"],
      ["b2", "black"],
      ["c3", "black"],
    ],
  );
  assert.deepEqual(movers, ["white", "black", "black"]);
  assert.equal(toMove, "white");
  assert.equal(last, "c3");
});

test("a swap turns the first stone black, and white moves next", () => {
  const { stones, toMove, last } = play({}, ["c3", "swap"]);
  assert.deepEqual([...stones], [["c3", "black"]]);
  assert.equal(toMove, "white");
  assert.equal(last, "c3");
});

test("set-up stones are on the board and are not swapped", () => {
  const { stones, toMove } = play({ white: ["a1"], black: ["b1"], first: "black" }, ["c3"]);
  assert.deepEqual(
    [...stones],
    [
      ["a1", "white"],
      ["b1", "black"],
      ["c3", "black"],
    ],
  );
  assert.equal(toMove, "white");
});

test("a resignation is a move of the player who resigns", () => {
  assert.equal(play({}, ["a1", "resign"]).resigned, "black");
  assert.equal(play({}, ["a1", "white:resign"]).resigned, "white");
  assert.deepEqual(splitMove("Black:D4"), { color: "black", action: "d4" });
});

test("moves that are played again lead to the same node, others to variations", () => {
  const tree = new GameTree();
  const end = tree.playAll(["a1", "b1", "c1"]);
  assert.equal(tree.playAll(["a1", "b1", "c1"]), end);
  const variation = tree.playAll(["a1", "b2"]);
  assert.deepEqual(
    tree.mainLine().map(({ move }) => move),
    ["a1", "b1", "c1"],
  );
  assert.equal(tree.isOnMainLine(variation), false);
  tree.promote(variation);
  assert.deepEqual(
    tree.mainLine().map(({ move }) => move),
    ["a1", "b2"],
  );
  assert.equal(tree.find(["a1", "b1", "c1"]), end);
});

test("a removed move takes its continuation with it", () => {
  const tree = new GameTree();
  tree.playAll(["a1", "b1", "c1"]);
  const parent = tree.remove(tree.find(["a1", "b1"]));
  assert.equal(parent, tree.find(["a1"]));
  assert.equal(tree.nodes.size, 2);
  assert.throws(() => tree.remove(tree.root));
});

test("a tree survives storing, with comments and the order of variations", () => {
  const tree = new GameTree();
  tree.playAll(["a1", "b1", "c1"]).comment = "well played";
  tree.playAll(["a1", "b2"]).evaluation = { white: 0.5 };
  tree.promote(tree.find(["a1", "b2"]));
  const copy = GameTree.fromJSON(JSON.parse(JSON.stringify(tree)));
  assert.deepEqual(copy.toRecord({}), tree.toRecord({}));
  assert.equal(copy.find(["a1", "b1", "c1"]).comment, "well played");
  assert.deepEqual(copy.find(["a1", "b2"]).evaluation, { white: 0.5 });
});

test("a tree goes to the engine's form of records and back", () => {
  const tree = new GameTree();
  tree.playAll(["black:a1", "black:b1", "c1"]).comment = "!";
  tree.playAll(["black:a1", "c2", "resign"]);
  const record = tree.toRecord({ white: ["d4"], black: [] });
  assert.deepEqual(record[0], { white: ["d4"], black: [], properties: { PL: ["W"] }, children: [1] });
  assert.deepEqual(record[1], { move: "a1", color: "black", children: [2, 4] });
  assert.deepEqual(GameTree.fromRecord(record).toRecord({ white: ["d4"], black: [] }), record);
});

test("comments of a record's nodes without a move are kept, stones set up later end the line", () => {
  const tree = GameTree.fromRecord([
    { comment: "start", children: [1] },
    { comment: "more", children: [2, 3] },
    { move: "a1", color: "white", children: [] },
    { white: ["b1"], children: [4] },
    { move: "c1", children: [] },
  ]);
  assert.equal(tree.root.comment, "start\nmore");
  assert.deepEqual(
    tree.root.children.map(({ move }) => move),
    ["a1"],
  );
});

test("a record says who is to move in a position that was set up", () => {
  const root = (setup) => new GameTree().toRecord(setup)[0];
  assert.deepEqual(root({ white: ["a1"], black: [], first: "black" }).properties, { PL: ["B"] });
  assert.deepEqual(root({ white: [], black: [], first: "black" }).properties, { PL: ["B"] });
  assert.equal(root({ white: [], black: [], first: "white" }).properties, undefined);
});

test("the user's colour may be drawn by lot, and a choice stays", () => {
  const drawn = new Set(Array.from({ length: 200 }, () => seatsOf("random")));
  assert.deepEqual([...drawn].sort(), ["black", "white"]);
  for (const choice of ["white", "black", "both", "neither"]) assert.equal(seatsOf(choice), choice);
});

test("each colour of the engine has its level, and a stored game of one level has it twice", () => {
  const game = new Game({ side: 4, seats: "neither", levels: { white: 2, black: 5 } });
  assert.equal(game.level, 2);
  game.setLevel(7, "black");
  assert.deepEqual(game.levels, { white: 2, black: 7 });
  game.setSeats("white");
  assert.equal(game.level, 7, "the engine is black");
  const old = { ...JSON.parse(JSON.stringify(game)), level: 3 };
  delete old.levels;
  assert.equal(game.restore(old), true);
  assert.deepEqual(game.levels, { white: 3, black: 3 });
});

test("the engine against itself waits during a pause, but for one move after a step, and after undo", () => {
  const game = gameOf("neither", ["a1", "b1"]);
  assert.equal(game.isHeld(), false);
  game.pause(true);
  assert.equal(game.isHeld(), true);
  game.step();
  assert.equal(game.isHeld(), false);
  game.play("c1");
  assert.equal(game.isHeld(), true);
  const copy = new Game({ side: 4 });
  copy.restore(JSON.parse(JSON.stringify(game)));
  assert.equal(copy.isHeld(), true, "a pause is kept");
  game.pause(false);
  assert.equal(game.isHeld(), false);
  game.undo();
  assert.equal(game.isHeld(), true);
  game.setSeats("both");
  assert.equal(game.isHeld(), false, "only the engine alone is held");
});

test("the user has a colour in a game against the engine, from the first move on", () => {
  for (const [seats, color] of [
    ["white", "white"],
    ["black", "black"],
    ["both", null],
    ["neither", null],
  ]) {
    const game = new Game({ side: 4, seats });
    assert.equal(game.userColor(), null, "whoever follows a link to a decided position has not won");
    game.play("a1");
    assert.equal(game.userColor(), color);
  }
});

function gameOf(seats, moves = []) {
  const game = new Game({ side: 4, seats });
  for (const move of moves) game.play(move);
  return game;
}

test("undo goes back to the user's last turn, redo forth again", () => {
  const game = gameOf("white", ["a1", "b1", "c1", "d1"]);
  game.undo();
  assert.deepEqual(game.tree.moves(game.current), ["a1", "b1"]);
  game.redo();
  assert.deepEqual(game.tree.moves(game.current), ["a1", "b1", "c1", "d1"]);
  game.undo();
  game.undo();
  assert.equal(game.current, game.tree.root);
  assert.equal(game.undoTarget(), null);
});

test("black cannot undo the engine's first move", () => {
  const game = gameOf("black", ["a1"]);
  assert.equal(game.undoTarget(), null);
  game.play("b1");
  game.play("c1");
  game.undo();
  assert.deepEqual(game.tree.moves(game.current), ["a1"]);
});

test("one can look back while the game goes on", () => {
  const game = gameOf("white", ["a1"]);
  const head = game.head;
  game.show(game.tree.root);
  game.play("b1", head);
  assert.equal(game.current, game.tree.root);
  assert.deepEqual(game.tree.moves(game.head), ["a1", "b1"]);
  assert.equal(game.isHumanTurn(), true);
});

test("a different move from an earlier position is a variation, and the game goes on there", () => {
  const game = gameOf("white", ["a1", "b1", "c1", "d1"]);
  game.show(game.tree.find(["a1", "b1"]));
  game.play("e2");
  assert.deepEqual(game.tree.moves(game.head), ["a1", "b1", "e2"]);
  assert.deepEqual(
    game.tree.mainLine().map(({ move }) => move),
    ["a1", "b1", "c1", "d1"],
  );
});

test("a stored game continues where it was, with its clocks", () => {
  const game = new Game({ side: 5, swap: true, seats: "black", level: 3, clock: { main: 60_000, increment: 1000 } });
  game.play("a1");
  game.play("swap");
  game.show(game.tree.find(["a1"]));
  const copy = new Game({ side: 4 });
  copy.restore(JSON.parse(JSON.stringify(game)));
  assert.deepEqual(copy.tree.moves(copy.current), ["a1"]);
  assert.deepEqual(copy.tree.moves(copy.head), ["a1", "swap"]);
  assert.equal(copy.clock.remaining("white"), 61_000);
  assert.equal(copy.fragment(), "side=5&swap=1&moves=a1");
  assert.deepEqual(copy.query(copy.head), { side: 5, swap: true, moves: ["a1", "swap"] });
});

test("undo gives back the clocks of the position", () => {
  const game = new Game({ side: 4, seats: "both", clock: { main: 10_000, increment: 500 } });
  game.play("a1");
  game.play("b1");
  game.play("c1");
  assert.equal(game.clock.remaining("white"), 11_000);
  game.undo();
  assert.equal(game.clock.remaining("white"), 10_500);
  game.undo();
  game.undo();
  assert.equal(game.clock.remaining("black"), 10_000);
});

test("who looks back without an engine, and returns, has no more time than before", () => {
  const game = new Game({ side: 4, seats: "both", clock: { main: 60_000, increment: 0 } });
  game.play("a1");
  game.play("b1");
  const { head } = game;
  game.clock.restore({ white: 5_000, black: 60_000 });
  game.show(head.parent);
  game.show(head);
  assert.deepEqual([game.clock.remaining("white"), game.clock.remaining("black")], [5_000, 60_000]);
  game.undo();
  assert.equal(game.clock.remaining("white"), 60_000);
  // Played again, it has the clocks of then.
  game.play("b1");
  game.undo();
  game.redo();
  assert.equal(game.clock.remaining("white"), 60_000);
  // An earlier position has those of its own move, however long it was looked at.
  game.show(head.parent);
  game.clock.restore({ white: 1_000, black: 1_000 });
  game.show(head);
  game.show(head.parent);
  assert.equal(game.clock.remaining("white"), 60_000);
});

test("another game appears in one step, at the position wanted", () => {
  const game = gameOf("white", ["c3"]);
  const seen = [];
  game.on("change", (kind) => seen.push([kind, game.fragment()]));
  const tree = new GameTree();
  game.start({ side: 5, seats: "both" }, tree, tree.playAll(["a1", "b1"]));
  assert.equal(game.head, game.current);
  const stored = JSON.parse(JSON.stringify(game));
  game.start({ side: 4 });
  assert.equal(game.restore(stored, ["a1"]), true);
  assert.deepEqual(game.tree.moves(game.head), ["a1"]);
  assert.deepEqual(seen, [
    ["game", "side=5&moves=a1,b1"],
    ["game", "side=4"],
    ["game", "side=5&moves=a1"],
  ]);
  assert.equal(game.restore(stored, ["e5"]), false);
  assert.deepEqual([seen.length, game.tree.moves(game.current)], [3, ["a1"]]);
});

test("a link to the position that a stored game shows leaves the game as it was", () => {
  const game = new Game({ side: 5, seats: "both", clock: { main: 1000, increment: 0 } });
  game.play("a1");
  game.loseOnTime("black");
  const copy = new Game({ side: 4 });
  assert.equal(copy.restore(JSON.parse(JSON.stringify(game)), ["a1"]), true);
  assert.deepEqual([copy.flag, copy.fragment()], ["black", game.fragment()]);
});

test("another first move has the whole time", () => {
  const game = new Game({ side: 4, seats: "white", clock: { main: 60_000, increment: 0 } });
  for (const move of ["a1", "b2"]) game.play(move);
  game.clock.restore({ white: 20_000, black: 30_000 });
  game.show(game.tree.root);
  game.play("c3");
  assert.deepEqual([game.clock.remaining("white"), game.clock.remaining("black")], [60_000, 60_000]);
});

test("moves that were added and not played give no time", () => {
  const game = new Game({ side: 4, seats: "white", clock: { main: 60_000, increment: 0 } });
  game.play("a1");
  game.clock.restore({ white: 20_000, black: 30_000 });
  game.play("b2");
  game.addLine(["c3", "d4"]);
  game.show(game.tree.find(["a1", "b2", "c3", "d4"]));
  game.clock.restore({ white: 1_000, black: 1_000 });
  game.play("e5");
  assert.deepEqual([game.clock.remaining("white"), game.clock.remaining("black")], [20_000, 30_000]);
});
