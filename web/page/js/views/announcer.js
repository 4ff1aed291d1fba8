// Messages: read out by screen readers, and shown for a moment at the bottom of the page.

import { $ } from "./dom.js";

const SHOWN_FOR = 5000;

export class Announcer {
  #timer = null;

  constructor() {
    this.live = $("[data-live]");
    this.result = $("[data-live-result]");
    this.toast = $("[data-toast]");
  }

  /** Reads a message out when the reader is idle. */
  say(message) {
    setAgain(this.live, message);
  }

  /** Reads a message out at once. */
  sayNow(message) {
    setAgain(this.result, message);
  }

  /** Shows a message for some seconds; it is read out, too. */
  show(message) {
    this.toast.textContent = message;
    this.toast.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.toast.hidden = true), SHOWN_FOR);
  }
}

/** Sets the text of a live region so that the same message is read out again. */
function setAgain(region, message) {
  region.textContent = region.textContent === message ? `${message}\u00a0` : message;
}
