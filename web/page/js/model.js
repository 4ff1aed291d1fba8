// The state behind the page: the game, what the engine says about it, and what follows from both.

import { t } from "./language/texts.js";
import { Annotator } from "./game/annotator.js";
import { Analysis } from "./engine/analysis.js";
import { Coach } from "./engine/coach.js";
import { Emitter } from "./game/emitter.js";
import { betterOf, deepened, evaluationOf, learnMoves } from "./game/evaluation.js";
import { Game, seatsOf } from "./game/game.js";
import { Study } from "./engine/study.js";
import { FirstStones, explorerRows } from "./engine/explorer.js";
import { OpenLine } from "./engine/line.js";
import { Opponent } from "./engine/opponent.js";
import { Positions } from "./engine/positions.js";
import { Review } from "./engine/review.js";
import { Openings } from "./store/openings.js";
import { splitMove } from "./game/stones.js";
import { noSwapSentence, plainReason } from "./game/wording.js";

const HINT_SECONDS = 1.5;

/**
 * Emits "change" whenever something has changed that the page shows, "game" with the kind of change of the game, "hint"
 * with a hint that was asked for (null if the game is over), and "message" with a sentence for the user.
 */
export class Model extends Emitter {
  #hint = null;

  constructor(client, settings, library) {
    super();
    this.client = client;
    this.settings = settings;
    this.game = new Game(this.firstGame());
    this.positions = new Positions(client, this.game);
    this.analysis = new Analysis(client, this.game, settings);
    this.opponent = new Opponent(client, this.game, settings);
    this.coach = new Coach(client, this.game, settings);
    this.review = new Review(client, this.game, settings);
    this.study = new Study(this.game);
    this.line = new OpenLine(this.game);
    this.annotator = new Annotator(this.game);
    this.openings = new Openings(library);
    this.firstStones = new FirstStones(client);
    this.#listen();
  }

  /** The game that a new tab begins with: as the last one that was chosen. */
  firstGame() {
    const get = (name) => this.settings.get(name);
    const seats = seatsOf(get("play"));
    const level = get("level");
    return {
      side: get("side"),
      swap: get("swap"),
      seats,
      level,
      levels: { white: level, black: seats === "neither" ? get("levelBlack") : level },
      counts: get("adapts"),
    };
  }

  #listen() {
    const changed = () => this.emit("change");
    this.game.on("change", (kind) => this.#gameChanged(kind));
    this.client.on("state", changed);
    this.settings.on("change", (name) => {
      // It may not have been able to move in the time that was set before.
      if (name === "moveSeconds") this.opponent.retry();
      changed();
    });
    this.positions.on("known", (node) => {
      const position = this.positions.at(node);
      // The library and backups do not ask the engine how a game ended.
      if (position?.over) node.result ??= { winner: position.winner, by: position.by };
      this.#learn(node, { position });
    });
    this.positions.on("illegal", (node) => this.#takeBack(node));
    this.positions.on("failed", (error) =>
      this.emit("message", t("engine.no-position", { reason: plainReason(error) })),
    );
    this.positions.on("retry", changed);
    this.analysis.on("answer", ({ node, answer }) => this.#learn(node, answer));
    this.analysis.on("change", changed);
    this.opponent.on("thinking", changed);
    // It needs the threads.
    this.opponent.on("analysing", (node) => node === this.game.current && this.analysis.stop());
    this.opponent.on("answer", ({ node, answer }) => {
      this.analysis.adopt(node, answer);
      this.#learn(node, answer);
    });
    this.opponent.on("failed", (error) =>
      this.emit("message", t("engine.cannot-move", { reason: plainReason(error) })),
    );
    this.coach.on("change", changed);
    this.review.on("progress", changed);
    this.review.on("end", changed);
    this.review.on("failed", (error) => this.emit("message", t("review.failed", { reason: plainReason(error) })));
    const { study, line, annotator, openings, firstStones } = this;
    for (const part of [study, line, annotator, openings, firstStones]) part.on("change", changed);
  }

  #gameChanged(kind) {
    if (kind === "move") this.#keepLine();
    if (kind === "game") {
      this.positions.clear();
      this.analysis.clear();
      this.review.stop();
    }
    if (["game", "seats", "level"].includes(kind)) this.opponent.retry();
    for (const part of [this.study, this.line, this.annotator]) part.gameChanged(kind);
    if (kind !== "annotation") this.#forgetHint();
    this.emit("game", kind);
    this.emit("change");
  }

  /**
   * What is played becomes the main line in place of moves of the same game that were taken back, and of lines that were
   * added and not played. Once the game has ended, other lines are variations.
   */
  #keepLine() {
    const { game, positions, study } = this;
    const { tree, head } = game;
    if (study.isTrying || tree.isOnMainLine(head)) return;
    const left = tree.mainLine().find((node) => !tree.isBelow(head, node));
    const tip = tree.tip();
    // Who plays both colours looks at other lines by going back to earlier positions.
    const isTakenBack = game.hasEngine() ? left.isPlayed : left.isTakenBack;
    const goesOn = !game.statedResult(tip) && positions.at(tip)?.over === false;
    if (left.isAdded || (isTakenBack && goesOn)) tree.promote(head);
  }

