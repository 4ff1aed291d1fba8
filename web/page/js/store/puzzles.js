// The puzzles that come with the page, and which of them were solved in this browser.

import { t } from "../language/texts.js";
import { Emitter } from "../game/emitter.js";
import { Geometry } from "../game/geometry.js";
import { SITE } from "../site.js";
import { load, save } from "./storage.js";

export const THEMES = ["ring", "fork", "bridge", "double threat", "defence"];
export const GRADES = [1, 2, 3, 4, 5];
/** The sides of the puzzles' boards. */
export const PUZZLE_SIDES = [4, 5, 6, 7, 8];

const SOLVED = "puzzles";

/** Emits "change" when the puzzles were loaded, or one was solved. */
export class Puzzles extends Emitter {
  #loading = null;

  constructor() {
    super();
    this.all = [];
    this.#readSolved();
    // Another tab has solved one.
    addEventListener("storage", ({ key }) => {
      if (key !== `malecon.${SOLVED}`) return;
      this.#readSolved();
      this.emit("change");
    });
  }

  #readSolved() {
    this.solved = new Set(solvedIds(load(SOLVED)));
  }

  /** Loads the puzzles, once. Rejects if they cannot be loaded. */
  load() {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #load() {
    const response = await fetch(SITE.puzzles).catch(() => null);
    if (!response?.ok) throw new Error(t("puzzle.loading-failed"));
    this.all = readPuzzles(await response.text());
    this.emit("change");
  }

  get(id) {
    return this.all.find((puzzle) => puzzle.id === id) ?? null;
  }

  /** The puzzles of a side, a grade and a theme, each of which may be null for any; the easiest first. */
  matching({ side = null, grade = null, theme = null }) {
    const matches = (puzzle) =>
      (side === null || puzzle.side === side) &&
      (grade === null || puzzle.grade === grade) &&
      (theme === null || puzzle.theme === theme);
    return this.all.filter(matches).sort((a, b) => a.grade - b.grade || a.side - b.side || a.id - b.id);
  }

  /** The first puzzle after `id` that is not solved, of those that match; from the start again after the last one. */
  next(filter, id = null) {
    const puzzles = this.matching(filter);
    const at = puzzles.findIndex((puzzle) => puzzle.id === id) + 1;
    const others = [...puzzles.slice(at), ...puzzles.slice(0, at)].filter((puzzle) => puzzle.id !== id);
    return others.find((puzzle) => !this.solved.has(puzzle.id)) ?? others[0] ?? null;
  }

  markSolved(id) {
    this.addSolved([id]);
  }

  /** Adds puzzles that were solved, here or in another browser. */
  addSolved(ids) {
    // Another tab may have solved others since.
    this.#readSolved();
    for (const id of ids) this.solved.add(id);
    save(SOLVED, { solved: [...this.solved].sort((a, b) => a - b) });
    this.emit("change");
  }
}

/** The numbers of what is stored, which may be from another version. */
export function solvedIds(stored) {
  const ids = stored?.solved;
  return Array.isArray(ids) ? ids.filter((id) => Number.isInteger(id) && id > 0) : [];
}

/** The puzzles of a file, one a line. Lines that this page does not understand are left out. */
export function readPuzzles(text) {
  const lines = text.split("\n").filter(Boolean);
  return lines.map(readPuzzle).filter(Boolean);
}

function readPuzzle(line) {
  let puzzle;
  try {
    puzzle = JSON.parse(line);
    const board = Geometry.of(puzzle.side);
    const names = [...puzzle.moves, ...puzzle.line];
    const isKnown =
      Number.isInteger(puzzle.id) &&
      THEMES.includes(puzzle.theme) &&
      GRADES.includes(puzzle.grade) &&
      puzzle.line.length > 0 &&
      names.every((name) => board.find(name));
    return isKnown ? puzzle : null;
  } catch {
    return null;
  }
}

/** The number in the fragment of a link to a puzzle, such as #puzzle=12, or the id of an exercise; or null. */
export function puzzleOf(fragment) {
  const word = new URLSearchParams(fragment.replace(/^#/, "")).get("puzzle");
  if (/^m[0-9a-z]+$/.test(word ?? "")) return word;
  const id = Number(word);
  return Number.isInteger(id) && id > 0 ? id : null;
}
