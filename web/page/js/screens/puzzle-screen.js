// The screen of the puzzles, in place of the game: a board, what to do, and the list of all puzzles.

import { ExerciseAttempt } from "../engine/exercise.js";
import { PuzzleAttempt } from "../engine/puzzle.js";
import { BoardScreen } from "./board-screen.js";
import { $, $$, html, setAttribute, setText } from "../views/dom.js";
import { Geometry } from "../game/geometry.js";
import { lineStones } from "../engine/notes.js";
import { GRADES, PUZZLE_SIDES, Puzzles, THEMES, puzzleOf } from "../store/puzzles.js";
import { AGAIN, GOOD, HARD } from "../game/fsrs.js";
import { lineText, moveText, reasonText } from "../game/wording.js";
import { t } from "../language/texts.js";

const SOURCES = ["puzzles", "mine", "mistakes"];
const ORDERS = ["easy", "random"];

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
    if (puzzle.id !== id) this.announcer.show(t("puzzle.missing", { puzzle: String(id) }));
    const isExercise = Boolean(puzzle.query);
    if (isExercise === (this.#filter.source === "puzzles")) this.#filter.source = isExercise ? "mistakes" : "puzzles";
    this.id = puzzle.id;
    this.toggle(true);
    this.#begin(puzzle);
  }

  #begin(puzzle) {
    this.#attempt?.abandon();
    this.#attempt = new (puzzle.query ? ExerciseAttempt : PuzzleAttempt)(puzzle, this.client);
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
      label: t("puzzle.region"),
      actions: [
        this.button("retry", t("puzzle.retry"), () => this.#attempt.retry(), "undo"),
        this.button("hint", t("action.hint"), () => this.#attempt.hint(), "hint"),
        this.button("show", t("puzzle.solution"), () => this.#attempt.show()),
        this.button("next", t("puzzle.next"), () => this.#next(), "next"),
      ],
      panel: t("puzzle.all"),
      cards: [
        html(
          "section",
          { class: "card puzzle-choice" },
          html("div", { class: "card-head" }, html("h2", { text: t("top.puzzles") }), this.progress),
          html(
            "div",
            { class: "puzzle-filters" },
            this.#select("source", (source) => t(`puzzle.source.${source}`)),
            this.#select("order", (order) => t(`puzzle.order.${order}`)),
            this.#select("grade", (grade) => t("puzzle.grade", { grade }), t("puzzle.all-grades")),
            this.#select("theme", (theme) => t(`puzzle.theme.${keyOf(theme)}`), t("puzzle.all-themes")),
            this.#select("side", sideText, t("puzzle.all-sides")),
          ),
          // Before the list: who uses the keyboard need not go through all puzzles to leave.
          this.closeButton(),
          this.list,
        ),
      ],
    });
    this.#listed = "";
  }

  /** What a filter may have, besides null for all. */
  #values(name) {
    return name === "side" ? this.#sides() : { source: SOURCES, order: ORDERS, grade: GRADES, theme: THEMES }[name];
  }

  #select(name, text, all = null) {
    const chosen = this.#filter[name];
    const option = (value) => html("option", { value, selected: value === chosen, text: text(value) });
    const onchange = ({ target }) => {
      this.#filter[name] = this.#values(name).find((value) => String(value) === target.value) ?? null;
      this.#drawPanel();
      this.#scrollToPresent();
      this.#leaveOther();
    };
    return html(
      "select",
      { "data-puzzle-filter": name, "aria-label": t(`puzzle.filter.${name}`), onchange },
      all && html("option", { value: "", text: all }),
      ...this.#values(name).map(option),
    );
  }

  /** The sides of what the chosen source has. */
  #sides() {
    if (this.#filter.source === "puzzles") return PUZZLE_SIDES;
    const isMine = this.#filter.source === "mine";
    const sides = new Set(this.exercises.matching({ isMine }).map(({ side }) => side));
    return [...sides].sort((a, b) => a - b);
  }

  /** The select for the side has the sides of the source. */
  #drawSides() {
    const select = $('[data-puzzle-filter="side"]', this.root);
    const sides = this.#sides();
    const offered = [...select.options].map(({ value }) => value).filter(Boolean);
    if (offered.join() === sides.join()) return;
    if (!sides.includes(this.#filter.side)) this.#filter.side = null;
    const option = (side) => html("option", { value: side, text: sideText(side) });
    select.replaceChildren(select.options[0], ...sides.map(option));
    select.value = this.#filter.side ?? "";
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
    if (!next) return this.announcer.show(t("puzzle.no-other"));
    location.hash = `puzzle=${next.id}`;
    return undefined;
  }

  play(name) {
    const attempt = this.#attempt;
    if (!name || attempt.state === "waiting") return;
    this.board.setPreview(null);
    if (attempt.state !== "yours") return;
    if (attempt.position().stones.has(name)) return this.announcer.show(t("move.taken", { move: name }));
    attempt.play(name);
  }

  // ---------------------------------------------------------------- drawing

  #draw() {
    const attempt = this.#attempt;
    if (!attempt) return;
    const { puzzle, state } = attempt;
    const { stones, last, toMove } = attempt.position();
    const board = Geometry.of(puzzle.side);
    // Or a swap.
    const isStone = puzzle.query && Boolean(board.find(puzzle.played));
    this.board.setBoard(board);
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
      marks: isStone && state !== "solved" ? { [puzzle.played]: "cross" } : {},
      coordinates: this.settings.get("coordinates"),
      // All of the solution is certain, however long it is.
      line: state === "shown" ? lineStones(puzzle.line, toMove, Infinity) : lineStones(attempt.refutation, toMove),
    });
    setText(this.heading, puzzle.query ? t("exercise.title") : t("puzzle.title", { puzzle: puzzle.id }));
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
    this.#drawSides();
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
    const parts = [t("puzzle.solved-of", { solved: shown.filter(isDone).length, all: shown.length })];
    if (due) parts.push(t("puzzle.due", { puzzles: due }));
    if (streak > 1) parts.push(t("puzzle.streak", { days: streak }));
    return parts.join(", ");
  }

  #groups(shown, isPuzzles) {
    if (isPuzzles) return GRADES.flatMap((grade) => this.#group(grade, shown));
    if (shown.length) return shown.map((exercise, i) => this.#exerciseItem(exercise, shown.length - i));
    const text = t(this.#filter.source === "mine" ? "exercise.none-mine" : "exercise.none");
    return [html("li", { class: "puzzle-grade", text })];
  }

  #exerciseItem({ id, side, number, to_move: mover, title }, count) {
    const isKnown = this.exercises.isKnown(cardOf(id));
    const place = { exercise: count, title, number, player: mover, side };
    const label = t(isKnown ? "exercise.link-solved" : "exercise.link", place);
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
    const name = html("li", { class: "puzzle-grade", text: t("puzzle.grade", { grade }) });
    return [name, ...puzzles.map((puzzle) => this.#item(puzzle))];
  }

  #item({ id, grade, side }) {
    const isSolved = this.puzzles.solved.has(id);
    const label = t(isSolved ? "puzzle.link-solved" : "puzzle.link", { puzzle: id, grade, side });
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

function sideText(side) {
  return t("puzzle.side", { side });
}

function anyOf(items) {
  return items[Math.floor(Math.random() * items.length)];
}

/** "Move 23 of Ann – Ben, side 8. Black played h5 (✕): find a better move." */
function exerciseSentence({ to_move: player, played, number, title, side }) {
  return t("exercise.task", { player, played: moveText(played), number, title, side });
}

function exerciseStatus(attempt) {
  const { state, puzzle, chance } = attempt;
  const { better, betterChance, to_move: player } = puzzle;
  const values = { move: attempt.played.at(-1), player, better, chance, betterChance };
  const why = puzzle.reason ? ` ${t("finding.why", { reason: reasonText(puzzle.reason) })}` : "";
  switch (state) {
    case "solved":
      return values.move === better ? t("exercise.right", values) + why : t("exercise.good", values);
    case "shown":
      return t("exercise.shown", values) + why;
    case "wrong":
      return t(chance === null ? "exercise.played" : "exercise.worse", values);
    case "waiting":
      return t("exercise.judging", values);
    default:
      return attempt.suggestion() ? t("puzzle.suggestion", { move: better }) : t("exercise.find", values);
  }
}

/** The part of a key that stands for a theme, whose name may have spaces. */
function keyOf(theme) {
  return theme.replaceAll(" ", "-");
}

/** "White to move: one move wins, in 3 moves. Grade 2, side 5." */
function taskSentence({ to_move: player, moves_to_win: moves, grade, side }) {
  return t("puzzle.task", { player, moves, grade, side });
}

/** What has happened in the attempt, and what to do. */
function statusSentence(attempt) {
  const { state, puzzle, played, refutation } = attempt;
  const move = played.at(-1);
  switch (state) {
    case "solved":
      return t("puzzle.solved", { move });
    case "shown":
      return t("puzzle.shown", { line: lineText(puzzle.line) });
    case "wrong": {
      const answer = { move, player: attempt.opponent, line: lineText(refutation.slice(0, 5)) };
      return t(refutation.length ? "puzzle.refuted" : "puzzle.wrong", answer);
    }
    case "waiting":
      return move ? t("puzzle.waiting", { player: attempt.winner, move }) : "";
    default:
      return yourTurn(attempt, move);
  }
}

function yourTurn(attempt, last) {
  const move = attempt.suggestion();
  if (move) return t("puzzle.suggestion", { move });
  if (attempt.hints > 0) return t(`puzzle.hint.${keyOf(attempt.puzzle.theme)}`);
  if (last) return t("puzzle.go-on", { player: attempt.opponent, move: last });
  return t("puzzle.find", { player: attempt.winner });
}
