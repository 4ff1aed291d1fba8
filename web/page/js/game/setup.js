// A position that is set up: {side, white, black, first}, with the names of the vertices that have stones, and who is to
// move. Nothing here changes a setup; what changes it returns another one.

import { Geometry } from "./geometry.js";
import { fromFragment, toFragment } from "./link.js";
import { BLACK, WHITE } from "./stones.js";

const COLORS = [WHITE, BLACK];

/** A board without stones. White begins. */
export function emptySetup(side) {
  return { side, white: [], black: [], first: WHITE };
}

/** The stones of a position, as `play` returns it, as a setup. */
export function setupOf(side, { stones, toMove }) {
  const named = (color) => [...stones].filter(([, other]) => other === color).map(([name]) => name);
  return { side, white: named(WHITE), black: named(BLACK), first: toMove };
}

/** The setup with a stone of this colour on a vertex, in place of what is there; with none if the colour is null. */
export function withStone(setup, name, color) {
  const list = (own) => {
    const others = setup[own].filter((vertex) => vertex !== name);
    return own === color ? [...others, name] : others;
  };
  return { ...setup, white: list(WHITE), black: list(BLACK) };
}

/** The colour of the stone on a vertex, or null. */
export function stoneOn(setup, name) {
  return COLORS.find((color) => setup[color].includes(name)) ?? null;
}

/** The setup on a board of another side, without the stones that are off that board. */
export function onSide(setup, side) {
  const board = Geometry.of(side);
  const kept = (names) => names.filter((name) => board.find(name));
  return { ...setup, side, white: kept(setup.white), black: kept(setup.black) };
}

export function stoneCount({ white, black }) {
  return white.length + black.length;
}

/** A text for the address of the page, from which `setupFromText` makes the setup again. */
export function setupText({ side, white, black, first }) {
  return toFragment({ side, setup: { white, black, first } });
}

/** The setup of a text; null if it names no board. Throws an Error with a sentence for the user if it is wrong. */
export function setupFromText(text) {
  const link = fromFragment(text);
  if (!link) return null;
  return { side: link.side, ...link.setup };
}
