// White's chance of winning in a position, as it is kept with the position for the graph and the bar.

import { WHITE } from "./stones.js";

/**
 * The evaluation in an answer, or null if it has none: {white, simulations, isDecided}. The engine's own win rates are
 * those of the player to move.
 */
export function evaluationOf(answer) {
  const { winner, over } = answer.position ?? {};
  if (over) return { white: winner === "draw" ? 0.5 : winner === WHITE ? 1 : 0, simulations: 0, isDecided: true };
  if (typeof answer.win_rate !== "number") return null;
  const white = answer.to_move === WHITE ? answer.win_rate : 1 - answer.win_rate;
  return { white, simulations: answer.simulations ?? 0, isDecided: Boolean(answer.verdict) };
}

/**
 * The evaluation to keep of two of the same position: the one that rests on more simulations, or by which the game is
 * decided. `previous` may be null.
 */
export function betterOf(next, previous) {
  if (!previous || next.isDecided) return next;
  return previous.isDecided || next.simulations < previous.simulations ? previous : next;
}

/** The evaluation of the position after a move, by an entry of `moves` in the answer about the position before. */
export function evaluationOfMove({ win_rate: rate, verdict, visits }, toMove) {
  if (typeof rate !== "number") return null;
  return { white: toMove === WHITE ? rate : 1 - rate, simulations: visits ?? 0, isDecided: Boolean(verdict) };
}

/**
 * What is known of the position after a move that was played at `node`, or that a review found to be better than the
 * one played; or null.
 */
export function knownOfMove(node, move) {
  const child = node.children.find((next) => next.move === move);
  const better = node.children.find(({ mistake }) => mistake?.better === move)?.mistake.evaluation;
  const known = [child?.evaluation, better].filter(Boolean);
  return known.length ? known.reduce(betterOf) : null;
}

/** Keeps what an answer about the position at `node` says of the moves that are in the tree or in its review. */
export function learnMoves(node, answer) {
  for (const entry of answer.moves ?? []) {
    const found = evaluationOfMove(entry, answer.to_move);
    if (!found) continue;
    for (const child of node.children) {
      if (child.move === entry.move) child.evaluation = betterOf(found, child.evaluation);
      const { mistake } = child;
      if (mistake?.better === entry.move) mistake.evaluation = betterOf(found, mistake.evaluation);
    }
  }
}

/** The answer about the position at `node`, with what is known of its moves from deeper searches. */
export function deepened(node, answer) {
  if (!answer?.moves) return answer;
  const isWhite = answer.to_move === WHITE;
  const moves = answer.moves.map((entry) => {
    const known = knownOfMove(node, entry.move);
    const found = evaluationOfMove(entry, answer.to_move);
    if (!known || !found || betterOf(found, known) === found) return entry;
    const rate = isWhite ? known.white : 1 - known.white;
    const verdict = known.isDecided ? (rate === 1 ? "win" : rate === 0 ? "loss" : "draw") : null;
    return { ...entry, win_rate: rate, verdict: entry.verdict ?? verdict };
  });
  return { ...answer, moves };
}
