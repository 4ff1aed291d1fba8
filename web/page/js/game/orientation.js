// How boards lie on the screen.

import { Geometry } from "./geometry.js";

/** The steps of 30 degrees in a whole turn. */
export const TURNS = 12;

let orientation = { turn: 0, isMirrored: false };

/** From now on, boards lie this way: {turn, isMirrored}, as `Geometry.of` takes them. */
export function turnBoards(chosen) {
  orientation = chosen;
}

/** A board as it lies on the screen. */
export function asItLies(board) {
  return Geometry.of(board.side, orientation);
}
