// What is known about the moves of a position: by the games of the library, by the table of first stones, and by the
// engine's analysis. Moves that the symmetries of the position make equal are one row.

import { Emitter } from "../game/emitter.js";
import { betterOf, evaluationOfMove, knownOfMove } from "../game/evaluation.js";
import { WHITE } from "../game/stones.js";

/** The table of first stones of each board, as the engine has it. Emits "change" when one has become known. */
export class FirstStones extends Emitter {
  #known = new Map();

  constructor(client) {
    super();
    this.client = client;
  }

  /** The classes of first stones, [{vertices, games, points, value}], empty as long as they are not known. */
  of(side) {
    if (!this.#known.has(side)) this.#ask(side);
    return this.#known.get(side);
  }

  async #ask(side) {
    this.#known.set(side, []);
    try {
      const { stones } = await this.client.ask({ action: "first_stones", side }).answer;
      this.#known.set(side, stones);
      this.emit("change");
    } catch (error) {
      console.warn(error.message);
    }
  }
}

/** What the table says in a position: [{moves, games, value: the chance of the player to move}]. */
function tableMoves({ stones, isEmpty, swapped }) {
  if (isEmpty) return stones.map(({ vertices, games, value }) => ({ moves: vertices, games, value }));
  const known = stones.find(({ vertices }) => vertices.includes(swapped));
  return known ? [{ moves: ["swap"], games: known.games, value: known.value }] : [];
}

/** The row that has one of these moves; a new one if there is none. */
function rowOf(rows, moves) {
  const known = rows.find(({ images }) => moves.some((move) => images.includes(move)));
  if (known) return known;
  const row = { move: moves[0], images: moves, games: 0, white: 0, black: 0, draws: 0 };
  rows.push(row);
  return row;
}

/**
 * The rows, the most frequent first, then by the engine's visits, then by the table: {move, images, games, white, black,
 * draws, table: {games, value} or absent, chance: the engine's for the player to move, or absent, visits}.
 *
 * `library` are the moves of `Openings.movesAt`, `stones` the table of the board; `isEmpty` is true on an empty board
 * without set-up stones, `swapped` is the first stone if it may be swapped, else null; `answer` is the engine's about
 * the position at `node`, or null.
 */
export function explorerRows({ library, stones, isEmpty, swapped, answer, node, toMove }) {
  const rows = library.map((row) => ({ ...row }));
  for (const { moves, games, value } of tableMoves({ stones, isEmpty, swapped })) {
    rowOf(rows, moves).table ??= { games, value };
  }
  for (const { move, visits } of answer?.moves ?? []) {
    if (visits === 0 || move === "resign") continue;
    const row = rowOf(rows, [move]);
    row.visits = Math.max(row.visits ?? 0, visits);
  }
  for (const row of rows) {
    const found = row.images.map((move) => evaluationAt(move, { answer, node, toMove })).filter(Boolean);
    if (found.length === 0) continue;
    const { white } = found.reduce((best, next) => betterOf(next, best));
    row.chance = toMove === WHITE ? white : 1 - white;
  }
  const order = (a, b) => b.games - a.games || (b.visits ?? 0) - (a.visits ?? 0) || value(b) - value(a);
  const value = ({ table }) => table?.value ?? 0;
  return rows.sort(order);
}

/** What the engine thinks of a move: in its answer, or in what is known of the tree. */
function evaluationAt(move, { answer, node, toMove }) {
  const entry = answer?.moves?.find((found) => found.move === move && found.visits > 0);
  const [now, before] = [entry && evaluationOfMove(entry, toMove), knownOfMove(node, move)];
  return now && before ? betterOf(now, before) : (now ?? before);
}
