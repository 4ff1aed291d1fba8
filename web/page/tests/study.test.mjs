import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../js/game/game.js";
import { Study } from "../js/engine/study.js";

/** A finished game, and the finding that its third move, white's, was a mistake. */
function studied(options = {}) {
  const game = new Game({ side: 4, ...options });
  for (const move of ["a1", "b2", "c3", "d4"]) game.play(move);
  const study = new Study(game);
  game.on("change", (kind) => study.gameChanged(kind));
  const node = game.tree.mainLine()[2];
  const finding = { node, number: 3, mover: "white", played: "c3", better: "e5", line: ["e5", "f6", "g7"] };
  return { game, study, finding };
}

test("a finding is shown in the position before the mistake, and its line grows stone by stone", () => {
  const { game, study, finding } = studied();
  study.open({ ...finding, reason: { text: "e5 makes a fork", marks: { a1: "circle" }, line: [] } });
  assert.equal(game.current, finding.node.parent);
  assert.deepEqual(study.picture(), { line: [{ name: "e5", color: "white" }], marks: { a1: "circle", c3: "cross" } });
  study.move(1);
  assert.deepEqual(study.picture().line[1], { name: "f6", color: "black" });
  for (let i = 0; i < 5; i++) study.move(1);
  assert.equal(study.step, 3);
  for (let i = 0; i < 5; i++) study.move(-1);
  assert.deepEqual(study.picture().line, []);
});

test("a better swap has no line", () => {
  const { study, finding } = studied();
  study.open({ ...finding, better: "swap", line: [] });
  assert.deepEqual([study.step, study.picture().line], [0, []]);
});

test("who leaves the position leaves the finding", () => {
  const { game, study, finding } = studied();
  study.open(finding);
  game.show(game.tree.root);
  assert.equal(study.finding, null);
  study.open(finding);
  game.start({ side: 5 });
  assert.equal(study.finding, null);
});

test("who did not play the game is not remembered as its player", () => {
  const { game, study, finding } = studied({ seats: "white", level: 3, clock: { main: 60_000, increment: 0 } });
  const { clock, levels } = game;
  // White has lost on time.
  clock.restore({ white: 0, black: 30_000 });
  game.loseOnTime("white");
  study.open({ ...finding, mover: "black", node: game.tree.mainLine()[1] });
  study.try();
  game.play("g7");
  game.setSeats("both", true);
  assert.deepEqual([game.ownSeats(), game.levels, game.clock], ["white", levels, clock]);
  assert.deepEqual([clock.remaining("white"), clock.remaining("black")], [60_000, 60_000]);
  const people = studied({ seats: "both" });
  people.study.open(people.finding);
  people.study.try();
  people.game.play("g7");
  people.game.setSeats("neither", true);
  assert.equal(people.game.playedAs, null);
});

test("a deleted attempt gives the game its players back", () => {
  const { game, study, finding } = studied({ seats: "black" });
  const { levels } = game;
  study.open(finding);
  study.try();
  game.remove(finding.node);
  assert.deepEqual([study.isTrying, game.seats, game.levels], [false, "black", levels]);
  const people = studied({ seats: "both" });
  people.study.open(people.finding);
  people.study.try();
  people.game.play("g7");
  people.game.show(people.finding.node);
  people.game.remove(people.finding.node);
  assert.equal(people.game.head, people.game.current);
  const engines = studied({ seats: "neither" });
  engines.study.open(engines.finding);
  engines.study.try();
  engines.game.remove(engines.finding.node);
  assert.deepEqual([engines.game.seats, engines.game.isPaused], ["neither", true]);
});

test("an attempt is played against the engine, and the game is then as it was", () => {
  const { game, study, finding } = studied({ seats: "black", clock: { main: 60_000, increment: 0 } });
  const { head, clock } = game;
  game.loseOnTime("black");
  study.open(finding);
  study.try();
  assert.deepEqual([game.seats, game.head, game.clock, study.isTrying], ["white", finding.node.parent, null, true]);
  assert.deepEqual(study.picture(), { line: [], marks: {} });
  game.play("e5");
  game.play("f6");
  study.finish();
  assert.deepEqual([game.seats, game.head, game.clock, game.flag], ["black", head, clock, "black"]);
  assert.deepEqual([game.current, study.finding, study.isTrying], [finding.node.parent, finding, false]);
  assert.ok(game.tree.find(["a1", "b2", "e5", "f6"]), "what was tried is kept as a variation");
});

test("during an attempt the game is kept as it was before", () => {
  const { game, study, finding } = studied({ seats: "black", counts: true, clock: { main: 60_000, increment: 0 } });
  const before = game.toJSON();
  study.open(finding);
  study.try();
  const tried = game.play("e5");
  const { tree, current, ...kept } = study.gameToKeep();
  const { tree: treeBefore, current: _, ...expected } = before;
  assert.deepEqual(kept, expected);
  assert.equal(current, finding.node.parent.id);
  assert.deepEqual(tree.map(({ id }) => id).sort(), [...treeBefore.map(({ id }) => id), tried.id].sort());
  study.finish();
  assert.equal(study.gameToKeep().head, before.head);
});

test("a finding and an attempt end when their moves are deleted", () => {
  for (const index of [2, 3]) {
    const { game, study, finding } = studied({ seats: "black" });
    const deleted = game.tree.mainLine()[index];
    study.open(finding);
    study.try();
    const tried = game.play("e5");
    game.remove(deleted);
    assert.deepEqual([study.finding, study.isTrying, game.head], [null, false, tried]);
    const { head } = study.gameToKeep();
    assert.equal(game.tree.nodes.get(head), tried, "the game that is kept has its head");
  }
  const { game, study, finding } = studied();
  study.open(finding);
  game.remove(finding.node);
  assert.equal(study.finding, null);
});

test("another choice of players ends an attempt where it is", () => {
  const { game, study, finding } = studied();
  study.open(finding);
  study.try();
  const end = game.play("e5");
  game.setSeats("both");
  assert.deepEqual([study.finding, study.isTrying, game.head], [null, false, end]);
});
