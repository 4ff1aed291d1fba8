import assert from "node:assert/strict";
import test from "node:test";
import { AGAIN, GOOD, answered } from "../js/game/fsrs.js";
import { Game } from "../js/game/game.js";
import { Exercises, exercisesOf, ofThisVersion, streakOf } from "../js/store/exercises.js";
import { reasonText } from "../js/game/wording.js";

const DAY = 86_400_000;

test("what is known is asked at growing intervals, what is not tomorrow", () => {
  let [card, now] = [null, 0];
  const days = [GOOD, GOOD, GOOD, AGAIN].map((grade) => {
    card = answered(card, grade, now);
    const interval = (card.due - now) / DAY;
    now = card.due;
    return interval;
  });
  assert.deepEqual([days[0], days[1] > days[0], days[2] > days[1], days[3] < days[1]], [3, true, true, true]);
  assert.equal(card.isRight, false);
  // Also on the same day.
  assert.equal(answered(card, GOOD, card.last).isRight, true);
});

test("what is due is due on its day, at any hour", () => {
  const exercises = new Exercises();
  const at = (day, hour) => new Date(2026, 4, day, hour).getTime();
  exercises.cards.set("m1", { due: at(5, 20) });
  assert.deepEqual(
    [at(4, 23), at(5, 1), at(6, 1)].map((now) => exercises.isDue("m1", now)),
    [false, true, true],
  );
  assert.equal(exercises.isDue("m2", at(5, 1)), false);
});

test("a streak counts days in a row until today or yesterday", () => {
  assert.deepEqual(
    [streakOf([1, 2, 3], 3), streakOf([1, 2, 3], 4), streakOf([1, 2, 3], 5), streakOf([], 3)],
    [3, 3, 0, 0],
  );
  assert.equal(streakOf([1, 3], 3), 1);
});

test("findings whose better move is a stone become exercises, the same ones with the same ids", () => {
  const game = new Game({ side: 5, setup: { white: ["a1"], black: [], first: "black" } });
  for (const move of ["c3", "d4", "e5"]) game.play(move);
  const node = game.head;
  node.mistake = { better_chance: 0.6, played_chance: 0.3 };
  const finding = { node, mover: "black", better: "f6", number: 3, line: ["f6"], text: "Black overlooked f6." };
  const list = [finding, { ...finding, better: "swap" }];
  const [exercise, ...rest] = exercisesOf(list, game, { user: "black", title: "a game" });
  assert.equal(rest.length, 0);
  assert.deepEqual(exercise.query, { side: 5, swap: false, moves: ["c3", "d4"], white: ["a1"], first: "black" });
  assert.deepEqual([exercise.played, exercise.betterChance, exercise.isMine], ["e5", 0.6, true]);
  assert.match(exercise.id, /^m[0-9a-z]+$/);
  const [again] = exercisesOf(list, game, { user: null, title: "again" });
  assert.deepEqual([again.id, again.isMine], [exercise.id, false]);
});

test("the reason of an exercise from an earlier version is told as it was kept", () => {
  const { reason } = ofThisVersion({ id: "m1", reason: "a4 completes a bridge and wins" });
  assert.equal(reasonText(reason), "a4 completes a bridge and wins");
  const present = { id: "m2", reason: { text: "…", claim: { kind: "proven", player: "white", move: "a4" } } };
  assert.equal(reasonText(ofThisVersion(present).reason), "a4 is proven to win");
  assert.equal(ofThisVersion({ id: "m3", reason: null }).reason, null);
});
