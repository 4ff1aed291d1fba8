// Draws the page from the model. After any change everything is drawn anew before the next frame, so no part of the
// page needs to know another.

import { AnalysisView } from "../views/analysis-view.js";
import { AnnotateView } from "../views/annotate-view.js";
import { BoardView } from "../views/board-view.js";
import { $, $$, setAttribute, setText } from "../views/dom.js";
import { GraphView } from "../views/graph-view.js";
import { LineView } from "../views/line-view.js";
import { StudyView } from "../views/study-view.js";
import { MovesView } from "../views/moves-view.js";
import { legendOf, lineStones, notesOf, threatNotes } from "../engine/notes.js";
import { isThisMachine } from "../engine/transports.js";
import { OpeningsView } from "../views/openings-view.js";
import { PlayerBars } from "../views/player-bars.js";
import { ReviewView } from "../views/review-view.js";
import { titleOf } from "./library-screen.js";
import { LEVELS } from "../game/levels.js";
import { hintSentence, levelText, plainReason, resultSentence, vertexText } from "../game/wording.js";
import { t } from "../language/texts.js";

/** For how long, in milliseconds, drawing waits at most for a button that is pressed by a pointer. */
const HOLD = 5000;
/** How much later than its end a touch may become a click. */
const TAP = 300;

export class Screen {
  /** What the next drawing waits for: "frame", "moment" or nothing. */
  #awaited = null;
  #hovered = null;
  /** Until when drawing waits, as in `performance.now()`, and what then draws. */
  #heldUntil = 0;
  #held = null;

