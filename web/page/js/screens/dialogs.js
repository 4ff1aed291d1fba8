// The dialogs: new game, open, save and share, settings, rules.

import { $, $$, html } from "../views/dom.js";
import { Geometry, SIDES } from "../game/geometry.js";
import { fragmentIn } from "../game/link.js";
import { download, readFile, readGames, writeGame } from "../engine/records.js";
import { PALETTES, sceneOf, toPng, toSvg } from "../views/scene.js";
import { loadGame, recentGames } from "../store/storage.js";
import { LEVEL_NAMES, levelText, plainReason } from "../game/wording.js";

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

function radio(name, value, text, label = null) {
  return html(
    "label",
    { title: label },
    html("input", { type: "radio", name, value, "aria-label": label }),
    html("span", { text }),
  );
}

function checkRadio(form, name, value) {
  const input = $$(`input[name="${name}"]`, form).find((radio) => radio.value === String(value));
  if (input) input.checked = true;
}

/** Asks for the settings of a new game and passes them to `onStart`. */
export class NewGameDialog {
  constructor(settings, onStart) {
    this.settings = settings;
    this.dialog = dialogNamed("new-game");
    this.form = $("[data-new-game-form]");
    $("[data-sides]", this.form).append(...SIDES.map((side) => radio("side", side, side)));
    $("[data-levels]", this.form).append(...LEVEL_NAMES.map((_, i) => radio("level", i + 1, i + 1, levelText(i + 1))));
    this.form.addEventListener("change", () => this.#show());
    // Only now, when the dialog has given back the focus, can the new game take it.
    this.dialog.addEventListener("close", () => this.dialog.returnValue === "start" && onStart(this.#read()));
  }

  open() {
    for (const name of ["side", "play", "level"]) checkRadio(this.form, name, this.settings.get(name));
    for (const name of ["swap", "adapts"]) this.form.elements[name].checked = this.settings.get(name);
    this.form.elements.minutes.value = this.settings.get("clockMain");
    this.form.elements.increment.value = this.settings.get("clockIncrement");
    this.#show();
    this.dialog.returnValue = "";
    this.dialog.showModal();
    $('[value="start"]', this.form).focus();
  }

  #show() {
    const { play, level } = this.form.elements;
    $("[data-level-choice]", this.form).hidden = play.value === "both";
    $("[data-level-name]", this.form).textContent = LEVEL_NAMES[level.value - 1];
  }

  /** The options for `Game.start`; they become the choices of the next time. */
  #read() {
    const { side, play, level, adapts, swap, minutes, increment } = this.form.elements;
    const clockMain = Math.max(0, Number(minutes.value) || 0);
    const clockIncrement = Math.max(0, Number(increment.value) || 0);
    const chosen = {
      side: Number(side.value),
      play: play.value,
      level: Number(level.value),
      adapts: adapts.checked,
      swap: swap.checked,
      clockMain,
      clockIncrement,
    };
    for (const [name, value] of Object.entries(chosen)) this.settings.set(name, value);
    return {
      side: chosen.side,
      swap: chosen.swap,
      seats: chosen.play,
      level: chosen.level,
      counts: chosen.adapts,
      clock: clockMain > 0 ? { main: clockMain * 60_000, increment: clockIncrement * 1000 } : null,
    };
  }
}

/** Opens a record from a file, pasted text, or this browser's recent games. */
export class OpenDialog {
  /** `onGame` gets a game of `readGames`, `onStored` a stored game and its id, `onLink` the fragment of a link. */
  constructor({ client, game, onGame, onStored, onLink }) {
    Object.assign(this, { client, game, onGame, onStored, onLink });
    this.dialog = dialogNamed("open");
    this.paste = $("[data-paste]", this.dialog);
    this.error = $("[data-open-error]", this.dialog);
    this.choice = $("[data-game-choice]", this.dialog);
    $("[data-open-form]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.readText(this.paste.value);
    });
    $("[data-file]", this.dialog).addEventListener("change", ({ target }) => {
      if (target.files.length) this.readFile(target.files[0]);
      target.value = "";
    });
  }

  open() {
    this.error.hidden = true;
    this.choice.hidden = true;
    this.#listRecent();
    if (!this.dialog.open) this.dialog.showModal();
  }

