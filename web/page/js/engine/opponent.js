// The engine as a player: makes it move at the head of the game when it is its turn.

import { Emitter } from "../game/emitter.js";

/** The engine's moves appear after at least this time, so that the user sees what happened. */
const SHORTEST_THINK = 350;
const INTERVAL = 0.2;
/** The level at which the engine searches as it does for analysis. Below, it sees too little to judge a position. */
const STRONGEST = 10;

/**
 * Emits "thinking" when it starts and stops thinking, "answer" with {node, answer} of a search at full strength, and
 * "failed" with an error.
 */
export class Opponent extends Emitter {
  #request = null;
  #node = null;
  #timer = null;
  /** The node at which the engine answered with an error. It is not asked again there before `retry`. */
  #failedAt = null;

  constructor(client, game, settings) {
    super();
    this.client = client;
    this.game = game;
    this.settings = settings;
  }

  get isThinking() {
    return this.#request !== null;
  }

  /** Whether it thinks about the position at `node` so well that analysis can show its search. */
  isAnalysing(node) {
    return this.isThinking && this.#node === node && this.game.levels[this.game.toMoveAt(node)] === STRONGEST;
  }

  /** Starts or stops thinking. `position` is the engine's answer about the head, or null if it is not known yet. */
  update(position) {
    const { game } = this;
    const node = game.head;
    const isGoing = position && !position.over && !game.isOutOfTime() && !game.isHeld();
    const isTurn = isGoing && game.playerOf(position.to_move) === "engine";
    if (this.#request && (node !== this.#node || !isTurn)) this.stop();
    if (isTurn && !this.#request && node !== this.#failedAt) this.#think(node, position.to_move);
  }

  #think(node, color) {
    const started = performance.now();
    const level = this.game.levels[color];
    this.#node = node;
    const request = this.client.ask(
      () => ({
        ...this.game.query(node),
        priority: 1,
        ...(level < STRONGEST ? { level, want: ["choice"] } : { want: ["choice", "moves"], every: INTERVAL, top: 24 }),
        seconds: this.game.clock?.engineSeconds(color) ?? this.settings.get("moveSeconds"),
      }),
      { onPartial: (answer) => this.emit("answer", { node, answer }) },
    );
    this.#request = request;
    this.emit("thinking");
    request.answer.then(
      (answer) => {
        const wait = Math.max(0, SHORTEST_THINK - (performance.now() - started));
        this.#timer = setTimeout(() => this.#finish(request, node, answer), wait);
      },
      (error) => {
        this.#failedAt = node;
        this.#request = null;
        this.emit("failed", error);
        this.emit("thinking");
      },
    );
  }

  #finish(request, node, answer) {
    if (request !== this.#request) return;
    this.#request = null;
    if (answer.moves) this.emit("answer", { node, answer });
    if (answer.choice) this.game.play(answer.choice.move, node);
    this.emit("thinking");
  }

  /** Stops, and forgets a failure. */
  retry() {
    this.#failedAt = null;
    this.stop();
  }

  stop() {
    if (!this.#request) return;
    clearTimeout(this.#timer);
    this.#request.cancel();
    this.#request = null;
    this.emit("thinking");
  }
}
