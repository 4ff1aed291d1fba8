// The names of vertices in the notation that the user has chosen. Everywhere else, a vertex has HavannahGui's name.

import { nameVertices } from "../language/texts.js";

/** Each has its own `name(vertex, board)`. Little Golem counts from the lower end of each letter's line. */
const NAMES = {
  havannahgui: ({ name }) => name,
  littlegolem: ({ letter, number }, { side }) => letterOf(letter) + (number + 1 - Math.max(0, letter + 1 - side)),
  // Without the letter I.
  gogui: ({ letter, number }) => letterOf(letter < 8 ? letter : letter + 1).toUpperCase() + (number + 1),
};

export const NOTATIONS = Object.keys(NAMES);

let notation = "havannahgui";
let board = null;

function letterOf(index) {
  return String.fromCharCode(97 + index);
}

/** From now on, names are those of this notation. */
export function useNotation(chosen) {
  notation = chosen;
}

/** From now on, texts are about the vertices of this board. */
export function speakOf(shown) {
  board = shown;
}

nameVertices((name) => {
  const vertex = board?.find(name);
  return vertex ? spokenName(vertex, board) : name;
});

/** The name of a vertex of a board, in the notation of the user. */
export function spokenName(vertex, board) {
  return NAMES[notation](vertex, board);
}

/** The vertex that a text names in the notation of the user, in any case; or undefined. */
export function findSpoken(text, board) {
  const wanted = text.trim().toLowerCase();
  return board.vertices.find((vertex) => spokenName(vertex, board).toLowerCase() === wanted);
}

/** A list of moves on a board, as the engine writes it, with the names of the user; it says whose they are. */
export function inUsedNames(list, board) {
  if (notation === "havannahgui") return list;
  const renamed = (line) => line.replace(/[a-z]+\d+/g, (name) => spokenName(board.find(name), board));
  const [side, ...games] = list.split("\n");
  return [side, `# names ${notation}`, ...games.map((line) => (line.startsWith("#") ? line : renamed(line)))].join(
    "\n",
  );
}

/** The coordinates around a board, as {text, x, y}. At the left edge, all notations have the same numbers. */
export function boardLabels(board) {
  return board.labels().map(({ letter, number, ...place }) => ({ text: labelOf({ letter, number }), ...place }));
}

function labelOf({ letter, number }) {
  if (letter === undefined) return String(number + 1);
  return notation === "gogui" ? NAMES.gogui({ letter, number: 0 })[0] : letterOf(letter);
}

/** The notation that is used. */
export function usedNotation() {
  return notation;
}
