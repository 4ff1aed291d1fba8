// One attempt at a puzzle: the user plays the winner, the line of best resistance or the engine the other side.

import { t } from "../language/texts.js";
import { Emitter } from "../game/emitter.js";
import { other, play } from "../game/stones.js";

const REPLY_DELAY = 450;
const SECONDS = 1;

/**
 * Emits "change" whenever `state` or the moves have changed, and "message" with a sentence for the user. The states:
 * - "yours": the user is to move; "waiting": the opponent or the engine is;
 * - "wrong": the last move does not win, and `refutation` is how the opponent answers, if it is known;
 * - "solved": the game is won; "shown": the user has asked for the solution.
 */
export class Attempt extends Emitter {
  /** Raised by whatever makes answers that are still to come useless. */
  #turn = 0;
  /** Whether all moves so far are those of the puzzle's line. */
  #isOnLine = true;

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
    /** The engine's move where the attempt has left the line, if it was asked for. */
    this.suggested = null;
  }

  get winner() {
    return this.puzzle.to_move;
  }

  get opponent() {
    return other(this.winner);
  }

  /** The moves of this attempt, after the position of the puzzle. */
  get played() {
    return this.moves.slice(this.puzzle.moves.length);
  }

  /** The stones on the board, as `play` of stones.js returns them. */
  position() {
    return play({}, this.moves);
  }

  /** The next move of the puzzle's line, if the attempt still follows it. */
  get expected() {
    return this.#isOnLine ? (this.puzzle.line[this.played.length] ?? null) : null;
  }

  /** Ends the attempt: nothing happens any more. */
  abandon() {
    this.#turn += 1;
  }

  #become(state) {
    this.state = state;
    this.emit("change");
  }

  /** The user plays a vertex, which must be empty. */
  async play(name) {
    if (this.state !== "yours") return;
    const turn = ++this.#turn;
    const isFirst = this.played.length === 0;
    const isExpected = name === this.expected;
    this.hints = 0;
    this.suggested = null;
    this.moves.push(name);
    if (isExpected) return this.#followLine();
    this.#become("waiting");
    const answer = await this.#ask();
    if (turn !== this.#turn) return;
    if (!answer && !isFirst) return this.#takeBack();
    if (answer?.position.over && answer.position.winner === this.winner) return this.#win(answer.position);
    // The first move is the only one that wins; of later ones the engine must judge.
    if (isFirst || answer.verdict === "win" || (answer.verdict === null && answer.win_rate >= 0.5)) {
      this.refutation = answer?.pv ?? [];
      return this.#become("wrong");
    }
    this.#isOnLine = false;
    this.#reply(answer.best);
  }

  async #followLine() {
    const reply = this.expected;
    if (reply) return this.#reply(reply);
    const turn = this.#turn;
    this.#become("waiting");
    const answer = await this.#ask();
    if (turn === this.#turn) this.#win(answer?.position);
  }

  /** Nobody can say whether the last move wins. */
  #takeBack() {
    this.moves.pop();
    this.emit("message", t("puzzle.no-engine"));
    this.#become("yours");
  }

  #reply(name) {
    const turn = this.#turn;
    this.#become("waiting");
    setTimeout(() => {
      if (turn !== this.#turn) return;
      this.moves.push(name);
      this.#become("yours");
    }, REPLY_DELAY);
  }

  #win(position) {
    this.winning = position?.winning ?? [];
    this.#become("solved");
  }

  /** What the engine says about the position, or null if there is no engine. */
  async #ask() {
    if (this.client.state !== "ready") return null;
    const { side } = this.puzzle;
    const query = { side, moves: this.moves, want: ["moves", "position"], top: 1, seconds: SECONDS };
    try {
      return await this.client.ask(query).answer;
    } catch {
      return null;
    }
  }

  /** Takes back the wrong move, or begins again after the solution. */
  retry() {
    this.#turn += 1;
    if (this.state === "wrong") this.moves.pop();
    else this.moves = [...this.puzzle.moves];
    this.#isOnLine ||= this.played.length === 0;
    this.refutation = [];
    this.#become("yours");
  }

  hint() {
    this.hints = Math.min(2, this.hints + 1);
    // Off the line the engine has to find the move.
    if (this.hints < 2 || this.expected) return this.emit("change");
    return this.#askForMove();
  }

  async #askForMove() {
    const turn = this.#turn;
    const answer = await this.#ask();
    if (turn !== this.#turn) return;
    this.suggested = answer?.best ?? null;
    this.emit("change");
  }

  /** The move to point at, or null. */
  suggestion() {
    return this.hints < 2 || this.state !== "yours" ? null : (this.expected ?? this.suggested);
  }

  /** Gives up: goes back to the position, whose line is then shown. */
  show() {
    this.#turn += 1;
    this.moves = [...this.puzzle.moves];
    this.#isOnLine = true;
    this.refutation = [];
    this.#become("shown");
  }
}