  constructor(model) {
    this.model = model;
    this.root = $("main.app");
    const container = $("[data-board-container]");
    container.before(BoardView.keyHelp());
    this.board = new BoardView(container);
    this.bars = new PlayerBars();
    this.moves = new MovesView($("[data-moves]"));
    this.analysis = new AnalysisView($(".analysis"));
    this.graph = new GraphView($("[data-graph-box]"));
    this.review = new ReviewView($(".review"));
    this.study = new StudyView($("[data-finding]"));
    this.line = new LineView();
    this.annotate = new AnnotateView();
    this.openings = new OpeningsView();
    this.openings.on("hover", (entry) => this.#hover(entry));
    for (const list of [$("[data-level]"), $("[data-level-black]")]) {
      list.append(...LEVELS.map((level) => new Option(levelText(level), level)));
    }
    this.board.on("hover", (name) => this.#hover(name && model.candidate(name)));
    this.board.on("preview", (name) => this.#drawConfirm(name));
    this.analysis.on("hover", (entry) => this.#hover(entry));
    model.on("game", () => (this.#hovered = null));
    model.on("change", () => this.drawSoon());
    this.root.addEventListener("pointerdown", ({ button, target }) => {
      if (button === 0 && target.closest("button, tr")) this.#heldUntil = performance.now() + HOLD;
    });
    addEventListener("pointerup", () => this.#release(TAP));
    // That of the window: its parts do not tell it when they lose the focus.
    addEventListener("blur", () => this.#release(0));
    for (const end of ["click", "pointercancel", "contextmenu"]) {
      addEventListener(end, () => this.#release(0), { capture: true });
    }
  }

  /**
   * Draws before the next frame. Several calls draw once. While a pointer presses a button, this waits: what moves or
   * goes away under the pointer would not be clicked.
   */
  drawSoon() {
    // Frames do not come while the tab is hidden, not even one that was asked for before, but the game goes on.
    const awaited = document.hidden ? "moment" : "frame";
    if (this.#awaited === "moment" || this.#awaited === awaited) return;
    this.#awaited = awaited;
    const draw = () => {
      this.#awaited = null;
      clearTimeout(this.#held);
      const left = this.#heldUntil - performance.now();
      if (left <= 0) return this.draw();
      this.#held = setTimeout(() => this.drawSoon(), left);
      // The engine does not wait.
      return this.#updateSearches();
    };
    if (awaited === "moment") setTimeout(draw);
    else requestAnimationFrame(draw);
  }

  /** Drawing no longer waits, or only for so many milliseconds. */
  #release(milliseconds) {
    const end = performance.now() + milliseconds;
    if (this.#heldUntil <= end) return;
    this.#heldUntil = milliseconds && end;
    this.drawSoon();
  }

  #updateSearches() {
    this.model.updateSearches(document.hidden || this.root.hidden);
  }

  draw() {
    const focused = document.activeElement;
    const isInside = this.root.contains(focused);
    this.#updateSearches();
    this.#drawEngine();
    // Texts are about the board of the screen that is shown.
    if (this.root.hidden) return;
    this.#drawBoard();
    this.#drawWinBar();
    this.#drawBars();
    this.#drawActions();
    this.#drawWarning();
    this.#drawPlayers();
    this.#drawMoves();
    setAttribute($("#typed-move"), "placeholder", vertexText("d4"));
    this.#drawAnalysis();
    this.#drawOpenings();
    this.#drawReview();
    this.study.render(this.model.study, this.model.findings());
    this.#drawNotes();
    // The button that was pressed may be gone.
    const now = document.activeElement;
    const isGone = now === document.body || now.disabled || now.getClientRects().length === 0;
    if (isInside && isGone) this.#focusNext();
  }

  /** Gives the focus to what follows: at the end of the game the review, else the board. */
  #focusNext() {
    const next = $("[data-result] button");
    if (next.getClientRects().length > 0) next.focus();
    else this.board.focus({ preventScroll: true });
  }

  #drawBoard() {
    const { model } = this;
    const { game, settings } = model;
    const position = model.positions.at(game.current);
    const { stones, last, toMove } = game.stonesAt();
    const { shapes, labels, arrows } = model.annotator.marks();
    this.board.setBoard(game.board);
    this.board.confirm = settings.get("confirm");
    this.board.render({
      stones,
      last,
      toMove,
      canPlay: model.canPlay(),
      legal: position?.legal ?? null,
      winning: position?.winning ?? [],
      notes: new Map([
        ...notesOf(model.analysisAnswer(), settings.get("overlay")),
        ...threatNotes(model.warning()?.threats ?? {}),
      ]),
      suggestion: model.annotator.from ?? model.hint()?.move ?? null,
      labels,
      arrows,
      isMarking: model.annotator.isMarking,
      marks: { ...shapes, ...model.study.picture().marks, ...model.hint()?.reason?.marks, ...model.warning()?.marks },
      coordinates: settings.get("coordinates"),
      line: this.#line(),
    });
  }

  /** The line of moves to draw: of the candidate under the pointer, of the hint, or of the finding that is shown. */
  #line() {
    const { game, study, line } = this.model;
    if (line.isOpen) return line.stones();
    const moves = this.#hovered?.pv ?? this.model.hint()?.reason?.line ?? this.model.warning()?.line ?? [];
    return moves.length ? lineStones(moves, game.toMoveAt()) : study.picture().line;
  }

  #hover(entry) {
    if (entry === this.#hovered) return;
    this.#hovered = entry;
    this.board.drawLine(this.#line());
  }

  #drawConfirm(name) {
    const button = $('[data-action="confirm"]');
    button.hidden = !name;
    const text = () => t(this.model.annotator.isMarking ? "notes.mark" : "action.play", { move: name });
    button.textContent = name ? text() : "";
  }

  #drawWinBar() {
    const shows = this.model.showsEvaluations();
    const evaluation = shows ? this.model.game.current.evaluation : null;
    const white = evaluation?.white ?? 0.5;
    const leader = white >= 0.5 ? "white" : "black";
    const bar = $("[data-win-bar]");
    bar.hidden = !shows;
    bar.style.setProperty("--white-share", `${(100 * white).toFixed(1)}%`);
    setAttribute(bar, "data-leader", leader);
    setAttribute(bar, "data-unknown", !evaluation);
    bar.setAttribute("aria-label", evaluation ? t("bar.chance", { rate: white }) : t("bar.unknown"));
    // The bar is narrow: where it stands upright, the name has a line of its own, and the sign stays with the number.
    const text = evaluation ? t("bar.leader", { player: leader, rate: Math.max(white, 1 - white) }) : "";
    $("[data-win-bar-text]").textContent = text.replace(" %", "\u202f%");
  }

  #drawBars() {
    const { game, opponent } = this.model;
    const toMove = game.toMoveAt(game.head);
    const turn = this.model.isOver() ? null : toMove;
    this.bars.render(game, { turn, thinking: opponent.isThinking ? toMove : null });
  }

  #drawActions() {
    const { model } = this;
    const { game, opponent } = model;
    const position = model.positions.at(game.current);
    setText($("[data-status]"), this.#status());
    show("swap", Boolean(position?.can_swap && game.isHumanTurn()));
    enable("undo", Boolean(game.undoTarget()));
    enable("redo", Boolean(game.redoTarget()));
    const isEngineAlone = game.seats === "neither";
    for (const action of ["hint", "resign"]) show(action, !isEngineAlone);
    for (const action of ["pause", "step"]) show(action, isEngineAlone && !model.isOver());
    setText($('[data-action="pause"] span'), t(game.isPaused ? "action.go-on" : "action.pause"));
    setAttribute($('[data-action="pause"] use'), "href", `#icon-${game.isPaused ? "play" : "pause"}`);
    enable("step", !opponent.isThinking);
    enable("hint", !position?.over && game.isHumanTurn() && model.client.state === "ready");
    enable("resign", !model.isOver() && game.seats !== "neither" && Boolean(game.head.parent));
  }

  #drawWarning() {
    const warning = this.model.warning();
    $("[data-warning]").hidden = !warning;
    if (!warning) return;
    setText($("[data-warning-text]"), warning.text);
    setText($('[data-action="play-on"]'), t(this.model.game.isHumanTurn() ? "warning.seen" : "warning.play-on"));
  }

  /** One sentence on the state of the game. */
  #status() {
    const { game, client, positions } = this.model;
    if (this.model.hint()) return hintSentence(this.model.hint());
    if (game.current !== game.head) return browsingSentence(game);
    const result = this.model.resultAt();
    if (result) return resultSentence(result, game.userColor());
    const toMove = game.toMoveAt();
    if (game.playerOf(toMove) === "engine") {
      if (this.model.warning()) return t("status.waits");
      if (game.isHeld()) return t("status.paused", { player: toMove });
      return client.state === "ready" ? t("status.engine", { color: toMove }) : t("status.no-engine");
    }
    if (positions.at(game.current)?.can_swap) return t("status.may-swap", { player: toMove });
    return game.hasEngine() ? t("status.your-turn", { color: toMove }) : t("status.to-move", { player: toMove });
  }

  #drawPlayers() {
    const { game } = this.model;
    const result = this.model.resultAt();
    // An attempt at a finding ends by going back to the review.
    $("[data-result]").hidden = !result || this.model.study.isTrying;
    if (result) setText($("[data-result-text]"), resultSentence(result, game.userColor()));
    for (const input of $$("[data-seats] input")) input.checked = input.value === game.seats;
    const isEngineAlone = game.seats === "neither";
    $("[data-level]").value = game.level;
    $("[data-level-field]").hidden = !game.hasEngine();
    setText($("[data-level-label]"), t(isEngineAlone ? "seats.level-white" : "seats.level"));
    $("[data-level-black]").value = game.levels.black;
    $("[data-level-field-black]").hidden = !isEngineAlone;
  }

  #drawMoves() {
    const { game, opponent } = this.model;
    const { current, tree } = game;
    this.moves.render(game, new Map(this.#mistakes().map((mistake) => [mistake.node.id, mistake])));
    const isGameMove = game.hasEngine() && current === game.head;
    show("promote", !tree.isOnMainLine(current));
    show("delete", Boolean(current.parent) && !isGameMove && !opponent.isThinking);
    for (const action of ["first", "previous"]) enable(action, Boolean(current.parent));
    for (const action of ["next", "last"]) enable(action, current.children.length > 0);
  }

  #drawNotes() {
    const { annotator, game, line } = this.model;
    const { shapes, labels, arrows } = annotator.marks();
    const hasMarks = [...Object.keys(shapes), ...Object.keys(labels), ...arrows].length > 0;
    this.line.render(line);
    this.annotate.render(annotator, game.current, hasMarks);
    $('.navigation [data-action="annotate"]').setAttribute("aria-pressed", annotator.isOpen);
  }

  #mistakes() {
    return this.model.showsEvaluations() ? this.model.review.mistakes() : [];
  }

  #drawAnalysis() {
    const { model } = this;
    const { game, settings, analysis, opponent } = model;
    const isOn = settings.get("analysis");
    $("[data-analysis-switch]").checked = isOn;
    $("[data-overlay]").value = settings.get("overlay");
    const isOver = model.positions.at(game.current)?.over;
    const answer = isOver ? null : model.analysisAnswer();
    this.analysis.render({
      isOn,
      answer,
      toMove: game.toMoveAt(),
      isRunning: analysis.isRunning || opponent.isAnalysing(game.current),
      message: this.#analysisMessage(isOver, answer),
      legend: isOver ? "" : legendOf(answer, settings.get("overlay")),
    });
  }

