// The review of a game: every position of a line is analysed, and the results are kept with the positions.

import { Emitter } from "./emitter.js";
import { betterOf, evaluationOf, mistakesOn } from "./evaluation.js";

/** Emits "progress" with {done, total} and "end" with whether the review is complete. */
export class Review extends Emitter {
  #request = null;

  constructor(client, game, settings) {
    super();
    this.client = client;
    this.game = game;
    this.settings = settings;
    this.path = [];
    this.done = 0;
    this.isComplete = false;
  }

  get isRunning() {
    return this.#request !== null;
  }

  /** Analyses the line through the position shown. */
  start() {
    this.stop();
    const { game } = this;
    const tip = game.lineTip();
    const nodes = [game.tree.root, ...game.tree.path(tip)];
    this.path = nodes.slice(1);
    this.done = 0;
    this.isComplete = false;
    const turns = nodes.map((_, i) => i);
    const request = this.client.ask(
      {
        ...game.query(tip),
        turns,
        seconds: this.settings.get("reviewSeconds"),
        want: ["moves", "position"],
        top: 5,
      },
      { onTurn: (answer) => this.#receive(nodes[answer.turn], answer) },
    );
    this.#request = request;
    this.emit("progress", { done: 0, total: nodes.length });
    request.answer.then(
      () => this.#end(request, true),
      () => this.#end(request, false),
    );
  }

  #receive(node, answer) {
    const evaluation = evaluationOf(answer);
    if (evaluation) node.evaluation = betterOf({ ...evaluation, isReviewed: true }, node.evaluation);
    this.done += 1;
    this.emit("progress", { done: this.done, total: this.path.length + 1 });
  }

  #end(request, isComplete) {
    if (request !== this.#request) return;
    this.#request = null;
    this.isComplete = isComplete;
    this.emit("end", isComplete);
  }

  stop() {
    const request = this.#request;
    if (!request) return;
    request.cancel();
    this.#end(request, false);
  }

  /** The mistakes found so far on the line through the position shown. */
  mistakes() {
    const { tree } = this.game;
    const tip = this.game.lineTip();
    return mistakesOn(tree.path(tip), this.game.stonesAt(tip).movers, tree.root);
  }
}
