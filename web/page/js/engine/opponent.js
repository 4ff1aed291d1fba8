// The engine as a player: makes it move at the head of the game when it is its turn.

import { Emitter } from "../game/emitter.js";
import { STRONGEST } from "../game/levels.js";
import { retryAfter } from "./engine-client.js";

/** The engine's moves appear after at least this time, so that the user sees what happened. */
const SHORTEST_THINK = 350;
const INTERVAL = 0.2;

/**
 * Emits "thinking" when it starts and stops thinking, "analysing" with the node before it starts a search at full
 * strength, "answer" with {node, answer} of such a search, and "failed" with an error.
 */
export class Opponent extends Emitter {
  #request = null;
  #node = null;
  #timer = null;
  #retryTimer = null;
  /** The node at which the engine answered with an error. It is asked again there after a while, or after `retry`. */
  #failedAt = null;
  #failures = 0;

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
    if (this.#failedAt && node !== this.#failedAt) this.#forgetFailure();
    if (isTurn && !this.#request && node !== this.#failedAt) this.#think(node, position.to_move);
  }

  #think(node, color) {
    const started = performance.now();
    const level = this.game.levels[color];
    this.#node = node;
    if (level === STRONGEST) this.emit("analysing", node);
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
        this.#request = null;
        this.#fail(node, error);
      },
    );
  }

  #finish(request, node, answer) {
    if (request !== this.#request) return;
    this.#request = null;
    this.#forgetFailure();
    if (answer.moves) this.emit("answer", { node, answer });
    if (answer.choice) this.game.play(answer.choice.move, node);
    this.emit("thinking");
  }

  #fail(node, error) {
    this.#failedAt = node;
    // What is wrong with a query remains wrong.
    if (error.field === null) {
      this.#retryTimer = setTimeout(() => {
        this.#failedAt = null;
        this.emit("thinking");
      }, retryAfter(this.#failures++));
    }
    this.emit("failed", error);
    this.emit("thinking");
  }

  #forgetFailure() {
    clearTimeout(this.#retryTimer);
    this.#failedAt = null;
    this.#failures = 0;
  }

  /** Stops, and forgets a failure. */
  retry() {
    this.#forgetFailure();
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
