// The first visit: puzzles that teach the rules, then a game against the weakest level.

import { t } from "../language/texts.js";
import { BoardView } from "../views/board-view.js";
import { $ } from "../views/dom.js";
import { Emitter } from "../game/emitter.js";
import { Geometry } from "../game/geometry.js";
import { speakOf } from "../game/notation.js";
import { LESSONS, LESSON_SIDE } from "../game/lessons.js";
import { play } from "../game/stones.js";

/** Black's answer appears after this many milliseconds. */
const REPLY_DELAY = 600;
/** After this many wrong stones the right one is shown. */
const TRIES = 2;

/**
 * The dialog with the puzzles. Emits "step" with the number of puzzles that are behind the user, "play" when the user
 * wants the game that follows, and "close".
 */
export class Tutorial extends Emitter {
  #index = 0;
  #moves = [];
  #tries = 0;
  #winning = [];
  #timer = null;
  #request = null;

  constructor(client, settings) {
    super();
    this.client = client;
    this.settings = settings;
    this.dialog = $('[data-dialog="tutorial"]');
    this.text = $("[data-lesson-text]", this.dialog);
    this.next = $("[data-lesson-next]", this.dialog);
    // The lessons speak of what is on the left or below.
    this.board = new BoardView($("[data-lesson-board]", this.dialog), { isUpright: true });
    this.board.on("play", (name) => this.#place(name));
    this.next.addEventListener("click", () => this.#goOn());
    $("[data-lesson-back]", this.dialog).addEventListener("click", () => this.#show(this.#index - 1));
    for (const button of this.dialog.querySelectorAll("[data-close]")) {
      button.addEventListener("click", () => this.dialog.close());
    }
    this.dialog.addEventListener("close", () => this.#closed());
  }

  get #lesson() {
    return LESSONS[this.#index];
  }

  /** A text of the lesson: its title, task, hint or praise, or what comes next. */
  #say(part) {
    const { name, stone } = this.#lesson;
    return t(`lesson.${name}.${part}`, { stone });
  }

  get #isSolved() {
    return this.#lesson.wins.includes(this.#moves.at(-1)) && this.#moves.length % 2 === 1;
  }

  /** Shows the puzzle of this number, from 0; the number of puzzles stands for the offer of a game. */
  open(index = 0) {
    this.board.setBoard(Geometry.of(LESSON_SIDE));
    if (!this.dialog.open) this.dialog.showModal();
    this.#show(index);
  }

  #show(index) {
    this.#forget();
    this.#index = index;
    this.#moves = [];
    this.#tries = 0;
    this.#winning = [];
    const isEnd = index === LESSONS.length;
    $("[data-lesson-title]", this.dialog).textContent = isEnd ? t("tutorial.game") : this.#say("title");
    $("[data-lesson-progress]", this.dialog).textContent = isEnd
      ? ""
      : t("tutorial.progress", { lesson: index + 1, lessons: LESSONS.length });
    $("[data-lesson-back]", this.dialog).hidden = index === 0;
    $("[data-lesson-board]", this.dialog).hidden = isEnd;
    this.text.textContent = isEnd ? t("tutorial.game.text") : this.#say("task");
    this.next.textContent = t(isEnd ? "tutorial.play" : "tutorial.next");
    this.next.hidden = !isEnd;
    if (!isEnd) this.#draw();
    this.text.focus();
  }

  #draw() {
    const { white, black, wins, first } = this.#lesson;
    const { stones, last, toMove } = play({ white, black }, this.#moves);
    const solution = first && this.#moves.length === 0 ? first : wins.find((name) => !stones.has(name));
    this.board.confirm = this.settings.get("confirm");
    this.board.render({
      stones,
      last,
      toMove,
      canPlay: toMove === "white" && !this.#isSolved,
      legal: null,
      winning: this.#winning,
      notes: new Map(),
      suggestion: this.#tries >= TRIES && !this.#isSolved ? solution : null,
      coordinates: this.settings.get("coordinates"),
    });
  }

  #place(name) {
    if (!this.board.isPlayable(name)) return;
    // The game may have been drawn meanwhile.
    speakOf(this.board.board);
    const { wins, first } = this.#lesson;
    const isFirst = Boolean(first) && this.#moves.length === 0;
    if (isFirst ? name !== first : !wins.includes(name)) {
      this.#tries += 1;
      this.text.textContent = t("tutorial.wrong", { move: name, hint: this.#say(first && !isFirst ? "next" : "hint") });
    } else if (isFirst) {
      this.#moves = [name];
      this.#tries = 0;
      this.text.textContent = t("tutorial.well-done");
      this.#timer = setTimeout(() => this.#reply(wins[0], this.#say("next")), REPLY_DELAY);
    } else {
      this.#moves.push(name);
      this.text.textContent = this.#say("praise");
      this.next.hidden = false;
      this.next.focus();
      this.emit("step", this.#index + 1);
      this.#askWinning();
    }
    this.#draw();
  }

  #reply(name, text) {
    this.#moves.push(name);
    this.text.textContent = text;
    this.#draw();
  }

  /** Marks the structure that has won. The engine knows it; without an engine nothing is marked. */
  async #askWinning() {
    const { white, black } = this.#lesson;
    const query = { side: LESSON_SIDE, white, black, moves: this.#moves, want: ["position"] };
    const request = this.client.ask(query);
    this.#request = request;
    const answer = await request.answer.catch(() => null);
    if (!answer || request !== this.#request) return;
    this.#winning = answer.position.winning;
    this.#draw();
  }

  #goOn() {
    if (this.#index < LESSONS.length) return this.#show(this.#index + 1);
    this.dialog.close();
    return this.emit("play");
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#request?.cancel();
    this.#request = null;
  }

  #closed() {
    this.#forget();
    this.board.clear();
    this.emit("close");
  }
}
