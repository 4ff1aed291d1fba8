// The card of the review: its button, its progress, and the list of mistakes.

import { $, html } from "./dom.js";
import { Emitter } from "./emitter.js";
import { MARKS, moveSentence } from "./wording.js";

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

  render({ review, mistakes, tip, shows, current }) {
    const { isRunning, done, total } = review;
    this.button.textContent = isRunning ? "Stop" : "Review";
    this.progress.hidden = !isRunning;
    this.progress.value = done / total;
    this.summary.textContent = summaryOf({ review, mistakes, tip, shows, current });
    this.#renderList(mistakes);
  }

  /** The buttons are made anew only if the mistakes have changed, so that none goes away under a click. */
  #renderList(mistakes) {
    const key = mistakes.map(({ node, loss }) => `${node.id} ${Math.round(100 * loss)}`).join();
    if (key === this.#key) return;
    this.#key = key;
    this.list.replaceChildren(...mistakes.map((mistake) => this.#item(mistake)));
  }

  #item({ node, number, mover, loss, kind, better }) {
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
        html("span", { class: "mark", text: MARKS[kind], "aria-hidden": "true" }),
        html("span", { class: "visually-hidden", text: `${kind}: ` }),
        html("span", { text: `${number}. ${moveSentence(node.move, mover)}` }),
        html("span", { class: "cost", text: `−${Math.round(100 * loss)} %, better ${better}` }),
      ),
    );
  }
}

/** What the user most wants to know: about the move shown, if it was a mistake, or else about the review. */
function summaryOf({ review, mistakes, tip, shows, current }) {
  const { isRunning, isComplete, done, path } = review;
  if (isRunning && done > path.length) return "Looking for better moves…";
  if (isRunning) return `Analysing position ${done + 1} of ${path.length + 1}…`;
  if (!shows) return "The graph appears when the game is over or analysis is on.";
  const shown = mistakes.find(({ node }) => node === current);
  if (shown) return betterSentence(shown);
  if (mistakes.length) return "";
  return isComplete && path[path.length - 1] === tip ? "No mistakes found." : "Review analyses every position and marks mistakes.";
}

/** "White i9 cost 20 %. Better was h13, for example h13 j11 g14." */
function betterSentence({ node, mover, loss, better, line }) {
  const what = `${moveSentence(node.move, mover)} cost ${Math.round(100 * loss)} %.`;
  const example = line.length > 1 ? `, for example ${line.slice(0, LONGEST_LINE).join(" ")}` : "";
  return `${what} Better was ${better}${example}.`;
}
