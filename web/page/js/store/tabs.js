// What one tab changes in the database, the others hear of.

const CHANNEL = "malecon";

/** Calls `onChange` when another tab has changed the data of this name. `tell` tells the other tabs of a change. */
export class Tabs {
  #channel = openChannel();
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

/** The way to the other tabs, or null where the browser has none, or must keep nothing and refuses it. */
function openChannel() {
  try {
    return new BroadcastChannel(CHANNEL);
  } catch {
    return null;
  }
}
