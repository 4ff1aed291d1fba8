// One attempt at an exercise: a position of a reviewed game in which the user looks for a better move than the one that
// was played. The engine judges it, and several moves may be good. It has the parts of an `Attempt` at a puzzle.

import { t } from "../language/texts.js";
import { Emitter } from "../game/emitter.js";
import { other, play } from "../game/stones.js";

const SECONDS = 1.5;
/** A chance that is lower by no more than this is as good. */
const AS_GOOD = 0.05;

/** Emits "change" and "message" as `Attempt` does, and has its states. */
export class ExerciseAttempt extends Emitter {
  #turn = 0;

  /** `puzzle` is an exercise of `exercisesOf`. */
  constructor(puzzle, client) {
    super();
    this.puzzle = puzzle;
    this.client = client;
    this.moves = [...puzzle.moves];
    this.state = "yours";
    this.refutation = [];
    this.winning = [];
    this.hints = 0;
    /** The chance of the user's side after the user's move, once it was judged. */
    this.chance = null;
  }

  get winner() {
    return this.puzzle.to_move;
  }

  get opponent() {
    return other(this.winner);
  }

  get played() {
    return this.moves.slice(this.puzzle.moves.length);
  }

  position() {
    const { white, black, first } = this.puzzle.query;
    return play({ white, black, first }, this.moves);
  }

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
    const { better, betterChance, played } = this.puzzle;
    this.moves.push(name);
    this.chance = name === better ? betterChance : null;
    if (name === better) return this.#become("solved");
    if (name === played) return this.#become("wrong");
    this.#become("waiting");
    const answer = await this.#judge();
    if (turn !== this.#turn) return;
    if (!answer) {
      this.moves.pop();
      this.emit("message", t("puzzle.no-engine"));
      return this.#become("yours");
    }
    const { over, winner, winning } = answer.position;
    this.winning = over ? winning : [];
    this.chance = over ? Number(winner === this.winner) : 1 - answer.win_rate;
    const isGood = this.chance >= betterChance - AS_GOOD;
    this.refutation = isGood ? [] : (answer.pv ?? []);
    this.#become(isGood ? "solved" : "wrong");
  }

  async #judge() {
    if (this.client.state !== "ready") return null;
    const query = { ...this.puzzle.query, moves: this.moves, want: ["moves", "position"], top: 1, seconds: SECONDS };
    try {
      return await this.client.ask(query).answer;
    } catch {
      return null;
    }
  }

  /** Takes the move back. */
  retry() {
    this.#turn += 1;
    this.moves = [...this.puzzle.moves];
    this.refutation = [];
    this.winning = [];
    this.chance = null;
    this.#become("yours");
  }

  hint() {
    this.hints = 2;
    this.emit("change");
  }

  suggestion() {
    return this.hints > 0 && this.state === "yours" ? this.puzzle.better : null;
  }

  /** Gives up: the better line is shown. */
  show() {
    this.retry();
    this.#become("shown");
  }
}
