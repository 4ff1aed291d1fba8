// The library: every game that was played or opened in this browser. The list is read at once; a game only when it is
// opened.

import { Emitter } from "../game/emitter.js";
import { newId } from "../game/game.js";
import { haveSameMoves } from "../game/facts.js";
import { ENTRIES, GAMES, pageDatabase, resultOf, transact } from "./database.js";
import { checkedGame } from "./stored-game.js";
import { Tabs } from "./tabs.js";

/**
 * Emits "change" when games were added, changed or removed, here or in another tab, and "failed" with an error when a
 * game could not be kept; for a full disk its name is "QuotaExceededError".
 *
 * An entry is {id, title, white, black, side, moves, result: {winner, by} or null, key, createdAt, changedAt, revision,
 * tab}: what the list shows; a key that is the same for games with the same players and moves; times in milliseconds;
 * how often it was written, and by which tab last.
 */
export class Library extends Emitter {
  #tab;
  #tabs;
  /** What this tab has last kept, or found to be kept, of each game. */
  #known = new Map();
  /** By the ids of games that were kept beside those of other tabs: the revision that they had, and their new ids. */
  #forks = new Map();
  /** Settles when everything so far has been written. Writes wait for each other. */
  #done = Promise.resolve();

  /** `tab` is the id of this tab. */
  constructor(tab) {
    super();
    this.#tab = tab;
    this.#tabs = new Tabs("library", () => this.emit("change"));
  }

  #changed() {
    this.emit("change");
    this.#tabs.tell();
  }

  #write(use) {
    const written = this.#done.then(async () => transact(await pageDatabase(), [ENTRIES, GAMES], "readwrite", use));
    this.#done = written.catch(() => {});
    return written;
  }

  /**
   * Keeps a game, in the form of `Game.toJSON`, under its id. If another tab has changed it since, it is kept beside
   * that one: nothing is overwritten. Who only looks at a game does not change it. Resolves to {id, revision} under which
   * it was kept, or to null if it was not.
   */
  async keep(game, facts) {
    try {
      const kept = await this.#write(async (entries, games) => {
        // While this waited, an earlier call may have moved the game to another id.
        const fork = this.#forks.get(game.id);
        if (fork?.revision === game.revision) game = { ...game, id: fork.id };
        const present = await resultOf(entries.get(game.id));
        const before = present && (await resultOf(games.get(game.id)));
        const content = contentOf(game);
        if (Array.isArray(before?.tree) && contentOf(before) === content) {
          const { id, revision } = present;
          this.#known.set(id, content);
          // Where the user is, and what the engine said.
          games.put({ ...game, revision }, id);
          return { id, revision, isChanged: false };
        }
        const isOthers = present && present.tab !== this.#tab && present.revision !== game.revision;
        // Another tab has gone on with it, and this one only looked at it.
        if (isOthers && this.#known.get(game.id) === content) {
          return { id: game.id, revision: game.revision, isChanged: false };
        }
        const former = isOthers ? null : present;
        const id = isOthers ? newId() : game.id;
        if (isOthers) this.#forks.set(game.id, { revision: game.revision, id });
        const entry = this.#entry({ ...facts, id, title: former?.title ?? facts.title ?? null }, former);
        entries.put(entry);
        games.put({ ...game, id, revision: entry.revision }, id);
        this.#known.set(id, contentOf({ ...game, id }));
        return { id, revision: entry.revision, isChanged: true };
      });
      const { isChanged, ...place } = kept;
      if (isChanged) this.#changed();
      return place;
    } catch (error) {
      this.emit("failed", error);
      return null;
    }
  }

  #entry(facts, former = null) {
    const now = Date.now();
    const revision = (former?.revision ?? 0) + 1;
    return { createdAt: former?.createdAt ?? now, changedAt: now, revision, tab: this.#tab, ...facts };
  }

  /**
   * Adds games, each {game, facts}, but not those that were there before, unless they come from a backup and were
   * changed later, perhaps by comments or a review. Resolves to {added, known}: how many there were of each. Rejects,
   * and adds nothing, if they cannot be kept.
   */
  async add(list) {
    const result = await this.#write(async (entries, games) => {
      const latest = new Map();
      for (const { key, changedAt } of await resultOf(entries.getAll())) {
        latest.set(key, Math.max(changedAt, latest.get(key) ?? 0));
      }
      let added = 0;
      for (const { game, facts } of list) {
        const present = await resultOf(entries.get(game.id));
        // In another language, its players were called otherwise.
        const isSame = present && haveSameMoves(present.key, facts.key);
        const known = latest.get(facts.key) ?? (isSame ? present.changedAt : undefined);
        if (known !== undefined && !(facts.changedAt > known)) continue;
        // A game of a backup may have the id of one that has gone on since.
        const id = present ? newId() : game.id;
        const entry = this.#entry({ title: null, ...facts, id });
        entries.put(entry);
        games.put({ ...game, id, revision: entry.revision }, id);
        added += 1;
      }
      return { added, known: list.length - added };
    });
    this.#changed();
    return result;
  }

  /** All entries, the one that was changed last first. Rejects where the browser keeps nothing. */
  async list() {
    await this.#done;
    const entries = await transact(await pageDatabase(), [ENTRIES], "readonly", (store) => resultOf(store.getAll()));
    return entries.sort((a, b) => b.changedAt - a.changedAt);
  }

  /** The game with this id in the form of `Game.toJSON`, or null if there is none that can be taken up. */
  async get(id) {
    await this.#done;
    this.#forks.delete(id);
    const game = await transact(await pageDatabase(), [GAMES], "readonly", (store) => resultOf(store.get(id)));
    return checkedGame(game ?? null);
  }

  /** Gives a game a title; with an empty one it is called after its players again. */
  async rename(id, title) {
    await this.#write(async (entries) => {
      const entry = await resultOf(entries.get(id));
      if (entry) entries.put({ ...entry, title: title || null });
    });
    this.#changed();
  }

  /** Removes a game. Resolves to what `restore` needs to bring it back, or to null if it is not there. */
  async remove(id) {
    const removed = await this.#write(async (entries, games) => {
      const [entry, game] = [await resultOf(entries.get(id)), await resultOf(games.get(id))];
      if (!entry) return null;
      entries.delete(id);
      games.delete(id);
      return { entry, game };
    });
    if (removed) this.#changed();
    return removed;
  }

  /** Brings back a game that was removed. */
  async restore({ entry, game }) {
    await this.#write((entries, games) => {
      entries.put(entry);
      games.put(game, entry.id);
    });
    this.#changed();
  }
}

/**
 * What a game is, as a text: not where the user is in it, nor what the clocks show there, nor how the engine judges its
 * positions.
 */
function contentOf({ revision, current, head, flag, clock, isPaused, tree, ...start }) {
  const numbers = new Map(tree.map(({ id }, number) => [id, number]));
  const nodes = tree.map(({ id, parent, evaluation, mistake, ...node }) => ({
    ...node,
    ...(mistake && { mistake: { ...mistake, evaluation: null } }),
    parent: numbers.get(parent) ?? null,
  }));
  return JSON.stringify([start, nodes]);
}
