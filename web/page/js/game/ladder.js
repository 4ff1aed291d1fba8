// The level that adapts to the user.

import { LEVELS } from "./wording.js";

/** The level of the next game: one higher after a win, one lower after a loss, the same after a draw. */
export function levelAfter(level, winner, user) {
  const step = winner === "draw" ? 0 : winner === user ? 1 : -1;
  return Math.min(LEVELS.length, Math.max(1, level + step));
}
