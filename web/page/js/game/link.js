// Links to a position. The URL's fragment holds the side length, the pie rule, set-up stones and the moves, such as
// #side=6&swap=1&moves=c3,swap,d4

import { t } from "../language/texts.js";
import { Geometry, SIDES } from "./geometry.js";
import { splitMove } from "./stones.js";

/** The fragment of a position, without "#". */
export function toFragment({ side, swap = false, setup = {}, moves = [] }) {
  const parts = [`side=${side}`];
  if (swap) parts.push("swap=1");
  if (setup.white?.length) parts.push(`white=${setup.white.join(",")}`);
  if (setup.black?.length) parts.push(`black=${setup.black.join(",")}`);
  if (setup.first === "black") parts.push("first=black");
  if (moves.length) parts.push(`moves=${moves.join(",")}`);
  return parts.join("&");
}

/**
 * The position of a fragment (with or without "#"), or null if there is none.
 * Throws an Error with a sentence for the user if the fragment is wrong.
 */
export function fromFragment(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!values.has("side")) return null;
  const side = Number(values.get("side"));
  let board;
  try {
    board = Geometry.of(side);
  } catch {
    throw new Error(t("link.side", { side: values.get("side"), least: SIDES[0], most: SIDES.at(-1) }));
  }
  const setup = {
    white: vertexList(board, values.get("white")),
    black: vertexList(board, values.get("black")),
    first: values.get("first") === "black" ? "black" : "white",
  };
  const moves = list(values.get("moves")).map((move) => checkedMove(board, move));
  const swap = values.get("swap") === "1" || moves.some((move) => splitMove(move).action === "swap");
  return { side, swap, setup, moves };
}

/** The fragment of a link to a position, if that is all that a text has, or null. */
export function fragmentIn(text) {
  return /^\S+(#side=\S+)$/.exec(text.trim())?.[1] ?? null;
}

function list(text) {
  return (text ?? "")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
}

function vertexList(board, text) {
  return list(text).map((name) => checkedVertex(board, name));
}

function checkedVertex(board, name) {
  if (!board.find(name)) throw new Error(t("link.vertex", { name, side: board.side }));
  return name;
}

function checkedMove(board, move) {
  const { color, action } = splitMove(move);
  if (action !== "swap" && action !== "resign") checkedVertex(board, action);
  return color ? `${color}:${action}` : action;
}
