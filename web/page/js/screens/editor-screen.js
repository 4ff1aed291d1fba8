// The screen on which a position is set up, in place of the game. It also takes the first stones of a handicap.

import { decisionOf, firstStone } from "../engine/setups.js";
import { seatsOf } from "../game/game.js";
import { Geometry, SIDES } from "../game/geometry.js";
import { emptySetup, onSide, setupFromText, setupText, stoneCount, stoneOn, withStone } from "../game/setup.js";
import { other } from "../game/stones.js";
import { LEVELS } from "../game/levels.js";
import { colorName, levelText, plainReason, resultSentence } from "../game/wording.js";
import { t } from "../language/texts.js";
import { checkRadio, segments } from "../views/controls.js";
import { $, html, setText } from "../views/dom.js";
import { BoardScreen } from "./board-screen.js";

const ADDRESS = /^#?editor(?::(.*))?$/;
/** Keys that put a stone on the vertex with the focus, or take it away. */
const KEYS = { w: "white", b: "black", x: null, Delete: null, Backspace: null };
const NOTHING = "none";

/**
 * Emits "toggle" when it has opened or closed, or shows another position, and "start" with {options, handicap}:
 * options for `Game.start`, and the number of first stones, or null.
 */
export class EditorScreen extends BoardScreen {
  #setup = null;
  /** The setups before, for undo. */
  #past = [];
  /** How the setup is decided: null if it is not, undefined as long as nobody knows. */
  #decision = null;
  /** The first stones that are being placed: {color, count, options}, or null. */
  #handicap = null;
  #tool = "white";
  #isPlacing = false;

