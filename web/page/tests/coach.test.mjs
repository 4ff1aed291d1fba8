import assert from "node:assert/strict";
import test from "node:test";
import { Coach, threatSentence } from "../js/engine/coach.js";
import { Game } from "../js/game/game.js";

/** A coach beside a game of White against level 1, with an engine that gives these answers by kind and moves. */
function coached(moves, answers, { settings = { warnings: true }, ...start } = {}) {
  const asked = [];
  const client = {
    ask(query) {
      const key = `${query.want} ${query.moves.join(" ")}`;
      asked.push(key);
      return { answer: answers[key] ? Promise.resolve(answers[key]) : new Promise(() => {}), cancel() {} };
    },
  };
  const game = new Game({ side: 4, seats: "white", level: 1, ...start });
  for (const move of moves) game.play(move);
  const coach = new Coach(client, game, { get: (name) => settings[name] });
  const look = () => coach.update({ to_move: game.toMoveAt(game.head), over: false });
  look();
  return { asked, game, coach, look };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));
const threats = (white, black) => ({ threats: { white, black } });

test("before the user's stone, the coach says where the engine threatens to win", async () => {
  const { coach } = coached(["a1", "d4"], { "threats a1 d4": threats({}, { e5: ["ring"] }) });
  assert.equal(coach.isHolding, false, "the user may play at once");
  await settled();
  assert.equal(coach.warning.text, "You could lose here: Black threatens to win at e5 (ring).");
  assert.deepEqual(coach.warning.threats, { black: { e5: ["ring"] } });
});

test("after a stone that loses by force, the opponent waits until the user has decided", async () => {
  const { coach } = coached(["a1"], {
    "threats a1": threats({}, {}),
    "moves a1": { verdict: "win", best: "d4", pv: ["d4", "e5", "c3"] },
    "moves ": { verdict: null },
  });
  assert.equal(coach.isHolding, true);
  await settled();
  assert.equal(coach.warning.text, "You could lose here: after a1, Black can win by force, beginning with d4.");
  assert.deepEqual([coach.warning.line, coach.warning.marks], [["d4", "e5", "c3"], { d4: "cross" }]);
  assert.equal(coach.isHolding, true);
  coach.dismiss();
  assert.deepEqual([coach.warning, coach.isHolding], [null, false]);
});

test("nothing is said about stones that do not lose, or when all was lost before", async () => {
  for (const [verdict, before] of [
    [null, null],
    ["loss", null],
    ["win", "loss"],
  ]) {
    const { coach } = coached(["a1"], {
      "threats a1": threats({}, {}),
      "moves a1": { verdict, best: "d4" },
      "moves ": { verdict: before },
    });
    await settled();
    assert.deepEqual([coach.warning, coach.isHolding], [null, false], `${verdict} ${before}`);
  }
});

test("a stone that leaves a win in one is named with the place", async () => {
  const { asked, coach } = coached(["a1"], {
    "threats a1": threats({}, { b2: ["fork"], c3: ["ring"] }),
    "moves ": { verdict: null },
  });
  await settled();
  assert.equal(coach.warning.text, "You could lose here: after a1, Black can win at once at b2 and c3.");
  assert.deepEqual(asked, ["threats a1", "moves "]);
});

test("only beginners are warned, and only where they want it and have time", () => {
  const answers = { "threats a1 d4": threats({}, { e5: ["ring"] }) };
  for (const options of [
    { level: 4 },
    { seats: "both" },
    { seats: "neither" },
    { clock: { main: 1000, increment: 0 } },
    { settings: { warnings: false } },
  ]) {
    assert.deepEqual(coached(["a1", "d4"], answers, options).asked, [], JSON.stringify(options));
  }
});

test("a warning goes away with its position, also if the answer comes late", async () => {
  const { coach, game, look } = coached(["a1", "d4"], { "threats a1 d4": threats({}, { e5: ["ring"] }) });
  game.undo();
  look();
  await settled();
  assert.equal(coach.warning, null);
});

test("threats are put into words", () => {
  const two = { b2: ["bridge", "fork"], c3: ["ring"] };
  const start = "You could lose here: White threatens to win at b2 (bridge and fork)";
  assert.equal(threatSentence("white", two, false), `${start} and c3 (ring). One stone cannot stop that.`);
  assert.equal(threatSentence("white", { b2: two.b2 }, true), `${start}. But you can win first!`);
});
