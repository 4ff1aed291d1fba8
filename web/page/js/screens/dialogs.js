// The dialogs: new game, open, save and share, settings, rules.

import { t } from "../language/texts.js";
import { checkRadio, radio } from "../views/controls.js";
import { $, $$, download, html, marked, setText } from "../views/dom.js";
import { seatsOf } from "../game/game.js";
import { Geometry, SIDES } from "../game/geometry.js";
import { marksOf } from "../game/marks.js";
import { usedNotation } from "../game/notation.js";
import { asItLies, TURNS } from "../game/orientation.js";
import { fragmentIn } from "../game/link.js";
import { readFile, readGames, toKeep, writeGame } from "../engine/records.js";
import { isThisMachine } from "../engine/transports.js";
import { BACKUP_NAME, isBackup, isBackupFile } from "../store/backup.js";
import { pagePalette, sceneOf, toPng, toSvg } from "../views/scene.js";
import { detailOf, titleOf } from "./library-screen.js";
import { LANGUAGES } from "../language/languages.js";
import { LEVELS } from "../game/levels.js";
import { levelName, levelText, plainReason, recordReason } from "../game/wording.js";

function dialogNamed(name) {
  const dialog = $(`[data-dialog="${name}"]`);
  $("[data-close]", dialog).addEventListener("click", () => dialog.close());
  // A click on the backdrop closes the dialog.
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target !== dialog) return;
    const box = dialog.getBoundingClientRect();
    const isInside =
      event.clientX >= box.left &&
      event.clientX <= box.right &&
      event.clientY >= box.top &&
      event.clientY <= box.bottom;
    if (!isInside) dialog.close();
  });
  return dialog;
}

/**
 * Asks for the settings of a new game and passes them to `onStart`: options for `Game.start`, and as `handicap` who
 * places how many first stones, {color, count}, or null.
 */
export class NewGameDialog {
  constructor(settings, onStart) {
    this.settings = settings;
    this.dialog = dialogNamed("new-game");
    this.form = $("[data-new-game-form]");
    $("[data-sides]", this.form).append(...SIDES.map((side) => radio("side", side, String(side))));
    for (const place of $$("[data-levels]", this.form)) {
      place.append(...LEVELS.map((level) => radio(place.dataset.levels, level, String(level), levelText(level))));
    }
    this.form.addEventListener("change", () => this.#show());
    // A browser cannot point at a field that is hidden.
    const show = ({ target }) => {
      const details = target.closest("details");
      if (details) details.open = true;
    };
    this.form.addEventListener("invalid", show, true);
    // Only now, when the dialog has given back the focus, can the new game take it.
    this.dialog.addEventListener("close", () => this.dialog.returnValue === "start" && onStart(this.#read()));
  }

  open() {
    for (const name of ["side", "play", "level", "levelBlack"]) checkRadio(this.form, name, this.settings.get(name));
    for (const name of ["swap", "adapts"]) this.form.elements[name].checked = this.settings.get(name);
    this.form.elements.minutes.value = this.settings.get("clockMain");
    this.form.elements.increment.value = this.settings.get("clockIncrement");
    this.form.elements.handicap.value = "none";
    this.form.elements.handicapCount.value = 2;
    $("[data-more-choices]", this.form).open = false;
    this.#show();
    this.dialog.returnValue = "";
    this.dialog.showModal();
    $('[value="start"]', this.form).focus();
  }

  #show() {
    const { play, level, levelBlack, handicap, handicapCount, swap } = this.form.elements;
    const isEngineAlone = play.value === "neither";
    $("[data-level-choice]", this.form).hidden = play.value === "both";
    $("[data-level-of]", this.form).textContent = t(isEngineAlone ? "new-game.level-white" : "new-game.level");
    $("[data-level-name]", this.form).textContent = levelName(level.value);
    $("[data-level-choice-black]", this.form).hidden = !isEngineAlone;
    $("[data-level-name-black]", this.form).textContent = levelName(levelBlack.value);
    $("[data-adapts]", this.form).hidden = isEngineAlone;
    $("[data-handicap-count]", this.form).hidden = handicap.value === "none";
    // A wrong count that is hidden would keep the game from starting.
    handicapCount.disabled = handicap.value === "none";
    // Where the first stones are a handicap, nobody takes them over.
    swap.disabled = handicap.value !== "none";
  }

  /** The options for `Game.start`; they become the choices of the next time. */
  #read() {
    const { side, play, level, levelBlack, adapts, swap, minutes, increment } = this.form.elements;
    const clockMain = Math.max(0, Number(minutes.value) || 0);
    const clockIncrement = Math.max(0, Number(increment.value) || 0);
    const chosen = {
      side: Number(side.value),
      play: play.value,
      level: Number(level.value),
      levelBlack: Number(levelBlack.value),
      adapts: adapts.checked,
      swap: swap.checked,
      clockMain,
      clockIncrement,
    };
    for (const [name, value] of Object.entries(chosen)) this.settings.set(name, value);
    const handicap = this.#handicap();
    const seats = seatsOf(chosen.play);
    return {
      side: chosen.side,
      swap: chosen.swap && !handicap,
      seats,
      levels: { white: chosen.level, black: seats === "neither" ? chosen.levelBlack : chosen.level },
      counts: chosen.adapts && !handicap,
      handicap,
      clock: clockMain > 0 ? { main: clockMain * 60_000, increment: clockIncrement * 1000 } : null,
    };
  }

  #handicap() {
    const { handicap, handicapCount } = this.form.elements;
    const count = Math.min(9, Math.max(2, Math.round(Number(handicapCount.value)) || 2));
    return handicap.value === "none" ? null : { color: handicap.value, count };
  }
}

