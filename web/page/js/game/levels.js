// The levels of the engine.

/** From the weakest to the strongest. */
export const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** The level at which the engine searches as it does for analysis. Below, it sees too little to judge a position. */
export const STRONGEST = LEVELS.length;

/** The level of the next game against a user: one higher after a win, one lower after a loss, the same after a draw. */
export function levelAfter(level, winner, user) {
  const step = winner === "draw" ? 0 : winner === user ? 1 : -1;
  return Math.min(STRONGEST, Math.max(1, level + step));
}
