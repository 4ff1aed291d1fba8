// A line of the engine, opened on the board and gone through stone by stone.

import { Emitter } from "../game/emitter.js";
import { lineStones } from "./notes.js";

/** Emits "change" when it shows something else. */
export class OpenLine extends Emitter {
  #node = null;

  constructor(game) {
    super();
    this.game = game;
    /** The moves of the line, from the position shown; empty if none is open. */
    this.moves = [];
    /** How many stones are on the board. */
    this.step = 0;
  }

  get isOpen() {
    return this.moves.length > 0;
  }

  /** Opens a line from the position shown, with all of its stones. */
  open(moves) {
    this.#node = this.game.current;
    this.moves = [...moves];
    this.step = moves.length;
    this.emit("change");
  }

  close() {
    if (!this.isOpen) return;
    this.moves = [];
    this.emit("change");
  }

  /** Shows more or fewer stones. */
  move(by) {
    this.step = Math.max(0, Math.min(this.moves.length, this.step + by));
    this.emit("change");
  }

  /** The stones on the board, as it draws them. */
  stones() {
    return this.isOpen ? lineStones(this.moves, this.game.toMoveAt(), Infinity).slice(0, this.step) : [];
  }

  /** The line ends when its position is left. */
  gameChanged(kind) {
    if (kind === "game" || this.game.current !== this.#node) this.close();
  }
}
