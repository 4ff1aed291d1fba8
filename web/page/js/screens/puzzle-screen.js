// The screen of the puzzles, in place of the game: a board, what to do, and the list of all puzzles.

import { Attempt } from "../engine/attempt.js";
import { BoardScreen } from "./board-screen.js";
import { $, $$, html, setAttribute, setText } from "../views/dom.js";
import { Geometry } from "../game/geometry.js";
import { lineStones } from "../engine/notes.js";
import { GRADES, Puzzles, SIDES, THEMES, puzzleOf } from "../store/puzzles.js";
import { colorName } from "../game/wording.js";

/** What a hint says first. */
const HINTS = {
  ring: "Think of a ring.",
  fork: "Think of a fork: three sides.",
  bridge: "Think of a bridge: two corners.",
  "double threat": "One move can threaten two things at once.",
  defence: "The opponent threatens to win. Stop that first.",
};

/** Emits "toggle" when it has opened, closed, or gone to another puzzle. */
export class PuzzleScreen extends BoardScreen {
  #filter = { side: null, grade: null, theme: null };
  #attempt = null;
  #listed = "";

  constructor(parts) {
    super("puzzle", parts);
    this.puzzles = new Puzzles();
    /** The number of the puzzle that is shown, or that will be as soon as the puzzles are loaded; null for none. */
    this.id = null;
    this.puzzles.on("change", () => this.isOpen && this.#drawPanel());
    parts.settings.on("change", () => this.isOpen && this.#draw());
  }

  /** The fragment of the address, or null while the screen is closed. */
  get fragment() {
    return this.id === null ? null : `puzzle=${this.id}`;
  }

  /** Opens the puzzle that is next. */
  async open() {
    if (this.isOpen || !(await this.#load())) return;
    const next = this.puzzles.next(this.#filter) ?? this.puzzles.next({});
    if (next) location.hash = `puzzle=${next.id}`;
  }

  /** Goes back to the game. */
  close() {
    if (this.id === null) return;
    this.id = null;
    this.#attempt?.abandon();
    this.#attempt = null;
    this.toggle(false);
  }

  /** Shows the puzzle that the fragment of an address names, else the game. Returns whether it names a puzzle. */
  route(fragment) {
    const id = puzzleOf(fragment);
    if (id === null) this.close();
    else this.#show(id);
    return id !== null;
  }

  async #load() {
    try {
      await this.puzzles.load();
      return true;
    } catch (error) {
      this.announcer.show(error.message);
      return false;
    }
  }

  async #show(id) {
    this.id = id;
    const isLoaded = await this.#load();
    // The user may have gone elsewhere meanwhile.
    if (this.id !== id) return;
    if (!isLoaded) return this.close();
    const puzzle = this.puzzles.get(id) ?? this.puzzles.all[0];
    if (puzzle.id !== id) this.announcer.show(`There is no puzzle ${id}.`);
    this.id = puzzle.id;
    this.toggle(true);
    this.#begin(puzzle);
  }

  #begin(puzzle) {
    this.#attempt?.abandon();
    this.#attempt = new Attempt(puzzle, this.client);
    this.#attempt.on("change", () => this.#changed());
    this.#attempt.on("message", (message) => this.announcer.show(message));
    // What there is to do is said for each puzzle, even if it is the same.
    this.say("");
    this.board.setBoard(Geometry.of(puzzle.side));
    this.#draw();
    this.#drawPanel();
    this.#scrollToPresent();
    this.heading.focus();
  }

  #changed() {
    if (this.#attempt.state === "solved") this.puzzles.markSolved(this.#attempt.puzzle.id);
    this.#draw();
  }

  // ---------------------------------------------------------------- parts

  build() {
    this.list = html("ul", { class: "puzzle-list", "data-puzzle-list": "" });
    this.progress = html("p", { class: "note", "data-puzzle-progress": "" });
    this.fill({
      label: "Puzzle",
      actions: [
        this.button("hint", "Hint", () => this.#attempt.hint(), "hint"),
        this.button("show", "Solution", () => this.#attempt.show()),
        this.button("retry", "Try again", () => this.#attempt.retry(), "undo"),
        this.button("next", "Next", () => this.#next(), "next"),
      ],
      panel: "All puzzles",
      cards: [
        html(
          "section",
          { class: "card puzzle-choice" },
          html("div", { class: "card-head" }, html("h2", { text: "Puzzles" }), this.progress),
          html(
            "div",
            { class: "puzzle-filters" },
            this.#select("grade", "Grade", GRADES, "All grades", (grade) => `Grade ${grade}`),
            this.#select("theme", "Theme", THEMES, "All themes", capitalized),
            this.#select("side", "Side", SIDES, "All sides", (side) => `Side ${side}`),
          ),
          this.list,
          this.closeButton(),
        ),
      ],
    });
    this.#listed = "";
  }

  #select(name, label, values, all, text) {
    const chosen = this.#filter[name];
    const option = (value) => html("option", { value, selected: value === chosen, text: text(value) });
    const onchange = ({ target }) => {
      this.#filter[name] = values.find((value) => String(value) === target.value) ?? null;
      this.#drawPanel();
      this.#scrollToPresent();
    };
    return html(
      "select",
      { "data-puzzle-filter": name, "aria-label": label, onchange },
      html("option", { value: "", text: all }),
      ...values.map(option),
    );
  }

  #next() {
    const next = this.puzzles.next(this.#filter, this.#attempt.puzzle.id);
    if (!next) return this.announcer.show("There is no other puzzle of this kind.");
    location.hash = `puzzle=${next.id}`;
    return undefined;
  }

  play(name) {
    const attempt = this.#attempt;
    if (!name || attempt.state === "waiting") return;
    this.board.setPreview(null);
    if (attempt.state !== "yours") return;
    if (attempt.position().stones.has(name)) return this.announcer.show(`${name} is not empty.`);
    attempt.play(name);
  }

  // ---------------------------------------------------------------- drawing

  #draw() {
    const attempt = this.#attempt;
    if (!attempt) return;
    const { puzzle, state } = attempt;
    const { stones, last, toMove } = attempt.position();
    this.board.confirm = this.settings.get("confirm");
    this.board.render({
      stones,
      last,
      toMove,
      canPlay: state === "yours",
      legal: null,
      winning: attempt.winning,
      notes: new Map(),
      suggestion: attempt.suggestion(),
      coordinates: this.settings.get("coordinates"),
      // All of the solution is certain, however long it is.
      line: state === "shown" ? lineStones(puzzle.line, toMove, Infinity) : lineStones(attempt.refutation, toMove),
    });
    setText(this.heading, `Puzzle ${puzzle.id}`);
    setText(this.task, taskSentence(puzzle));
    this.say(statusSentence(attempt));
    this.#drawActions(state);
  }

  #drawActions(state) {
    const shown = {
      confirm: Boolean(this.board.previewed),
      hint: state === "yours" || state === "waiting",
      show: state !== "solved" && state !== "shown",
      retry: state === "wrong" || state === "shown",
      next: true,
    };
    const pressed = document.activeElement;
    for (const [action, isShown] of Object.entries(shown)) {
      const button = this.action(action);
      button.hidden = !isShown;
      const isPrimary = action === "confirm" || (action === "retry" && state === "wrong");
      button.classList.toggle("primary", isPrimary || (action === "next" && state === "solved"));
    }
    this.action("hint").disabled = state === "waiting";
    this.root.dataset.state = state;
    this.keepFocus(pressed);
  }

  #drawPanel() {
    const { puzzles } = this;
    const shown = puzzles.matching(this.#filter);
    const solved = shown.filter(({ id }) => puzzles.solved.has(id)).length;
    this.progress.textContent = `${solved} of ${shown.length} solved`;
    const key = JSON.stringify([this.#filter, puzzles.all.length, [...puzzles.solved]]);
    if (key !== this.#listed) this.list.replaceChildren(...GRADES.flatMap((grade) => this.#group(grade, shown)));
    this.#listed = key;
    const present = this.#attempt?.puzzle.id;
    for (const link of $$("[data-puzzle]", this.list)) {
      setAttribute(link, "aria-current", link.dataset.puzzle === String(present) && "true");
    }
  }

  /** Scrolls the list, and nothing else, to the puzzle on the screen, or to its top if that puzzle is not in it. */
  #scrollToPresent() {
    const present = $("[aria-current]", this.list);
    const { scrollTop, clientHeight } = this.list;
    const [top, height] = present ? [present.offsetTop, present.offsetHeight] : [0, 0];
    const isSeen = top >= scrollTop && top + height <= scrollTop + clientHeight;
    if (!isSeen) this.list.scrollTop = top - (clientHeight - height) / 2;
  }

  /** The puzzles of a grade among those that are shown, below its name. */
  #group(grade, shown) {
    const puzzles = shown.filter((puzzle) => puzzle.grade === grade);
    if (puzzles.length === 0) return [];
    const name = html("li", { class: "puzzle-grade", text: `Grade ${grade}` });
    return [name, ...puzzles.map((puzzle) => this.#item(puzzle))];
  }

  #item({ id, grade, side }) {
    const isSolved = this.puzzles.solved.has(id);
    const label = `Puzzle ${id}, grade ${grade}, side ${side}${isSolved ? ", solved" : ""}`;
    return html(
      "li",
      {},
      html(
        "a",
        { href: `#puzzle=${id}`, "data-puzzle": id, "data-solved": isSolved, "aria-label": label, title: label },
        html("span", { text: id }),
        isSolved ? html("span", { class: "check", text: "✓" }) : null,
      ),
    );
  }
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** "White to move: one move wins, in 3 moves. Grade 2, side 5." */
function taskSentence({ to_move: winner, moves_to_win: count, grade, side }) {
  const length = count === 1 ? "at once" : `in ${count} moves`;
  return `${colorName(winner)} to move. One move wins, ${length}; all others lose. Grade ${grade}, side ${side}.`;
}

/** What has happened in the attempt, and what to do. */
function statusSentence(attempt) {
  const { state, puzzle, played, hints, refutation } = attempt;
  const [opponent, last] = [colorName(attempt.opponent), played.at(-1)];
  switch (state) {
    case "solved":
      return `${last} wins. Solved!`;
    case "shown":
      return `The solution: ${puzzle.line.join(" ")}.`;
    case "wrong":
      return refutation.length
        ? `${last} is not the move. Here is how ${opponent} answers: ${refutation.slice(0, 5).join(" ")}.`
        : `${last} is not the move.`;
    case "waiting":
      return last ? `${colorName(attempt.winner)} ${last}…` : "";
    default:
      return yourTurn(attempt, { opponent, last, hints });
  }
}

function yourTurn(attempt, { opponent, last, hints }) {
  const move = attempt.suggestion();
  if (move) return `The move is ${move}.`;
  if (hints > 0) return HINTS[attempt.puzzle.theme];
  if (last) return `Right so far. ${opponent} answers ${last}: go on.`;
  return `Find the move for ${colorName(attempt.winner)}.`;
}
