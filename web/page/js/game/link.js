// Links to a position or a whole game. The URL's fragment holds the side length, the pie rule, set-up stones and the
// moves, such as #side=6&swap=1&moves=c3,swap,d4, or those of a game with its variations and the number of the node that
// is shown, such as #side=6&tree=c3-d4e5_-f6_&at=2

import { t } from "../language/texts.js";
import { Geometry, LARGEST, SMALLEST } from "./geometry.js";
import { readShared, shareParts } from "./share.js";
import { isStone, splitMove } from "./stones.js";

/** The parts of a fragment that name a board and what is on it at the start. */
function startParts({ side, swap = false, setup = {} }) {
  const parts = [`side=${side}`];
  if (swap) parts.push("swap=1");
  if (setup.white?.length) parts.push(`white=${setup.white.join(",")}`);
  if (setup.black?.length) parts.push(`black=${setup.black.join(",")}`);
  if (setup.first === "black") parts.push("first=black");
  return parts;
}

/** The fragment of a position, without "#". */
export function toFragment({ moves = [], ...start }) {
  return [...startParts(start), ...(moves.length ? [`moves=${moves.join(",")}`] : [])].join("&");
}

/** The fragment of a whole game, with the position of a node shown. */
export function toGameFragment({ tree, names, ...start }, node) {
  const parts = Object.entries(shareParts({ tree, names }, node));
  return [...startParts(start), ...parts.map(([name, value]) => `${name}=${value}`)].join("&");
}

/**
 * The position of a fragment (with or without "#"), or null if there is none. `shared` is the whole game of a link that
 * has one, {tree, shown, names}, else null; `moves` lead to the position that it shows.
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
    throw new Error(t("link.side", { side: values.get("side"), least: SMALLEST, most: LARGEST }));
  }
  const setup = {
    white: vertexList(board, values.get("white")),
    black: vertexList(board, values.get("black")),
    first: values.get("first") === "black" ? "black" : "white",
  };
  const twice = [...setup.white, ...setup.black].find((name, index, all) => all.indexOf(name) !== index);
  if (twice) throw new Error(t("link.twice", { name: twice }));
  const shared = values.has("tree") ? readShared(Object.fromEntries(values), board) : null;
  const moves = shared
    ? shared.tree.moves(shared.shown)
    : list(values.get("moves")).map((move) => checkedMove(board, move));
  const swap = values.get("swap") === "1" || moves.some((move) => splitMove(move).action === "swap");
  return { side, swap, setup, moves, shared };
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
  if (isStone(action)) checkedVertex(board, action);
  return color ? `${color}:${action}` : action;
}
