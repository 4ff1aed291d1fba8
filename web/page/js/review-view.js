// The card of the review: its button, its progress, and the list of mistakes.

import { $, html } from "./dom.js";
import { Emitter } from "./emitter.js";
import { moveSentence } from "./wording.js";

/** Moves of a better line that are shown. */
const LONGEST_LINE = 7;

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

  render({ review, mistakes, line, shows, current }) {
    const { isRunning, done } = review;
    this.button.textContent = isRunning ? "Stop" : "Review";
    this.progress.hidden = !isRunning;
    this.progress.value = review.path.length ? done / (review.path.length + 1) : 0;
    this.summary.textContent = summaryOf({ review, mistakes, line, shows, current });
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

/** What the user most wants to know: about the move shown, if it was a mistake, or else about the review. */
function summaryOf({ review, mistakes, line, shows, current }) {
  const { isRunning, isComplete, done, path } = review;
  if (isRunning) return `Analysing position ${Math.min(done + 1, path.length + 1)} of ${path.length + 1}…`;
  if (!shows) return "The graph appears when the game is over or analysis is on.";
  const shown = mistakes.find(({ node }) => node === current);
  if (shown) return betterSentence(shown);
  if (mistakes.length) return "";
  const isReviewed = isComplete && path[path.length - 1] === line[line.length - 1];
  return isReviewed ? "No mistakes found." : "Review analyses every position and marks mistakes.";
}

/** "White i9 cost 20 %. Better was h13, for example h13 j11 g14." */
function betterSentence({ node, before, mover, loss }) {
  const { best, pv } = before.evaluation;
  const what = `${moveSentence(node.move, mover)} cost ${Math.round(100 * loss)} %.`;
  if (!best) return what;
  return `${what} Better was ${best}${pv.length > 1 ? `, for example ${pv.slice(0, LONGEST_LINE).join(" ")}` : ""}.`;
}
