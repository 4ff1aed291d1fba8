// Live analysis: keeps the engine thinking about the position on the screen, and collects what it finds.

import { Emitter } from "./emitter.js";

const INTERVAL = 0.2;
/** What the engine must be asked for, by what is drawn on the board. */
const WANTED = { policy: ["policy"], ownership: ["ownership"], threats: ["threats"] };

/** Emits "answer" with {node, answer} for each partial and final answer. */
export class Analysis extends Emitter {
  #request = null;
  #key = null;

  constructor(client, game, settings) {
    super();
    this.client = client;
    this.game = game;
    this.settings = settings;
    /** The latest answer for the position of `node`. */
    this.latest = null;
    this.node = null;
    this.isRunning = false;
  }

  /**
   * Starts, keeps or stops the search, so that it is about the position shown if `wanted`, and about nothing
   * otherwise.
   */
  update(wanted) {
    const node = this.game.current;
    const overlay = this.settings.get("overlay");
    const key = wanted ? `${node.id} ${WANTED[overlay] ?? ""}` : null;
    if (key === this.#key) return;
    this.stop();
    this.#key = key;
    if (node !== this.node) this.latest = null;
    this.node = node;
    if (!key) return;
    this.isRunning = true;
    const show = (answer) => this.#show(node, answer);
    this.#request = this.client.ask(() => ({
      ...this.game.query(node), want: ["moves", ...(WANTED[overlay] ?? [])],
      seconds: this.settings.get("analysisSeconds"), every: INTERVAL, top: 24,
    }), { onPartial: show });
    this.#request.answer.then((answer) => {
      this.isRunning = false;
      show(answer);
    }, () => {
      this.isRunning = false;
      this.emit("answer", { node, answer: null });
    });
  }

  /** Takes the answers of another search about the position shown, such as the engine's own before its move. */
  adopt(node, answer) {
    if (node !== this.game.current) return;
    this.node = node;
    this.#show(node, answer);
  }

  #show(node, answer) {
    // Parts that cost extra may come only now and then; the former ones remain until then.
    this.latest = { ...(this.latest ?? {}), ...answer };
    this.emit("answer", { node, answer: this.latest });
  }

  stop() {
    this.#request?.cancel();
    this.#request = null;
    this.#key = null;
    this.isRunning = false;
  }

  /** Stops and forgets, for another game. */
  clear() {
    this.stop();
    this.latest = null;
    this.node = null;
  }
}
