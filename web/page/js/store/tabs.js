// What one tab changes in the database, the others hear of.

const CHANNEL = "malecon";

/** Calls `onChange` when another tab has changed the data of this name. `tell` tells the other tabs of a change. */
export class Tabs {
  #channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(CHANNEL) : null;
  #name;

  constructor(name, onChange) {
    this.#name = name;
    this.#channel?.addEventListener("message", ({ data }) => data === name && onChange());
    // Outside browsers, an open channel would keep the program running.
    this.#channel?.unref?.();
  }

  tell() {
    this.#channel?.postMessage(this.#name);
  }
}
