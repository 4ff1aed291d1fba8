// The sentences of the page: names of moves, results and numbers, for the eye and for screen readers.

import { hasText, t } from "../language/texts.js";
import { claimText, findingText } from "./claims.js";
import { isStone, splitMove } from "./stones.js";

export function colorName(color) {
  return t(color === "white" ? "color.white" : "color.black");
}

/** A vertex by its name in the notation of the page. */
export function vertexText(name) {
  return t("vertex", { name });
}

/** A move as the move list shows it. */
export function moveText(move) {
  const { action } = splitMove(move);
  return isStone(action) ? vertexText(action) : t(`move.${action}`);
}

/** What a button says to screen readers that plays a move and shows it as `moveText` does. */
export function playLabel(move) {
  return splitMove(move).action === "swap" ? moveText(move) : t("action.play", { move });
}

/** A line of moves: "d4 e5 swap". */
export function lineText(moves) {
  return moves.map(moveText).join(" ");
}

/** Why a move is good: one or two sentences without the last full stop. */
export function reasonText({ text, claim }) {
  return inOwnWords(() => claimText(claim), text);
}

/** What `word` says; in the words of the engine, in English, if the claim is of another version and not understood. */
function inOwnWords(word, text) {
  try {
    return word();
  } catch {
    return text;
  }
}

/** A move as it is announced: "White d4", "Black swaps", "White resigns". */
export function moveSentence(move, player) {
  const { action } = splitMove(move);
  if (action === "swap") return t("move.swaps", { player });
  if (action === "resign") return t("move.resigns", { player });
  return t("move.stone", { player, move: action });
}

/** What a finding of a review is about: "Both overlooked f2 from move 9 to 23." While it runs: "9. White c4". */
export function findingSentence({ text, claim, number, node, mover }) {
  return text ? inOwnWords(() => findingText(claim), text) : `${number}. ${moveSentence(node.move, mover)}`;
}

/** How mistakes are marked, by the kinds that the engine tells apart. */
export const MARKS = { blunder: "??", mistake: "?" };

/**
 * How a game ended, from the engine's position: "White won by bridge", "Draw"; "You won by bridge" if the user has
 * played the colour `user` against the engine.
 */
export function resultSentence({ winner, by = [] }, user = null) {
  const how = by.filter(Boolean);
  if (winner === "draw") return t(how.includes("full board") ? "result.full-board" : "result.draw");
  const who = !user ? winner : winner === user ? "you" : "malecon";
  if (how.includes("resign")) return t("result.resign", { who });
  if (how.includes("time")) return t("result.time", { who });
  const structures = how.filter((word) => hasText(`structure.${word}`));
  return structures.length ? t("result.structure", { who, structures }) : t("result.won", { who });
}

/** A hint: "Hint: e5 joins d4 with f6.", "Malecon would swap." */
export function hintSentence(hint) {
  if (!hint) return t("hint.none");
  if (hint.reason) return t("hint.reason", { reason: reasonText(hint.reason) });
  return hint.move === "swap" ? t("hint.swap") : t("hint.move", { move: hint.move });
}

/** The reason of an engine's error, without the name of the query's field, which means nothing to the user. */
export function plainReason({ message }) {
  return message.replace(/^[a-z_]+(\[\d+\])?: /, "");
}

/** Why a swap is not possible. */
export function noSwapSentence({ swap }) {
  return t(swap ? "move.no-swap" : "move.no-pie-rule");
}

/** Why a record could not be read, from an engine's reason such as "2:7: illegal move a1", which has line and column. */
export function recordReason(reason) {
  const [, line, column, rest] = /^(\d+):(\d+): (.*)$/s.exec(reason) ?? [];
  return rest ? t("open.place", { line, column, reason: rest }) : reason;
}

export function levelName(level) {
  return t(`level.${level}`);
}

export function levelText(level) {
  return t("level", { level, name: levelName(level) });
}

/** How a vertex is read out: "d4, white stone, last move". */
export function vertexLabel({ name, rim }, { stone, isLast, isWinning, isLegal, candidate, mark }) {
  const parts = [t("vertex", { name })];
  if (rim === "corner") parts.push(t("vertex.corner"));
  if (rim === "side") parts.push(t("vertex.side"));
  parts.push(stone ? t("vertex.stone", { color: stone }) : t("vertex.empty"));
  if (isLast) parts.push(t("vertex.last"));
  if (isWinning) parts.push(t("vertex.winning"));
  if (!stone && isLegal === false) parts.push(t("vertex.not-legal"));
  if (candidate) parts.push(candidate);
  if (mark) parts.push(mark);
  return parts.join(", ");
}
