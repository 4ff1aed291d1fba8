// The screen of the library, in place of the game: all games of this browser, to search, sort, open, rename, delete,
// add and export.

import { compareTexts, dateTime, t } from "../language/texts.js";
import { QueryError } from "../engine/engine-client.js";
import { pairOf, readFile, readGames, toKeep, writeStored } from "../engine/records.js";
import { BACKUP_NAME, isBackupFile, readBackup, restoreBackup, writeBackup } from "../store/backup.js";
import { Emitter } from "../game/emitter.js";
import { plainReason, recordReason, resultSentence } from "../game/wording.js";
import { $, $$, download, html, icon, setText } from "../views/dom.js";

/** How many games are listed at once. */
const PAGE = 100;

/** Games that were added together have the same time; their names may end with numbers. */
const byName = (a, b) => compareTexts(titleOf(a), titleOf(b));

const ORDERS = {
  latest: (a, b) => b.changedAt - a.changedAt || byName(a, b),
  oldest: (a, b) => a.changedAt - b.changedAt || byName(a, b),
  name: byName,
  side: (a, b) => a.side - b.side || byName(a, b),
  length: (a, b) => b.moves - a.moves || byName(a, b),
};

/** What an entry of the library is called. */
export function titleOf({ title, white, black, name, event }) {
  if (title) return title;
  return pairOf({ white, black }) ?? name ?? event ?? t("library.game");
}

/** "side 8, 63 moves, Black won by fork". */
export function detailOf({ side, moves, stones = 0, result }) {
  const detail = stones > 0 ? t("library.detail-setup", { side, stones, moves }) : t("library.detail", { side, moves });
  return [detail, ...(result ? [resultSentence(result)] : [])].join(", ");
}

function dateOf({ date, changedAt }) {
  return date ?? dateTime(changedAt);
}

/**
 * Emits "toggle" when it has opened or closed, "open" with the id of a game that the user has chosen, and "deleted" with
 * that of one that the user has deleted.
 */
export class LibraryScreen extends Emitter {
  #entries = [];
  #shown = PAGE;
  #renamed = null;

  constructor({ client, library, exercises, puzzles, announcer, side }) {
    super();
    Object.assign(this, { client, library, exercises, puzzles, announcer, side });
    this.root = $("[data-library-screen]");
    // A name that is being typed stays.
    library.on("change", () => this.isOpen && this.#renamed === null && this.#load());
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** The fragment of the address, or null while the screen is closed. */
  get fragment() {
    return this.isOpen ? "games" : null;
  }

  /** What gets the focus when the screen is shown: as the board of other screens. */
  get board() {
    return this.search;
  }

  open() {
    location.hash = "games";
  }

  close() {
    if (!this.isOpen) return;
    this.#renamed = null;
    this.root.replaceChildren();
    this.root.hidden = true;
    this.emit("toggle");
  }

  /** Shows the library if the fragment of an address names it, else the game. Returns whether it does. */
  route(fragment) {
    const isNamed = fragment.replace(/^#/, "") === "games";
    if (!isNamed) this.close();
    else if (!this.isOpen) this.#show();
    return isNamed;
  }

  /** The keys that go through a game do nothing here. */
  press() {}

  #show() {
    this.#build();
    this.root.hidden = false;
    this.emit("toggle");
    this.heading.focus();
    this.#load();
  }

  // ---------------------------------------------------------------- parts

  #build() {
    this.heading = html("h2", { tabindex: "-1", text: t("library.title") });
    this.summary = html("p", { class: "note", role: "status", "data-library-summary": "" });
    this.list = html("ul", { class: "game-list", "data-library-list": "" });
    this.more = this.#button("more", "", () => this.#showMore());
    this.search = html("input", {
      type: "search",
      "data-library-search": "",
      "aria-label": t("library.search"),
      placeholder: t("library.search.example"),
      oninput: () => this.#searched(),
    });
    this.order = html(
      "select",
      { "data-library-order": "", "aria-label": t("library.order"), onchange: () => this.#searched() },
      ...Object.keys(ORDERS).map((value) => html("option", { value, text: t(`library.order.${value}`) })),
    );
    this.root.replaceChildren(
      html(
        "section",
        { class: "card library-head", "aria-label": t("library.title") },
        html(
          "div",
          { class: "card-head" },
          this.heading,
          this.#button("close", t("close.screen"), () => this.#leave()),
        ),
        html("div", { class: "library-find" }, this.search, this.order),
        html(
          "div",
          { class: "row" },
          this.#fileButton("files", t("library.add-files"), {
            accept: ".sgf,.hgf,.txt,.jsonl,.moves,.json,text/plain",
          }),
          this.#fileButton("folder", t("library.add-folder"), { webkitdirectory: true }),
          this.#button("export", t("library.export"), () => this.#export()),
          this.#button("backup", t("library.backup"), () => this.#backUp()),
        ),
        this.summary,
      ),
      this.list,
      this.more,
    );
  }

