// What the library's games say about positions: how often each was reached, and how those games ended.

import { Emitter } from "../game/emitter.js";
import { KeyedPosition, keysOfGame } from "../game/position-keys.js";

/** The library is read again at most this often, in milliseconds. */
const PAUSE = 1000;

/** The game of an entry of the library: {side, setup, moves}; null for an entry of another side. */
function gameOf({ side, key }, wanted) {
  if (side !== wanted) return null;
  const [, white, black, , , moves, first] = JSON.parse(key);
  return { side, setup: { white, black, first }, moves: moves.split(" ").filter(Boolean) };
}

/** Emits "change" when it knows more or other games. */
export class Openings extends Emitter {
  /** The keys of each game's positions by its id. */
  #known = new Map();
  #entries = [];
  #side = null;
  /** The games that reached a position, by its key: indices into the entries, and after how many moves. */
  #reached = new Map();
  #timer = null;
  #isReading = false;

  constructor(library) {
    super();
    this.library = library;
    /** Whether the explorer is open. */
    this.isWanted = false;
    library.on("change", () => this.isWanted && this.#readSoon());
  }

  /** Starts or stops following the library, for boards of this side. */
  want(isWanted, side) {
    const isNew = isWanted && (!this.isWanted || side !== this.#side);
    this.isWanted = isWanted;
    if (!isNew) return;
    if (side !== this.#side) {
      this.#known.clear();
      this.#entries = [];
      this.#reached.clear();
    }
    this.#side = side;
    this.#read();
  }

  #readSoon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#read();
    }, PAUSE);
  }

  async #read() {
    if (this.#isReading) return this.#readSoon();
    this.#isReading = true;
    const side = this.#side;
    const entries = await this.library.list().catch(() => []);
    this.#isReading = false;
    if (side !== this.#side) return this.#readSoon();
    this.#index(entries.filter((entry) => entry.side === side));
    return this.emit("change");
  }

  #index(entries) {
    this.#entries = entries;
    this.#reached = new Map();
    entries.forEach((entry, i) => {
      const known = this.#known.get(entry.id);
      const keys = known?.of === entry.key ? known.keys : keysOfGame(gameOf(entry, entry.side));
      this.#known.set(entry.id, { of: entry.key, keys });
      keys.forEach((key, j) => {
        const list = this.#reached.get(key);
        // A game is counted once, where it reaches the position first.
        if (!list) this.#reached.set(key, [{ i, after: j + 1 }]);
        else if (list.at(-1).i !== i) list.push({ i, after: j + 1 });
      });
    });
  }

  /**
   * What is known about the moves of a position, those that lead to the same position or its image counted as one, the
   * most frequent first: [{move, images: the moves that are counted as this one, games, white, black, draws}]. The
   * position is {side, setup, moves}; `legal` are the moves in it; the game with the id `present` does not count.
   */
  movesAt({ side, setup, moves }, legal, present) {
    const position = positionAfter({ side, setup, moves });
    if (!position) return [];
    const byKey = new Map();
    for (const move of legal) {
      const key = position.keyAfter(move);
      if (key === null) continue;
      const row = byKey.get(key);
      if (row) row.images.push(move);
      else byKey.set(key, { move, images: [move], ...this.#results(key, present) });
    }
    return [...byKey.values()].filter(({ games }) => games > 0).sort((a, b) => b.games - a.games);
  }

  #results(key, present) {
    const games = this.#gamesAt(key, present);
    const won = (winner) => games.filter(({ entry }) => entry.result?.winner === winner).length;
    return { games: games.length, white: won("white"), black: won("black"), draws: won("draw") };
  }

  #gamesAt(key, present) {
    const games = (this.#reached.get(key) ?? []).map(({ i, after }) => ({ entry: this.#entries[i], after }));
    return games.filter(({ entry }) => entry.id !== present);
  }

  /** The games that reached a position, the latest first: [{entry, after: how many of its moves lead there}]. */
  gamesAt({ side, setup, moves }, present) {
    const position = positionAfter({ side, setup, moves });
    return position && moves.length > 0 ? this.#gamesAt(position.key(), present) : [];
  }
}

function positionAfter({ side, setup, moves }) {
  const position = new KeyedPosition(side, setup);
  return moves.every((move) => position.play(move)) ? position : null;
}
