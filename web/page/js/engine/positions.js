// What the rules say about positions: legal moves, swap, end and winner. The engine knows the rules; this asks it and
// remembers the answers.

import { Emitter } from "../game/emitter.js";
import { QueryError } from "./engine-client.js";

/** Emits "known" with a node whose position has become known, and "illegal" with the node of an illegal move. */
export class Positions extends Emitter {
  #known = new Map();
  #asked = null;

  constructor(client, game) {
    super();
    this.client = client;
    this.game = game;
  }

  /** Forgets everything, for another game. */
  clear() {
    this.#known.clear();
    for (const { cancel } of this.#asked?.values() ?? []) cancel();
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
    this.#asked ??= new Map();
    if (this.#asked.has(node.id)) return;
    const request = this.client.ask({ ...this.game.query(node), want: ["position"] });
    this.#asked.set(node.id, request);
    request.answer
      .then(
        ({ position }) => this.learn(node, position),
        // Only a move that breaks the rules is illegal; an engine that is too busy says nothing about the game.
        (error) => error instanceof QueryError && error.field === "moves" && this.#takeIllegal(node, error),
      )
      .finally(() => this.#asked.delete(node.id));
  }

  /** The error says which of the moves up to a node is illegal. */
  #takeIllegal(node, { message }) {
    const index = /^moves\[(\d+)\]/.exec(message)?.[1];
    this.emit("illegal", this.game.tree.path(node)[index] ?? node);
  }
}
