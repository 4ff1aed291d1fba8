// The game of this tab: its tree, which position is shown, who plays, the clocks.
//
// `current` is the position on the screen. `head` is the end of the game that is being played: only there does the
// engine move, and only there do the clocks run. The user can look at earlier positions while the game goes on.

import { Clock } from "./clock.js";
import { Emitter } from "./emitter.js";
import { Geometry } from "./geometry.js";
import { toFragment, toGameFragment } from "./link.js";
import { BLACK, WHITE, other, play } from "./stones.js";
import { GameTree } from "./tree.js";

/** Who plays which colour, by the choice in the dialog: "human" or "engine". */
export const SEATS = {
  white: { white: "human", black: "engine" },
  black: { white: "engine", black: "human" },
  both: { white: "human", black: "human" },
  neither: { white: "engine", black: "engine" },
};

/** The seats of a choice in the dialog: those it names, or the user's colour by lot. */
export function seatsOf(choice) {
  if (choice !== "random") return choice;
  return Math.random() < 0.5 ? WHITE : BLACK;
}

/** The id of a new game, or of anything else that is like no other. */
export function newId() {
  return crypto.getRandomValues(new Uint32Array(2)).join("-");
}

/** Emits "change" with the kind of change, and "leave" before another game takes the place of this one. */
export class Game extends Emitter {
  /** Without an engine: the clocks when the last position of a line was left to look back. */
  #left = new WeakMap();
  /** The end of the moves that were taken back last. */
  #undone = null;

  /**
   * `start` is {side, swap, setup: {white, black, first}, seats: "white" | "black" | "both" | "neither", level: that of
   * the engine, or levels: {white, black}, clock: null | {main, increment} in milliseconds, names: {white, black},
   * counts: whether the result changes the level of the next game, isPaused: whether the engine waits where it plays
   * both colours}.
   */
  constructor(start) {
    super();
    this.reset(start, new GameTree());
  }

  reset(
    { side, swap = false, setup = {}, seats = "both", clock = null, names = {}, counts = false, ...kept },
    tree = new GameTree(),
  ) {
    const { id = newId(), revision = 0, level = 1, levels = { white: level, black: level }, isPaused = false } = kept;
    /** The game in the library; `revision` is how often it was written there. */
    this.id = id;
    this.revision = revision;
    this.side = side;
    this.board = Geometry.of(side);
    this.swap = swap;
    this.setup = { white: setup.white ?? [], black: setup.black ?? [], first: setup.first ?? WHITE };
    this.seats = seats;
    /** The seats with which a game against the engine was played to its end before others went on from it, or null. */
    this.playedAs = kept.playedAs ?? null;
    /** The engine's level as each colour. */
    this.levels = { ...levels };
    this.names = names;
    this.counts = counts;
    this.isPaused = isPaused;
    /** Whether the engine may play one move during the pause. */
    this.isStepping = false;
    this.tree = tree;
    this.current = tree.root;
    this.head = tree.root;
    this.clock = clock && new Clock(clock);
    this.flag = null;
    this.#undone = null;
  }

  /** Starts another game in place of this one, and shows the position at a node of its tree. */
  start(options, tree = new GameTree(), shown = tree.root) {
    this.emit("leave");
    this.reset(options, tree);
    this.#setCurrent(shown);
    this.emit("change", "game");
  }

  /** The stones after the moves to `node`, as `play` returns them. */
  stonesAt(node = this.current) {
    return play(this.setup, this.tree.moves(node));
  }

  toMoveAt(node = this.current) {
    return this.stonesAt(node).toMove;
  }

  /** "human" or "engine". */
  playerOf(color) {
    return SEATS[this.seats][color];
  }

  /** The seats of the players whose game this is. */
  ownSeats() {
    return this.playedAs ?? this.seats;
  }

  /** The engine's level: where it plays both colours, White's. */
  get level() {
    return this.levels[this.seats === WHITE ? BLACK : WHITE];
  }

  /** Whether the engine plays itself and waits for the user. */
  isHeld() {
    return this.seats === "neither" && this.isPaused && !this.isStepping;
  }

  /** Lets the engine, which plays itself, wait or go on. */
  pause(isPaused) {
    this.isPaused = isPaused;
    this.isStepping = false;
    this.emit("change", "pause");
  }

  /** Lets the engine, which plays itself, make one move and then wait. */
  step() {
    this.isPaused = true;
    this.isStepping = true;
    this.emit("change", "pause");
  }

  /** The colour that the user plays against the engine, or null: also where nobody has moved yet. */
  userColor() {
    // The result of a game is that of its own players.
    const seats = this.head === this.tree.tip() ? this.ownSeats() : this.seats;
    return this.head.parent && this.hasEngine() && seats !== "neither" ? seats : null;
  }

