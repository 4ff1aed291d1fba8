// The card of the review: its button, its progress, and what it has found.

import { $, html, setText } from "./dom.js";
import { Emitter } from "../game/emitter.js";
import { MARKS, findingSentence } from "../game/wording.js";

/** How many findings are shown at once if none of them decided the game. */
const FIRST = 3;

/** Emits "go" with the index of a finding that was clicked. */
export class ReviewView extends Emitter {
  #key = "";

  constructor(root) {
    super();
    this.button = $("[data-review-label]", root);
    this.progress = $("[data-review-progress]", root);
    this.summary = $("[data-review-summary]", root);
    this.first = $("[data-findings]", root);
    this.more = $("[data-more-findings]", root);
    this.missing = $("[data-missing]", root);
    this.files = $("[data-review-files]", root);
  }

  /**
   * `findings` as `Review.findings` has them, `shown` the one that is on the board, `missing` what each player lacks
   * for each structure in the position shown, or null.
   */
  render({ review, findings, tip, shows, missing, shown }) {
    const { isRunning, done, total } = review;
    this.button.textContent = isRunning ? "Stop" : "Review";
    this.progress.hidden = !isRunning;
    this.progress.value = done / total;
    setText(this.summary, summaryOf({ review, findings, tip, shows }));
    setText(this.missing, missing ? missingSentence(missing) : "");
    this.missing.hidden = !missing;
    this.files.hidden = !(shows && review.isWhole());
    this.#renderLists(findings);
    const current = shown && findings.findIndex(({ node }) => node === shown.node);
    for (const button of [...this.first.children, ...this.more.children].map((item) => item.firstChild)) {
      if (Number(button.dataset.index) === current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** The buttons are made anew only if the findings have changed, so that none goes away under a click. */
  #renderLists(findings) {
    const key = findings.map(({ node, loss, text }) => `${node.id} ${Math.round(100 * loss)} ${text}`).join();
    if (key === this.#key) return;
    this.#key = key;
    const items = findings.map((finding, i) => this.#item(finding, i));
    const isComplete = findings.some(({ text }) => text);
    const count = isComplete ? findings.filter(({ decisive }) => decisive).length || FIRST : findings.length;
    this.first.replaceChildren(...items.slice(0, count));
    this.more.replaceChildren(...items.slice(count));
    const rest = items.length - count;
    const details = this.more.parentElement;
    details.hidden = rest <= 0;
    details.open = false;
    $("summary", details).textContent = rest === 1 ? "One more finding" : `${rest} more findings`;
  }

  #item(finding, index) {
    const { kind, loss } = finding;
    return html(
      "li",
      { "data-mistake": kind },
      html(
        "button",
        { type: "button", class: kind, "data-index": index, onclick: () => this.emit("go", index) },
        html("span", { class: "mark", text: MARKS[kind], "aria-hidden": "true" }),
        html("span", { class: "visually-hidden", text: `${kind}: ` }),
        html("span", { text: findingSentence(finding) }),
        html("span", { class: "cost", text: `−${Math.round(100 * loss)} %` }),
      ),
    );
  }
}

/** What the list below is, or where the review is. */
function summaryOf({ review, findings, tip, shows }) {
  const { isRunning, isComplete, done, path } = review;
  if (isRunning && done > path.length) return "Looking for better moves…";
  if (isRunning) return `Analysing position ${done + 1} of ${path.length + 1}…`;
  if (!shows) return "The graph appears when the game is over or analysis is on.";
  if (findings.some(({ decisive }) => decisive)) return "What decided the game:";
  if (findings.some(({ text }) => text) && findings.length > FIRST) return "Largest mistakes:";
  if (findings.length) return "Mistakes:";
  if (isComplete && path.at(-1) === tip) return "No mistakes found.";
  return "Review analyses every position and marks mistakes.";
}

/** "Stones that are missing: White bridge 3, fork 4; Black fork 5." A structure that has become impossible is left out. */
function missingSentence(missing) {
  const of = (color) => {
    const known = Object.entries(missing[color]).filter(([, count]) => Number.isInteger(count));
    return known.length ? known.map(([structure, count]) => `${structure} ${count}`).join(", ") : "none is possible";
  };
  return `Stones that are missing. White: ${of("white")}. Black: ${of("black")}.`;
}
