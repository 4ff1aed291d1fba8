// The card of the review: its button, its progress, and what it has found.

import { t } from "../language/texts.js";
import { $, html, setText } from "./dom.js";
import { Emitter } from "../game/emitter.js";
import { MARKS, findingSentence } from "../game/wording.js";

/** How many findings are shown at once if none of them decided the game. */
const FIRST = 3;

/** Emits "go" with the id of the node of a finding that was clicked. */
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
  render({ review, findings, shows, missing, shown }) {
    const { isRunning, done, total } = review;
    this.button.textContent = t(isRunning ? "review.stop" : "review.start");
    this.progress.hidden = !isRunning;
    this.progress.value = done / total;
    setText(this.summary, summaryOf({ review, findings, shows }));
    setText(this.missing, missing ? missingSentence(missing) : "");
    this.missing.hidden = !missing;
    this.files.hidden = !(shows && review.isWhole());
    this.#renderLists(findings);
    for (const item of [...this.first.children, ...this.more.children]) {
      if (Number(item.dataset.of) === shown?.node.id) item.firstChild.setAttribute("aria-current", "true");
      else item.firstChild.removeAttribute("aria-current");
    }
  }

  /** The buttons are made anew only if the findings have changed, so that none loses the focus. */
  #renderLists(findings) {
    const key = findings.map(({ node, loss, text }) => `${node.id} ${Math.round(100 * loss)} ${text}`).join();
    if (key === this.#key) return;
    this.#key = key;
    const items = findings.map((finding) => this.#item(finding));
    const isComplete = findings.some(({ text }) => text);
    const focused = document.activeElement?.closest("[data-mistake]")?.dataset.of;
    const count = isComplete ? findings.filter(({ decisive }) => decisive).length || FIRST : findings.length;
    this.first.replaceChildren(...items.slice(0, count));
    this.first.hidden = items.length === 0;
    this.more.replaceChildren(...items.slice(count));
    const rest = items.length - count;
    const details = this.more.parentElement;
    details.hidden = rest <= 0;
    details.open = false;
    if (focused) $(`[data-of="${focused}"] button`, this.first.parentElement)?.focus();
    if (rest > 0) $("summary", details).textContent = t("review.more", { findings: rest });
  }

  #item(finding) {
    const { node, kind, loss } = finding;
    return html(
      "li",
      { "data-mistake": kind, "data-of": node.id },
      html(
        "button",
        { type: "button", class: kind, onclick: () => this.emit("go", node.id) },
        html("span", { class: "mark", text: MARKS[kind], "aria-hidden": "true" }),
        html("span", { class: "visually-hidden", text: `${t(`mistake.${kind}`)}: ` }),
        html("span", { text: findingSentence(finding) }),
        html("span", { class: "cost", text: `−${t("percent", { value: Math.round(100 * loss) })}` }),
      ),
    );
  }
}

/** What the list below is, or where the review is. */
function summaryOf({ review, findings, shows }) {
  const { isRunning, done, path } = review;
  if (isRunning && done > path.length) return t("review.looking");
  if (isRunning) return t("review.analysing", { position: done + 1, positions: path.length + 1 });
  if (!shows) return t("review.hidden");
  if (findings.some(({ decisive }) => decisive)) return t("review.decided");
  if (findings.some(({ text }) => text) && findings.length > FIRST) return t("review.largest");
  if (findings.length) return t("review.mistakes");
  if (review.isWhole()) return t("review.none");
  return t("review.explained");
}

/** "Stones that are missing: White bridge 3, fork 4; Black fork 5." A structure that has become impossible is left out. */
function missingSentence(missing) {
  const of = (color) => {
    const known = Object.entries(missing[color]).filter(([, count]) => Number.isInteger(count));
    if (known.length === 0) return t("review.missing.none");
    return known.map(([structure, stones]) => t("review.missing.structure", { structure, stones })).join(", ");
  };
  return t("review.missing", { white: of("white"), black: of("black") });
}
