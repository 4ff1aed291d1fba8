import assert from "node:assert/strict";
import test from "node:test";
import { betterOf, deepened, evaluationOf, knownOfMove, learnMoves } from "../js/game/evaluation.js";
import { lineStones, legendOf, notesOf } from "../js/engine/notes.js";
import { resultSentence } from "../js/game/wording.js";
import { percent, shortNumber as count } from "../js/language/texts.js";

test("win rates are turned to white's point of view", () => {
  assert.equal(evaluationOf({ to_move: "white", win_rate: 0.7 }).white, 0.7);
  assert.ok(Math.abs(evaluationOf({ to_move: "black", win_rate: 0.7 }).white - 0.3) < 1e-9);
});

test("a position in which the game is over has its result", () => {
  const over = (winner) => evaluationOf({ to_move: "white", position: { over: true, winner } }).white;
  assert.deepEqual([over("white"), over("black"), over("draw")], [1, 0, 0.5]);
  assert.equal(evaluationOf({ to_move: "white", position: { over: false } }), null);
});

test("the evaluation by more simulations is kept, and a decided one above all", () => {
  const [rough, good, proven] = [{ simulations: 10 }, { simulations: 100 }, { simulations: 1, isDecided: true }];
  const kept = (next, previous) => betterOf(next, previous).simulations;
  assert.deepEqual([kept(rough, good), kept(good, rough), kept(rough, null)], [100, 100, 10]);
  assert.deepEqual([kept(proven, good), kept(good, proven)], [1, 1]);
});

const answer = {
  to_move: "black",
  moves: [
    { move: "swap", visits: 300, win_rate: 0.5, verdict: null },
    { move: "c3", visits: 1200, win_rate: 0.61, verdict: null },
    { move: "d4", visits: 600, win_rate: null, verdict: "loss" },
    { move: "e5", visits: 3, win_rate: 0.4, verdict: null },
  ],
  policy: { c3: 0.5, d4: 0.001 },
  ownership: { c3: -0.5 },
  threats: { white: { c3: ["bridge"] }, black: { c3: ["ring", "fork"] } },
};

test("the overlay of visits shows the moves that were searched in earnest", () => {
  const notes = notesOf(answer, "visits");
  assert.deepEqual([...notes.keys()], ["c3", "d4"]);
  assert.deepEqual([notes.get("c3").text, notes.get("c3").small, notes.get("c3").heat], ["61", "1.2k", 1]);
  assert.equal(notes.get("d4").text, "loss");
});

test("the other overlays show what they are called after", () => {
  const frame = { carrier: ["c3"], width: 2, full: true };
  const distances = { white: { c3: 3, d4: 3, e5: 5 }, black: { c3: null, d4: 4 } };
  const race = { to_move: "white", frames: { white: [frame], black: [frame], leader: "white" }, distances };
  assert.deepEqual(notesOf(race, "race").get("c3").frames, ["white", "black"]);
  assert.match(legendOf(race, "race"), /^White is ahead\. White has a frame that lacks 2, Black/);
  // The opponent can break it: it is no frame yet.
  const half = { carrier: ["e5"], width: 1, full: false };
  const won = { ...race, frames: { white: [half], black: [], leader: "white", proven: true } };
  assert.match(legendOf(won, "race"), /^White .*wins.* Nobody has a frame yet/);
  const none = { ...race, frames: { white: [half], black: [], leader: null } };
  assert.deepEqual([...notesOf(none, "race").keys()], ["c3", "d4"]);
  assert.match(legendOf(none, "race"), /Nobody has a frame yet.* White 3, Black 4\./);
  assert.match(legendOf({ threats: { white: {}, black: {} } }, "threats"), /^No threats/);
  assert.match(legendOf(answer, "threats"), /B, F, R/);
  assert.equal(notesOf(answer, "policy").get("c3").text, "50");
  assert.equal(notesOf(answer, "policy").get("d4").text, "");
  assert.deepEqual(
    notesOf(answer, "threats")
      .get("c3")
      .threats.map(({ color, text }) => color + text),
    ["whiteB", "blackRF"],
  );
  assert.equal(notesOf(answer, "none").size, 0);
  assert.equal(notesOf(null, "visits").size, 0);
});

test("lines are drawn with alternating colours, without swaps", () => {
  assert.deepEqual(lineStones(["swap", "d4", "e5"], "black"), [
    { name: "d4", color: "white" },
    { name: "e5", color: "black" },
  ]);
});

test("numbers are short and never pretend certainty", () => {
  assert.deepEqual([0, 0.004, 0.5, 0.996, 1].map(percent), ["0 %", "1 %", "50 %", "99 %", "100 %"]);
  assert.deepEqual([999, 1000, 12_345, 2_500_000].map(count), ["999", "1.0k", "12k", "2.5M"]);
});

test("results are sentences", () => {
  assert.equal(resultSentence({ winner: "white", by: ["bridge", "ring"] }), "White won by bridge and ring");
  assert.equal(resultSentence({ winner: "black", by: ["resign"] }), "Black won by resignation");
  assert.equal(resultSentence({ winner: "draw", by: ["full board"] }), "Draw: the board is full");
  assert.equal(resultSentence({ winner: "white", by: ["fork"] }, "white"), "You won by fork");
  assert.equal(resultSentence({ winner: "white", by: ["fork"] }, "black"), "Malecon won by fork");
});

test("a move has one number: that of the deepest search", () => {
  const node = { children: [] };
  const child = { move: "c3", evaluation: { white: 0.4, simulations: 100, isDecided: false }, mistake: null };
  const evaluation = { white: 0.6, simulations: 100, isDecided: false };
  child.mistake = { better: "d4", evaluation };
  node.children.push(child);
  const entry = (move, rate, visits, verdict = null) => ({ move, win_rate: rate, visits, verdict });
  const said = (moves) => deepened(node, { to_move: "white", moves }).moves.map(({ win_rate: rate }) => rate);
  // The live search is still shallower than the review.
  const early = [entry("d4", 0.1, 5), entry("c3", 0.2, 5), entry("e5", 0.3, 5)];
  learnMoves(node, { to_move: "white", moves: early });
  assert.deepEqual(said(early), [0.6, 0.4, 0.3]);
  // Later it is deeper, or proves something.
  const late = [entry("d4", 0.7, 500), entry("c3", 0, 5, "loss")];
  learnMoves(node, { to_move: "white", moves: late });
  assert.deepEqual(said(late), [0.7, 0]);
  assert.deepEqual([knownOfMove(node, "d4").white, knownOfMove(node, "c3").isDecided], [0.7, true]);
  assert.equal(child.evaluation.white, 0);
});
