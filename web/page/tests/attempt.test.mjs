import assert from "node:assert/strict";
import test from "node:test";
import { ExerciseAttempt } from "../js/engine/exercise.js";
import { PuzzleAttempt } from "../js/engine/puzzle.js";

const PUZZLE = { side: 4, moves: ["a1", "g7"], to_move: "white", line: ["d4", "c3", "e5"] };

/** An attempt, and the engine: `answer` settles its latest question. */
function started({ state = "ready" } = {}) {
  const engine = { state, questions: [] };
  engine.ask = (query) => ({ answer: new Promise((resolve) => engine.questions.push({ query, resolve })) });
  const attempt = new PuzzleAttempt(PUZZLE, engine);
  const answer = async (message) => {
    engine.questions.pop().resolve({ position: { over: false }, verdict: null, pv: [], ...message });
    await settled();
  };
  return { attempt, engine, answer };
}

/** Lets all promises that can settle do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Plays the first move of the line, and waits for the reply. */
async function replied(t, attempt) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  attempt.play("d4");
  t.mock.timers.runAll();
  assert.deepEqual([attempt.state, attempt.played], ["yours", ["d4", "c3"]]);
}

test("who plays the line solves the puzzle", async (t) => {
  const { attempt, engine, answer } = started();
  await replied(t, attempt);
  attempt.play("e5");
  assert.equal(attempt.state, "waiting");
  assert.deepEqual(engine.questions[0].query.moves, ["a1", "g7", "d4", "c3", "e5"]);
  await answer({ position: { over: true, winner: "white", winning: ["d4", "e5"] } });
  assert.deepEqual([attempt.state, attempt.winning], ["solved", ["d4", "e5"]]);
});

test("another first move is wrong, and the engine shows why", async () => {
  const { attempt, answer } = started();
  attempt.play("b2");
  await answer({ verdict: "win", pv: ["d4", "c3"] });
  assert.deepEqual([attempt.state, attempt.refutation], ["wrong", ["d4", "c3"]]);
  attempt.retry();
  assert.deepEqual([attempt.state, attempt.played, attempt.refutation], ["yours", [], []]);
});

test("the reply that is under way does not follow the solution or a new attempt", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { attempt } = started();
  attempt.play("d4");
  attempt.show();
  t.mock.timers.runAll();
  assert.deepEqual([attempt.state, attempt.played], ["shown", []]);
  attempt.retry();
  attempt.play("d4");
  attempt.abandon();
  t.mock.timers.runAll();
  assert.deepEqual(attempt.played, ["d4"]);
});

test("the answer that is under way does not follow the solution or a new attempt", async () => {
  const { attempt, answer } = started();
  attempt.play("b2");
  attempt.show();
  await answer({ verdict: "win", pv: ["d4"] });
  assert.deepEqual([attempt.state, attempt.refutation], ["shown", []]);
  attempt.retry();
  assert.equal(attempt.state, "yours");
});

test("a later move that the engine finds just as good goes on, and the engine gives the hints", async (t) => {
  const { attempt, engine, answer } = started();
  await replied(t, attempt);
  attempt.play("f6");
  await answer({ win_rate: 0.1, best: "b2" });
  t.mock.timers.runAll();
  assert.deepEqual([attempt.state, attempt.played], ["yours", ["d4", "c3", "f6", "b2"]]);
  attempt.hint();
  attempt.hint();
  assert.equal(engine.questions.length, 1);
  await answer({ best: "e5" });
  assert.equal(attempt.suggestion(), "e5");
});

test("without an engine a later move off the line is taken back", async (t) => {
  const { attempt } = started({ state: "lost" });
  const messages = [];
  attempt.on("message", (message) => messages.push(message));
  await replied(t, attempt);
  attempt.play("f6");
  await settled();
  assert.deepEqual([attempt.state, attempt.played, messages.length], ["yours", ["d4", "c3"], 1]);
  attempt.play("e5");
  await settled();
  assert.equal(attempt.state, "solved", "the line needs no engine");
});

const EXERCISE = {
  side: 4,
  query: { side: 4, white: ["a1"], black: [], first: "black", swap: false, moves: ["b2"] },
  moves: ["b2"],
  to_move: "white",
  played: "c3",
  better: "d4",
  betterChance: 0.6,
};

/** An attempt at an exercise whose engine gives these answers, and what it was asked. */
function startedExercise(answers, state = "ready") {
  const asked = [];
  const client = { state };
  client.ask = (query) => {
    asked.push(query);
    return { answer: Promise.resolve({ position: { over: false }, pv: ["e5"], ...answers.shift() }) };
  };
  return { attempt: new ExerciseAttempt(EXERCISE, client), asked };
}

test("an exercise is solved by the better move, and by another one that the engine finds as good", async () => {
  const better = startedExercise([]);
  await better.attempt.play("d4");
  assert.deepEqual([better.attempt.state, better.attempt.chance, better.asked], ["solved", 0.6, []]);
  const good = startedExercise([{ win_rate: 0.42 }]);
  await good.attempt.play("e5");
  assert.equal(good.attempt.state, "solved");
  const [{ white, first, moves }] = good.asked;
  assert.deepEqual([white, first, moves], [["a1"], "black", ["b2", "e5"]], "the engine is told the whole position");
});

test("the move of the game and a worse one are wrong, and are taken back", async () => {
  const { attempt } = startedExercise([{ win_rate: 0.7 }]);
  await attempt.play("c3");
  assert.deepEqual([attempt.state, attempt.chance], ["wrong", null]);
  attempt.retry();
  assert.deepEqual([attempt.state, attempt.played], ["yours", []]);
  await attempt.play("e5");
  assert.equal(attempt.state, "wrong");
  assert.deepEqual(attempt.refutation, ["e5"]);
  assert.ok(Math.abs(attempt.chance - 0.3) < 1e-9);
});

test("without an engine, another move at an exercise is taken back, and the user is told", async () => {
  const { attempt } = startedExercise([], "lost");
  const said = [];
  attempt.on("message", (message) => said.push(message));
  await attempt.play("e5");
  assert.deepEqual([attempt.state, attempt.played, said.length], ["yours", [], 1]);
});

test("an exercise that is abandoned is not judged any more", async () => {
  const { attempt } = startedExercise([{ win_rate: 0.1 }]);
  const judged = attempt.play("e5");
  attempt.abandon();
  await judged;
  assert.equal(attempt.state, "waiting");
});