  #drawOpenings() {
    const { game, settings, openings } = this.model;
    const isOn = settings.get("openings");
    openings.want(isOn, game.side);
    const known = isOn ? this.model.explored() : {};
    this.openings.render({ isOn, ...known, isAnalysed: settings.get("analysis"), nameOf: titleOf });
  }

  /** What is said in place of a summary, or null if the answer of a search has one. */
  #analysisMessage(isOver, answer) {
    if (isOver) return t("analysis.over");
    const { analysis, client } = this.model;
    if (analysis.failure) return t("analysis.failed", { reason: plainReason(analysis.failure) });
    if (typeof answer?.win_rate === "number") return null;
    return t(client.state === "ready" ? "analysis.thinking" : "analysis.waiting");
  }

  #drawReview() {
    const { game, review } = this.model;
    const tip = review.tip();
    const { movers } = game.stonesAt(tip);
    const mistakes = this.#mistakes();
    const mistakeAt = new Map(mistakes.map((mistake) => [mistake.node, mistake]));
    const shows = this.model.showsEvaluations();
    const points = game.tree.positions(tip).map((node, i) => ({
      white: shows ? (node.evaluation?.white ?? null) : null,
      move: node.move,
      mover: movers[i - 1],
      mistake: mistakeAt.get(node),
    }));
    this.graph.render(points, game.tree.path(game.current).length);
    const findings = this.model.findings();
    const missing = shows && game.current.assessment?.missing;
    this.review.render({ review, findings, shows, missing, shown: this.model.study.finding });
  }

  #drawEngine() {
    const { state, engine, about } = this.model.client;
    const label = $("[data-engine]");
    const server = isThisMachine(location.hostname) ? "engine.server" : "engine.remote";
    const where = engine === "worker" ? "engine.worker" : server;
    setText(label, state === "ready" ? t(where, { version: about.version ?? "" }) : t(`engine.${state}`));
    label.dataset.state = state;
    if (engine) label.dataset.engine = engine;
    const banner = $("[data-banner]");
    // While it tries again, the banner stays.
    banner.hidden = state === "ready" || (state === "connecting" && banner.hidden);
    if (!banner.hidden) setText($("[data-banner-text]"), this.#whyNoEngine());
  }

  #whyNoEngine() {
    const { engine, door, failure } = this.model.client;
    if (engine) return t("banner.lost");
    return door === "worker" ? t("banner.no-worker", { reason: plainReason(failure) }) : t("banner.no-engine");
  }
}

/** What is shown while the user looks at another position than the game's latest. */
function browsingSentence({ tree, current, head }) {
  const [shown, all] = [tree.path(current).length, tree.path(head).length];
  return tree.isBelow(head, current) ? t("status.after-move", { shown, all }) : t("status.variation", { shown });
}

function show(action, isShown) {
  for (const button of $$(`[data-action="${action}"]`)) button.hidden = !isShown;
}

function enable(action, isEnabled) {
  for (const button of $$(`[data-action="${action}"]`)) button.disabled = !isEnabled;
}
