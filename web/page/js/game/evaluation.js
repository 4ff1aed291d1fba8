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