  /** `present()` is the position of the game, as a setup. */
  constructor({ present, ...parts }) {
    super("editor", parts);
    this.present = present;
    parts.settings.on("change", () => this.isOpen && this.#draw());
  }

  /** The fragment of the address, or null while the screen is closed. */
  get fragment() {
    return this.isOpen ? `editor:${setupText(this.#setup)}` : null;
  }

  /** Opens with the position of the game. */
  open() {
    location.hash = `editor:${setupText(this.present())}`;
  }

  /**
   * Has the player of a colour place this many first stones, before a game with these options. The engine places its own.
   */
  async openHandicap({ color, count, options }) {
    this.#handicap = { color, count, options };
    this.#begin({ ...emptySetup(options.side), first: other(color) });
    if (options.seats === other(color) || options.seats === "neither") await this.#placeRest();
  }

  close() {
    if (!this.isOpen) return;
    this.#handicap = null;
    this.#setup = null;
    this.toggle(false);
  }

  /** Shows the position of the fragment of an address, or else the game. Returns whether it is one of this screen. */
  route(fragment) {
    const match = ADDRESS.exec(fragment);
    if (!match) {
      this.close();
      return false;
    }
    if (this.isOpen && match[1] === setupText(this.#setup)) return true;
    let setup = null;
    try {
      setup = setupFromText(match[1] ?? "");
    } catch (error) {
      this.announcer.show(error.message);
    }
    this.#handicap = null;
    this.#begin(setup ?? emptySetup(this.settings.get("side")));
    return true;
  }

  #begin(setup) {
    this.#past = [];
    this.#setup = setup;
    this.toggle(true);
    this.say("");
    this.#changed();
    this.heading.focus();
  }

  // ---------------------------------------------------------------- parts

  build() {
    this.fill({
      label: t("editor.title"),
      group: t("editor.stones"),
      actions: [
        segments({
          name: "editor-tool",
          label: t("editor.tool"),
          "data-editor-tools": "",
          choices: [
            ["white", [html("span", { class: "dot white", "aria-hidden": "true" }), colorName("white")]],
            ["black", [html("span", { class: "dot black", "aria-hidden": "true" }), colorName("black")]],
            [NOTHING, t("editor.remove")],
          ],
          onchange: (tool) => (this.#tool = tool),
        }),
        this.button("undo", t("action.undo"), () => this.#undo(), "undo"),
        this.button("clear", t("editor.clear"), () => this.#clear(), "delete"),
        this.button("fill", t("editor.fill"), () => this.#placeRest()),
      ],
      panel: t("editor.position"),
      cards: [this.#positionCard(), this.#startCard()],
    });
    this.drawConfirm(null);
    checkRadio(this.root, "editor-tool", this.#tool);
    $("[data-board-container]", this.root).addEventListener("keydown", (event) => this.#key(event), true);
  }

  /** Removes all stones. A handicap says who moves first. */
  #clear() {
    const { side, first } = this.#setup;
    this.#change({ ...emptySetup(side), ...(this.#handicap && { first }) });
  }

  #positionCard() {
    const turn = segments({
      name: "editor-turn",
      label: t("editor.to-move"),
      choices: ["white", "black"].map((color) => [color, colorName(color)]),
      onchange: (first) => this.#change({ ...this.#setup, first }),
    });
    const side = segments({
      name: "editor-side",
      label: t("new-game.side"),
      choices: SIDES.map((value) => [value, String(value)]),
      onchange: (value) => this.#resize(Number(value)),
    });
    return html(
      "section",
      { class: "card editor-card", "aria-label": t("editor.position"), "data-editor-position": "" },
      html("div", { class: "field" }, html("span", { text: t("editor.to-move") }), turn),
      html("div", { class: "field" }, html("span", { text: t("new-game.side") }), side),
      this.button("present", t("editor.present"), () => this.#change(this.present())),
      html("p", {
        class: "note",
        text: t("editor.keys"),
      }),
    );
  }

  #startCard() {
    const levels = LEVELS.map((level) => html("option", { value: level, text: levelText(level) }));
    this.level = html("select", { "data-editor-level": "" }, ...levels);
    this.level.value = this.settings.get("level");
    const play = segments({
      name: "editor-play",
      label: t("seats.you-play"),
      choices: [
        ["white", t("seats.white")],
        ["black", t("seats.black")],
        ["both", t("seats.both")],
        ["neither", t("seats.neither")],
      ],
      onchange: () => this.#draw(),
    });
    this.levelField = html("label", { class: "field" }, html("span", { text: t("seats.level") }), this.level);
    return html(
      "section",
      { class: "card editor-card", "aria-label": t("editor.play") },
      html(
        "div",
        { class: "editor-choices", "data-editor-choices": "" },
        html("div", { class: "field" }, html("span", { text: t("seats.you-play") }), play),
        this.levelField,
      ),
      html(
        "div",
        { class: "row" },
        this.button("start", t("editor.start"), () => this.#start()),
        this.button("analyse", t("editor.analyse"), () => this.#start({ isAnalysis: true })),
        this.closeButton(),
      ),
    );
  }

  get #seats() {
    return $('input[name="editor-play"]:checked', this.root)?.value ?? "both";
  }

  drawConfirm(name) {
    super.drawConfirm(name);
    if (name) this.action("confirm").textContent = t("editor.place", { move: name });
  }

  // ---------------------------------------------------------------- editing

  #key(event) {
    const name = event.target.closest("[data-vertex]")?.dataset.vertex;
    if (!name || event.altKey || event.ctrlKey || event.metaKey || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    this.#put(name, KEYS[event.key]);
  }

  /** Puts what is chosen on a vertex. A stone of the same colour is taken away. */
  play(name) {
    if (!name) return;
    this.board.setPreview(null);
    const tool = this.#handicap?.color ?? (this.#tool === NOTHING ? null : this.#tool);
    this.#put(name, stoneOn(this.#setup, name) === tool ? null : tool);
  }

  #put(name, color) {
    if (this.#handicap && color) {
      if (color !== this.#handicap.color) return;
      if (this.#left() === 0) {
        this.announcer.show(t("editor.first-stones-full"));
        return;
      }
    }
    if (stoneOn(this.#setup, name) === color) return;
    this.#change(withStone(this.#setup, name, color));
    this.announcer.say(color ? t("editor.placed", { player: color, move: name }) : t("editor.emptied", { move: name }));
  }

  #change(setup) {
    if (setupText(setup) === setupText(this.#setup)) return;
    this.#past.push(this.#setup);
    this.#setup = setup;
    this.#changed();
  }

  #undo() {
    this.#setup = this.#past.pop();
    this.#changed();
  }

  /** Shows a board of another side. Stones that are not on it can be brought back. */
  #resize(side) {
    const setup = onSide(this.#setup, side);
    const former = this.#setup;
    const lost = stoneCount(former) - stoneCount(setup);
    this.#change(setup);
    if (lost === 0) return;
    const undo = () => this.isOpen && this.#past.at(-1) === former && this.#undo();
    this.announcer.offer(t("editor.lost", { stones: lost }), { text: t("undo"), act: undo });
  }

  async #changed() {
    const setup = this.#setup;
    this.#decision = undefined;
    this.#draw();
    this.emit("toggle");
    await this.#decide(setup);
  }

  /** Finds out whether the setup is decided. Resolves to whether one may play from it. */
  async #decide(setup) {
    try {
      const decision = await decisionOf(this.client, setup);
      if (setup !== this.#setup) return false;
      this.#decision = decision;
      this.#draw();
      return decision === null;
    } catch (error) {
      if (setup === this.#setup) this.announcer.show(plainReason(error));
      return false;
    }
  }

  /** How many first stones are still to be placed. */
  #left() {
    return this.#handicap.count - this.#setup[this.#handicap.color].length;
  }

  /** The engine places the first stones that are left. */
  async #placeRest() {
    const { color, options } = this.#handicap;
    this.#isPlacing = true;
    this.#draw();
    try {
      while (this.#handicap && this.#left() > 0) {
        const setup = this.#setup;
        const level = options.levels?.[color] ?? options.level;
        const name = await firstStone(this.client, setup, color, level);
        if (setup !== this.#setup || !name) break;
        this.#put(name, color);
      }
    } catch (error) {
      this.announcer.show(plainReason(error));
    }
    this.#isPlacing = false;
    if (this.isOpen) this.#draw();
  }

  async #start({ isAnalysis = false } = {}) {
    const [setup, handicap] = [this.#setup, this.#handicap];
    const isPlayable = this.#decision === undefined ? await this.#decide(setup) : this.#decision === null;
    if (!isPlayable) return;
    const { side, white, black, first } = setup;
    const own = handicap?.options ?? {
      seats: seatsOf(isAnalysis ? "both" : this.#seats),
      level: Number(this.level.value),
    };
    this.emit("start", {
      options: { ...own, side, swap: false, setup: { white, black, first } },
      handicap: handicap?.count ?? null,
      isAnalysis,
    });
  }

  // ---------------------------------------------------------------- drawing

  #draw() {
    const { side, white, black, first } = this.#setup;
    const focused = document.activeElement;
    this.board.setBoard(Geometry.of(side));
    this.board.confirm = this.settings.get("confirm");
    this.board.render({
      stones: new Map([...white.map((name) => [name, "white"]), ...black.map((name) => [name, "black"])]),
      last: null,
      toMove: this.#handicap?.color ?? (this.#tool === NOTHING ? first : this.#tool),
      canPlay: !this.#handicap || this.#left() > 0,
      legal: null,
      winning: this.#decision?.winning ?? [],
      notes: new Map(),
      suggestion: null,
      coordinates: this.settings.get("coordinates"),
    });
    setText(this.heading, t(this.#handicap ? "editor.first-stones" : "editor.title"));
    setText(this.task, this.#handicap ? handicapTask(this.#handicap) : t("editor.task"));
    this.say(this.#statusSentence());
    this.#drawControls();
    this.keepFocus(focused);
  }

  #drawControls() {
    const isHandicap = Boolean(this.#handicap);
    checkRadio(this.root, "editor-turn", this.#setup.first);
    checkRadio(this.root, "editor-side", this.#setup.side);
    checkRadio(this.root, "editor-play", this.#seats);
    this.levelField.hidden = this.#seats === "both";
    const shown = {
      "[data-editor-tools]": !isHandicap,
      "[data-editor-position]": !isHandicap,
      "[data-editor-choices]": !isHandicap,
      '[data-editor-action="fill"]': isHandicap,
      '[data-editor-action="analyse"]': !isHandicap,
    };
    for (const [selector, isShown] of Object.entries(shown)) $(selector, this.root).hidden = !isShown;
    const isComplete = !isHandicap || this.#left() === 0;
    this.action("undo").disabled = this.#past.length === 0 || this.#isPlacing;
    this.action("clear").disabled = stoneCount(this.#setup) === 0 || this.#isPlacing;
    this.action("fill").disabled = isComplete || this.#isPlacing;
    const canStart = isComplete && !this.#decision;
    this.action("start").disabled = !canStart;
    this.action("start").classList.toggle("primary", canStart);
    this.action("analyse").disabled = !canStart;
  }

  #statusSentence() {
    if (this.#decision) return t("editor.decided", { result: resultSentence(this.#decision) });
    if (this.#handicap) return handicapStatus(this.#handicap, this.#left(), this.#isPlacing);
    const { white, black, first } = this.#setup;
    return t("editor.count", { white: white.length, black: black.length, player: first });
  }
}

function handicapTask({ color, count }) {
  return t("editor.handicap", { player: color, stones: count, opponent: other(color) });
}

function handicapStatus({ color }, left, isPlacing) {
  if (isPlacing) return t("editor.engine-places");
  return left === 0 ? t("editor.first-stones-done") : t("editor.first-stones-left", { player: color, stones: left });
}
