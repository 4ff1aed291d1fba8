// What the engine thinks of a position, and how large a mistake a move was.

import { WHITE } from "./stones.js";

/** Mistakes by the winning chance that they cost, largest first; `malecon review` calls the same losses mistakes. `mark` is also what the move list shows. */
export const MISTAKES = [
  { kind: "blunder", mark: "??", least: 0.3, label: "blunder" },
  { kind: "mistake", mark: "?", least: 0.1, label: "mistake" },
  { kind: "inaccuracy", mark: "?!", least: 0.05, label: "inaccuracy" },
];

/** Evaluations by fewer simulations are too rough to call a move a mistake, except in a review. */
const FEWEST_SIMULATIONS = 200;

/**
 * The part of an answer that is kept with a position, with white's chance of winning, or null if the answer has no
 * evaluation. The engine's own win rates are those of the player to move.
 */
export function evaluationOf(answer) {
  const { winner, over } = answer.position ?? {};
  if (over) return { white: winner === "draw" ? 0.5 : winner === WHITE ? 1 : 0, over: true, simulations: 0 };
  if (typeof answer.win_rate !== "number") return null;
  const toWhite = (rate) => (answer.to_move === WHITE ? rate : 1 - rate);
  const declined = answer.position?.can_swap ? answer.moves?.[0]?.win_rate : null;
  return {
    white: toWhite(answer.win_rate),
    whiteIfDeclined: typeof declined === "number" ? toWhite(declined) : null,
    verdict: answer.verdict ?? null,
    simulations: answer.simulations ?? 0,
    best: answer.best ?? null,
    pv: answer.pv ?? [],
  };
}

/**
 * The evaluation to keep of two of the same position: the one that rests on more simulations, or by which the game is
 * decided. `previous` may be null.
 */
export function betterOf(next, previous) {
  if (!previous) return next;
  const isDecided = (evaluation) => Boolean(evaluation.over || evaluation.verdict);
  const replaces = isDecided(next) || (!isDecided(previous) && next.simulations >= previous.simulations);
  if (!replaces) return { ...previous, isReviewed: previous.isReviewed || next.isReviewed };
  return { ...next, isReviewed: next.isReviewed || previous.isReviewed };
}

/** The chance of winning of `color`. */
export function chanceOf(evaluation, color) {
  return color === WHITE ? evaluation.white : 1 - evaluation.white;
}

/**
 * What the move cost its player, judged by the evaluations before and after it.
 * Returns {loss, kind, mark, label} or null if it was no mistake. A move that the engine would have played is none.
 */
export function mistakeOf(before, after, mover, move) {
  if (!isReliable(before) || !isReliable(after) || before.over || before.best === move) return null;
  const loss = chanceOf(comparable(before, move), mover) - chanceOf(after, mover);
  const grade = MISTAKES.find(({ least }) => loss >= least);
  return grade ? { ...grade, loss } : null;
}

/**
 * The evaluation before a move, by the same judge as the one after it. A table judges the first stone and the swap, the
 * search all later moves: so where declining the swap was right, the stone played counts against the best other stone.
 */
function comparable(before, move) {
  const isDeclined = move !== "swap" && before.best !== "swap" && typeof before.whiteIfDeclined === "number";
  return isDeclined ? { ...before, white: before.whiteIfDeclined } : before;
}

function isReliable(evaluation) {
  if (!evaluation) return false;
  const { over, verdict, isReviewed, simulations } = evaluation;
  return Boolean(over || verdict || isReviewed || simulations >= FEWEST_SIMULATIONS);
}

/** The mistakes on a line: [{node, mover, loss, kind, mark, label}], in the order of play. */
export function mistakesOn(path, movers, root) {
  const found = [];
  path.forEach((node, i) => {
    const before = i === 0 ? root : path[i - 1];
    const mistake = mistakeOf(before.evaluation, node.evaluation, movers[i], node.move);
    if (mistake) found.push({ node, before, mover: movers[i], ...mistake });
  });
  return found;
}
