// The screen of a proof, in place of the game: the user plays the loser, and the proof answers each reply.

import { t } from "../language/texts.js";
import { BoardScreen } from "./board-screen.js";
import { $, html, setText } from "../views/dom.js";
import { QueryError } from "../engine/engine-client.js";
import { Geometry } from "../game/geometry.js";
import { threatNotes } from "../engine/notes.js";
import { base64, lengthNotes, loadProof, repliesOf, rowsOf, stepWord } from "../engine/proof.js";
import { other } from "../game/stones.js";
import { colorName, lineText, plainReason, resultSentence, vertexText } from "../game/wording.js";
import { isBackupFile } from "../store/backup.js";

/** What the keys that go through a game do here. */
const KEYS = { previous: "undo", next: "resist", first: "restart", last: "end" };

/** Emits "toggle" also when it shows another position. */
export class ProofScreen extends BoardScreen {
  /** The file in base64, and its name if it is the user's. */
  #file = null;
  #root = 0;
  /** What the engine says about the position shown. */
  #stage = null;
  #request = null;
  #showsLengths = true;

  constructor(parts) {
    super("proof", parts);
    /** The loser's replies in the position that is shown, or will be as soon as it is known; null while closed. */
    this.replies = null;
    parts.settings.on("change", () => this.isOpen && this.#stage && this.#draw());
  }

  /** The fragment of the address, or null while the screen is closed. Files of the user have no address. */
  get fragment() {
    if (this.replies === null) return null;
    return this.#file?.name || this.replies.length === 0 ? "proof=" : `proof=${this.replies.join(",")}`;
  }

  open() {
    if (!this.isOpen) location.hash = "proof=";
  }

  /** Goes back to the game. */
  close() {
    if (this.replies === null) return;
    this.#request?.cancel();
    this.replies = null;
    this.#file = null;
    this.#root = 0;
    this.#stage = null;
    this.toggle(false);
  }

  /** Shows the position that the fragment of an address names, else the game. Returns whether it names one. */
  route(fragment) {
    const replies = repliesOf(fragment);
    if (replies === null) this.close();
    else if (this.replies === null) this.#begin(replies);
    else if (!this.#file) this.replies = replies;
    else if (!this.#file.name) this.#go(replies);
    return replies !== null;
  }

  async #begin(replies) {
    this.replies = replies;
    this.toggle(true);
    this.heading.focus();
    try {
      const text = base64(await loadProof());
      if (this.replies === null || this.#file) return;
      this.#file = { text, name: null };
    } catch (error) {
      this.announcer.show(error.message);
      return this.close();
    }
    if ((await this.#go(this.replies)) !== false) return undefined;
    // The link may be wrong.
    if (this.replies.length > 0 && (await this.#go([])) !== false) return undefined;
    return this.close();
  }

  /** Opens a file of the user. */
  async readFile(file) {
    const former = { file: this.#file, root: this.#root };
    try {
      if (await isBackupFile(file)) return this.announcer.show(backupSentence(file.name));
      this.#file = { text: base64(new Uint8Array(await file.arrayBuffer())), name: file.name };
    } catch (error) {
      return this.announcer.show(`${file.name}: ${error.message}`);
    }
    this.#root = 0;
    if (this.replies === null) {
      this.replies = [];
      this.toggle(true);
    }
    const isThere = await this.#go([]);
    if (isThere) return this.#drawRoots();
    if (isThere === undefined) return undefined;
    // It is not a proof: the one before stays.
    this.#file = former.file;
    this.#root = former.root;
    return this.#stage ? this.emit("toggle") : this.close();
  }

  /**
   * Asks for the position after these replies and shows it. Resolves to whether it is there: false if the engine
   * says why not, undefined if the user has gone elsewhere.
   */
  async #go(replies) {
    this.#request?.cancel();
    const { text: file, name } = this.#file;
    const request = this.client.ask({ action: "proof", file, root: this.#root, replies });
    this.#request = request;
    if (!this.#stage || this.#stage.file !== file) this.say(t("proof.checking"));
    try {
      const answer = await request.answer;
      if (request !== this.#request) return undefined;
      this.replies = replies;
      this.#stage = { ...answer, file };
      this.#draw();
      this.emit("toggle");
      return true;
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      if (request !== this.#request) return undefined;
      const what = ["file", "query"].includes(error.field) ? (name ?? t("proof.this")) : t("proof.not-possible");
      this.announcer.show(`${what}: ${plainReason(error)}`);
      if (this.#stage) this.#draw();
      return false;
    }
  }

  // ---------------------------------------------------------------- what the user does

  /** What a key that goes through a game does. */
  press(action) {
    if (KEYS[action] && this.#stage) this.#act(KEYS[action]);
  }

  #act(action) {
    if (!this.#stage) return;
    const resistance = this.#stage.line.filter(({ color }) => color !== this.#stage.winner).map(({ move }) => move);
    switch (action) {
      case "undo":
        if (this.replies.length > 0) this.#go(this.replies.slice(0, -1));
        break;
      case "restart":
        this.#go([]);
        break;
      case "resist":
        if (resistance.length > 0) this.#go([...this.replies, resistance[0]]);
        break;
      default:
        if (resistance.length > 0) this.#go([...this.replies, ...resistance]);
    }
  }

  play(name) {
    if (!name || !this.#stage) return;
    this.board.setPreview(null);
    const { position } = this.#stage;
    if (position.over) return this.announcer.show(t("move.game-over"));
    if (position.stones[name]) return this.announcer.show(t("move.taken", { move: name }));
    return this.#go([...this.replies, name]);
  }

  // ---------------------------------------------------------------- parts

  build() {
    this.list = html("div", { class: "proof-list", "data-proof-list": "" });
    this.roots = html("select", {
      "aria-label": t("proof.position"),
      hidden: true,
      onchange: () => this.#chooseRoot(),
    });
    const lengths = html("input", {
      type: "checkbox",
      "data-proof-lengths": "",
      checked: this.#showsLengths,
      onchange: ({ target }) => {
        this.#showsLengths = target.checked;
        if (this.#stage) this.#draw();
      },
    });
    const file = html("input", {
      type: "file",
      accept: ".proof",
      "data-proof-file": "",
      onchange: ({ target }) => {
        if (target.files[0]) this.readFile(target.files[0]);
        target.value = "";
      },
    });
    this.fill({
      label: t("top.proof"),
      actions: [
        this.button("undo", t("action.undo"), () => this.#act("undo"), "undo"),
        this.button("resist", t("proof.resist"), () => this.#act("resist"), "next"),
        this.button("restart", t("proof.restart"), () => this.#act("restart"), "first"),
      ],
      panel: t("proof.this"),
      cards: [
        html("section", { class: "card proof-moves" }, this.list),
        html(
          "section",
          { class: "card proof-choice" },
          html("label", { class: "check" }, lengths, html("span", { text: t("proof.lengths") })),
          this.roots,
          html("label", { class: "file-button" }, file, html("span", { text: t("proof.open") })),
          this.closeButton(),
        ),
      ],
    });
    setText(this.heading, t("proof.title"));
    this.#drawActions();
  }

  #drawRoots() {
    const { roots } = this.#stage;
    const text = (i) => t("proof.position-of", { position: i + 1, all: roots });
    const option = (_, i) => html("option", { value: i, selected: i === this.#root, text: text(i) });
    this.roots.replaceChildren(...Array.from({ length: roots }, option));
    this.roots.hidden = roots < 2;
  }

  #chooseRoot() {
    this.#root = Number(this.roots.value);
    this.#go([]);
  }

  // ---------------------------------------------------------------- drawing

  #draw() {
    const { side, winner, position, threats, replies } = this.#stage;
    // With two threats on the board, all replies hold out equally long.
    const isDecided = Object.keys(threats).length > 1;
    const lengths = this.#showsLengths && !isDecided ? lengthNotes(replies) : new Map();
    this.board.setBoard(Geometry.of(side));
    this.board.confirm = this.settings.get("confirm");
    this.board.render({
      stones: new Map(Object.entries(position.stones)),
      last: position.last,
      toMove: other(winner),
      canPlay: !position.over,
      legal: null,
      winning: position.winning,
      notes: new Map([...lengths, ...threatNotes({ [winner]: threats })]),
      suggestion: null,
      coordinates: this.settings.get("coordinates"),
    });
    setText(this.heading, titleOf(this.#stage, this.#file.name));
    setText(this.task, taskOf(this.#stage));
    this.say(statusOf(this.#stage));
    this.#drawList();
    this.#drawActions();
  }

  #drawActions() {
    const pressed = document.activeElement;
    const enable = (action, isEnabled) => {
      this.action(action).disabled = !isEnabled;
    };
    this.drawConfirm(this.board.previewed);
    enable("undo", this.#stage && this.replies.length > 0);
    enable("restart", this.#stage && this.replies.length > 0);
    enable("resist", this.#stage && !this.#stage.position.over);
    this.keepFocus(pressed);
  }

  /** The moves so far, and the longest game from here. A click on one shows the position after it. */
  #drawList() {
    const { moves, line, winner } = this.#stage;
    const played = rowsOf(moves, winner);
    const coming = rowsOf(line, winner);
    const repliesAfter = (rows) => rows.map(({ reply }) => reply?.move).filter(Boolean);
    const row = (rows, i, first) => {
      const isCurrent = rows === played && i === rows.length - 1;
      const replies = [...(rows === played ? [] : this.replies), ...repliesAfter(rows.slice(0, i + 1))];
      return html(
        "li",
        {},
        html(
          "button",
          {
            type: "button",
            class: "proof-row",
            "data-proof-row": first + i + 1,
            "aria-current": isCurrent && "true",
            onclick: () => this.#go(replies),
          },
          html("span", { class: "move-number", text: first + i + 1 }),
          stepText(rows[i].reply),
          stepText(rows[i].answer),
        ),
      );
    };
    const list = (rows, first, name) => html("ol", { "aria-label": name }, ...rows.map((_, i) => row(rows, i, first)));
    const parts = [];
    const add = (title, rows, first) => parts.push(html("h2", { text: title }), list(rows, first, title));
    if (played.length > 0) add(t("proof.so-far"), played, 0);
    if (coming.length > 0) add(t("proof.coming"), coming, played.length);
    this.list.replaceChildren(...parts);
    const current = $("[aria-current]", this.list);
    this.list.scrollTop = current ? current.offsetTop - this.list.clientHeight / 3 : 0;
  }
}

/** A stone in a row of the list, with the word for it. */
function stepText(step) {
  if (!step) return html("span", { class: "proof-step" });
  const word = stepWord(step);
  return html(
    "span",
    { class: "proof-step" },
    html("span", { class: `dot ${step.color}`, "aria-hidden": "true" }),
    html("span", { class: "visually-hidden", text: `${colorName(step.color)} ` }),
    html("span", { text: vertexText(step.move) }),
    word ? html("span", { class: "word", text: word }) : null,
  );
}

/** "White wins side 4 with a1", for the proof of the page. */
function titleOf({ winner, side, white, black }, name) {
  if (name) return t("proof.title.file", { name, player: winner });
  return t("proof.title.page", { player: winner, side, moves: lineText([...white, ...black]) });
}

function taskOf({ winner, positions }) {
  return t("proof.task", { player: winner, loser: other(winner), positions });
}

/** What the last answer does, and how long it still takes. */
function statusOf({ winner, moves, position, threats, replies }) {
  const [player, loser, last] = [winner, other(winner), moves.at(-1)];
  if (position.over) return t("proof.over", { player, move: last.move, result: resultSentence(position) });
  const said = last ? answerOf(player, last) : "";
  const vertices = Object.keys(threats);
  if (vertices.length > 1) return `${said} ${t("proof.two-threats", { loser, vertices })}`.trim();
  const stones = Math.max(...Object.values(replies));
  const next = vertices.length === 1 ? t("proof.block", { loser, move: vertices[0], stones }) : null;
  return `${said} ${next ?? t("proof.to-move", { loser, stones })}`.trim();
}

function answerOf(player, step) {
  const word = stepWord(step);
  return t(word ? "proof.answers-word" : "proof.answers", { player, move: step.move, word });
}

/** What to say of a backup that was chosen in place of a proof. */
function backupSentence(name) {
  return t("proof.backup", { name, title: t("library.title"), button: t("library.add-files") });
}