  hasEngine() {
    return this.seats !== "both";
  }

  /** Whether the colour to move at the head lost on time. */
  isOutOfTime() {
    return this.flag !== null;
  }

  /** How the game ended at `node` if it did not end on the board, as {winner, by}, or null. */
  statedResult(node) {
    if (node === this.head && this.flag) return { winner: other(this.flag), by: ["time"] };
    return node.result;
  }

  /** Whether a human may move in the position shown. */
  isHumanTurn() {
    if (this.current === this.head && this.flag) return false;
    return this.playerOf(this.toMoveAt()) === "human";
  }

  /** What the engine must be told about the position at `node`. */
  query(node = this.current) {
    const { white, black, first } = this.setup;
    return {
      side: this.side,
      swap: this.swap,
      moves: this.tree.moves(node),
      ...(white.length && { white }),
      ...(black.length && { black }),
      ...(first !== WHITE && { first }),
    };
  }

  /** Plays a move in the position at `from`. The head follows if it was there, and so does the position shown. */
  play(move, from = this.current) {
    const mover = this.toMoveAt(from);
    const count = this.tree.nodes.size;
    const node = this.tree.play(from, move);
    if (this.tree.nodes.size > count || node.isAdded) {
      node.isOwn = true;
      if (this.hasEngine()) node.isPlayed = true;
    }
    node.isAdded = false;
    // Whoever goes on from moves has not taken them back.
    for (const each of this.tree.path(node)) each.isTakenBack = false;
    const wasShown = this.current === from;
    if (from === this.head || wasShown) this.#moveHead(from, node, mover);
    if (wasShown) this.current = node;
    this.emit("change", "move");
    return node;
  }

