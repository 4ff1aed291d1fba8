// What the engine is asked about positions that are set up: whether they are decided already, and where it puts first
// stones of its own.

import { QueryError } from "./engine-client.js";

/** How long the engine looks for each of its first stones, in seconds. */
const SECONDS = 1;

/** How a setup is decided before its first move, as {winner, by, winning}; null if it is not. */
export async function decisionOf(client, { side, white, black, first }) {
  const ask = async (stones) => {
    const { position } = await client.ask({ side, ...stones, want: ["position"] }).answer;
    return position.over ? { winner: position.winner, by: position.by, winning: position.winning } : null;
  };
  try {
    return await ask({ white, black, first });
  } catch (error) {
    // The engine puts the stones one after the other, the white ones first, and stops where the game is over.
    const [, color, index] =
      (error instanceof QueryError && /^(white|black)\[(\d+)\]: the game is over/.exec(error.message)) || [];
    if (!color) throw error;
    const isWhite = color === "white";
    return ask({
      white: isWhite ? white.slice(0, Number(index)) : white,
      black: isWhite ? [] : black.slice(0, Number(index)),
    });
  }
}

/** The vertex on which the engine would put one more stone of a colour, at a level; null if the game is over. */
export async function firstStone(client, { side, white, black }, color, level) {
  const query = { side, white, black, first: color, level, want: ["choice"], seconds: SECONDS };
  const { choice } = await client.ask(query).answer;
  return choice?.move ?? null;
}
