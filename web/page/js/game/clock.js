// A chess clock: each player has a main time and gets an increment after each move. Times are in milliseconds.

import { BLACK, WHITE } from "./stones.js";

export class Clock {
  /** `now` returns the present time in milliseconds; tests pass their own. */
  constructor({ main, increment }, now = () => performance.now()) {
    this.main = main;
    this.increment = increment;
    this.now = now;
    this.left = { [WHITE]: main, [BLACK]: main };
    this.running = null;
    this.since = 0;
  }

  /** The time that a player has left, at least 0. */
  remaining(color) {
    const used = this.running === color ? this.now() - this.since : 0;
    return Math.max(0, this.left[color] - used);
  }

  /** Whether this player's time is used up. */
  isOut(color) {
    return this.remaining(color) <= 0;
  }

  /** Lets the clock of `color` run, or stops both if it is null. */
  run(color) {
    if (color === this.running) return;
    this.pause();
    this.running = color;
    this.since = this.now();
  }

  pause() {
    if (this.running) this.left[this.running] = this.remaining(this.running);
    this.running = null;
  }

  /** Call this when `color` has moved: it stops that clock and adds the increment. */
  moved(color) {
    if (this.running === color) this.pause();
    this.left[color] += this.increment;
  }

  /** The times left, to be kept with a position. */
  snapshot() {
    return { [WHITE]: this.remaining(WHITE), [BLACK]: this.remaining(BLACK) };
  }

  /** The clock as it is stored with the game. */
  toJSON() {
    return { main: this.main, increment: this.increment, left: this.snapshot() };
  }

  /** Goes back to times from `snapshot`, with both clocks stopped. */
  restore(times) {
    this.running = null;
    this.left = { ...times };
  }

  /**
   * The seconds that an engine should spend on its next move: a share of the time left plus most of the increment,
   * but never so much that the time could run out.
   */
  engineSeconds(color, movesToGo = 25) {
    const left = this.remaining(color);
    const wanted = left / movesToGo + 0.8 * this.increment;
    return Math.max(0.05, Math.min(wanted, 0.4 * left) / 1000);
  }
}

/** "12:05", or "0:07.3" in the last ten seconds. */
export function formatTime(milliseconds) {
  const tenths = Math.ceil(milliseconds / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (n) => String(n).padStart(2, "0");
  return hours ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
