// The sentences of the page: names of moves, results and numbers, for the eye and for screen readers.

import { splitMove } from "./stones.js";

export function colorName(color) {
  return color === "white" ? "White" : "Black";
}

/** "47 %". Chances are rounded, but never to certainty. */
export function percent(rate) {
  const value = Math.round(rate * 100);
  if (value === 100 && rate < 1) return "99 %";
  if (value === 0 && rate > 0) return "1 %";
  return `${value} %`;
}

/** "950", "12.3k", "1.5M". */
export function count(n) {
  if (n < 1000) return String(n);
  if (n < 1e6) return `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)}k`;
  return `${(n / 1e6).toFixed(1)}M`;
}

/** A move as the move list shows it. */
export function moveText(move) {
  return splitMove(move).action;
}

/** A move as it is announced: "White d4", "Black swaps", "White resigns". */
export function moveSentence(move, mover) {
  const action = moveText(move);
  if (action === "swap") return `${colorName(mover)} swaps and takes over the first stone`;
  if (action === "resign") return `${colorName(mover)} resigns`;
  return `${colorName(mover)} ${action}`;
}

/** What a finding of a review is about: "Both overlooked f2 from move 9 to 23." While it runs: "9. White c4". */
export function findingSentence({ text, number, node, mover }) {
  return text ?? `${number}. ${moveSentence(node.move, mover)}`;
}

/** How mistakes are marked, by the kinds that the engine tells apart. */
export const MARKS = { blunder: "??", mistake: "?" };

/**
 * How a game ended, from the engine's position: "White won by bridge", "Draw"; "You won by bridge" if the user plays
 * the colour `user` against the engine.
 */
export function resultSentence({ winner, by = [] }, user = null) {
  const how = by.filter(Boolean);
  if (winner === "draw") return how.includes("full board") ? "Draw: the board is full" : "Draw";
  const who = ["white", "black"].includes(user) ? (winner === user ? "You" : "Malecon") : colorName(winner);
  if (how.includes("resign")) return `${who} won by resignation`;
  if (how.includes("time")) return `${who} won on time`;
  return how.length ? `${who} won by ${how.join(" and ")}` : `${who} won`;
}

/** A hint: "Hint: e5 joins d4 with f6.", "Malecon would swap." */
export function hintSentence(hint) {
  if (!hint) return "There is nothing to play here.";
  if (hint.reason) return `Hint: ${hint.reason.text}.`;
  return hint.move === "swap" ? "Malecon would swap." : `Malecon would play ${hint.move}.`;
}

/** The reason of an engine's error, without the name of the query's field, which says nothing to the user. */
export function plainReason({ message }) {
  return message.replace(/^[a-z_]+(\[\d+\])?: /, "");
}

export const LEVEL_NAMES = [
  "first steps",
  "newcomer",
  "beginner",
  "casual",
  "hobby",
  "experienced",
  "strong",
  "expert",
  "master",
  "full strength",
];

export function levelText(level) {
  return `Level ${level}, ${LEVEL_NAMES[level - 1]}`;
}

/** How a vertex is read out: "d4, white stone, last move". */
export function vertexLabel({ name, rim }, { stone, isLast, isWinning, isLegal, candidate }) {
  const parts = [name];
  if (rim === "corner") parts.push("corner");
  if (rim === "side") parts.push("side");
  parts.push(stone ? `${stone} stone` : "empty");
  if (isLast) parts.push("last move");
  if (isWinning) parts.push("part of the winning structure");
  if (!stone && isLegal === false) parts.push("not legal");
  if (candidate) parts.push(candidate);
  return parts.join(", ");
}
