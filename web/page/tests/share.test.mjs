import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../js/game/game.js";
import { Geometry } from "../js/game/geometry.js";
import { fromFragment } from "../js/game/link.js";
import { textToTree, treeToText } from "../js/game/share.js";

const board = Geometry.of(6);

function exampleGame() {
  const names = { white: "Ann", black: "Zoë 💡" };
  const game = new Game({ side: 6, swap: true, setup: { white: ["a1"], black: [], first: "black" }, names });
  const { tree } = game;
  tree.playAll(["c3", "swap", "d4", "white:k11"]);
  tree.playAll(["c3", "e5", "black:resign"]).comment = "Too soon: 50 % & more\n[sic]";
  tree.playAll(["c3", "e5", "f6"]).properties = { AR: ["a1:b2"], CR: ["c3"] };
  tree.playAll(["b2"]);
  game.show(tree.find(["c3", "e5", "f6"]));
  return game;
}

test("a link holds the whole game, and where one is", () => {
  const game = exampleGame();
  const fragment = game.gameFragment();
  assert.match(fragment, /^[\w=&,.~-]+$/, "nothing in it needs to be escaped");
  const { side, swap, setup, moves, shared } = fromFragment(`#${fragment}`);
  assert.deepEqual([side, swap, setup], [6, true, game.setup]);
  assert.deepEqual(moves, ["c3", "e5", "f6"]);
  assert.deepEqual(shared.names, game.names);
  assert.deepEqual(shared.tree.toRecord(setup), game.tree.toRecord(setup));
  assert.deepEqual(shared.tree.moves(shared.shown), moves);
});

test("the text of a tree is short", () => {
  const text = treeToText(exampleGame().tree);
  assert.equal(text, "-c3-Sd4Wk11_-e5-BR_-f6___-b2_");
  assert.equal(treeToText(textToTree(text, board)), text);
});

test("long lines and broad trees go through", () => {
  const names = board.vertices.map(({ name }) => name);
  const game = new Game({ side: 6 });
  for (const name of names)
    game.tree.playAll(names.slice(0, 40)).parent && game.tree.playAll([...names.slice(0, 9), name]);
  const { shared } = fromFragment(game.gameFragment());
  assert.deepEqual(shared.tree.toRecord({}), game.tree.toRecord({}));
});

test("a wrong link says what is wrong, and notes that make no sense are left out", () => {
  assert.throws(() => fromFragment("side=4&tree=c3k11&at=0"), /k11/);
  assert.throws(() => fromFragment("side=4&tree=c3<b>&at=0"), /</);
  assert.throws(() => fromFragment("side=4&tree=c3_d4&at=0"), /variation/);
  for (const notes of ["%", btoa("[1"), btoa("null"), btoa('{"notes":[1,[9,"x"],[0,5,{"CR":3}]],"names":[]}')]) {
    const { shared } = fromFragment(`side=4&tree=c3&at=77&notes=${notes}`);
    assert.deepEqual([shared.names, shared.tree.root.comment, shared.tree.root.properties], [{}, "", null], notes);
    assert.equal(shared.shown.move, "c3", "an unknown place is the end");
  }
});
