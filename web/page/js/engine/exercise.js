// One attempt at an exercise: a position of a reviewed game in which the user looks for a better move than the one that
// was played. The engine judges it, and several moves may be good.

import { AS_GOOD, Attempt } from "./attempt.js";

/** It is solved by a good move. The puzzle is an exercise of `exercisesOf`. */
export class ExerciseAttempt extends Attempt {
  seconds = 1.5;
  /** The chance of the user's side after the user's move, once it was judged. */
  chance = null;

  /** The user plays a vertex, which must be empty. */
  async play(name) {
    if (this.state !== "yours") return;
    const turn = this.begin();
    const { better, betterChance, played } = this.puzzle;
    this.moves.push(name);
    this.chance = name === better ? betterChance : null;
    if (name === better) return this.become("solved");
    if (name === played) return this.become("wrong");
    this.become("waiting");
    const answer = await this.ask();
    if (!this.isPresent(turn)) return;
    if (!answer) return this.takeBack();
    const { over, winner, winning } = answer.position;
    this.winning = over ? winning : [];
    this.chance = over ? Number(winner === this.winner) : 1 - answer.win_rate;
    const isGood = this.chance >= betterChance - AS_GOOD;
    this.refutation = isGood ? [] : (answer.pv ?? []);
    this.become(isGood ? "solved" : "wrong");
  }

  /** Takes the move back. */
  retry() {
    this.begin();
    this.moves = [...this.puzzle.moves];
    this.refutation = [];
    this.winning = [];
    this.chance = null;
    this.become("yours");
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
    this.become("shown");
  }
}
