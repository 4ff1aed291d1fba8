// The user writes comments on positions, and puts marks on the one that is shown.

import { Emitter } from "./emitter.js";
import { TOOLS, isArrow, marksOf, withMark, withoutMarks } from "./marks.js";

/** The tool with which a click plays a stone, as always. */
export const STONE = "stone";

/** Emits "change" when it opens or closes, or when another tool is chosen or an arrow has begun. */
export class Annotator extends Emitter {
  constructor(game) {
    super();
    this.game = game;
    this.isOpen = false;
    this.tool = STONE;
    /** The vertex at which an arrow or a line begins that has no end yet, or null. */
    this.from = null;
  }

  /** Whether a click on the board puts a mark there. */
  get isMarking() {
    return this.isOpen && this.tool !== STONE;
  }

  toggle() {
    this.isOpen = !this.isOpen;
    this.choose(STONE);
  }

  choose(tool) {
    this.tool = TOOLS.includes(tool) ? tool : STONE;
    this.from = null;
    this.emit("change");
  }

  /** The marks of the position shown. */
  marks() {
    return marksOf(this.game.current.properties, this.game.board);
  }

  /** Puts the mark of the tool on a vertex, or takes it away. The first of two vertices only begins an arrow. */
  mark(name) {
    const { game, tool, from } = this;
    if (isArrow(tool) && from === null) {
      this.from = name;
      this.emit("change");
      return;
    }
    this.from = null;
    if (isArrow(tool) && from === name) {
      this.emit("change");
      return;
    }
    const properties = withMark(game.current.properties, game.board, tool, from ?? name, from && name);
    game.annotate({ properties });
  }

  /** Takes all marks of the position away. */
  clear() {
    this.from = null;
    this.game.annotate({ properties: withoutMarks(this.game.current.properties) });
  }

  /** Gives a position a comment. */
  comment(text, node) {
    this.game.annotate({ comment: text }, node);
  }

  /** Another position is shown, or another game. */
  gameChanged(kind) {
    if (kind !== "annotation") this.from = null;
    if (kind === "game") this.isOpen = false;
  }
}