  async readFile(file) {
    try {
      await this.readText(await readFile(file));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads games from a text. One game is opened at once; among several the user chooses. */
  async readText(text) {
    this.error.hidden = true;
    const fragment = fragmentIn(text);
    if (fragment) return this.#finish(() => this.onLink(fragment));
    try {
      const games = await readGames(this.client, text, this.game.side);
      if (games.length === 1) this.#take(games[0]);
      else this.#offer(games);
    } catch (error) {
      this.#fail(error);
    }
    return undefined;
  }

  #take(game) {
    this.#finish(() => this.onGame(game));
  }

  #finish(open) {
    if (this.dialog.open) this.dialog.close();
    this.paste.value = "";
    open();
  }

  #offer(games) {
    if (!this.dialog.open) this.open();
    this.choice.hidden = false;
    $("[data-game-choices]").replaceChildren(
      ...games
        .slice(0, 200)
        .map((game, i) =>
          html(
            "li",
            {},
            html(
              "button",
              { type: "button", onclick: () => this.#take(game) },
              html("span", { text: `${i + 1}. ${game.title}` }),
              html("span", { class: "note", text: game.detail }),
            ),
          ),
        ),
    );
  }

  #fail(error) {
    if (!this.dialog.open) this.open();
    this.error.textContent = `This could not be read: ${plainReason(error)}`;
    this.error.hidden = false;
  }

  #listRecent() {
    const games = recentGames().filter(({ game }) => game.tree.length > 1);
    $("[data-recent]").hidden = games.length === 0;
    $("[data-recent-list]").replaceChildren(
      ...games.map(({ id, game }) =>
        html(
          "li",
          {},
          html(
            "button",
            { type: "button", "data-recent-game": id, onclick: () => this.#takeStored(id) },
            html("span", { text: `Side ${game.side}, ${game.tree.length - 1} moves` }),
            html("span", { class: "note", text: new Date(game.savedAt).toLocaleString() }),
          ),
        ),
      ),
    );
  }

  #takeStored(id) {
    const stored = loadGame(id);
    this.dialog.close();
    if (stored) this.onStored(stored);
  }
}

/** Link, record and picture of the game. */
export class ShareDialog {
  constructor({ client, game, resultAt, announcer }) {
    Object.assign(this, { client, game, resultAt, announcer });
    this.dialog = dialogNamed("share");
    this.link = $("[data-link]", this.dialog);
    this.record = $("[data-record]", this.dialog);
    this.error = $("[data-record-error]", this.dialog);
    $("[data-format]", this.dialog).addEventListener("change", () => this.#write());
    for (const button of $$("[data-copy]", this.dialog)) {
      button.addEventListener("click", () => this.#copy(button.dataset.copy === "link" ? this.link : this.record));
    }
    $('[data-save="record"]', this.dialog).addEventListener("click", () => this.#saveRecord());
    $('[data-save="svg"]', this.dialog).addEventListener("click", () => this.#saveSvg());
    $('[data-save="png"]', this.dialog).addEventListener("click", () => this.#savePng());
  }

  open() {
    const url = new URL(location.href);
    url.hash = this.game.fragment();
    this.link.value = url.href;
    this.#write();
    this.dialog.showModal();
  }

  get #format() {
    return $('input[name="format"]:checked', this.dialog).value;
  }

  async #write() {
    this.error.hidden = true;
    this.record.value = "";
    try {
      const result = this.resultAt(this.game.tree.tip());
      this.record.value = await writeGame(this.client, this.game, this.#format, result);
    } catch (error) {
      this.error.textContent = `This could not be written: ${plainReason(error)}`;
      this.error.hidden = false;
    }
  }

  async #copy(field) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      this.announcer.show("Copied.");
    } catch {
      this.announcer.show("The browser does not allow copying. The text is selected: press Ctrl+C.");
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
      { board: game.board, stones, last, winning: this.resultAt(game.current)?.winning ?? [] },
      {
        palette: PALETTES[document.documentElement.dataset.theme] ?? PALETTES.light,
        numbers: isNumbered ? numbersOf(game.tree.moves(game.current)) : new Map(),
      },
    );
  }

  #saveSvg() {
    download("havannah.svg", toSvg(this.#scene(), `Havannah, side ${this.game.side}`), "image/svg+xml");
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
    const value =
      field.type === "checkbox" ? field.checked : field.type === "number" ? Number(field.value) : field.value;
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
    const palette = PALETTES[document.documentElement.dataset.theme] ?? PALETTES.light;
    for (const place of $$("[data-rule-picture]", this.dialog)) {
      const name = place.dataset.rulePicture;
      const text = toSvg(exampleScene(name, palette), `Example: ${name}`);
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