  #moveHead(from, node, mover) {
    if (this.clock) {
      if (from !== this.head) this.#restoreClock(from);
      this.clock.moved(mover);
      node.clock = this.clock.snapshot();
      this.#left.delete(node);
    }
    this.head = node;
    this.flag = null;
    this.isStepping = false;
  }

  /** Shows the position at `node`. */
  show(node) {
    if (node === this.current) return;
    // Who looks back without an engine, and returns, has no more time than before.
    const { head, clock } = this;
    if (!this.hasEngine() && clock && head.parent && !head.children.length) this.#left.set(head, clock.snapshot());
    this.#setCurrent(node);
    this.emit("change", "show");
  }

  #setCurrent(node) {
    this.current = node;
    // Where nobody plays against the engine there is no game to return to: the position shown is the game.
    if (!this.hasEngine()) this.#setHead(node);
  }

  #setHead(node) {
    this.head = node;
    this.flag = null;
    if (this.clock) this.#restoreClock(node);
  }

  /**
   * Gives the clocks what they had when `node` was left to look back, else at `node`, or before it if its move was not
   * played.
   */
  #restoreClock(node) {
    const start = { [WHITE]: this.clock.main, [BLACK]: this.clock.main };
    const last = this.tree.path(node).findLast(({ clock }) => clock);
    this.clock.restore(this.#left.get(node) ?? last?.clock ?? start);
  }

  /** Takes back moves until it is a human's turn again. The moves remain in the tree. */
  undo() {
    const [from, target] = [this.head, this.undoTarget()];
    if (!target) return;
    if (!this.#undone || !this.tree.isBelow(this.#undone, from)) this.#undone = from;
    // Of games of earlier versions, only moves with clocks are known to have been played here.
    for (let node = from; node !== target; node = node.parent) node.isTakenBack = node.isOwn || node.clock !== null;
    this.#goTo(target, "undo");
  }

  #goTo(node, kind) {
    if (!node) return;
    // Else the engine would play on at once.
    if (this.seats === "neither") this.isPaused = true;
    this.#setHead(node);
    this.current = node;
    this.emit("change", kind);
  }

  undoTarget() {
    let node = this.head.parent;
    if (this.seats === "neither" || !node) return node;
    while (node.parent && this.playerOf(this.toMoveAt(node)) !== "human") node = node.parent;
    return this.playerOf(this.toMoveAt(node)) === "human" ? node : null;
  }

  /** Plays moves that were taken back again, until it is a human's turn or the line ends. */
  redo() {
    const [from, target] = [this.head, this.redoTarget()];
    if (!target) return;
    for (let node = target; node !== from; node = node.parent) node.isTakenBack = false;
    this.#goTo(target, "redo");
  }

  redoTarget() {
    let node = this.#nextOf(this.head);
    if (!node) return null;
    while (this.seats !== "neither" && node.children.length && this.playerOf(this.toMoveAt(node)) !== "human") {
      node = this.#nextOf(node);
    }
    return node;
  }

  /** The child of a node that was taken back last, else the first one. */
  #nextOf(node) {
    const undone = this.tree.nodes.has(this.#undone?.id) ? this.#undone : null;
    return node.children.find((child) => undone && this.tree.isBelow(undone, child)) ?? node.children[0];
  }

  /** Lets other players go on from the position shown. The game keeps its players if it has ended (`isOver`). */
  setSeats(seats, isOver = false) {
    if (isOver && this.hasEngine()) this.playedAs ??= this.seats;
    this.seats = seats;
    this.counts = false;
    if (this.head !== this.current) this.#setHead(this.current);
    this.emit("change", "seats");
  }

  /** Lets these players go on from the position at `node`, while another one may be shown. */
  playFrom(node, seats, shown = node) {
    this.seats = seats;
    this.counts = false;
    this.#setHead(node);
    this.#setCurrent(shown);
    this.emit("change", "seats");
  }

  /** Goes on from here with what the game had before an attempt. */
  goOn({ seats, levels, clock, playedAs }) {
    Object.assign(this, { seats, levels, clock, playedAs });
    // Else the engine would play on at once.
    if (seats === "neither") this.isPaused = true;
    // The clocks are those of this position.
    this.#setHead(this.hasEngine() ? this.head : this.current);
  }

  /** Sets the engine's level, as both colours or as one. */
  setLevel(level, color = null) {
    this.levels = color ? { ...this.levels, [color]: level } : { white: level, black: level };
    this.emit("change", "level");
  }

  /** The player to move at the head has no time left. */
  loseOnTime(color) {
    this.flag = color;
    // Also for who looks back.
    this.head.result = { winner: other(color), by: ["time"] };
    this.clock?.pause();
    this.emit("change", "flag");
  }

  /** Gives a position, that which is shown or another one, a new `comment` or new `properties`; null for none. */
  annotate(changes, node = this.current) {
    Object.assign(node, changes);
    this.emit("change", "annotation");
  }

  /** Puts moves into the tree from the position shown, which stays. Returns how many are new. */
  addLine(moves) {
    const before = new Set(this.tree.nodes.keys());
    const added = this.tree.path(this.tree.playAll(moves, this.current)).filter(({ id }) => !before.has(id));
    for (const node of added) node.isAdded = true;
    this.emit("change", "tree");
    return added.length;
  }

  promote(node) {
    for (const each of this.tree.path(node)) each.isAdded = each.isTakenBack = false;
    this.tree.promote(node);
    this.emit("change", "tree");
  }

  /** Deletes a move and what follows. A position that goes away gives way to the one before. */
  remove(node) {
    const parent = this.tree.remove(node);
    if (!this.tree.nodes.has(this.head.id)) this.#setHead(parent);
    if (!this.tree.nodes.has(this.current.id)) this.current = parent;
    this.emit("change", "tree");
  }

  /** The end of the game: the moves after a loss on time were taken back before it. */
  end() {
    return this.flag ? this.head : this.tree.tip();
  }

  /** The end of the line through the position shown. */
  lineTip() {
    return this.tree.tip(this.current);
  }

  /** The link to the position shown, as a URL fragment. */
  fragment() {
    const { side, swap, setup } = this;
    return toFragment({ side, swap, setup, moves: this.tree.moves(this.current) });
  }

  /** The link to the whole game, with the position shown, as a URL fragment. */
  gameFragment() {
    const { side, swap, setup, tree, names } = this;
    return toGameFragment({ side, swap, setup, tree, names }, this.current);
  }

  toJSON() {
    const { id, revision, side, swap, setup, seats, playedAs, levels, isPaused, names, counts, flag } = this;
    return {
      id,
      revision,
      side,
      swap,
      setup,
      seats,
      playedAs,
      levels,
      isPaused,
      names,
      counts,
      flag,
      tree: this.tree.toJSON(),
      current: this.current.id,
      head: this.head.id,
      clock: this.clock?.toJSON() ?? null,
    };
  }

  /**
   * Takes up a game from `toJSON`, and shows the position after `moves` if they are given. Returns false, and changes
   * nothing, if the game does not have that position.
   */
  restore(stored, moves = null) {
    const tree = GameTree.fromJSON(stored.tree);
    const last = tree.byStoredId.get(stored.current);
    const shown = moves ? tree.find(moves) : last;
    if (!shown) return false;
    this.emit("leave");
    this.reset(stored, tree);
    this.current = last;
    this.head = tree.byStoredId.get(stored.head);
    this.flag = stored.flag ?? null;
    if (this.clock) this.clock.restore(stored.clock.left);
    if (shown !== last) this.#setCurrent(shown);
    this.emit("change", "game");
    return true;
  }
}
