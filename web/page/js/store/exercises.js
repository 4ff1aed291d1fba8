// What the user learns: mistakes of reviewed games, and when they and the puzzles are asked again.

import { Emitter } from "../game/emitter.js";
import { answered } from "../game/fsrs.js";
import { isStone, splitMove } from "../game/stones.js";
import { EXERCISES, pageDatabase, resultOf, transact } from "./database.js";
import { load, save } from "./storage.js";
import { Tabs } from "./tabs.js";

const DAYS = "training";
const DAY = 86_400_000;
/** The most mistakes of a game that become exercises, the most important first. */
const MOST_OF_A_GAME = 6;

/** A short name for a text: its 53-bit hash (cyrb53). */
function hashOf(text) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (const character of text) {
    const code = character.codePointAt(0);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** The number of a day, by the user's calendar. */
function dayOf(time) {
  return Math.floor((time - new Date(time).getTimezoneOffset() * 60_000) / DAY);
}

/** How many days in a row, until today or yesterday, are in a list of days. */
export function streakOf(days, today) {
  const known = new Set(days);
  let day = known.has(today) ? today : today - 1;
  let count = 0;
  for (; known.has(day); day--) count += 1;
  return count;
}

/**
 * The exercises of the findings of a review, each a mistake whose better move is a stone. `game` is the Game, `user` the
 * colour of the user or null, `title` what the game is called.
 */
export function exercisesOf(findings, game, { user, title }) {
  const stones = findings.filter(({ better }) => isStone(better));
  return stones.slice(0, MOST_OF_A_GAME).map(({ node, mover, better, number, text, reason, line }) => {
    const query = game.query(node.parent);
    const { better_chance: betterChance, played_chance: playedChance } = node.mistake;
    return {
      id: `m${hashOf(JSON.stringify([query, mover]))}`,
      side: game.side,
      query,
      moves: query.moves,
      to_move: mover,
      played: splitMove(node.move).action,
      number,
      better,
      line,
      betterChance,
      playedChance,
      text: text ?? null,
      reason: reason ? { text: reason.text, claim: reason.claim } : null,
      title,
      isMine: user === mover,
      addedAt: Date.now(),
    };
  });
}

/** An exercise as this version keeps it: of earlier ones, the reason is the engine's text alone. */
export function ofThisVersion(exercise) {
  const { reason } = exercise;
  return typeof reason === "string" ? { ...exercise, reason: { text: reason } } : exercise;
}

/** Emits "change" when exercises were added or answered, here or in another tab. */
export class Exercises extends Emitter {
  #loading = null;
  #tabs = new Tabs("exercises", () => this.#loading && this.#read().catch(() => {}));

  constructor() {
    super();
    /** The mistakes, and the cards of all that was answered, by id. */
    this.all = [];
    this.cards = new Map();
  }

  /** Loads them, once. Where the browser keeps nothing there are none. */
  load() {
    this.#loading ??= this.#read().catch(() => {});
    return this.#loading;
  }

  async #read() {
    const list = await transact(await pageDatabase(), [EXERCISES], "readonly", (store) => resultOf(store.getAll()));
    this.all = list.filter(({ query }) => query).map(ofThisVersion);
    this.cards = new Map(list.filter(({ card }) => card).map(({ id, card }) => [id, card]));
    this.emit("change");
  }

  get(id) {
    return this.all.find((exercise) => exercise.id === id) ?? null;
  }

  /** The mistakes of a side (or null for any), only the user's own if `isMine`; the latest first. */
  matching({ side = null, isMine = false }) {
    const fits = (exercise) => (side === null || exercise.side === side) && (!isMine || exercise.isMine);
    return this.all.filter(fits).sort((a, b) => b.addedAt - a.addedAt);
  }

  /**
   * Adds exercises. Those that are there already stay as they are, but become the user's own if these are. Resolves to how
   * many are new and were kept.
   */
  async add(list) {
    await this.load();
    const news = list.filter(({ id }) => !this.get(id));
    const own = list.filter(({ id, isMine }) => isMine && this.get(id)?.isMine === false).map(({ id }) => this.get(id));
    for (const known of own) known.isMine = true;
    this.all.push(...news);
    const entries = [...news, ...own].map((exercise) => {
      const card = this.cards.get(exercise.id);
      return card ? { ...exercise, card } : exercise;
    });
    return (await this.#put(entries)) ? news.length : 0;
  }

  /** Adds cards, {id, card}, of what was never answered here. */
  async addCards(list) {
    await this.load();
    const news = list.filter(({ id }) => !this.cards.has(id));
    for (const { id, card } of news) this.cards.set(id, card);
    await this.#put(news.map(({ id, card }) => ({ ...(this.get(id) ?? { id }), card })));
  }

  /** Keeps how something was answered: an exercise or, by its id, a puzzle. */
  async answer(id, grade, now = Date.now()) {
    await this.load();
    const card = answered(this.cards.get(id) ?? null, grade, now);
    this.cards.set(id, card);
    this.addDays([dayOf(now)]);
    await this.#put([{ ...(this.get(id) ?? { id }), card }]);
  }

  /** Resolves to whether these are kept. If not, they are there until the page is closed. */
  async #put(list) {
    const writing = pageDatabase().then((database) =>
      transact(database, [EXERCISES], "readwrite", (store) => {
        for (const entry of list) store.put(entry);
      }),
    );
    const isKept = await writing.then(
      () => true,
      () => false,
    );
    this.emit("change");
    this.#tabs.tell();
    return isKept;
  }

  /** Whether something is to be repeated today, at whatever hour. */
  isDue(id, now = Date.now()) {
    const card = this.cards.get(id);
    return card !== undefined && dayOf(card.due) <= dayOf(now);
  }

  /** Whether the last answer was right. Cards of earlier versions tell it by their time. */
  isKnown(id) {
    const card = this.cards.get(id);
    return Boolean(card) && (card.isRight ?? card.due - card.last > DAY);
  }

  /** The days on which something was answered, by their numbers. */
  days() {
    const days = load(DAYS)?.days;
    return Array.isArray(days) ? days : [];
  }

  /** Adds days on which something was answered. */
  addDays(list) {
    const days = new Set([...this.days(), ...list]);
    save(DAYS, { days: [...days].sort((a, b) => a - b).slice(-1000) });
  }

  /** How many days in a row something was answered. */
  streak(now = Date.now()) {
    return streakOf(this.days(), dayOf(now));
  }
}
