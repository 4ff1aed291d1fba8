// Live analysis: keeps the engine thinking about the position on the screen, and collects what it finds.

import { Emitter } from "../game/emitter.js";
import { retryAfter } from "./engine-client.js";

const INTERVAL = 0.2;
/** Overlays that the engine draws without a search, so that they are there at once. */
const WITHOUT_SEARCH = { policy: ["policy"], race: ["frames", "distances"], threats: ["threats"] };

/**
 * Emits "answer" with {node, answer} for each partial and final answer, and "change" when a search has failed, or may be
 * tried again.
 */
export class Analysis extends Emitter {
  #requests = [];
  #key = null;
  #retryTimer = null;
  #failures = 0;

  constructor(client, game, settings) {
    super();
    this.client = client;
    this.game = game;
    this.settings = settings;
    /** The latest answer for the position of `node`. */
    this.latest = null;
    this.node = null;
    this.isRunning = false;
    /** Why the search of the position shown has failed, or null. */
    this.failure = null;
  }

  /**
   * Starts, keeps or stops the search, so that it is about the position shown if `wanted`, and about nothing
   * otherwise.
   */
  update(wanted) {
    const node = this.game.current;
    const overlay = this.settings.get("overlay");
    const extra = WITHOUT_SEARCH[overlay] ?? null;
    const key = wanted ? `${node.id} ${extra}` : null;
    if (key === this.#key) return;
    this.stop();
    this.#key = key;
    if (node !== this.node) this.latest = null;
    this.node = node;
    if (!key) return;
    if (extra) this.#ask(node, { want: extra });
    this.#search(node);
  }

  #search(node) {
    this.isRunning = true;
    const limits = { seconds: this.settings.get("analysisSeconds"), every: INTERVAL, top: 24 };
    const end = () => {
      this.isRunning = false;
      this.#failures = 0;
    };
    const search = this.#ask(node, { want: ["moves"], ...limits }, end);
    search.answer.catch((error) => this.#fail(error));
  }

  #fail(error) {
    this.isRunning = false;
    this.failure = error;
    // What is wrong with a query remains wrong.
    if (error.field === null) {
      this.#retryTimer = setTimeout(() => {
        this.stop();
        this.emit("change");
      }, retryAfter(this.#failures++));
    }
    this.emit("change");
  }

  /** Asks about the position and shows what comes; `onEnd` is called before the last answer is shown. */
  #ask(node, wanted, onEnd = () => {}) {
    const show = (answer) => this.#show(node, answer);
    const request = this.client.ask({ ...this.game.query(node), ...wanted }, { onPartial: show });
    request.answer.then(onEnd, () => {});
    request.answer.then(show, () => {});
    this.#requests.push(request);
    return request;
  }

  /** Takes the answers of another search about the position shown, such as the engine's own before its move. */
  adopt(node, answer) {
    if (node !== this.game.current) return;
    if (node !== this.node) this.latest = null;
    this.node = node;
    this.#show(node, answer);
  }

  #show(node, answer) {
    // The overlay and the search come in answers of their own.
    this.latest = { ...(this.latest ?? {}), ...answer };
    this.emit("answer", { node, answer: this.latest });
  }

  stop() {
    for (const { cancel } of this.#requests) cancel();
    clearTimeout(this.#retryTimer);
    this.#requests = [];
    this.#key = null;
    this.isRunning = false;
    this.failure = null;
  }

  /** Stops and forgets, for another game. */
  clear() {
    this.stop();
    this.latest = null;
    this.node = null;
  }
}
