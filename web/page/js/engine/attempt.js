// One attempt of the user at a position: what attempts at puzzles and at exercises have in common.

import { t } from "../language/texts.js";
import { Emitter } from "../game/emitter.js";
import { other, play } from "../game/stones.js";

/** A chance that is lower than that of the better move by no more than this is as good. */
export const AS_GOOD = 0.05;

/**
 * Emits "change" whenever `state` or the moves have changed, and "message" with a sentence for the user. The states:
 * - "yours": the user is to move; "waiting": the opponent or the engine is;
 * - "wrong": the last move is not the one that is looked for, and `refutation` is how the opponent answers, if it is
 *   known;
 * - "solved": the attempt has succeeded; "shown": the user has asked for the solution.
 *
 * What extends it has `play(name)`, for a vertex that must be empty; `retry()`, which goes back; `hint()` and
 * `suggestion()`, the move to point at, or null; `show()`, which gives up; and `seconds`, how long the engine judges.
 */
export class Attempt extends Emitter {
  #turn = 0;

  /** `puzzle` has `moves`, the position; `to_move`, the colour of the user; and `query`, what else makes the position. */
  constructor(puzzle, client) {
    super();
    this.puzzle = puzzle;
    this.client = client;
    this.moves = [...puzzle.moves];
    this.state = "yours";
    this.refutation = [];
    this.winning = [];
    /** How much of a hint was given: 0, 1 (what it is about) or 2 (the move). */
    this.hints = 0;
  }

  get winner() {
    return this.puzzle.to_move;
  }

  get opponent() {
    return other(this.winner);
  }

  /** The moves of this attempt, after the position that it began with. */
  get played() {
    return this.moves.slice(this.puzzle.moves.length);
  }

  /** What the engine must be told about the board. */
  get query() {
    return this.puzzle.query ?? { side: this.puzzle.side };
  }

  /** The stones on the board, as `play` of stones.js returns them. */
  position() {
    const { white, black, first } = this.query;
    return play({ white, black, first }, this.moves);
  }

  /** Ends the attempt: nothing happens any more. */
  abandon() {
    this.begin();
  }

  /** From now on, answers to earlier questions are ignored. Returns the number that `isPresent` takes. */
  begin() {
    this.#turn += 1;
    return this.#turn;
  }

  /** Whether an answer still counts: `begin` has not been called again since it returned this number. */
  isPresent(turn) {
    return turn === this.#turn;
  }

  become(state) {
    this.state = state;
    this.emit("change");
  }

  /** What the engine says about the position, or null if there is no engine. */
  async ask() {
    if (this.client.state !== "ready") return null;
    const query = { ...this.query, moves: this.moves, want: ["moves", "position"], top: 1, seconds: this.seconds };
    try {
      return await this.client.ask(query).answer;
    } catch {
      return null;
    }
  }

  /** Takes back a move that nobody can judge. */
  takeBack() {
    this.moves.pop();
    this.emit("message", t("puzzle.no-engine"));
    this.become("yours");
  }
}