  #button(action, text, onclick, attributes = {}) {
    return html("button", { type: "button", "data-library-action": action, onclick, text, ...attributes });
  }

  #fileButton(name, text, attributes) {
    const onchange = async ({ target }) => {
      const files = [...target.files];
      target.value = "";
      await this.add(files);
    };
    const input = html("input", {
      type: "file",
      multiple: true,
      [`data-library-${name}`]: "",
      onchange,
      ...attributes,
    });
    return html("label", { class: "file-button" }, input, html("span", { text }));
  }

  #leave() {
    this.close();
  }

  // ---------------------------------------------------------------- the list

  async #load() {
    try {
      this.#entries = await this.library.list();
    } catch {
      setText(this.summary, t("library.no-storage"));
      return;
    }
    // A name that is being typed stays, also if this began before.
    if (this.isOpen && this.#renamed === null) this.#draw();
  }

  #searched() {
    this.#renamed = null;
    this.#shown = PAGE;
    this.#draw();
  }

  #showMore() {
    const { length } = this.list.children;
    this.#shown += PAGE;
    this.#draw();
    $("button", this.list.children[length])?.focus();
  }

  /** The entries that fit what is searched for, in the order that is chosen. */
  #found() {
    const words = wordsOf(this.search.value.toLowerCase());
    const fits = (entry) => {
      const { white, black, name, event } = entry;
      const facts = [titleOf(entry), white, black, name, event, detailOf(entry), dateOf(entry)];
      const text = facts.filter(Boolean).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return this.#entries.filter(fits).sort(ORDERS[this.order.value]);
  }

  #draw() {
    const found = this.#found();
    const [all, shown] = [this.#entries.length, Math.min(found.length, this.#shown)];
    const count = found.length === all ? "library.count" : "library.found";
    setText(this.summary, all === 0 ? t("library.empty") : t(count, { found: found.length, games: all }));
    const focused = document.activeElement?.closest("[data-game]");
    const button = focused && $$("button", focused).indexOf(document.activeElement);
    this.list.replaceChildren(...found.slice(0, shown).map((entry) => this.#item(entry)));
    if (focused) $$("button", $(`[data-game="${focused.dataset.game}"]`, this.list) ?? this.list)[button]?.focus();
    this.more.hidden = shown === found.length;
    this.more.textContent = t("library.more", { games: found.length - shown });
  }

  #item(entry) {
    const { id } = entry;
    if (id === this.#renamed) return html("li", { "data-game": id }, this.#renameForm(entry));
    const title = titleOf(entry);
    return html(
      "li",
      { "data-game": id },
      html(
        "button",
        { type: "button", class: "game-open", "data-library-open": id, onclick: () => this.emit("open", id) },
        html("span", { class: "game-title", text: title }),
        html("span", { class: "note", text: `${detailOf(entry)} · ${dateOf(entry)}` }),
      ),
      this.#button("rename", t("library.rename"), () => this.#rename(id), {
        class: "small quiet",
        "aria-label": t("library.rename.label", { title }),
      }),
      html(
        "button",
        {
          type: "button",
          class: "icon-only quiet",
          "data-library-action": "delete",
          "aria-label": t("library.delete", { title }),
          // The second click of a double click would delete the next game, and put its offer in place of this one's.
          onclick: (event) => event.detail < 2 && this.#delete(entry),
        },
        icon("delete"),
      ),
    );
  }

  #rename(id) {
    this.#renamed = id;
    this.#draw();
    $("[data-library-name]", this.list).select();
  }

  #renameForm(entry) {
    const input = html("input", {
      "data-library-name": "",
      value: titleOf(entry),
      "aria-label": t("library.name"),
      maxlength: "200",
    });
    const end = () => {
      this.#renamed = null;
      this.#draw();
      $(`[data-library-open="${entry.id}"]`, this.list)?.focus();
    };
    const onsubmit = async (event) => {
      event.preventDefault();
      const name = input.value.trim();
      if (name !== titleOf(entry)) await this.library.rename(entry.id, name).catch((error) => this.#fail(error));
      await this.#load();
      end();
    };
    const onkeydown = (event) => event.key === "Escape" && end();
    return html(
      "form",
      { class: "library-find", onsubmit, onkeydown },
      input,
      html("button", { class: "primary", text: t("library.keep-name") }),
    );
  }

  async #delete(entry) {
    this.#renamed = null;
    const items = [...this.list.children];
    const at = items.findIndex((item) => item.dataset.game === entry.id);
    try {
      const removed = await this.library.remove(entry.id);
      if (!removed) return;
      this.emit("deleted", entry.id);
      await this.#load();
      (
        $("button", this.list.children[Math.min(at, this.list.children.length - 1)] ?? this.root) ?? this.search
      ).focus();
      const undo = { text: t("undo"), act: () => this.library.restore(removed) };
      this.announcer.offer(t("library.deleted", { title: titleOf(entry) }), undo);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    this.announcer.show(failure(error));
  }

  // ---------------------------------------------------------------- files

  /** Adds the games of files, and takes back what backups among them hold. Resolves when all are there. */
  async add(files) {
    this.#renamed = null;
    const list = [];
    const backups = [];
    const broken = [];
    for (const [i, file] of files.entries()) {
      if (this.isOpen && files.length > 1) {
        setText(this.summary, t("library.reading", { file: i + 1, files: files.length }));
      }
      try {
        if (await isBackupFile(file)) {
          backups.push(await this.#readBackup(file));
          continue;
        }
        const { games, errors } = await this.#read(file);
        list.push(...games);
        broken.push(...errors.map((error) => `${file.name}: ${recordReason(error)}`));
      } catch (error) {
        broken.push(`${file.name}: ${recordReason(plainReason(error))}`);
      }
    }
    await this.keep(list, broken, backups);
  }

  async #readBackup(file) {
    const text = await file.text();
    try {
      return readBackup(text);
    } catch {
      throw new Error(t("library.damaged"));
    }
  }

  /** Takes back what backups hold. Resolves to the sentence about it. */
  async #restore(backups) {
    const all = { games: 0, exercises: 0 };
    for (const backup of backups) {
      const { games, exercises } = await restoreBackup(backup, this.library, this.exercises, this.puzzles);
      all.games += games;
      all.exercises += exercises;
    }
    return t("library.restored", all);
  }

  /** Saves all games with their reviews, and the exercises, as one file. */
  async #backUp() {
    try {
      download(BACKUP_NAME, await writeBackup(this.library, this.exercises, this.puzzles), "application/json");
    } catch (error) {
      this.#fail(error);
    }
  }

  async #read(file) {
    const { games, errors } = await readGames(this.client, await readFile(file), { side: this.side() });
    const name = file.name.replace(/\.\w+$/, "");
    return {
      games: games.map((game, i) => named(toKeep(game), games.length === 1 ? name : `${name} ${i + 1}`)),
      errors,
    };
  }

  /**
   * Adds games of `toKeep` and what is in backups of `readBackup`, and says how much; `broken` are the sentences about
   * what could not be read.
   */
  async keep(list, broken = [], backups = []) {
    try {
      const sentences = backups.length ? [await this.#restore(backups)] : [];
      if (list.length || broken.length || !backups.length) sentences.push(await this.#addGames(list, broken));
      this.announcer.show(sentences.join(" "));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Adds games. Resolves to the sentence about them and about what could not be read. */
  async #addGames(list, broken) {
    const { added, known } = await this.library.add(list);
    const parts = [t("library.added", { games: added })];
    if (known) parts.push(t("library.known", { games: known }));
    if (broken.length) parts.push(t("library.not-read", { files: broken.length, first: broken[0] }));
    return `${parts.join(", ")}.`;
  }

  /** Saves the games that are found as one file. */
  async #export() {
    const found = this.#found();
    const texts = [];
    for (const [i, { id }] of found.entries()) {
      if (i % 20 === 0) setText(this.summary, t("library.writing", { game: i + 1, games: found.length }));
      const game = await this.library.get(id);
      try {
        if (game) texts.push(await writeStored(this.client, game));
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
      }
    }
    download("havannah-games.sgf", texts.join("\n"), "application/x-go-sgf");
    const left = found.length - texts.length;
    const parts = [
      t("library.saved", { games: texts.length }),
      ...(left ? [t("library.not-saved", { games: left })] : []),
    ];
    this.announcer.show(`${parts.join(", ")}.`);
    this.#draw();
  }
}

/** The words to search for; "side 8" is one, in the language of the page. */
function wordsOf(text) {
  const side = t("library.side", { side: "" }).trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  return words.flatMap((word, i) => {
    if (words[i - 1] === side && /^\d+$/.test(word)) return [];
    return word === side && /^\d+$/.test(words[i + 1] ?? "") ? [`${word} ${words[i + 1]}`] : [word];
  });
}

/** A game of which neither players nor a name are known is called after its file. */
function named(kept, fileName) {
  const { white, black, name, event } = kept.facts;
  return white || black || name || event ? kept : { ...kept, facts: { ...kept.facts, title: fileName } };
}

/** What to say when the library cannot keep a game. */
export function failure(error) {
  if (error.name === "QuotaExceededError") {
    return t("library.full");
  }
  return t("library.not-kept");
}
