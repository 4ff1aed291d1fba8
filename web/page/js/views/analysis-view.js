// The card of live analysis: summary and candidates.

import { $, html, setText } from "./dom.js";
import { Emitter } from "../game/emitter.js";
import { other } from "../game/stones.js";
import { lineText, moveText, playLabel } from "../game/wording.js";
import { decimal, percent, shortNumber, t } from "../language/texts.js";

const ROWS = 6;

/** Emits "hover" with a candidate's answer or null, "play" with its move, and "open" with its line. */
export class AnalysisView extends Emitter {
  constructor(root) {
    super();
    this.body = $("[data-analysis-body]", root);
    this.summary = $("[data-analysis-summary]", root);
    this.legend = $("[data-legend]", root);
    this.rows = $("[data-candidate-rows]", root);
    this.rateHead = $("[data-rate-head]", root);
    this.entries = [];
    const entryAt = (event) => this.entries[event.target.closest("tr")?.dataset.index] ?? null;
    // Not "pointerover", which also comes when rows move under a pointer that rests.
    this.rows.addEventListener("pointermove", (event) => this.emit("hover", entryAt(event)));
    this.rows.addEventListener("pointerleave", () => this.emit("hover", null));
    this.rows.addEventListener("focusin", (event) => this.emit("hover", entryAt(event)));
    this.rows.addEventListener("focusout", () => this.emit("hover", null));
    this.rows.addEventListener("click", (event) => {
      const entry = entryAt(event);
      const button = entry && event.target.closest("button");
      if (button && "openLine" in button.dataset) this.emit("open", [...entry.pv]);
      else if (button) this.emit("play", entry.move);
    });
  }

  /** Shows the answer of a search, with `message` if there is one in place of its summary, and the legend of the board. */
  render({ isOn, answer, toMove, isRunning, message, legend }) {
    this.body.hidden = !isOn;
    if (!isOn) return;
    setText(this.legend, legend);
    this.rateHead.textContent = t("analysis.player-wins", { player: toMove });
    this.entries = (answer?.moves ?? []).slice(0, ROWS);
    this.summary.textContent = message ?? summaryOf(answer, toMove, isRunning);
    this.#renderRows();
  }

  /** Rows are changed in place, so that a button under the pointer or with the focus stays. */
  #renderRows() {
    while (this.rows.children.length > this.entries.length) this.rows.lastChild.remove();
    this.entries.forEach((entry, i) => {
      const row = this.rows.children[i] ?? this.rows.appendChild(emptyRow(i));
      const [button, rate, visits, line] = [row.querySelector("button"), ...[...row.children].slice(1)];
      button.textContent = moveText(entry.move);
      button.setAttribute("aria-label", playLabel(entry.move));
      row.dataset.candidate = entry.move;
      rate.textContent =
        (entry.verdict && t(`verdict.${entry.verdict}`)) ??
        (typeof entry.win_rate === "number" ? percent(entry.win_rate) : "–");
      rate.classList.toggle("verdict", Boolean(entry.verdict));
      visits.textContent = shortNumber(entry.visits);
      const open = line.firstChild;
      const text = lineText((entry.pv ?? []).slice(1));
      setText(open.firstChild, text);
      open.hidden = !text;
      open.setAttribute("aria-label", t("line.open", { line: lineText(entry.pv ?? []) }));
    });
  }
}

function emptyRow(index) {
  return html(
    "tr",
    { "data-index": index },
    html("td", {}, html("button", { type: "button", class: "small" })),
    html("td"),
    html("td"),
    html(
      "td",
      { class: "line-text" },
      html("button", { type: "button", class: "small quiet", "data-open-line": "" }, html("span")),
    ),
  );
}

function summaryOf(answer, player, isRunning) {
  const { win_rate: rate, verdict, simulations, seconds } = answer;
  const chance = verdict ? provenText(answer, player) : t("analysis.chance", { player, rate });
  const effort = { simulations: shortNumber(simulations), seconds: decimal(seconds ?? 0, 1) };
  const speed = simulations > 0 ? [t("analysis.effort", effort)] : [];
  return [chance, ...speed, ...(isRunning ? [] : [t("analysis.done")])].join(" · ");
}

/** "Proven loss for White: Black needs at most 7 more moves". */
function provenText({ verdict, moves_to_win: moves }, player) {
  const result = t("analysis.proven", { verdict, player });
  if (!moves) return result;
  const winner = verdict === "win" ? player : other(player);
  return t("analysis.proven-moves", { result, player: winner, moves });
}