/** How many of the latest games the dialog lists. */
const RECENT = 8;

/** Opens a record from a file, pasted text, or the library. */
export class OpenDialog {
  /** Counts what was to be read. Only the last counts, and none once the user has closed the dialog. */
  #turn = 0;

  /**
   * `onGame` gets a game of `readGames`, `onGames` a list of `toKeep` and the errors if there are several, `onFiles`
   * files if there are several or it is a backup, `onKept` the id of a game of the library, `onLink` the fragment of a
   * link.
   */
  constructor({ client, game, library, announcer, onGame, onGames, onFiles, onKept, onLink }) {
    Object.assign(this, { client, game, library, announcer, onGame, onGames, onFiles, onKept, onLink });
    this.dialog = dialogNamed("open");
    this.paste = $("[data-paste]", this.dialog);
    this.error = $("[data-open-error]", this.dialog);
    this.names = $("[data-open-names]", this.dialog);
    this.dialog.addEventListener("close", () => (this.#turn += 1));
    $("[data-open-form]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.readText(this.paste.value);
    });
    $("[data-file]", this.dialog).addEventListener("change", ({ target }) => {
      const files = [...target.files];
      target.value = "";
      this.readFiles(files);
    });
  }

  open() {
    this.error.hidden = true;
    this.#listRecent();
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  /** One file with one game is opened; of several games all go to the library, and so does a backup. */
  async readFiles(files) {
    if (files.length === 0) return;
    const turn = ++this.#turn;
    try {
      if (files.length > 1 || (await isBackupFile(files[0]))) {
        this.#finish(turn, () => this.onFiles(files));
        return;
      }
      const content = await readFile(files[0]);
      if (turn === this.#turn) await this.readText(content);
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  /** Reads games from a text or the bytes of a file. One game is opened at once; several go to the library. */
  async readText(content) {
    this.error.hidden = true;
    const turn = ++this.#turn;
    if (typeof content === "string" && isBackup(content)) {
      this.#finish(turn, () => this.onFiles([new File([content], BACKUP_NAME)]));
      return;
    }
    const fragment = typeof content === "string" && fragmentIn(content);
    if (fragment) {
      this.#finish(turn, () => this.onLink(fragment));
      return;
    }
    try {
      const { games, errors } = await readGames(this.client, content, {
        side: this.game.side,
        names: this.names.value,
      });
      this.#finish(turn, () => {
        if (games.length + errors.length > 1) {
          this.onGames(games.map(toKeep), errors.map(recordReason));
        } else {
          this.onGame(games[0]);
          if (games[0].note) this.announcer.show(t("open.doubt"));
        }
      });
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  #finish(turn, open) {
    if (turn !== this.#turn) return;
    this.close();
    this.paste.value = "";
    this.names.value = "";
    open();
  }

  #fail(turn, error) {
    if (turn !== this.#turn) return;
    if (!this.dialog.open) this.open();
    this.error.textContent = t("open.failed", { reason: recordReason(plainReason(error)) });
    this.error.hidden = false;
  }

  async #listRecent() {
    const entries = await this.library.list().catch(() => []);
    $("[data-recent]").hidden = entries.length === 0;
    $("[data-recent-list]").replaceChildren(...entries.slice(0, RECENT).map((entry) => this.#recent(entry)));
    $('[data-dialog="open"] [data-action="library"]').textContent = t("open.all", { games: entries.length });
  }

  #recent(entry) {
    const onclick = () => this.#finish(++this.#turn, () => this.onKept(entry.id));
    return html(
      "li",
      {},
      html(
        "button",
        { type: "button", "data-recent-game": entry.id, onclick },
        html("span", { text: titleOf(entry) }),
        html("span", { class: "note", text: detailOf(entry) }),
      ),
    );
  }
}

/** Link, record and picture of the game. */
export class ShareDialog {
  constructor({ client, game, resultAt, players }) {
    Object.assign(this, { client, game, resultAt, players });
    this.dialog = dialogNamed("share");
    this.link = $("[data-link]", this.dialog);
    this.gameLink = $("[data-game-link]", this.dialog);
    this.record = $("[data-record]", this.dialog);
    this.error = $("[data-record-error]", this.dialog);
    // What is outside of the dialog is neither seen nor heard while it is open.
    this.said = $("[data-share-said]", this.dialog);
    $("[data-format]", this.dialog).addEventListener("change", () => this.#write());
    for (const button of $$("[data-copy]", this.dialog)) {
      const field = { link: this.link, "game-link": this.gameLink, record: this.record }[button.dataset.copy];
      button.addEventListener("click", () => this.#copy(field));
    }
    $('[data-save="record"]', this.dialog).addEventListener("click", () => this.#saveRecord());
    $('[data-save="svg"]', this.dialog).addEventListener("click", () => this.#saveSvg());
    $('[data-save="png"]', this.dialog).addEventListener("click", () => this.#savePng());
    $("[data-print]", this.dialog).addEventListener("click", () => this.#print());
  }

  open() {
    const url = new URL(location.href);
    url.hash = this.game.fragment();
    this.link.value = url.href;
    url.hash = this.game.gameFragment();
    this.gameLink.value = url.href;
    // A server on this computer cannot be reached from elsewhere.
    $("[data-link-note]", this.dialog).hidden = !isThisMachine(url.hostname);
    setText(this.said, "");
    this.#write();
    this.dialog.showModal();
  }

  get #format() {
    return $('input[name="format"]:checked', this.dialog).value;
  }

  async #write() {
    this.error.hidden = true;
    this.#setRecord("");
    const format = this.#format;
    try {
      const result = this.resultAt(this.game.end());
      const text = await writeGame(this.client, this.game, format, result, this.players());
      if (format === this.#format) this.#setRecord(text);
    } catch (error) {
      this.error.textContent = t("share.failed", { reason: plainReason(error) });
      this.error.hidden = false;
    }
  }

  /** The text of the game; until the engine has written it, it cannot be saved or copied. */
  #setRecord(text) {
    this.record.value = text;
    for (const button of $$('[data-save="record"], [data-copy="record"]', this.dialog)) button.disabled = !text;
  }

  async #copy(field) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      setText(this.said, t("share.copied"));
    } catch {
      setText(this.said, t("share.not-copied"));
    }
  }

  #saveRecord() {
    const extension = { sgf: "sgf", hgf: "hgf", moves: "txt" }[this.#format];
    download(`havannah.${extension}`, this.record.value, "text/plain");
  }

  /** The position shown, as it is marked on the board. */
  #scene() {
    const { game } = this;
    const { stones, last } = game.stonesAt();
    const isNumbered = $("[data-picture-numbers]", this.dialog).checked;
    return sceneOf(
      { board: asItLies(game.board), stones, last, winning: this.resultAt(game.current)?.winning ?? [] },
      {
        palette: pagePalette(),
        numbers: isNumbered ? numbersOf(game.tree.moves(game.current)) : new Map(),
        marks: marksOf(game.current.properties, game.board),
      },
    );
  }

  #saveSvg() {
    download("havannah.svg", toSvg(this.#scene(), t("share.picture.title", { side: this.game.side })), "image/svg+xml");
  }

  /** Prints the board and the moves; style/print.css leaves out the rest. */
  #print() {
    this.dialog.close();
    print();
  }

  async #savePng() {
    download("havannah.png", await toPng(this.#scene()), "image/png");
  }
}

/** The number of the move that placed each stone. */
export function numbersOf(moves) {
  return new Map(moves.map((move, i) => [move.replace(/^.*:/, ""), String(i + 1)]));
}

/** Changes settings as they are edited. */
export class SettingsDialog {
  constructor(settings) {
    this.settings = settings;
    this.dialog = dialogNamed("settings");
    this.form = $("[data-settings-form]");
    const languages = Object.entries(LANGUAGES).map(([lang, text]) => html("option", { value: lang, lang, text }));
    $("[data-languages]", this.form).append(...languages);
    const turns = Array.from({ length: TURNS }, (_, turn) => turn);
    const turnText = (turn) => (turn ? t("settings.turned", { degrees: 30 * turn }) : t("settings.not-turned"));
    $("[data-turns]", this.form).append(...turns.map((turn) => new Option(turnText(turn), turn)));
    this.form.addEventListener("change", ({ target }) => this.#take(target));
  }

  open() {
    for (const field of this.#fields()) {
      const value = this.settings.get(field.name);
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
    }
    this.dialog.showModal();
  }

  #fields() {
    return [...this.form.elements].filter(({ name }) => name);
  }

  #take(field) {
    if (!field.checkValidity()) return field.reportValidity();
    const isNumber = field.type === "number" || "numbers" in field.dataset;
    const value = field.type === "checkbox" ? field.checked : isNumber ? Number(field.value) : field.value;
    return this.settings.set(field.name, value);
  }
}

/** The examples of the rules: [stones of white, stones of black], on a board of side 4. */
const EXAMPLES = {
  bridge: { white: "a1 b2 c2 d2 e3 f3 g4", black: "b3 d3 e5 d4", winning: "a1 b2 c2 d2 e3 f3 g4" },
  fork: { white: "a3 b3 c4 d4 d3 e3 e2 e5 e6 f7", black: "c5 e4 c2 f5", winning: "a3 b3 c4 d4 d3 e3 e2 e5 e6 f7" },
  ring: { white: "c3 d3 e4 e5 d5 c4", black: "d4 c5 f5 b3", winning: "c3 d3 e4 e5 d5 c4" },
  coordinates: { white: "d3", black: "", winning: "" },
};

/** The rules, with pictures that are drawn when they are first needed and again for other colours. */
export class RulesDialog {
  constructor() {
    this.dialog = dialogNamed("rules");
    document.addEventListener("themechange", () => this.dialog.open && this.#draw());
  }

  open() {
    this.#draw();
    this.dialog.showModal();
  }

  #draw() {
    const palette = pagePalette();
    const key = usedNotation() === "littlegolem" ? "rules.coordinates.littlegolem" : "rules.coordinates";
    const text = t(key, { example: EXAMPLES.coordinates.white });
    $("[data-rule-coordinates]", this.dialog).replaceChildren(...marked(text));
    for (const place of $$("[data-rule-picture]", this.dialog)) {
      const name = place.dataset.rulePicture;
      const text = toSvg(exampleScene(name, palette), t(`rules.example.${name}`));
      const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      picture.setAttribute("role", "img");
      picture.removeAttribute("width");
      picture.removeAttribute("height");
      place.replaceChildren(document.importNode(picture, true));
    }
  }
}

function exampleScene(name, palette) {
  const { white, black, winning } = EXAMPLES[name];
  const words = (text) => text.split(" ").filter(Boolean);
  const stones = new Map([...words(white).map((v) => [v, "white"]), ...words(black).map((v) => [v, "black"])]);
  return sceneOf(
    { board: Geometry.of(4), stones, winning: words(winning) },
    { palette, coordinates: name === "coordinates", labelSize: 20 },
  );
}
