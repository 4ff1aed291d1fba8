// The screen of the puzzles, in place of the game: a board, what to do, and the list of all puzzles.

import { Attempt } from "../engine/attempt.js";
import { ExerciseAttempt } from "../engine/exercise.js";
import { BoardScreen } from "./board-screen.js";
import { $, $$, html, setAttribute, setText } from "../views/dom.js";
import { Geometry } from "../game/geometry.js";
import { lineStones } from "../engine/notes.js";
import { GRADES, Puzzles, SIDES, THEMES, puzzleOf } from "../store/puzzles.js";
import { AGAIN, GOOD, HARD } from "../game/fsrs.js";
import { colorName } from "../game/wording.js";
import { percent } from "../language/texts.js";

/** What a hint says first. */
const HINTS = {
  ring: "Think of a ring.",
  fork: "Think of a fork: three sides.",
  bridge: "Think of a bridge: two corners.",
  "double threat": "One move can threaten two things at once.",
  defence: "The opponent threatens to win. Stop that first.",
};

const SOURCES = { puzzles: "Puzzles", mine: "My mistakes", mistakes: "All mistakes" };
const ORDERS = { easy: "In order", random: "Random order" };

/** Emits "toggle" when it has opened, closed, or gone to another puzzle. */
export class PuzzleScreen extends BoardScreen {
  #filter = { source: "puzzles", order: "easy", side: null, grade: null, theme: null };
  /** Whether the attempt was graded: only its first result counts. */
  #isGraded = false;
  #hinted = false;
  #attempt = null;
  #listed = "";

