// What the rules say about positions: legal moves, swap, end and winner. The engine knows the rules; this asks it and
// remembers the answers.

import { Emitter } from "../game/emitter.js";
import { retryAfter } from "./engine-client.js";

/**
 * Emits "known" with a node whose position has become known, "illegal" with the node of an illegal move, "failed" with
 * the error if the engine does not know a position, and "retry" when it may be asked again.
 */
export class Positions extends Emitter {
  #known = new Map();
  /** The requests by the ids of their nodes, also those that failed, until the engine may be asked again. */
  #asked = new Map();
  #failures = 0;

  constructor(client, game) {
    super();
    this.client = client;
    this.game = game;
  }

  /** Forgets everything, for another game. */
  clear() {
    this.#known.clear();
    for (const { cancel } of this.#asked.values()) cancel();
    this.#asked = new Map();
  }

  /** The engine's `position` at a node, or null if it is not known yet; then the engine is asked. */
  at(node) {
    const known = this.#known.get(node.id);
    if (!known) this.#ask(node);
    return known ?? null;
  }

  /** Remembers the position of an answer to another query. */
  learn(node, position) {
    if (this.#known.has(node.id)) return;
    this.#known.set(node.id, { ...position, legal: new Set(position.legal) });
    this.emit("known", node);
  }

  #ask(node) {
    if (this.#asked.has(node.id)) return;
    const request = this.client.ask({ ...this.game.query(node), want: ["position"] });
    this.#asked.set(node.id, request);
    request.answer.then(
      ({ position }) => {
        this.#asked.delete(node.id);
        this.#failures = 0;
        this.learn(node, position);
      },
      (error) => this.#fail(node, error),
    );
  }

  /**
   * Only a move that breaks the rules is illegal; an engine that is too busy says nothing about the game, and is asked
   * again. What else is wrong with a query remains wrong.
   */
  #fail(node, error) {
    if (error.field === "moves") return this.#takeIllegal(node, error);
    if (error.field === null) {
      const asked = this.#asked;
      setTimeout(() => asked.delete(node.id) && this.emit("retry"), retryAfter(this.#failures++));
    }
    return this.emit("failed", error);
  }

  /** The error says which of the moves up to a node is illegal. */
  #takeIllegal(node, { message }) {
    const index = /^moves\[(\d+)\]/.exec(message)?.[1];
    this.emit("illegal", this.game.tree.path(node)[index] ?? node);
  }
}
