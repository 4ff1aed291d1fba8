// What the library's list says of a game.

import { WHITE } from "./stones.js";

/**
 * `game` is a Game, `names` are its players' {white, black}, `result` is how it ended, {winner, by}, or null. The `key`
 * is the same for games with the same players and moves.
 */
export function factsOf(game, names, result) {
  const { side, setup, tree } = game;
  const moves = tree.moves(tree.tip());
  const stones = setup.white.length + setup.black.length;
  const [white, black] = [names.white ?? null, names.black ?? null];
  return {
    white,
    black,
    side,
    moves: moves.length,
    stones,
    result: result && { winner: result.winner, by: result.by ?? [] },
    date: tree.root.properties?.DT?.[0] ?? null,
    name: tree.root.properties?.GN?.[0] ?? null,
    event: tree.root.properties?.EV?.[0] ?? null,
    key: JSON.stringify([
      side,
      setup.white,
      setup.black,
      white,
      black,
      moves.join(" "),
      ...(setup.first === WHITE ? [] : [setup.first]),
    ]),
  };
}

/** Whether two keys are of games with the same moves, whatever their players are called. */
export function haveSameMoves(key, other) {
  const withoutNames = (text) => JSON.stringify(JSON.parse(text).toSpliced(3, 2));
  return withoutNames(key) === withoutNames(other);
}
