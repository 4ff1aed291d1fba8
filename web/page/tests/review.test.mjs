import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../js/game/game.js";
import { Review } from "../js/engine/review.js";
import { checkedGame } from "../js/store/stored-game.js";
import { GameTree } from "../js/game/tree.js";

/** A review of a game with these moves, and what was asked: {query, again(), onPartial, end, isCancelled}. */
function started(moves) {
  const game = new Game({ side: 4, swap: true });
  for (const move of moves) game.play(move);
  return startedOf(game);
}

/** The review of a game, with searches of so many seconds. */
function startedOf(game, seconds = 1) {
  const asked = {};
  const client = {
    ask(query, { onPartial }) {
      const answer = new Promise((resolve) => (asked.end = resolve));
      Object.assign(asked, { query: query(), again: query, onPartial });
      return { answer, cancel: () => (asked.isCancelled = true) };
    },
  };
  const review = new Review(client, game, { get: () => seconds });
  review.start();
  return { game, review, asked };
}

const LACKING = { missing: { white: {}, black: {} } };
const position = (white, proven = null) => ({ white, proven, line: [], simulations: 10, ...LACKING });
const blunder = { kind: "blunder", loss: 0.4, better: "swap", better_chance: 0.6, played_chance: 0.2, line: [] };

test("a review asks about the whole line and keeps what the engine finds", async () => {
  const { game, review, asked } = started(["a1", "d4", "e5"]);
  game.show(game.tree.root);
  assert.deepEqual(asked.query, { side: 4, swap: true, moves: ["a1", "d4", "e5"], action: "review", seconds: 1 });
  [0.5, 0.6, 0.2, 0].forEach((white, turn) => asked.onPartial({ turn, position: position(white) }));
  assert.deepEqual([review.done, review.total, review.mistakes().length], [4, 7, 0]);
  asked.onPartial({ turn: 2, position: position(0, "black"), move: { mistake: null } });
  asked.onPartial({ turn: 1, position: position(0.6), move: { color: "black", mistake: blunder } });
  asked.onPartial({ turn: 0, position: position(0.5), move: { mistake: null } });
  assert.equal(review.done, review.total);
  const [first, second] = game.tree.mainLine();
  assert.deepEqual(game.tree.root.evaluation, { white: 0.5, simulations: 10, isDecided: false });
  assert.deepEqual([first.evaluation.white, second.evaluation.isDecided], [0.6, true]);
  const evaluation = { white: 0.4, simulations: 10, isDecided: false };
  const found = { node: second, number: 2, mover: "black", played: "d4", ...blunder, evaluation };
  assert.deepEqual(review.mistakes(), [found]);
  assert.deepEqual(review.findings(), review.mistakes(), "before the end, each mistake stands for itself");
  const ended = new Promise((resolve) => review.on("end", resolve));
  const finding = { text: "Black should have swapped at move 2.", move: 2, moves: [2], loss: 0.5, decisive: true };
  asked.end({ findings: [finding, { ...finding, move: 3, text: "unknown" }] });
  assert.equal(await ended, true);
  const { text, decisive, better, node } = review.findings()[0];
  assert.deepEqual([review.findings().length, text, decisive, better, node], [1, finding.text, true, "swap", second]);
  // They are stored with the game, and hold for a longer line, too.
  const stored = GameTree.fromJSON(JSON.parse(JSON.stringify(game.tree)));
  assert.equal(stored.tip().findings.length, 2);
  game.play("f6", game.tree.tip());
  assert.equal(review.findings()[0].text, finding.text);
});

test("what is asked again after a loss of the connection says what is known", () => {
  const { asked } = started(["a1", "d4"]);
  [0.5, 0.6, 0.2].forEach((white, turn) => asked.onPartial({ turn, position: position(white) }));
  asked.onPartial({ turn: 1, position: position(0.7), move: { color: "black", mistake: blunder } });
  assert.equal(asked.query.known, undefined);
  assert.deepEqual(asked.again().known, [
    { turn: 0, position: position(0.5), move: undefined },
    { turn: 1, position: position(0.7), move: { mistake: blunder } },
    { turn: 2, position: position(0.2), move: undefined },
  ]);
});

test("the findings stay where the line that was reviewed is not the first variation", async () => {
  const { game, review, asked } = started(["a1", "d4"]);
  const first = game.tree.mainLine()[0];
  game.show(first);
  game.play("e5");
  const end = game.play("f6");
  review.start();
  assert.deepEqual(asked.query.moves, ["a1", "e5", "f6"]);
  asked.onPartial({ turn: 1, position: position(0.6), move: { color: "black", mistake: blunder } });
  const ended = new Promise((resolve) => review.on("end", resolve));
  asked.end({ findings: [{ text: "Black should have swapped at move 2.", move: 2, decisive: true }] });
  await ended;
  game.show(first);
  assert.deepEqual([review.tip(), review.findings().length], [end, 1]);
  // Also after the page was loaded again, which does not know what was reviewed last.
  const again = new Game({ side: 4 });
  again.restore(JSON.parse(JSON.stringify({ ...game.toJSON(), seats: "white" })));
  const later = new Review(null, again, null);
  assert.deepEqual([later.findings().length, later.findings()[0].played], [1, "e5"]);
  // The other variation has no findings.
  again.show(again.tree.find(["a1", "d4"]));
  assert.deepEqual(later.findings(), []);
});

