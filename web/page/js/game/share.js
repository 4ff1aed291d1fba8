// A whole game as a text for a link: its moves with all variations, where the user is, comments, marks and names.
//
// In the text of a tree, moves follow each other without a sign between them, as in c3d4e5. Where a position has several
// moves, each begins with "-", and its line ends with "_", as in c3-d4e5_-f6_. S is a swap, R a resignation; W and B
// before a move say whose it is. The nodes are counted in the order of the text; the root is 0.

import { t } from "../language/texts.js";
import { GameTree } from "./tree.js";
import { isStone, splitMove } from "./stones.js";

/** Larger trees make links that nothing takes. */
const MOST_NODES = 20_000;
const ACTIONS = { swap: "S", resign: "R" };

/** A move as the text has it. */
function moveToText(move) {
  const { color, action } = splitMove(move);
  return `${color ? color[0].toUpperCase() : ""}${ACTIONS[action] ?? action}`;
}

function textToMove(text) {
  const [, color, action] = /^([WB]?)(.*)$/.exec(text);
  const named = { S: "swap", R: "resign" }[action] ?? action;
  return color ? `${color === "W" ? "white" : "black"}:${named}` : named;
}

/** The nodes of a tree in the order of its text. */
function nodesOf(tree) {
  const nodes = [];
  const stack = [tree.root];
  while (stack.length) {
    const node = stack.pop();
    nodes.push(node);
    stack.push(...node.children.toReversed());
  }
  return nodes;
}

/** The moves of a tree as a text. */
export function treeToText(tree) {
  const parts = [];
  const stack = [{ node: tree.root, isVariation: false }];
  while (stack.length) {
    const item = stack.pop();
    if (item === "_") {
      parts.push("_");
      continue;
    }
    const { node, isVariation } = item;
    if (isVariation) {
      parts.push("-");
      stack.push("_");
    }
    if (node.move) parts.push(moveToText(node.move));
    const isVaried = node.children.length > 1;
    for (const child of node.children.toReversed()) stack.push({ node: child, isVariation: isVaried });
  }
  return parts.join("");
}

/** The tree of a text. Throws an Error with a sentence for the user if it is wrong. */
export function textToTree(text, board) {
  const tree = new GameTree();
  const open = [];
  let node = tree.root;
  for (const [token] of text.matchAll(/[-_]|[WB]?(?:[SR]|[a-z]\d{1,2})|[^]/g)) {
    if (token === "-") open.push(node);
    else if (token === "_") {
      if (open.length === 0) throw new Error(t("link.variation"));
      node = open.pop();
    } else {
      const move = textToMove(token);
      const { action } = splitMove(move);
      const isKnown = !isStone(action) || board.find(action);
      if (!isKnown) throw new Error(t("link.vertex", { name: token, side: board.side }));
      node = tree.play(node, move);
      if (tree.nodes.size > MOST_NODES) throw new Error(t("link.too-long", { moves: MOST_NODES }));
    }
  }
  return tree;
}

function toBase64(text) {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

/** What a game has besides its moves, as a text; empty if there is nothing: names, comments and properties by node. */
function notesToText(nodes, names) {
  const notes = nodes.flatMap(({ comment, properties }, i) =>
    comment || properties ? [[i, comment ?? "", properties ?? {}]] : [],
  );
  const isNamed = Boolean(names.white || names.black);
  if (notes.length === 0 && !isNamed) return "";
  return toBase64(JSON.stringify({ ...(isNamed && { names }), notes }));
}

const isText = (value) => typeof value === "string";
const isProperties = (value) =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((list) => Array.isArray(list) && list.every(isText));

/** Puts the notes of a text into the tree, and returns the names of the players. What makes no sense is left out. */
function readNotes(text, nodes) {
  let value;
  try {
    value = JSON.parse(fromBase64(text));
  } catch {
    return {};
  }
  for (const note of Array.isArray(value?.notes) ? value.notes : []) {
    const [index, comment, properties] = Array.isArray(note) ? note : [];
    const node = nodes[index];
    if (!node) continue;
    if (isText(comment)) node.comment = comment;
    if (isProperties(properties) && Object.keys(properties).length) node.properties = properties;
  }
  const { white, black } = value?.names ?? {};
  return { ...(isText(white) && { white }), ...(isText(black) && { black }) };
}

/** What a link says of a game with the position of `node` shown, by the names of its parts. */
export function shareParts({ tree, names }, node) {
  const nodes = nodesOf(tree);
  const notes = notesToText(nodes, names);
  return { ...(notes && { notes }), tree: treeToText(tree), at: String(nodes.indexOf(node)) };
}

/** The game of the parts of a link: {tree, shown, names}. */
export function readShared({ tree: text, at, notes }, board) {
  const tree = textToTree(text, board);
  const nodes = nodesOf(tree);
  const names = notes ? readNotes(notes, nodes) : {};
  return { tree, shown: nodes[Number(at)] ?? tree.tip(), names };
}