  constructor(parts) {
    super("puzzle", parts);
    this.puzzles = new Puzzles();
    /** The number of the puzzle that is shown, or that will be as soon as the puzzles are loaded; null for none. */
    this.id = null;
    this.exercises = parts.exercises;
    this.puzzles.on("change", () => this.isOpen && this.#drawPanel());
    this.exercises.on("change", () => this.isOpen && this.#drawPanel());
    parts.settings.on("change", () => this.isOpen && this.#draw());
  }

  /** The fragment of the address, or null while the screen is closed. */
  get fragment() {
    return this.id === null ? null : `puzzle=${this.id}`;
  }

  /** Opens the puzzle that is next. */
  async open() {
    if (this.isOpen || !(await this.#load())) return;
    const next = this.#nextOf(null) ?? this.puzzles.next({});
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
      await Promise.all([this.puzzles.load(), this.exercises.load()]);
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
    const puzzle = this.puzzles.get(id) ?? this.exercises.get(id) ?? this.puzzles.all[0];
    if (puzzle.id !== id) this.announcer.show(`There is no puzzle ${id} in this browser.`);
    const isExercise = Boolean(puzzle.query);
    if (isExercise === (this.#filter.source === "puzzles")) this.#filter.source = isExercise ? "mistakes" : "puzzles";
    this.id = puzzle.id;
    this.toggle(true);
    this.#begin(puzzle);
  }

  #begin(puzzle) {
    this.#attempt?.abandon();
    this.#attempt = puzzle.query ? new ExerciseAttempt(puzzle, this.client) : new Attempt(puzzle, this.client);
    this.#isGraded = false;
    this.#hinted = false;
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
    const { state, puzzle, hints } = this.#attempt;
    this.#hinted ||= hints > 0;
    if (state === "solved" && !puzzle.query) this.puzzles.markSolved(puzzle.id);
    this.#grade(state, puzzle);
    this.#draw();
  }

  /** The first result of an attempt decides when it is asked again. */
  #grade(state, { id }) {
    if (this.#isGraded || !["solved", "wrong", "shown"].includes(state)) return;
    this.#isGraded = true;
    const grade = state !== "solved" ? AGAIN : this.#hinted ? HARD : GOOD;
    this.exercises.answer(cardOf(id), grade);
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
            this.#select("source", "What to learn", Object.keys(SOURCES), null, (source) => SOURCES[source]),
            this.#select("order", "Order", Object.keys(ORDERS), null, (order) => ORDERS[order]),
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
      this.#leaveOther();
    };
    return html(
      "select",
      { "data-puzzle-filter": name, "aria-label": label, onchange },
      all && html("option", { value: "", text: all }),
      ...values.map(option),
    );
  }

  /** The items that fit the filter. */
  #matching() {
    const { source, ...filter } = this.#filter;
    if (source === "puzzles") return this.puzzles.matching(filter);
    return this.exercises.matching({ side: filter.side, isMine: source === "mine" });
  }

  /** If what is on the board does not fit the filter, something that does takes its place. */
  #leaveOther() {
    const items = this.#matching();
    if (items.length === 0 || items.some(({ id }) => id === this.#attempt?.puzzle.id)) return;
    location.hash = `puzzle=${this.#nextOf(null).id}`;
  }

  /**
   * What comes after the item with this id: what is due, in random order; then what is new; then the rest. With the
   * order "easy" new puzzles come by their difficulty, from `id` on.
   */
  #nextOf(id) {
    const { exercises, puzzles } = this;
    const items = this.#matching().filter((item) => item.id !== id);
    const due = items.filter((item) => exercises.isDue(cardOf(item.id)));
    if (due.length) return anyOf(due);
    if (this.#filter.source === "puzzles" && this.#filter.order === "easy") return puzzles.next(this.#filter, id);
    const fresh = items.filter((item) => !exercises.cards.has(cardOf(item.id)) && !puzzles.solved.has(item.id));
    if (fresh.length) return this.#filter.order === "random" ? anyOf(fresh) : fresh[0];
    return items.length ? anyOf(items) : null;
  }

  #next() {
    const next = this.#nextOf(this.#attempt.puzzle.id);
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
      marks: puzzle.query && state !== "solved" ? { [puzzle.played]: "cross" } : {},
      coordinates: this.settings.get("coordinates"),
      // All of the solution is certain, however long it is.
      line: state === "shown" ? lineStones(puzzle.line, toMove, Infinity) : lineStones(attempt.refutation, toMove),
    });
    setText(this.heading, puzzle.query ? "A mistake of a game" : `Puzzle ${puzzle.id}`);
    setText(this.task, puzzle.query ? exerciseSentence(puzzle) : taskSentence(puzzle));
    this.say(puzzle.query ? exerciseStatus(attempt) : statusSentence(attempt));
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
    const shown = this.#matching();
    const isPuzzles = this.#filter.source === "puzzles";
    setText(this.progress, this.#progressOf(shown, isPuzzles));
    for (const name of ["grade", "theme"]) $(`[data-puzzle-filter="${name}"]`, this.root).hidden = !isPuzzles;
    $('[data-puzzle-filter="source"]', this.root).value = this.#filter.source;
    const known = shown.filter(({ id }) => this.exercises.isKnown(cardOf(id))).map(({ id }) => id);
    const key = JSON.stringify([this.#filter, shown.length, puzzles.all.length, [...puzzles.solved], known]);
    if (key !== this.#listed) this.list.replaceChildren(...this.#groups(shown, isPuzzles));
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

  /** "12 of 150 solved, 3 to repeat, 4 days in a row". */
  #progressOf(shown, isPuzzles) {
    const { exercises, puzzles } = this;
    const isDone = ({ id }) => (isPuzzles ? puzzles.solved.has(id) : exercises.isKnown(cardOf(id)));
    const due = shown.filter(({ id }) => exercises.isDue(cardOf(id))).length;
    const streak = exercises.streak();
    const parts = [`${shown.filter(isDone).length} of ${shown.length} solved`];
    if (due) parts.push(`${due} to repeat`);
    if (streak > 1) parts.push(`${streak} days in a row`);
    return parts.join(", ");
  }

  #groups(shown, isPuzzles) {
    if (isPuzzles) return GRADES.flatMap((grade) => this.#group(grade, shown));
    if (shown.length) return shown.map((exercise, i) => this.#exerciseItem(exercise, shown.length - i));
    const text =
      this.#filter.source === "mine"
        ? "Review a game that you have played: what you could have done better comes here. Games from files are yours " +
          "if your name in the settings is that of a player."
        : "Review a game: what the players could have done better comes here.";
    return [html("li", { class: "puzzle-grade", text })];
  }

  #exerciseItem({ id, side, number, to_move: mover, title }, count) {
    const isKnown = this.exercises.isKnown(cardOf(id));
    const label = `Exercise ${count}, ${title}, move ${number}, ${colorName(mover)}, side ${side}${isKnown ? ", solved" : ""}`;
    return html(
      "li",
      {},
      html(
        "a",
        { href: `#puzzle=${id}`, "data-puzzle": id, "data-solved": isKnown, "aria-label": label, title: label },
        html("span", { text: count }),
        isKnown ? html("span", { class: "check", text: "✓" }) : null,
      ),
    );
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

/** The card of a puzzle, by its number, or of an exercise. */
function cardOf(id) {
  return typeof id === "number" ? `puzzle ${id}` : id;
}

function anyOf(items) {
  return items[Math.floor(Math.random() * items.length)];
}

/** "Move 23 of Ann – Ben, side 8. Black played h5 (✕): find a better move." */
function exerciseSentence({ to_move: mover, played, number, title, side }) {
  return `Move ${number} of ${title}, side ${side}. ${colorName(mover)} played ${played} (✕): find a better move.`;
}

function exerciseStatus(attempt) {
  const { state, puzzle, chance } = attempt;
  const last = attempt.played.at(-1);
  const wins = (rate) => `${colorName(puzzle.to_move)} wins ${percent(rate)}`;
  const why = puzzle.reason ? ` Why: ${puzzle.reason}.` : "";
  switch (state) {
    case "solved":
      return last === puzzle.better
        ? `${last} is right: ${wins(puzzle.betterChance)}.${why}`
        : `${last} is as good as ${puzzle.better}: ${wins(chance)}.`;
    case "shown":
      return `${puzzle.better} was better: ${wins(puzzle.betterChance)}.${why}`;
    case "wrong":
      return chance === null
        ? `${last} is the move of the game. Try another one.`
        : `${last} is not as good: ${wins(chance)}, but ${percent(puzzle.betterChance)} is possible.`;
    case "waiting":
      return `The engine judges ${last}…`;
    default:
      return attempt.suggestion() ? `The move is ${puzzle.better}.` : `Find a move for ${colorName(puzzle.to_move)}.`;
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