test("a review of a game in which moves were taken back is about the moves that were played", () => {
  const { game, review } = started(["a1", "d4"]);
  game.setSeats("white");
  review.path = [];
  game.current = game.head = game.tree.mainLine()[0];
  const end = game.play("e5");
  game.show(game.tree.root);
  assert.equal(review.tip(), end);
});

test("the result of a game that did not end on the board goes with it", () => {
  const { game, asked, review } = started(["a1", "d4"]);
  assert.equal(asked.query.result, undefined);
  game.tree.tip().result = { winner: "black", by: ["resign"] };
  review.start();
  assert.deepEqual(asked.query.result, { winner: "black", by: ["resign"] });
});

/** The game after the page was loaded again. */
function reloaded(game) {
  const again = new Game({ side: 4 });
  again.restore(checkedGame(JSON.parse(JSON.stringify(game))));
  return again;
}

/** What the page shows of a review: of each position White's chance, and the mistake of each move. */
function shownOf({ tree }) {
  const line = [tree.root, ...tree.mainLine()];
  return line.map(({ assessment, evaluation, mistake }) => [
    assessment?.white,
    evaluation?.white,
    mistake?.better ?? null,
  ]);
}

const turns = ({ known }) => known?.map(({ turn, move }) => [turn, Boolean(move)]);

test("a review that is stopped goes on where it was, also after the page was loaded again", () => {
  const { game, review, asked } = started(["a1", "d4"]);
  [0.5, 0.6, 0.2].forEach((white, turn) => asked.onPartial({ turn, position: position(white) }));
  asked.onPartial({ turn: 1, position: position(0.7), move: { color: "black", mistake: blunder } });
  review.stop();
  assert.deepEqual([asked.isCancelled, review.isRunning, review.mistakes().length], [true, false, 1]);
  const known = [
    [0, false],
    [1, true],
    [2, false],
  ];
  for (const later of [game, reloaded(game)]) {
    const { review, asked } = startedOf(later);
    assert.deepEqual([turns(asked.query), review.done], [known, 4]);
    // The position in which Black may swap is searched again.
    asked.onPartial({ turn: 1, position: position(0.7) });
    assert.deepEqual([review.done, review.mistakes().length], [4, 1]);
  }
});

test("a review with longer searches takes up nothing of one that was stopped", () => {
  const { game, review, asked } = started(["a1", "d4"]);
  asked.onPartial({ turn: 0, position: position(0.5) });
  asked.onPartial({ turn: 1, position: position(0.7), move: { color: "black", mistake: blunder } });
  review.stop();
  const later = startedOf(game, 2);
  assert.deepEqual([later.asked.query.known, later.review.done, later.review.mistakes()], [undefined, 0, []]);
});

test("a complete review stays until a new one is complete", async () => {
  const { game, review, asked } = started(["a1", "d4"]);
  const found = (asked, chances, mistake) => {
    chances.forEach((white, turn) => asked.onPartial({ turn, position: position(white) }));
    asked.onPartial({ turn: 1, position: position(chances[1]), move: { color: "black", mistake } });
    asked.onPartial({ turn: 0, position: position(chances[0]), move: { mistake: null } });
  };
  const complete = async (review, asked, findings) => {
    const ended = new Promise((resolve) => review.on("end", resolve));
    asked.end({ findings });
    await ended;
  };
  found(asked, [0.5, 0.6, 0.2], blunder);
  await complete(review, asked, [{ text: "Black should have swapped at move 2.", move: 2, decisive: true }]);
  assert.equal(review.isWhole(), true);
  const former = shownOf(game);

  review.start();
  assert.equal(asked.query.known, undefined);
  found(asked, [0.4, 0.5, 0.4], null);
  assert.deepEqual([shownOf(game), review.isWhole(), review.findings().length], [former, true, 1]);
  review.stop();
  assert.deepEqual([shownOf(game), review.isWhole(), review.findings().length], [former, true, 1]);

  // The new one goes on, too, and takes the place of the former in the end.
  const again = reloaded(game);
  assert.deepEqual(shownOf(again), former);
  const later = startedOf(again);
  assert.deepEqual([turns(later.asked.query).length, later.review.done], [3, 5]);
  assert.equal(later.review.isWhole(), true);
  await complete(later.review, later.asked, []);
  const renewed = [0.4, 0.5, 0.4].map((white) => [white, white, null]);
  assert.deepEqual([shownOf(again), later.review.isWhole(), later.review.findings()], [renewed, true, []]);
  const third = startedOf(again);
  assert.deepEqual([third.asked.query.known, third.review.done], [undefined, 0]);
});

test("the review of a variation leaves the complete one of the main line as it is", async () => {
  const { game, review, asked } = started(["a1", "d4"]);
  [0.5, 0.6, 0.2].forEach((white, turn) => asked.onPartial({ turn, position: position(white) }));
  for (const turn of [1, 0]) asked.onPartial({ turn, position: position(0.5), move: { mistake: null } });
  const ended = new Promise((resolve) => review.on("end", resolve));
  asked.end({ findings: [] });
  await ended;
  const former = shownOf(game);
  const variation = game.play("e5", game.tree.mainLine()[0]);
  game.show(variation);
  review.start();
  [0.1, 0.1, 0.1].forEach((white, turn) => asked.onPartial({ turn, position: position(white) }));
  assert.equal(variation.assessment.white, 0.1);
  review.stop();
  game.show(game.tree.tip());
  assert.deepEqual(shownOf(game), former);
});
