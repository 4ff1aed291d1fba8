// The card of a line that is opened: its moves, the steps through it, and what puts it into the game.

import { moveText } from "../game/wording.js";
import { t } from "../language/texts.js";
import { $, html, icon, setText } from "./dom.js";
import { placeBesideBoard } from "./place.js";

export class LineView {
  constructor() {
    this.moves = html("p", { class: "line-moves", "data-line-moves": "" });
    this.steps = html("output", { "data-line-steps": "" });
    this.root = html(
      "section",
      { class: "card finding", "aria-label": t("line.title"), "data-line-card": "", hidden: true },
      html(
        "div",
        { class: "finding-head" },
        html("h2", { text: t("line.title") }),
        button("close-line", t("line.close"), "close"),
      ),
      this.moves,
      html(
        "div",
        { class: "finding-actions" },
        html(
          "span",
          { class: "steps", role: "group", "aria-label": t("line.steps") },
          button("line-back", t("finding.back"), "previous"),
          this.steps,
          button("line-forward", t("finding.forward"), "next"),
        ),
        html("button", { type: "button", class: "primary", "data-action": "add-line", text: t("line.add") }),
      ),
    );
    placeBesideBoard(this.root);
  }

  /** `line` is an OpenLine. */
  render(line) {
    this.root.hidden = !line.isOpen;
    if (!line.isOpen) return;
    const { moves, step } = line;
    const key = `${moves.join()} ${step}`;
    if (key !== this.key) this.moves.replaceChildren(...moves.map((move, i) => lineMove(move, i, step)));
    this.key = key;
    setText(this.steps, t("finding.step", { step, steps: moves.length }));
    $('[data-action="line-back"]', this.root).disabled = step === 0;
    $('[data-action="line-forward"]', this.root).disabled = step === moves.length;
  }
}

/** A move of the line; those whose stones are on the board stand out. */
function lineMove(move, index, step) {
  return html("span", { class: index < step ? "shown" : null, text: `${moveText(move)} ` });
}

function button(action, label, name) {
  const attributes = {
    type: "button",
    class: "icon-only quiet",
    "data-action": action,
    "aria-label": label,
    title: label,
  };
  return html("button", attributes, icon(name));
}
