import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../js/game.js";
import { Lesson } from "../js/lesson.js";

/** A finished game, and the finding that its third move, white's, was a mistake. */
function taught(options = {}) {
  const game = new Game({ side: 4, ...options });
  for (const move of ["a1", "b2", "c3", "d4"]) game.play(move);
  const lesson = new Lesson(game);
  game.on("change", (kind) => lesson.gameChanged(kind));
  const node = game.tree.mainLine()[2];
  const finding = { node, number: 3, mover: "white", played: "c3", better: "e5", line: ["e5", "f6", "g7"] };
  return { game, lesson, finding };
}

test("a finding is shown in the position before the mistake, and its line grows stone by stone", () => {
  const { game, lesson, finding } = taught();
  lesson.open({ ...finding, reason: { text: "e5 makes a fork", marks: { a1: "circle" }, line: [] } });
  assert.equal(game.current, finding.node.parent);
  assert.deepEqual(lesson.picture(), { line: [{ name: "e5", color: "white" }], marks: { a1: "circle", c3: "cross" } });
  lesson.move(1);
  assert.deepEqual(lesson.picture().line[1], { name: "f6", color: "black" });
  for (let i = 0; i < 5; i++) lesson.move(1);
  assert.equal(lesson.step, 3);
  for (let i = 0; i < 5; i++) lesson.move(-1);
  assert.deepEqual(lesson.picture().line, []);
});

test("a better swap has no line", () => {
  const { lesson, finding } = taught();
  lesson.open({ ...finding, better: "swap", line: [] });
  assert.deepEqual([lesson.step, lesson.picture().line], [0, []]);
});

test("who leaves the position leaves the finding", () => {
  const { game, lesson, finding } = taught();
  lesson.open(finding);
  game.show(game.tree.root);
  assert.equal(lesson.finding, null);
  lesson.open(finding);
  game.start({ side: 5 });
  assert.equal(lesson.finding, null);
});

test("an attempt is played against the engine, and the game is then as it was", () => {
  const { game, lesson, finding } = taught({ seats: "black", clock: { main: 60_000, increment: 0 } });
  const { head, clock } = game;
  game.loseOnTime("black");
  lesson.open(finding);
  lesson.try();
  assert.deepEqual([game.seats, game.head, game.clock, lesson.isTrying], ["white", finding.node.parent, null, true]);
  assert.deepEqual(lesson.picture(), { line: [], marks: {} });
  game.play("e5");
  game.play("f6");
  lesson.finish();
  assert.deepEqual([game.seats, game.head, game.clock, game.flag], ["black", head, clock, "black"]);
  assert.deepEqual([game.current, lesson.finding, lesson.isTrying], [finding.node.parent, finding, false]);
  assert.ok(game.tree.find(["a1", "b2", "e5", "f6"]), "what was tried is kept as a variation");
});

test("during an attempt the game is kept as it was before", () => {
  const { game, lesson, finding } = taught({ seats: "black", counts: true, clock: { main: 60_000, increment: 0 } });
  const before = game.toJSON();
  lesson.open(finding);
  lesson.try();
  const tried = game.play("e5");
  const { tree, current, ...kept } = lesson.gameToKeep();
  const { tree: treeBefore, current: _, ...expected } = before;
  assert.deepEqual(kept, expected);
  assert.equal(current, finding.node.parent.id);
  assert.deepEqual(tree.map(({ id }) => id).sort(), [...treeBefore.map(({ id }) => id), tried.id].sort());
  lesson.finish();
  assert.equal(lesson.gameToKeep().head, before.head);
});

test("a finding and an attempt end when their moves are deleted", () => {
  for (const index of [2, 3]) {
    const { game, lesson, finding } = taught({ seats: "black" });
    const deleted = game.tree.mainLine()[index];
    lesson.open(finding);
    lesson.try();
    const tried = game.play("e5");
    game.remove(deleted);
    assert.deepEqual([lesson.finding, lesson.isTrying, game.head], [null, false, tried]);
    const { head } = lesson.gameToKeep();
    assert.equal(game.tree.nodes.get(head), tried, "the game that is kept has its head");
  }
  const { game, lesson, finding } = taught();
  lesson.open(finding);
  game.remove(finding.node);
  assert.equal(lesson.finding, null);
});

test("another choice of players ends an attempt where it is", () => {
  const { game, lesson, finding } = taught();
  lesson.open(finding);
  lesson.try();
  const end = game.play("e5");
  game.setSeats("both");
  assert.deepEqual([lesson.finding, lesson.isTrying, game.head], [null, false, end]);
});
