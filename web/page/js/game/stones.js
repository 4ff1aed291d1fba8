// The stones on the board after a list of moves. This knows how moves alternate and what a swap does, but not the
// rules: whether a move is legal and whether the game is over is the engine's answer.

export const WHITE = "white";
export const BLACK = "black";

export function other(color) {
  return color === WHITE ? BLACK : WHITE;
}

/** Splits a move such as "black:d4" into its colour (or null) and the rest in lower case. */
export function splitMove(move) {
  const match = /^(white|black|w|b):(.*)$/i.exec(move);
  if (!match) return { color: null, action: move.toLowerCase() };
  return { color: match[1][0].toLowerCase() === "w" ? WHITE : BLACK, action: match[2].toLowerCase() };
}

/** Whether the second part of a split move is that of a stone. */
export function isStone(action) {
  return action !== "swap" && action !== "resign";
}

/**
 * Plays moves without checking them.
 *
 * `setup` is {white, black, first}: stones on the board before the first move, and who begins. Returns the stones by
 * vertex name, who moves next, the vertex of the last stone, who made each move, and who resigned (or null).
 */
export function play(setup, moves) {
  const stones = new Map();
  for (const name of setup.white ?? []) stones.set(name, WHITE);
  for (const name of setup.black ?? []) stones.set(name, BLACK);
  const state = { stones, toMove: setup.first ?? WHITE, last: null, movers: [], resigned: null, swapped: false };
  let firstStone = null;
  for (const move of moves) {
    const { color, action } = splitMove(move);
    const mover = color ?? state.toMove;
    state.movers.push(mover);
    state.toMove = other(mover);
    if (action === "resign") {
      state.resigned = mover;
    } else if (action === "swap") {
      if (firstStone) stones.set(firstStone, mover);
      state.last = firstStone;
      state.swapped = true;
    } else {
      firstStone ??= action;
      stones.set(action, mover);
      state.last = action;
    }
  }
  return state;
}
