// One attempt at a puzzle: the user plays the winner, the line of best resistance or the engine the other side.

import { Attempt } from "./attempt.js";

const REPLY_DELAY = 450;

/** It is solved when the game is won. */
export class PuzzleAttempt extends Attempt {
  seconds = 1;
  /** Whether all moves so far are those of the puzzle's line. */
  #isOnLine = true;
  /** The engine's move where the attempt has left the line, if it was asked for. */
  suggested = null;

  /** The next move of the puzzle's line, if the attempt still follows it. */
  get expected() {
    return this.#isOnLine ? (this.puzzle.line[this.played.length] ?? null) : null;
  }

  /** The user plays a vertex, which must be empty. */
  async play(name) {
    if (this.state !== "yours") return;
    const turn = this.begin();
    const isFirst = this.played.length === 0;
    const isExpected = name === this.expected;
    this.hints = 0;
    this.suggested = null;
    this.moves.push(name);
    if (isExpected) return this.#followLine();
    this.become("waiting");
    const answer = await this.ask();
    if (!this.isPresent(turn)) return;
    if (!answer && !isFirst) return this.takeBack();
    if (answer?.position.over && answer.position.winner === this.winner) return this.#win(answer.position);
    // The first move is the only one that wins; of later ones the engine must judge.
    if (isFirst || answer.verdict === "win" || (answer.verdict === null && answer.win_rate >= 0.5)) {
      this.refutation = answer?.pv ?? [];
      return this.become("wrong");
    }
    this.#isOnLine = false;
    this.#reply(answer.best);
  }

  async #followLine() {
    const reply = this.expected;
    if (reply) return this.#reply(reply);
    const turn = this.begin();
    this.become("waiting");
    const answer = await this.ask();
    if (this.isPresent(turn)) this.#win(answer?.position);
  }

  #reply(name) {
    const turn = this.begin();
    this.become("waiting");
    setTimeout(() => {
      if (!this.isPresent(turn)) return;
      this.moves.push(name);
      this.become("yours");
    }, REPLY_DELAY);
  }

  #win(position) {
    this.winning = position?.winning ?? [];
    this.become("solved");
  }

  /** Takes back the wrong move, or begins again after the solution. */
  retry() {
    this.begin();
    if (this.state === "wrong") this.moves.pop();
    else this.moves = [...this.puzzle.moves];
    this.#isOnLine ||= this.played.length === 0;
    this.refutation = [];
    this.become("yours");
  }

  hint() {
    this.hints = Math.min(2, this.hints + 1);
    // Off the line the engine has to find the move.
    if (this.hints < 2 || this.expected) return this.emit("change");
    return this.#askForMove();
  }

  async #askForMove() {
    const turn = this.begin();
    const answer = await this.ask();
    if (!this.isPresent(turn)) return;
    this.suggested = answer?.best ?? null;
    this.emit("change");
  }

  /** The move to point at, or null. */
  suggestion() {
    return this.hints < 2 || this.state !== "yours" ? null : (this.expected ?? this.suggested);
  }

  /** Gives up: goes back to the position, whose line is then shown. */
  show() {
    this.begin();
    this.moves = [...this.puzzle.moves];
    this.#isOnLine = true;
    this.refutation = [];
    this.become("shown");
  }
}
