// The user's settings, shared by all tabs and kept in the browser.

import { Emitter } from "./emitter.js";
import { load, save } from "./storage.js";

export const DEFAULTS = {
  theme: "auto", // auto, light, dark
  coordinates: true,
  confirm: "auto", // auto (on touch screens with small cells), always, never
  moveSeconds: 2, // the engine's time per move in games without clocks
  analysisSeconds: 60, // a live analysis stops after this time
  reviewSeconds: 1, // per position of a review
  analysis: false, // whether live analysis is switched on
  overlay: "visits", // what analysis draws: visits, winrate, policy, ownership, threats, none
  // The last choices of the "New game" dialog.
  side: 5,
  play: "white",
  level: 3,
  swap: false,
  clockMain: 0,
  clockIncrement: 0,
};

export class Settings extends Emitter {
  constructor() {
    super();
    this.values = { ...DEFAULTS, ...known(load("settings") ?? {}) };
    addEventListener("storage", (event) => {
      if (event.key !== "malecon.settings" || !event.newValue) return;
      this.#adopt(known(load("settings") ?? {}));
    });
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    if (this.values[name] === value) return;
    this.values[name] = value;
    save("settings", this.values);
    this.emit("change", name);
  }

  /** Another tab changed a setting. What concerns only its own game and analysis is left alone here. */
  #adopt(values) {
    for (const name of ["theme", "coordinates", "confirm"]) {
      if (values[name] === undefined || values[name] === this.values[name]) continue;
      this.values[name] = values[name];
      this.emit("change", name);
    }
  }
}

/** Only the settings that exist, and only with values of the right type. */
function known(values) {
  const isKnown = ([name, value]) => name in DEFAULTS && typeof value === typeof DEFAULTS[name];
  return Object.fromEntries(Object.entries(values).filter(isKnown));
}
