// The card for comments and marks: what a click on the board puts there, and the comment on the position.

import { t } from "../language/texts.js";
import { Emitter } from "../game/emitter.js";
import { STONE } from "../game/annotator.js";
import { checkRadio, radio } from "./controls.js";
import { html, icon } from "./dom.js";
import { placeBesideBoard } from "./place.js";

/** The tools, each with a sign. */
const TOOLS = {
  [STONE]: "●",
  circle: "○",
  square: "□",
  triangle: "△",
  cross: "✕",
  label: "A",
  arrow: "→",
  line: "―",
};

/**
 * Emits "tool" with the tool that was chosen, "comment" with {text, node}, the comment on a position, and "left" when the
 * user has left the text.
 */
export class AnnotateView extends Emitter {
  /** The position whose comment the field has. */
  #node = null;

  constructor() {
    super();
    const tools = Object.entries(TOOLS).map(([tool, sign]) => radio("mark-tool", tool, sign, t(`notes.tool.${tool}`)));
    this.text = html("textarea", {
      rows: "2",
      "data-comment": "",
      "aria-label": t("notes.comment"),
      placeholder: t("notes.comment"),
      oninput: () => this.emit("comment", { text: this.text.value, node: this.#node }),
      onblur: () => this.emit("left"),
    });
    this.root = html(
      "section",
      { class: "card annotate", "aria-label": t("notes.title"), "data-annotate": "", hidden: true },
      html(
        "div",
        { class: "finding-head" },
        html("h2", { text: t("notes.title") }),
        html(
          "button",
          {
            type: "button",
            class: "icon-only quiet",
            "data-action": "annotate",
            "aria-label": t("close"),
            title: t("close"),
          },
          icon("close"),
        ),
      ),
      html(
        "div",
        {
          class: "segments",
          role: "radiogroup",
          "aria-label": t("notes.tools"),
          "data-mark-tools": "",
          onchange: ({ target }) => this.emit("tool", target.value),
        },
        ...tools,
      ),
      this.text,
      html("button", { type: "button", class: "small", "data-action": "clear-marks", text: t("notes.clear") }),
    );
    this.clear = this.root.lastElementChild;
    placeBesideBoard(this.root);
  }

  /** Gives the focus to the tool that is chosen. */
  focus() {
    this.root.querySelector("input:checked").focus();
  }

  /**
   * Shows the comment of a node. What the user is writing stays as it is, and remains the comment on its position when the
   * opponent moves.
   */
  render({ isOpen, tool }, node, hasMarks) {
    this.root.hidden = !isOpen;
    if (!isOpen) return;
    checkRadio(this.root, "mark-tool", tool);
    if (document.activeElement !== this.text) {
      this.text.value = node.comment;
      this.#node = node;
    }
    this.clear.disabled = !hasMarks;
  }
}
