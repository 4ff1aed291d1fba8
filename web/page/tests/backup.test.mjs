import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../js/game/game.js";
import { isBackup, isBackupFile, readBackup, restoreBackup, writeBackup } from "../js/store/backup.js";

const CARD = { stability: 3, difficulty: 5, due: 2000, last: 1000, count: 1, lapses: 0 };
const EXERCISE = {
  id: "m1",
  side: 4,
  query: { side: 4, swap: false, moves: ["a1"] },
  moves: ["a1"],
  to_move: "black",
  played: "b1",
  number: 2,
  better: "d4",
  line: ["d4"],
  betterChance: 0.6,
  title: "Ann – Ben",
};

/** Of a board that people do not choose, but records have. */
const LARGE = { ...EXERCISE, id: "m2", side: 12, query: { ...EXERCISE.query, side: 12 } };

function parts() {
  const game = new Game({ id: "1-2", side: 4, names: { white: "Ann" } });
  for (const move of ["a1", "b1", "d4"]) game.play(move);
  game.tree.root.assessment = { white: 0.4, line: ["a1"], missing: { white: {}, black: {} }, simulations: 10 };
  const stored = JSON.parse(JSON.stringify(game));
  const library = {
    list: async () => [{ id: "1-2", title: "My best", createdAt: 5, changedAt: 6 }],
    get: async () => stored,
  };
  const exercises = { load: async () => {}, all: [EXERCISE], cards: new Map([["m1", CARD]]), days: () => [20_000] };
  return { library, exercises, puzzles: { solved: new Set([7, 3]) }, stored };
}

test("a backup has games with their reviews and what was learned, and gives them back", async () => {
  const { library, exercises, puzzles, stored } = parts();
  const backup = readBackup(await writeBackup(library, exercises, puzzles));
  const added = {};
  const target = {
    add: async (list) => {
      added.games = list;
      return { added: list.length, known: 0 };
    },
  };
  const learned = {
    add: async (list) => (added.exercises = list).length,
    addCards: async (list) => (added.cards = list),
    addDays: (list) => (added.days = list),
  };
  const solved = { addSolved: (list) => (added.solved = list) };
  assert.deepEqual(await restoreBackup(backup, target, learned, solved), { games: 1, exercises: 1 });
  const [{ game, facts }] = added.games;
  assert.deepEqual(game.tree, stored.tree);
  assert.deepEqual([game.id, facts.title, facts.createdAt, facts.moves], ["1-2", "My best", 5, 3]);
  assert.deepEqual(added.exercises, [EXERCISE]);
  assert.deepEqual(added.cards, [{ id: "m1", card: CARD }]);
  assert.deepEqual([added.days, added.solved], [[20_000], [7, 3]]);
  // Those of earlier versions have no puzzles and no days.
  assert.deepEqual([readBackup("{}").days, readBackup("{}").solved], [[], []]);
});

test("a backup is known by its beginning, whatever the file is called", async () => {
  for (const text of ["", "(;SZ[4])", '{"format":"other"}', "# side 4\nd4"]) assert.equal(isBackup(text), false, text);
  const { library, exercises, puzzles } = parts();
  const text = await writeBackup(library, exercises, puzzles);
  for (const written of [text, JSON.stringify(JSON.parse(text), null, 2), `\ufeff${text}`]) {
    assert.equal(await isBackupFile(new File([written], "games.txt")), true);
  }
});

test("what is damaged in a backup is left out", () => {
  const text = JSON.stringify({
    format: "malecon-backup",
    version: 1,
    games: [1, {}, { game: { side: 99 } }],
    exercises: [null, {}, ...["better", "query", "side"].map((name) => ({ ...EXERCISE, [name]: 99 })), EXERCISE, LARGE],
    cards: [{ id: "m1" }, { id: 3, card: CARD }, { id: "m1", card: CARD }],
  });
  const { games, exercises, cards } = readBackup(text);
  assert.deepEqual([games, exercises, cards.length], [[], [EXERCISE, LARGE], 1]);
  assert.throws(() => readBackup('{"format":"malecon-backup", cut off'));
});
