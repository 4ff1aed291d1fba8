// All that the browser keeps of games and learning, as one file that this or another browser takes back: games with
// their reviews, exercises, which puzzles were solved, when these and the exercises are repeated, and on which days.

import { storedToKeep } from "../engine/records.js";
import { Geometry, LARGEST, SMALLEST } from "../game/geometry.js";
import { solvedIds } from "./puzzles.js";
import { checkedGame } from "./stored-game.js";

const FORMAT = "malecon-backup";
const VERSION = 1;

/** What the file is called when it is saved. Afterwards it may have any name: only what is in it counts. */
export const BACKUP_NAME = "malecon-backup.json";

/** How each backup begins. */
const BEGINNING = new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${FORMAT}"`);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const isSide = (value) => Number.isInteger(value) && value >= SMALLEST && value <= LARGEST;
const isTexts = (value) => Array.isArray(value) && value.every(isText);
const isChance = (value) => Number.isFinite(value) && value >= 0 && value <= 1;

/** The text of the file. */
export async function writeBackup(library, exercises, puzzles) {
  const games = [];
  for (const { id, title, createdAt, changedAt } of await library.list()) {
    const game = await library.get(id);
    if (game) games.push({ title, createdAt, changedAt, game });
  }
  await exercises.load();
  const cards = [...exercises.cards].map(([id, card]) => ({ id, card }));
  const [solved, days] = [[...puzzles.solved], exercises.days()];
  return JSON.stringify({ format: FORMAT, version: VERSION, games, exercises: exercises.all, cards, solved, days });
}

/** Whether a text is a backup, perhaps a damaged one. */
export function isBackup(text) {
  return BEGINNING.test(text);
}

/** Whether a file is a backup; of a large file only the beginning is read. */
export async function isBackupFile(file) {
  return isBackup(await file.slice(0, 1000).text());
}

/** What a backup holds. What makes no sense is left out. Throws a SyntaxError if the text ends too early. */
export function readBackup(text) {
  const { games, exercises, cards, solved, days } = JSON.parse(text);
  const list = (values, isRight) => (Array.isArray(values) ? values.filter(isRight) : []);
  return {
    games: list(games, isObject).map(keptGame).filter(Boolean),
    exercises: list(exercises, isExercise),
    cards: list(cards, isCard),
    solved: solvedIds({ solved }),
    days: list(days, Number.isInteger),
  };
}

/** A game as `Library.add` takes it, or null. */
function keptGame({ title, createdAt, changedAt, game }) {
  const checked = checkedGame(game ?? null);
  if (!checked || !isText(checked.id)) return null;
  const { game: stored, facts } = storedToKeep(checked);
  const times = { createdAt, changedAt };
  const known = Object.fromEntries(Object.entries(times).filter(([, time]) => Number.isFinite(time)));
  return { game: { ...stored, id: checked.id }, facts: { ...facts, ...known, title: isText(title) ? title : null } };
}

function isExercise(value) {
  if (!isObject(value) || !isObject(value.query) || !isSide(value.side)) return false;
  const board = Geometry.of(value.side);
  const { id, query, moves, to_move: toMove, played, better, line, betterChance, number, title } = value;
  return (
    [id, played, title].every(isText) &&
    isTexts(moves) &&
    isTexts(query.moves) &&
    query.side === value.side &&
    [query.white ?? [], query.black ?? []].every(isTexts) &&
    ["white", "black"].includes(toMove) &&
    Boolean(board.find(better)) &&
    isTexts(line) &&
    isChance(betterChance) &&
    Number.isInteger(number)
  );
}

function isCard(value) {
  const fields = ["stability", "difficulty", "due", "last"];
  return isObject(value) && isText(value.id) && fields.every((name) => Number.isFinite(value.card?.[name]));
}

/** Adds what a backup holds and is not there yet. Resolves to how many games and exercises were added. */
export async function restoreBackup({ games, exercises: list, cards, solved, days }, library, exercises, puzzles) {
  const { added } = await library.add(games);
  const count = await exercises.add(list);
  await exercises.addCards(cards);
  exercises.addDays(days);
  puzzles.addSolved(solved);
  return { games: added, exercises: count };
}
