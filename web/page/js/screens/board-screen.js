// A screen with a board of its own, in place of the game.

import { t } from "../language/texts.js";
import { BoardView } from "../views/board-view.js";
import { $, html, icon } from "../views/dom.js";
import { Emitter } from "../game/emitter.js";
import { speakOf } from "../game/notation.js";

/**
 * Emits "toggle" when it has opened or closed. What extends it has `build()`, which calls `fill`; `play(name)`, for a
 * vertex that the user has chosen; and `close()`.
 */
export class BoardScreen extends Emitter {
  #name;
  #spoken = "";

  /** The attributes of the parts of the screen begin with "data-" and this name. */
  constructor(name, { client, settings, announcer }) {
    super();
    Object.assign(this, { client, settings, announcer });
    this.#name = name;
    this.root = $(`[data-${name}-screen]`);
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** Shows the screen, or no more. */
  toggle(isOpen) {
    if (isOpen && !this.isOpen) this.build();
    if (!isOpen) this.root.replaceChildren();
    this.root.hidden = !isOpen;
    this.emit("toggle");
  }

  /** Makes the board with a heading, a task, a status and a group of actions, and beside it a panel of cards. */
  fill({ label, actions, group = t("stage.your-move"), panel, cards }) {
    const part = (name) => ({ [`data-${this.#name}-${name}`]: "" });
    const container = html("div", { class: "board", "data-board-container": "" });
    this.board = new BoardView(container);
    this.board.on("play", (name) => this.play(name));
    this.board.on("preview", (name) => this.drawConfirm(name));
    this.heading = html("h2", { ...part("title"), tabindex: "-1" });
    this.task = html("p", part("task"));
    this.status = html("p", { ...part("status"), class: "status" });
    this.#spoken = "";
    this.root.replaceChildren(
      html(
        "section",
        { class: "stage", "aria-label": label },
        html("div", { class: "screen-head" }, this.heading, this.task),
        html("div", { class: "board-area" }, container),
        html(
          "div",
          { class: "below-board" },
          this.status,
          html(
            "div",
            { class: "actions", role: "group", "aria-label": group },
            this.button("confirm", "", () => this.play(this.board.previewed)),
            ...actions,
          ),
        ),
      ),
      html("aside", { class: "panel", "aria-label": panel }, ...cards),
    );
  }

  /** A button for an action, with the name of its icon if it has one. */
  button(action, text, listener, name = null) {
    const attributes = { type: "button", [`data-${this.#name}-action`]: action, onclick: listener };
    return html("button", attributes, name ? icon(name) : null, html("span", { text }));
  }

  /** The button that goes back to the game. */
  closeButton() {
    return this.button("close", t("close.screen"), () => this.close());
  }

  /** The button for an action. */
  action(action) {
    return $(`[data-${this.#name}-action="${action}"]`, this.root);
  }

  /** Offers to play on this vertex, or on none. */
  drawConfirm(name) {
    speakOf(this.board.board);
    const button = this.action("confirm");
    button.hidden = !name;
    button.classList.add("primary");
    button.textContent = name ? t("action.play", { move: name }) : "";
  }

  /** Gives the focus to the board if the element that had it can have it no more. */
  keepFocus(former) {
    if ((former?.hidden || former?.disabled) && this.root.contains(former)) this.board.focus({ preventScroll: true });
  }

  /** Says a sentence, once. */
  say(sentence) {
    if (sentence === this.#spoken) return;
    this.#spoken = sentence;
    this.status.textContent = sentence;
    this.announcer.say(sentence);
  }
}
