// A list of listeners per event name.

export class Emitter {
  #listeners = new Map();

  /** Calls `listener` with each event of this name. Returns a function that stops it. */
  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name).delete(listener);
  }

  emit(name, detail) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(detail);
  }
}
