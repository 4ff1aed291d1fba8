// The user's settings, shared by all tabs and kept in the browser.

import { Emitter } from "../game/emitter.js";
import { NOTATIONS } from "../game/notation.js";
import { TURNS } from "../game/orientation.js";
import { SIDES } from "../game/geometry.js";
import { LESSONS } from "../game/lessons.js";
import { LANGUAGES } from "../language/languages.js";
import { load, recentGames, save } from "./storage.js";
import { LEVELS } from "../game/levels.js";

export const DEFAULTS = {
  language: "auto", // auto (that of the browser), or the code of a language
  theme: "auto", // auto, light, dark
  boardTheme: "sand", // sand (by night, sea), paper
  sound: false, // whether stones are heard
  coordinates: true,
  notation: "havannahgui", // whose names of vertices: havannahgui, littlegolem, gogui
  turn: 0, // how far the board is turned, in steps of 30 degrees
  mirrored: false, // whether it is mirrored
  confirm: "auto", // auto (on touch screens with small cells), always, never
  moveSeconds: 2, // the engine's time per move in games without clocks
  analysisSeconds: 60, // a live analysis stops after this time
  reviewSeconds: 1, // per position of a review
  analysis: false, // whether live analysis is switched on
  openings: false, // whether the explorer of openings is
  overlay: "visits", // what analysis draws: visits, winrate, policy, race, threats, none
  warnings: true, // whether the coach warns at the lowest levels
  playerName: "", // the user in records
  tutorial: -1, // the step of the first visit at which the page begins; -1: it is over
  // The last choices of the "New game" dialog.
  side: 5,
  play: "white",
  level: 1,
  levelBlack: 1, // of the engine as Black, where it plays both colours
  adapts: true, // whether results change the level
  swap: false,
  clockMain: 0,
  clockIncrement: 0,
};

export class Settings extends Emitter {
  constructor() {
    super();
    const stored = load("settings");
    /** Whether nobody has used the page in this browser. */
    this.isFirstVisit = stored === null && recentGames().length === 0;
    this.values = { ...DEFAULTS, ...known(stored) };
    /** Whether the browser has kept what was set last. */
    this.isKept = true;
    addEventListener("storage", (event) => {
      if (event.key !== "malecon.settings" || !event.newValue) return;
      this.#adopt(known(load("settings")));
    });
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    if (this.values[name] === value) return;
    this.values[name] = value;
    // What another tab has set stays.
    this.isKept = save("settings", { ...this.values, ...known(load("settings")), [name]: value });
    this.emit("change", name);
  }

  /** Another tab changed a setting. What concerns only its own game and analysis is left alone here. */
  #adopt(values) {
    for (const name of ["theme", "boardTheme", "coordinates", "confirm", "notation", "turn", "mirrored"]) {
      if (values[name] === undefined || values[name] === this.values[name]) continue;
      this.values[name] = values[name];
      this.emit("change", name);
    }
  }
}

/** The values that settings with a fixed choice can have. */
const CHOICES = {
  language: ["auto", ...Object.keys(LANGUAGES)],
  theme: ["auto", "light", "dark"],
  confirm: ["auto", "always", "never"],
  boardTheme: ["sand", "paper"],
  notation: NOTATIONS,
  turn: [...Array(TURNS).keys()],
  overlay: ["visits", "winrate", "policy", "race", "threats", "none"],
  play: ["white", "black", "random", "both", "neither"],
  side: SIDES,
  level: LEVELS,
  levelBlack: LEVELS,
  tutorial: [-1, ...LESSONS.keys(), LESSONS.length],
};

/** The least and the greatest value of settings that are numbers. */
const RANGES = {
  moveSeconds: [0.1, 60],
  analysisSeconds: [1, 600],
  reviewSeconds: [0.1, 60],
  clockMain: [0, 180],
  clockIncrement: [0, 120],
};

/**
 * Only the settings that exist, and only with values that they can have. What is stored may be from another version, or
 * anything at all.
 */
export function known(values) {
  const isKnown = ([name, value]) => {
    if (!Object.hasOwn(DEFAULTS, name) || typeof value !== typeof DEFAULTS[name]) return false;
    const [least, greatest] = RANGES[name] ?? [-Infinity, Infinity];
    return (CHOICES[name]?.includes(value) ?? true) && !(value < least) && !(value > greatest);
  };
  return Object.fromEntries(Object.entries(Object(values)).filter(isKnown));
}
