// What may be wrong with a game that the browser has kept: it may be from another version of the page, or damaged.

import { Geometry } from "../game/geometry.js";
import { STRONGEST } from "../game/levels.js";
import { isStone, splitMove } from "../game/stones.js";
import { MARKS } from "../game/wording.js";

const COLORS = ["white", "black"];
const SHAPES = ["circle", "square", "triangle", "cross"];
const SEATS = ["white", "black", "both", "neither"];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const isTime = (value) => Number.isFinite(value) && value >= 0;
const isLevel = (value) => Number.isInteger(value) && value >= 1 && value <= STRONGEST;
const isListOf = (isItem) => (value) => Array.isArray(value) && value.every(isItem);
const isOptional = (isValue) => (value) => value === undefined || value === null || isValue(value);
/** Whether a value is an object whose entries satisfy the functions of `fields`. */
const hasFields = (fields) => (value) =>
  isObject(value) && Object.entries(fields).every(([name, isValue]) => isValue(value[name]));

const isTimes = hasFields({ white: isTime, black: isTime });
const isChance = (value) => Number.isFinite(value) && value >= 0 && value <= 1;
const isEvaluation = hasFields({ white: isChance, simulations: isTime });
const isLacking = hasFields({ bridge: isOptional(isTime), fork: isOptional(isTime), ring: isOptional(isTime) });
const isAssessment = hasFields({
  white: isChance,
  proven: isOptional((value) => [...COLORS, "draw"].includes(value)),
  line: isListOf(isText),
  missing: hasFields({ white: isLacking, black: isLacking }),
  simulations: isTime,
});
const isFinding = hasFields({ move: Number.isInteger, text: isText, decisive: (value) => typeof value === "boolean" });
const isResult = hasFields({ winner: (value) => [...COLORS, "draw"].includes(value), by: isListOf(isText) });

/**
 * The stored game, in the form of `Game.toJSON`, or null if it cannot be one. Judgements of the engine that make no
 * sense are left out, because they can be made again.
 */
export function checkedGame(value) {
  if (!hasFields({ side: Number.isInteger, tree: Array.isArray })(value)) return null;
  let board;
  try {
    board = Geometry.of(value.side);
  } catch {
    return null;
  }
  if (!isGameOn(board)(value) || !isTree(board, value.tree)) return null;
  const ids = value.tree.map(({ id }) => id);
  if (!ids.includes(value.current) || !ids.includes(value.head)) return null;
  const isMistake = isMistakeOn(board);
  return { ...value, tree: value.tree.map((node) => withoutNonsense(node, isMistake)) };
}

function isGameOn(board) {
  const isVertices = isOptional(isListOf((name) => isText(name) && board.find(name)));
  const isName = isOptional(isText);
  return hasFields({
    id: isOptional(isText),
    revision: isOptional(isTime),
    swap: (value) => typeof value === "boolean",
    setup: hasFields({ white: isVertices, black: isVertices, first: isOptional((value) => COLORS.includes(value)) }),
    seats: (value) => SEATS.includes(value),
    playedAs: isOptional((value) => SEATS.includes(value)),
    // Of versions in which both colours had one.
    level: isOptional(isLevel),
    levels: isOptional(hasFields({ white: isLevel, black: isLevel })),
    isPaused: isOptional((value) => typeof value === "boolean"),
    names: hasFields({ white: isName, black: isName }),
    flag: isOptional((value) => COLORS.includes(value)),
    clock: isOptional(hasFields({ main: isTime, increment: isTime, left: isTimes })),
  });
}

function isMistakeOn(board) {
  const isVertex = (value) => isText(value) && Boolean(board.find(value));
  const isMove = (value) => isVertex(value) || (isText(value) && !isStone(value));
  const isMark = ([name, shape]) => isVertex(name) && SHAPES.includes(shape);
  const isReason = hasFields({
    text: isText,
    marks: (value) => isObject(value) && Object.entries(value).every(isMark),
    line: isListOf(isMove),
  });
  return hasFields({
    kind: (value) => Object.hasOwn(MARKS, value),
    loss: Number.isFinite,
    better: isMove,
    line: isListOf(isMove),
    better_chance: isChance,
    played_chance: isChance,
    reason: isOptional(isReason),
    evaluation: isOptional(isEvaluation),
  });
}

/** Whether the nodes are a tree whose root comes first, every other one after its parent. */
function isTree(board, list) {
  const ids = new Set();
  const isMove = (move) => {
    if (!isText(move)) return false;
    const { action } = splitMove(move);
    return !isStone(action) || Boolean(board.find(action));
  };
  const hasKnownFields = hasFields({
    comment: isOptional(isText),
    clock: isOptional(isTimes),
    properties: isOptional((value) => isObject(value) && Object.values(value).every(isListOf(isText))),
  });
  const isNode = (node, i) => {
    if (!hasKnownFields(node) || ids.has(node.id)) return false;
    ids.add(node.id);
    return i === 0 || (node.parent !== node.id && ids.has(node.parent) && isMove(node.move));
  };
  return list.length > 0 && list.every(isNode);
}

/** Of what a review keeps with a position, what makes sense. */
function reviewPart({ mistake, assessment, isChecked, seconds }, isMistake) {
  return {
    ...(isMistake(mistake) && { mistake }),
    ...(isAssessment(assessment) && { assessment }),
    ...(isChecked === true && { isChecked }),
    ...(isTime(seconds) && { seconds }),
  };
}

function withoutNonsense(stored, isMistake) {
  const { evaluation, mistake, assessment, isChecked, seconds, draft, findings, result, ...node } = stored;
  return {
    ...node,
    ...(isEvaluation(evaluation) && { evaluation }),
    ...reviewPart(stored, isMistake),
    ...(isObject(draft) && { draft: reviewPart(draft, isMistake) }),
    ...(isListOf(isFinding)(findings) && { findings }),
    ...(isResult(result) && { result }),
  };
}
