// Messages: read out by screen readers, and shown for a moment at the edge of the page.

import { $ } from "./dom.js";

/** How long a message is shown, and a question waits for its answer, in milliseconds. */
export const SHOWN_FOR = 5000;
/** How long something can be undone. */
export const OFFERED_FOR = 15_000;

export class Announcer {
  #timer = null;
  #action = null;
  /** Gives the focus to something else than a button that is gone. */
  onFocusLost = () => {};

  constructor() {
    this.live = $("[data-live]");
    this.result = $("[data-live-result]");
    this.toast = $("[data-toast]");
    this.text = $("[data-toast-text]");
    this.button = $("[data-toast-action]");
    this.button.addEventListener("click", () => this.act());
  }

  /** Reads a message out when the reader is idle. */
  say(message) {
    // A message that was read out at once is past: nobody should find it again at the end of the page.
    this.result.textContent = "";
    setAgain(this.live, message);
  }

  /** Reads a message out at once. */
  sayNow(message) {
    setAgain(this.result, message);
  }

  /** Shows a message for some seconds; it is read out, too. */
  show(message) {
    this.#show(message, null, SHOWN_FOR);
  }

  /** Shows a message with a button, {text, act}, for longer. */
  offer(message, action) {
    this.#show(message, action, OFFERED_FOR);
  }

  #show(message, action, time) {
    this.text.textContent = message;
    this.button.hidden = !action;
    this.button.textContent = action?.text ?? "";
    this.#action = action;
    this.toast.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#hide(), time);
  }

  #hide() {
    // A button that has the focus stays.
    if (this.toast.contains(document.activeElement)) {
      this.#timer = setTimeout(() => this.#hide(), SHOWN_FOR);
      return;
    }
    this.toast.hidden = true;
  }

  /** No longer offers this action. */
  withdraw(action) {
    if (!action || action !== this.#action) return;
    this.#action = null;
    this.button.hidden = true;
  }

  /** Does what the message offers that is shown. Returns whether there was one. */
  act() {
    const action = this.#action;
    if (this.toast.hidden || !action) return false;
    const hadFocus = document.activeElement === this.button;
    this.button.blur();
    this.#hide();
    action.act();
    if (hadFocus) this.onFocusLost();
    return true;
  }
}

/** Sets the text of a live region so that the same message is read out again. */
function setAgain(region, message) {
  region.textContent = region.textContent === message ? `${message}\u00a0` : message;
}
