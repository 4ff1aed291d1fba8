// The card of the review: its button, its progress, and the list of mistakes.

import { $, html } from "./dom.js";
import { Emitter } from "./emitter.js";
import { moveSentence } from "./wording.js";

/** Emits "go" with the node of a mistake that was clicked. */
export class ReviewView extends Emitter {
  #key = "";

  constructor(root) {
    super();
    this.button = $("[data-review-label]", root);
    this.progress = $("[data-review-progress]", root);
    this.summary = $("[data-review-summary]", root);
    this.list = $("[data-mistakes]", root);
  }

  render({ review, mistakes, line, shows }) {
    const { isRunning, done } = review;
    this.button.textContent = isRunning ? "Stop" : "Review";
    this.progress.hidden = !isRunning;
    this.progress.value = review.path.length ? done / (review.path.length + 1) : 0;
    this.summary.textContent = summaryOf(review, mistakes, line, shows);
    this.#renderList(mistakes, line);
  }

  /** The buttons are made anew only if the mistakes have changed, so that none goes away under a click. */
  #renderList(mistakes, line) {
    const key = mistakes.map(({ node, loss }) => `${node.id} ${Math.round(100 * loss)}`).join();
    if (key === this.#key) return;
    this.#key = key;
    this.list.replaceChildren(...mistakes.map((mistake) => this.#item(mistake, line.indexOf(mistake.node) + 1)));
  }

  #item({ node, before, mover, loss, kind, mark, label }, number) {
    const better = before.evaluation.best ? `better ${before.evaluation.best}` : "";
    return html(
      "li",
      { "data-mistake": kind },
      html(
        "button",
        {
          type: "button",
          class: kind,
          onclick: () => this.emit("go", node),
        },
        html("span", { class: "mark", text: mark, "aria-hidden": "true" }),
        html("span", { class: "visually-hidden", text: `${label}: ` }),
        html("span", { text: `${number}. ${moveSentence(node.move, mover)}` }),
        html("span", { class: "cost", text: [`−${Math.round(100 * loss)} %`, better].filter(Boolean).join(", ") }),
      ),
    );
  }
}

function summaryOf({ isRunning, isComplete, done, path }, mistakes, line, shows) {
  if (isRunning) return `Analysing position ${Math.min(done + 1, path.length + 1)} of ${path.length + 1}…`;
  if (!shows) return "The graph appears when the game is over or analysis is on.";
  if (mistakes.length) return "";
  const isReviewed = isComplete && path[path.length - 1] === line[line.length - 1];
  return isReviewed ? "No mistakes found." : "Review analyses every position and marks mistakes.";
}