  #learn(node, answer) {
    const evaluation = evaluationOf(answer);
    if (evaluation) node.evaluation = betterOf(evaluation, node.evaluation);
    learnMoves(node, answer);
    this.emit("change");
  }

  /** Takes back an illegal move, of a link or of a stored game, and what follows it. */
  #takeBack(node) {
    if (!node.parent || this.game.tree.nodes.get(node.id) !== node) return;
    const { action: move } = splitMove(node.move);
    this.emit("message", move === "swap" ? noSwapSentence(this.game) : t("move.not-possible", { move }));
    this.game.remove(node);
  }

  /** Makes the engine search what it should: its own move, or the position shown, or nothing. */
  updateSearches(isHidden) {
    const { game, settings } = this;
    const head = this.positions.at(game.head);
    this.coach.update(head);
    this.opponent.update(this.coach.isHolding ? null : head);
    const isOver = this.positions.at(game.current)?.over ?? false;
    const isEngineBusy = this.opponent.isAnalysing(game.current) || this.review.isRunning;
    this.analysis.update(settings.get("analysis") && !isHidden && !isOver && !isEngineBusy);
  }

  /** The end of the game at a node: {winner, by, winning}, or null if it goes on or is not known. */
  resultAt(node = this.game.head) {
    const position = this.positions.at(node);
    if (position?.over) return { winner: position.winner, by: position.by, winning: position.winning };
    const stated = this.game.statedResult(node);
    return stated && { ...stated, winning: [] };
  }

  /** Whether the game that is played has ended. */
  isOver() {
    return this.resultAt() !== null;
  }

  /**
   * Whether the game goes on at its head, so that clocks run: it has no end there, nor in the moves that follow, and nobody
   * is merely looking back.
   */
  goesOn() {
    const { game } = this;
    const { head } = game;
    const isLookedBackAt = !game.hasEngine() && head.children.some((node) => !node.isAdded && !node.isTakenBack);
    if (isLookedBackAt) return false;
    let tip = head;
    while (tip.children.length && !tip.children[0].isAdded) tip = tip.children[0];
    return Boolean(head.parent) && !this.isOver() && this.resultAt(tip) === null;
  }

  /** Whether the user may put a stone into the position shown. */
  canPlay() {
    const { game } = this;
    if (this.positions.at(game.current)?.over) return false;
    // From earlier positions of a finished game one may go on with both colours.
    return game.isHumanTurn() || (this.isOver() && game.current !== game.head);
  }

  /** The findings of the review that may be shown, the most important first. */
  findings() {
    return this.showsEvaluations() ? this.review.findings() : [];
  }

  /** Evaluations would spoil a game against the engine, unless the user wants analysis. */
  showsEvaluations() {
    const { seats } = this.game;
    const isPlayed = seats === "white" || seats === "black";
    // Who asks for a review wants to see it.
    const isReviewed = this.review.isRunning || Boolean(this.game.tree.root.assessment);
    return this.settings.get("analysis") || !isPlayed || isReviewed || this.isOver();
  }

  /** What the coach has to say about the position shown, or null. */
  warning() {
    return this.game.current === this.game.head ? this.coach.warning : null;
  }

  /** The latest answer about the position shown, or null. */
  analysisAnswer() {
    const { analysis, game, settings } = this;
    if (!settings.get("analysis") || analysis.node !== game.current) return null;
    return deepened(game.current, analysis.latest);
  }

  /** What is known about the moves of the position shown, {rows, games, pv}, for boards whose explorer is on. */
  explored() {
    const { game, openings } = this;
    const node = game.current;
    const position = this.positions.at(node);
    const place = { side: game.side, setup: game.setup, moves: game.tree.moves(node) };
    const legal = position ? [...position.legal, ...(position.can_swap ? ["swap"] : [])] : [];
    const answer = position?.over ? null : this.analysisAnswer();
    const rows = explorerRows({
      library: openings.movesAt(place, legal, game.id),
      stones: this.firstStones.of(game.side),
      isEmpty: game.stonesAt(node).stones.size === 0,
      swapped: position?.can_swap ? place.moves[0] : null,
      answer,
      node,
      toMove: game.toMoveAt(node),
    });
    return { rows: position?.over ? [] : rows, games: openings.gamesAt(place, game.id), pv: answer?.pv ?? null };
  }

  /** What the analysis says about a move in the position shown, or null. */
  candidate(move) {
    return this.analysisAnswer()?.moves?.find((entry) => entry.move === move) ?? null;
  }

  /** The hint that was asked for in the position shown, {move, reason}, or null. */
  hint() {
    return this.#hint?.node === this.game.current ? this.#hint.answer : null;
  }

  async askHint() {
    this.#forgetHint();
    const node = this.game.current;
    const query = { ...this.game.query(node), want: ["hint"], seconds: HINT_SECONDS };
    const hint = { node, answer: null, request: this.client.ask(query) };
    this.#hint = hint;
    try {
      hint.answer = (await hint.request.answer).hint ?? null;
      this.emit("hint", hint.answer);
    } catch (error) {
      this.emit("message", plainReason(error));
    }
    this.emit("change");
  }

  #forgetHint() {
    this.#hint?.request.cancel();
    this.#hint = null;
  }
}
