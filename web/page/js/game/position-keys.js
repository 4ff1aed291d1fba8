// Keys of positions: the same for positions with the same stones and the same player to move, whatever the order of the
// moves, and for the images of a position under the twelve symmetries of the board.

import { Geometry } from "./geometry.js";
import { BLACK, WHITE, other, splitMove } from "./stones.js";

const IMAGES = 12;
/** What a key differs by if Black is to move. */
const BLACK_TO_MOVE = [0x5bd1e995, 0x2545f491];

/** Where the vertices of a board go under each symmetry: lists of indices into `vertices`. */
function symmetriesOf({ side, vertices, at }, indexOf) {
  const middle = side - 1;
  const turned = ([q, r]) => [q - r, q];
  const mirrored = ([q, r]) => [r, q];
  const image = (vertex, k) => {
    let place = [vertex.letter - middle, vertex.number - middle];
    if (k >= IMAGES / 2) place = mirrored(place);
    for (let i = 0; i < k % (IMAGES / 2); i++) place = turned(place);
    return indexOf.get(at(place[0] + middle, place[1] + middle).name);
  };
  return Array.from({ length: IMAGES }, (_, k) => vertices.map((vertex) => image(vertex, k)));
}

/** Numbers of 32 bits that are always the same (Marsaglia's xorshift). */
function numbers(count) {
  let state = 2_463_534_242;
  return Uint32Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
}

const boards = new Map();

function tablesOf(side) {
  if (!boards.has(side)) {
    const board = Geometry.of(side);
    const indexOf = new Map(board.vertices.map(({ name }, i) => [name, i]));
    const at = (letter, number) => board.at(letter, number);
    const symmetries = symmetriesOf({ side, vertices: board.vertices, at }, indexOf);
    // For each vertex and colour, twice 32 bits (Zobrist hashing).
    boards.set(side, { indexOf, symmetries, bits: numbers(4 * board.vertices.length) });
  }
  return boards.get(side);
}

/** A position, of which only the keys are known. */
export class KeyedPosition {
  #tables;
  #sums = new Uint32Array(2 * IMAGES);
  #stones = new Map();
  #first = null;

  /** The position before the first move. */
  constructor(side, { white = [], black = [], first = WHITE } = {}) {
    this.#tables = tablesOf(side);
    this.toMove = first;
    for (const name of white) this.#put(name, WHITE);
    for (const name of black) this.#put(name, BLACK);
  }

  /** Puts a stone on the board, or takes it away. */
  #flip(name, color) {
    const { indexOf, symmetries, bits } = this.#tables;
    const index = indexOf.get(name);
    for (let k = 0; k < IMAGES; k++) {
      const place = 4 * symmetries[k][index] + (color === WHITE ? 0 : 2);
      this.#sums[2 * k] ^= bits[place];
      this.#sums[2 * k + 1] ^= bits[place + 1];
    }
  }

  #put(name, color) {
    this.#stones.set(name, color);
    this.#flip(name, color);
  }

  /** Plays a move. Returns false, and does nothing, if it puts no stone on the board: the game ends there. */
  play(move) {
    const { color, action } = splitMove(move);
    const mover = color ?? this.toMove;
    if (action === "swap") {
      if (this.#first === null) return false;
      this.#flip(this.#first, this.#stones.get(this.#first));
      this.#put(this.#first, mover);
    } else {
      if (!this.#tables.indexOf.has(action) || this.#stones.has(action)) return false;
      this.#first ??= action;
      this.#put(action, mover);
    }
    this.toMove = other(mover);
    return true;
  }

  #keyOf(sums, toMove) {
    let least = Infinity;
    const [high, low] = toMove === BLACK ? BLACK_TO_MOVE : [0, 0];
    for (let k = 0; k < IMAGES; k++) {
      // As many bits as a number has.
      const key = ((sums[2 * k] ^ high) >>> 11) * 2 ** 32 + ((sums[2 * k + 1] ^ low) >>> 0);
      if (key < least) least = key;
    }
    return least;
  }

  /** The key of the position. */
  key() {
    return this.#keyOf(this.#sums, this.toMove);
  }

  /** The key of the position after a move, or null if it puts no stone on the board. */
  keyAfter(move) {
    const { toMove } = this;
    if (move === "swap") {
      if (this.#first === null) return null;
      const [name, color] = [this.#first, this.#stones.get(this.#first)];
      this.#flip(name, color);
      this.#flip(name, toMove);
      const key = this.#keyOf(this.#sums, other(toMove));
      this.#flip(name, toMove);
      this.#flip(name, color);
      return key;
    }
    if (!this.#tables.indexOf.has(move) || this.#stones.has(move)) return null;
    this.#flip(move, toMove);
    const key = this.#keyOf(this.#sums, other(toMove));
    this.#flip(move, toMove);
    return key;
  }
}

/** The keys of the positions after each move of a game that puts a stone on the board. */
export function keysOfGame({ side, setup, moves }) {
  const position = new KeyedPosition(side, setup);
  const keys = [];
  for (const move of moves) {
    if (!position.play(move)) break;
    keys.push(position.key());
  }
  return keys;
}
