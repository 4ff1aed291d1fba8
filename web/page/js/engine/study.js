// A finding of the review on the board: the position before the mistake, the better line stone by stone, and an attempt
// to do better against the engine.

import { Emitter } from "../game/emitter.js";
import { STRONGEST } from "../game/levels.js";
import { WHITE, isStone, splitMove } from "../game/stones.js";
import { AS_GOOD } from "./attempt.js";
import { lineStones } from "./notes.js";

/** Emits "change" when it shows something else. */
export class Study extends Emitter {
  /** The game as it was before the attempt, or null. */
  #before = null;

  constructor(game) {
    super();
    this.game = game;
    /** The finding that is shown, as `Review.findings` has it, or null. */
    this.finding = null;
    /** How many stones of the better line are shown. */
    this.step = 0;
  }

  get isTrying() {
    return this.#before !== null;
  }

  /** The stones of the better line, as the board draws them. */
  get line() {
    return this.finding ? lineStones(this.finding.line, this.finding.mover) : [];
  }

  /** Shows a finding, with the better move. */
  open(finding) {
    this.finish();
    this.finding = finding;
    this.step = Math.min(1, this.line.length);
    this.game.show(finding.node.parent);
    this.emit("change");
  }

  close() {
    this.finish();
    this.finding = null;
    this.emit("change");
  }

  /** Shows more or fewer stones of the better line. */
  move(by) {
    this.step = Math.max(0, Math.min(this.line.length, this.step + by));
    this.emit("change");
  }

  /**
   * Lets the user play the player of the mistake against the engine at full strength, from the position before it,
   * without clocks.
   */
  try() {
    const { game, finding } = this;
    const { seats, head, flag, clock, counts, levels, playedAs } = game;
    const takenBack = this.#path().filter((node) => node.isTakenBack);
    this.#before = { seats, head, flag, clock, counts, levels, playedAs, takenBack };
    game.clock = null;
    game.levels = { white: STRONGEST, black: STRONGEST };
    game.playFrom(finding.node.parent, finding.mover);
    this.emit("change");
  }

  /** The moves that lead to the position of the finding. */
  #path() {
    return this.game.tree.path(this.finding.node.parent);
  }

  /** The user's move in the attempt, as a node, or null. */
  #tried() {
    const { game, finding } = this;
    const line = this.isTrying ? game.tree.path(game.head) : [];
    return line.find((node) => node.parent === finding.node.parent) ?? null;
  }

  /**
   * What the attempt's move is worth, once the engine has judged it: {move, kind, chance, better, betterChance}, where
   * kind is "better" (the better move itself), "played" (the move of the game), "good" or "worse".
   */
  verdict() {
    const { finding } = this;
    const tried = this.#tried();
    if (!tried) return null;
    const move = splitMove(tried.move).action;
    const own = (evaluation) => (finding.mover === WHITE ? evaluation.white : 1 - evaluation.white);
    const { better, better_chance: chance, evaluation } = finding.node.mistake;
    const betterChance = evaluation ? own(evaluation) : chance;
    if (move === better) return { move, kind: "better", better, betterChance };
    if (tried === finding.node) return { move, kind: "played", better, betterChance };
    if (!tried.evaluation) return null;
    const triedChance = own(tried.evaluation);
    const kind = triedChance >= betterChance - AS_GOOD ? "good" : "worse";
    return { move, kind, chance: triedChance, better, betterChance };
  }

  /** Goes back from an attempt to the finding. What was played remains in the tree. */
  finish() {
    if (!this.#before) return;
    const { game, finding } = this;
    const { seats, head, flag, clock, counts, levels, takenBack } = this.#before;
    this.#before = null;
    for (const node of this.#path()) node.isTakenBack = takenBack.includes(node);
    game.clock = clock;
    game.levels = levels;
    game.playFrom(head, seats, finding.node.parent);
    game.flag = flag;
    game.counts = counts;
    this.emit("change");
  }

  /** The game in the form of `Game.toJSON`, as it is after an attempt that is going on. */
  gameToKeep() {
    const stored = this.game.toJSON();
    if (!this.#before) return stored;
    const { seats, head, flag, clock, counts, levels } = this.#before;
    const current = this.finding.node.parent.id;
    return { ...stored, seats, flag, counts, levels, current, head: head.id, clock: clock?.toJSON() ?? null };
  }

  /** The game has changed: what is shown ends when the user leaves or deletes its position, or starts another game. */
  gameChanged(kind) {
    const { game, finding } = this;
    if (!finding) return;
    const isElsewhere = this.isTrying ? game.seats !== finding.mover : game.current !== finding.node.parent;
    const needed = [finding.node, this.#before?.head ?? finding.node];
    const isDeleted = needed.some((node) => game.tree.nodes.get(node.id) !== node);
    if (kind !== "game" && !isElsewhere && !isDeleted) return;
    if (kind !== "game" && this.isTrying) this.#forgetAttempt(isElsewhere);
    this.#before = null;
    this.finding = null;
    this.emit("change");
  }

  /** The game goes on from where the attempt is left, for its own players or for others whom the user has chosen. */
  #forgetAttempt(hasOthers) {
    const { game } = this;
    const { seats, clock, levels, playedAs } = this.#before;
    // Those of the attempt have not played the game.
    const own = seats === "both" ? null : seats;
    const players = game.playedAs === playedAs ? playedAs : own;
    game.goOn({ seats: hasOthers ? game.seats : seats, levels, clock, playedAs: players });
  }

  /** The stones of the better line that are shown. */
  stones() {
    return this.line.slice(0, this.step);
  }

  /** What the board shows of the finding: {line, marks}. */
  picture() {
    const { finding } = this;
    if (!finding || this.isTrying) return { line: [], marks: {} };
    const marks = { ...finding.reason?.marks };
    if (isStone(finding.played)) marks[finding.played] = "cross";
    return { line: this.stones(), marks };
  }
}
