// The page as a whole: connects the game, the engine and the views.
//
// Everything that happens changes the game, the settings, or what is known from the engine; after any change `render`
// draws the page from them. So no view needs to know another.

import { Analysis } from "./analysis.js";
import { AnalysisView } from "./analysis-view.js";
import { Announcer } from "./announcer.js";
import { BoardView } from "./board-view.js";
import { NewGameDialog, OpenDialog, RulesDialog, SettingsDialog, ShareDialog } from "./dialogs.js";
import { $, $$, setAttribute } from "./dom.js";
import { betterOf, chanceOf, evaluationOf } from "./evaluation.js";
import { Game } from "./game.js";
import { GraphView } from "./graph-view.js";
import { fromFragment } from "./link.js";
import { MovesView } from "./moves-view.js";
import { lineStones, notesOf } from "./notes.js";
import { Opponent } from "./opponent.js";
import { PlayerBars } from "./player-bars.js";
import { Positions } from "./positions.js";
import { Review } from "./review.js";
import { ReviewView } from "./review-view.js";
import { loadGame, saveGame } from "./storage.js";
import { other, splitMove } from "./stones.js";
import { GameTree } from "./tree.js";
import { LEVEL_NAMES, colorName, levelText, moveSentence, percent, plainReason, resultSentence } from "./wording.js";

const SAVE_DELAY = 300;
const CLOCK_TICK = 100;
const HINT_SECONDS = 1.5;
/** A second click within this time resigns. */
const RESIGN_DELAY = 4000;

export class App {
  #frame = null;
  #saveTimer = null;
  #hint = null;
  #hovered = null;
  #resignTimer = null;
  #announcedResult = null;

  constructor({ client, settings, tab }) {
    Object.assign(this, { client, settings, tab });
    this.game = new Game(this.#defaultGame());
    this.positions = new Positions(client, this.game);
    this.analysis = new Analysis(client, this.game, settings);
    this.opponent = new Opponent(client, this.game, settings);
    this.review = new Review(client, this.game, settings);
    this.announcer = new Announcer();
    this.#makeViews();
    this.#makeDialogs();
    this.#listenToModel();
    this.#listenToUser();
  }

  #defaultGame() {
    const get = (name) => this.settings.get(name);
    return { side: get("side"), swap: get("swap"), seats: get("play"), level: get("level") };
  }

  #makeViews() {
    const container = $("[data-board-container]");
    container.before(BoardView.keyHelp());
    this.board = new BoardView(container);
    this.bars = new PlayerBars();
    this.moves = new MovesView($("[data-moves]"));
    this.analysisView = new AnalysisView($(".analysis"));
    this.graph = new GraphView($("[data-graph-box]"));
    this.reviewView = new ReviewView($(".review"));
    $("[data-level]").append(...LEVEL_NAMES.map((_, i) => new Option(levelText(i + 1), i + 1)));
  }

  #makeDialogs() {
    const { client, game, announcer } = this;
    this.dialogs = {
      "new-game": new NewGameDialog(this.settings, (options) => this.startGame(options)),
      open: new OpenDialog({
        client, game, onGame: (record) => this.openRecord(record), onStored: (stored) => this.game.restore(stored),
      }),
      share: new ShareDialog({ client, game, announcer, resultOf: (node) => this.#resultOf(node) }),
      settings: new SettingsDialog(this.settings),
      rules: new RulesDialog(),
    };
  }

  // ---------------------------------------------------------------- start

  /** Takes up the game of the link or of the last time in this tab, and begins. */
  start() {
    const stored = loadGame(this.tab.id) ?? (this.tab.inherited && loadGame(this.tab.inherited));
    this.#openLink(location.hash, stored) || (stored && this.#restore(stored));
    this.positions.clear();
    this.render();
    setInterval(() => this.#tick(), CLOCK_TICK);
  }

  #restore(stored) {
    try {
      this.game.restore(stored);
      return true;
    } catch (error) {
      console.warn("The stored game could not be restored:", error);
      return false;
    }
  }

  /** Opens the position of a link, in the stored game if it occurs there. Returns whether there was one. */
  #openLink(hash, stored) {
    let link;
    try {
      link = fromFragment(hash);
    } catch (error) {
      this.announcer.show(error.message);
      return false;
    }
    if (!link) return false;
    if (stored && isSameStart(link, stored) && this.#restore(stored)) {
      const node = this.game.tree.find(link.moves);
      if (node) {
        this.game.current = node;
        return true;
      }
    }
    const tree = new GameTree();
    const end = tree.playAll(link.moves);
    this.game.start({ ...link, seats: link.moves.length ? "both" : this.settings.get("play"), level: this.settings.get("level") }, tree);
    this.game.show(end);
    return true;
  }

  startGame(options) {
    this.game.start(options);
    this.announcer.say(`New game on side ${options.side}.`);
    this.board.setBoard(this.game.board);
    this.board.focus();
  }

  openRecord({ options, tree, title, result }) {
    this.game.start({ ...options, level: this.game.level }, tree);
    this.game.result = result;
    this.game.show(tree.tip());
    this.announcer.show(`${title}: ${tree.mainLine().length} moves.`);
  }

  // ---------------------------------------------------------------- events

  #listenToModel() {
    const { game, client, settings } = this;
    game.on("change", (kind) => this.#gameChanged(kind));
    client.on("state", () => this.render());
    this.positions.on("known", (node) => this.#learn({ node, answer: { position: this.positions.at(node) } }));
    this.positions.on("illegal", (event) => this.#takeBackIllegal(event));
    this.analysis.on("answer", (event) => this.#learn(event));
    this.opponent.on("thinking", () => this.render());
    this.opponent.on("answer", ({ node, answer }) => {
      this.analysis.adopt(node, answer);
      this.#learn({ node, answer });
    });
    this.opponent.on("failed", (error) => this.announcer.show(`Malecon cannot move: ${plainReason(error)}`));
    this.review.on("progress", () => this.render());
    this.review.on("end", (isComplete) => {
      if (isComplete) this.announcer.say(`The review is complete: ${this.review.mistakes().length} mistakes.`);
      this.#saveSoon();
      this.render();
    });
    settings.on("change", (name) => {
      if (name === "theme") document.dispatchEvent(new Event("themechange"));
      if (name === "overlay") this.analysis.stop();
      this.render();
    });
  }

  #gameChanged(kind) {
    if (kind === "game") {
      this.positions.clear();
      this.analysis.clear();
      this.opponent.retry();
      this.review.stop();
      this.#announcedResult = null;
    }
    if (kind === "seats" || kind === "level") this.opponent.retry();
    if (kind !== "game") this.#announcePosition(kind);
    this.#clearHint();
    this.#hovered = null;
    this.#updateLink();
    this.#saveSoon();
    this.render();
  }

  #announcePosition(kind) {
    const { game } = this;
    const node = kind === "move" ? game.head : game.current;
    const moves = game.tree.path(node).length;
    if (!node.parent) return this.announcer.say("Start of the game.");
    const mover = other(game.toMoveAt(node));
    const what = moveSentence(node.move, mover);
    return this.announcer.say(kind === "move" ? `${what}.` : `Move ${moves}: ${what}.`);
  }

  #learn({ node, answer }) {
    const evaluation = answer && evaluationOf(answer);
    if (evaluation) node.evaluation = betterOf(evaluation, node.evaluation);
    this.render();
  }

  #takeBackIllegal({ node, message }) {
    this.announcer.show(message);
    if (node.parent && this.game.tree.nodes.get(node.id) === node) this.game.remove(node);
  }

  #listenToUser() {
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-action]");
      if (button) this.#act(button.dataset.action);
    });
    document.addEventListener("keydown", (event) => this.#key(event));
    this.board.on("play", (name) => this.playMove(name));
    this.board.on("hover", (name) => this.#hover(this.#candidate(name)));
    this.board.on("preview", (name) => this.#showConfirm(name));
    this.analysisView.on("hover", (entry) => this.#hover(entry));
    this.analysisView.on("play", (move) => this.playMove(move));
    this.moves.on("go", (id) => this.game.show(this.game.tree.nodes.get(id)));
    this.reviewView.on("go", (node) => this.game.show(node));
    this.graph.on("go", (index) => this.game.show([this.game.tree.root, ...this.game.tree.path(this.game.lineTip())][index]));
    $("[data-seats]").addEventListener("change", ({ target }) => this.game.setSeats(target.value));
    $("[data-level]").addEventListener("change", ({ target }) => {
      this.settings.set("level", Number(target.value));
      this.game.setLevel(Number(target.value));
    });
    $("[data-analysis-switch]").addEventListener("change", ({ target }) => this.settings.set("analysis", target.checked));
    $("[data-overlay]").addEventListener("change", ({ target }) => this.settings.set("overlay", target.value));
    $("[data-type-move]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#playTyped(event.target.elements.move);
    });
    addEventListener("hashchange", () => this.#hashChanged());
    document.addEventListener("visibilitychange", () => this.render());
    addEventListener("pagehide", () => this.#save());
    this.#listenToDrops();
  }

  #listenToDrops() {
    const hint = $("[data-drop-hint]");
    const hasContent = ({ dataTransfer }) => ["Files", "text/plain"].some((type) => dataTransfer?.types.includes(type));
    addEventListener("dragover", (event) => {
      if (!hasContent(event)) return;
      event.preventDefault();
      hint.hidden = false;
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) hint.hidden = true;
    });
    addEventListener("drop", (event) => {
      hint.hidden = true;
      if (!hasContent(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.dialogs.open.readFile(file);
      else this.dialogs.open.readText(event.dataTransfer.getData("text/plain"));
    });
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, dialog, [data-moves], .segments")) return;
    const action = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!action) return;
    event.preventDefault();
    this.#act(action);
  }

  #act(action) {
    const { game } = this;
    const actions = {
      confirm: () => this.playMove(this.board.previewed),
      swap: () => this.playMove("swap"),
      undo: () => game.undo(),
      redo: () => game.redo(),
      hint: () => this.#askHint(),
      resign: () => this.#resign(),
      rematch: () => this.#rematch(),
      review: () => (this.review.isRunning ? this.review.stop() : this.review.start()),
      first: () => game.show(game.tree.root),
      previous: () => game.current.parent && game.show(game.current.parent),
      next: () => game.current.children.length && game.show(game.current.children[0]),
      last: () => game.show(game.lineTip()),
      promote: () => game.promote(game.current),
      delete: () => game.remove(game.current),
      theme: () => this.settings.set("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      reconnect: () => this.client.connect(),
    };
    if (actions[action]) actions[action]();
    else this.dialogs[action]?.open();
  }

  #hashChanged() {
    if (location.hash.slice(1) === this.game.fragment()) return;
    this.#openLink(location.hash, this.game.toJSON());
    this.render();
  }

  // ---------------------------------------------------------------- playing

  /** Plays a move of the user in the position shown, if that is possible. */
  playMove(move) {
    const { game } = this;
    if (!move) return;
    this.board.setPreview(null);
    const position = this.positions.at(game.current);
    const { stones, toMove } = game.stonesAt();
    if (position?.over) return this.announcer.show("The game is over in this position.");
    if (move === "swap" ? !position?.can_swap : stones.has(move) || (position && !position.legal.has(move))) {
      return this.announcer.show(`${move} is not possible here.`);
    }
    if (!game.isHumanTurn() && !this.#takeOver()) {
      return this.announcer.show(`It is Malecon's turn: ${colorName(toMove)} moves.`);
    }
    return game.play(move);
  }

  /** In a position of a finished game one may play both colours. */
  #takeOver() {
    if (!this.#isHeadOver() || this.game.current === this.game.head) return false;
    this.game.setSeats("both");
    this.announcer.show("You now play both colours.");
    return true;
  }

  #playTyped(field) {
    const word = field.value.trim().toLowerCase();
    if (word === "resign") this.#resignNow();
    else if (word === "swap" || this.game.board.find(word)) this.playMove(word);
    else if (word) this.announcer.show(`“${field.value}” is not a vertex of this board. Type a letter and a number, such as d4.`);
    field.value = "";
  }

  #resign() {
    const label = $('[data-action="resign"] span');
    if (this.#resignTimer) return this.#resignNow();
    label.textContent = "Really resign?";
    this.#resignTimer = setTimeout(() => this.#forgetResign(), RESIGN_DELAY);
    return undefined;
  }

  #forgetResign() {
    clearTimeout(this.#resignTimer);
    this.#resignTimer = null;
    $('[data-action="resign"] span').textContent = "Resign";
  }

  /** Resigns for the human: for the colour to move, or for the own colour while the engine thinks. */
  #resignNow() {
    const { game } = this;
    this.#forgetResign();
    if (this.#isHeadOver() || game.seats === "neither") return;
    const toMove = game.toMoveAt(game.head);
    const loser = game.playerOf(toMove) === "human" ? toMove : other(toMove);
    game.current = game.head;
    game.play(loser === toMove ? "resign" : `${loser}:resign`, game.head);
  }

  /** The same game again, with colours changed. */
  #rematch() {
    const { side, swap, seats, level, clock } = this.game;
    this.startGame({
      side, swap, level, seats: { white: "black", black: "white" }[seats] ?? seats,
      clock: clock && { main: clock.main, increment: clock.increment },
    });
  }

  async #askHint() {
    this.#clearHint();
    const node = this.game.current;
    this.#hint = { node, move: null, request: this.client.ask({ ...this.game.query(node), want: ["moves"], seconds: HINT_SECONDS, top: 1 }) };
    const hint = this.#hint;
    this.render();
    try {
      const answer = await hint.request.answer;
      if (hint !== this.#hint) return;
      hint.move = answer.best;
      this.announcer.show(answer.best ? `Malecon would play ${answer.best}.` : "There is nothing to play here.");
    } catch (error) {
      this.#hint = null;
      this.announcer.show(plainReason(error));
    }
    this.render();
  }

  #clearHint() {
    this.#hint?.request.cancel();
    this.#hint = null;
  }

  // ---------------------------------------------------------------- clocks

  #tick() {
    const { game } = this;
    if (!game.clock) return;
    const toMove = game.toMoveAt(game.head);
    const isRunning = game.head.parent && !this.#isHeadOver() && this.client.state === "ready";
    game.clock.run(isRunning ? toMove : null);
    if (isRunning && game.clock.isOut(toMove)) game.loseOnTime(toMove);
    this.bars.renderClocks(game);
  }

  // ---------------------------------------------------------------- what is known

  /** The end of the game at a node: {winner, by, winning}, or null if it goes on or is not known. */
  #resultOf(node = this.game.head) {
    const position = this.positions.at(node);
    if (position?.over) return { winner: position.winner, by: position.by, winning: position.winning };
    if (node === this.game.head && this.game.flag) return { winner: other(this.game.flag), by: ["time"], winning: [] };
    return null;
  }

  #isHeadOver() {
    return this.#resultOf() !== null;
  }

  /** Evaluations would spoil a game against the engine, unless the user wants analysis. */
  #showsEvaluations() {
    const { game } = this;
    const isPlayed = game.seats === "white" || game.seats === "black";
    return this.settings.get("analysis") || !isPlayed || this.#isHeadOver();
  }

  #analysisAnswer() {
    return this.settings.get("analysis") && this.analysis.node === this.game.current ? this.analysis.latest : null;
  }

  #candidate(name) {
    if (!name) return null;
    return this.#analysisAnswer()?.moves?.find(({ move }) => move === name) ?? null;
  }

  // ---------------------------------------------------------------- drawing

  /** Draws everything before the next frame. Several calls draw once. */
  render() {
    if (this.#frame) return;
    const draw = () => {
      this.#frame = null;
      this.#draw();
    };
    // Frames do not come while the tab is hidden, but the game goes on.
    this.#frame = document.hidden ? setTimeout(draw) : requestAnimationFrame(draw);
  }

  #draw() {
    const headPosition = this.positions.at(this.game.head);
    this.opponent.update(headPosition);
    this.#updateAnalysis();
    this.#drawBoard();
    this.#drawStage();
    this.#drawPanel();
    this.#drawEngine();
  }

  #updateAnalysis() {
    const { game } = this;
    const isEngineThinking = this.opponent.isThinking && game.head === game.current;
    const isOver = this.positions.at(game.current)?.over ?? false;
    this.analysis.update(this.settings.get("analysis") && !document.hidden && !isOver && !isEngineThinking && !this.review.isRunning);
  }

  #drawBoard() {
    const { game, settings } = this;
    const position = this.positions.at(game.current);
    const { stones, last, toMove } = game.stonesAt();
    const isOver = position?.over || (game.current === game.head && game.flag);
    this.board.setBoard(game.board);
    this.board.confirm = settings.get("confirm");
    this.board.render({
      stones, last, toMove,
      canPlay: !isOver && (game.isHumanTurn() || (this.#isHeadOver() && game.current !== game.head)),
      legal: position?.legal ?? null,
      winning: position?.winning ?? [],
      notes: notesOf(this.#analysisAnswer(), settings.get("overlay")),
      suggestion: this.#hint?.node === game.current ? this.#hint.move : null,
      coordinates: settings.get("coordinates"),
      line: this.#hovered ? lineStones(this.#hovered.pv ?? [], toMove) : [],
    });
    this.#drawWinBar();
  }

  #hover(entry) {
    if (entry === this.#hovered) return;
    this.#hovered = entry;
    this.board.drawLine(entry ? lineStones(entry.pv ?? [], this.game.toMoveAt()) : []);
  }

  #drawWinBar() {
    const bar = $("[data-win-bar]");
    const evaluation = this.#showsEvaluations() ? this.game.current.evaluation : null;
    bar.hidden = !this.#showsEvaluations();
    const white = evaluation ? evaluation.white : 0.5;
    const leader = white >= 0.5 ? "white" : "black";
    bar.style.setProperty("--white-share", `${(100 * white).toFixed(1)}%`);
    setAttribute(bar, "data-leader", leader);
    bar.setAttribute("aria-label", evaluation ? `White's chance of winning: ${percent(white)}` : "Not analysed yet");
    $("[data-win-bar-text]").textContent = evaluation ? percent(chanceOf(evaluation, leader)).replace(" ", "\u2009") : "";
  }

  #drawStage() {
    const { game } = this;
    const result = this.#resultOf();
    const position = this.positions.at(game.current);
    const toMove = game.toMoveAt(game.head);
    this.bars.render(game, { turn: result ? null : toMove, thinking: this.opponent.isThinking ? toMove : null });
    $("[data-status]").textContent = this.#status(result);
    show("swap", Boolean(position?.can_swap && game.isHumanTurn()));
    enable("undo", Boolean(game.undoTarget()));
    enable("redo", Boolean(game.redoTarget()));
    enable("hint", !position?.over && game.isHumanTurn() && this.client.state === "ready");
    enable("resign", !result && game.seats !== "neither" && Boolean(game.head.parent));
    this.#announceResult(result);
  }

  #status(result) {
    const { game } = this;
    if (game.current !== game.head) {
      const [shown, all] = [game.tree.path(game.current).length, game.tree.path(game.head).length];
      const isBefore = game.tree.isBelow(game.head, game.current);
      return isBefore ? `Position after move ${shown} of ${all}` : `Variation, after move ${shown}`;
    }
    if (result) return resultSentence(result);
    const toMove = game.toMoveAt();
    if (game.playerOf(toMove) === "engine") {
      return this.client.state === "ready" ? `Malecon plays ${toMove}` : "Malecon moves as soon as the engine is there";
    }
    if (this.positions.at(game.current)?.can_swap) return `${colorName(toMove)} may place a stone or swap`;
    return game.hasEngine() ? `Your turn: place a ${toMove} stone` : `${colorName(toMove)} to move`;
  }

  #announceResult(result) {
    const key = result ? `${this.game.head.id} ${resultSentence(result)}` : null;
    if (key === this.#announcedResult) return;
    this.#announcedResult = key;
    if (result) this.announcer.sayNow(`${resultSentence(result)}.`);
  }

  #showConfirm(name) {
    const button = $('[data-action="confirm"]');
    button.hidden = !name;
    button.textContent = name ? `Play ${name}` : "";
  }

  #drawPanel() {
    const { game, settings } = this;
    const result = this.#resultOf();
    $("[data-result]").hidden = !result;
    if (result) $("[data-result-text]").textContent = resultSentence(result);
    for (const input of $$("[data-seats] input")) input.checked = input.value === game.seats;
    $("[data-level]").value = game.level;
    $("[data-level-field]").hidden = !game.hasEngine();
    const mistakes = this.#showsEvaluations() ? this.review.mistakes() : [];
    this.moves.render(game, new Map(mistakes.map((mistake) => [mistake.node.id, mistake])));
    show("promote", !game.tree.isOnMainLine(game.current));
    show("delete", Boolean(game.current.parent) && (game.seats === "both" || game.current !== game.head) && !this.opponent.isThinking);
    enable("previous", Boolean(game.current.parent));
    enable("first", Boolean(game.current.parent));
    enable("next", game.current.children.length > 0);
    enable("last", game.current.children.length > 0);
    $("[data-analysis-switch]").checked = settings.get("analysis");
    $("[data-overlay]").value = settings.get("overlay");
    this.#drawAnalysis();
    this.#drawReview(mistakes);
  }

  #drawAnalysis() {
    const isOver = this.positions.at(this.game.current)?.over;
    const message = isOver ? "The game is over here." : this.client.state === "ready" ? "Thinking…" : "Waiting for the engine.";
    this.analysisView.render({
      isOn: this.settings.get("analysis"), answer: isOver ? null : this.#analysisAnswer(), toMove: this.game.toMoveAt(),
      isRunning: this.analysis.isRunning || this.opponent.isThinking, message,
    });
  }

  #drawReview(mistakes) {
    const { game } = this;
    const line = game.tree.path(game.lineTip());
    const { movers } = game.stonesAt(game.lineTip());
    const byNode = new Map(mistakes.map((mistake) => [mistake.node, mistake]));
    const shows = this.#showsEvaluations();
    const point = (node, i) => ({
      white: shows ? node.evaluation?.white ?? null : null, move: node.move, mover: movers[i - 1], mistake: byNode.get(node),
    });
    this.graph.render([game.tree.root, ...line].map(point), game.tree.path(game.current).length);
    this.reviewView.render({ review: this.review, mistakes, line, shows });
  }

  #drawEngine() {
    const { state, engine } = this.client;
    const where = { server: "on this computer (malecon serve)", worker: "in this browser" }[engine];
    $("[data-engine]").textContent = {
      connecting: "Looking for the engine…", ready: `Engine ${this.version ?? ""} ${where ?? ""}`,
      lost: "The engine is away", failed: "No engine",
    }[state];
    $("[data-engine]").dataset.state = state;
    if (engine) $("[data-engine]").dataset.engine = engine;
    const banner = $("[data-banner]");
    banner.hidden = state === "ready" || (state === "connecting" && banner.hidden);
    if (!banner.hidden) {
      $("[data-banner-text]").textContent = engine
        ? "The connection to the engine is lost. Your game is safe in this page; it goes on when the engine is back."
        : "The engine could not be started. You can place stones, but nobody answers.";
    }
  }

  // ---------------------------------------------------------------- keeping

  #updateLink() {
    const fragment = `#${this.game.fragment()}`;
    if (location.hash !== fragment) history.replaceState(null, "", fragment);
  }

  #saveSoon() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), SAVE_DELAY);
  }

  #save() {
    clearTimeout(this.#saveTimer);
    // An untouched board is not worth keeping.
    if (this.game.tree.nodes.size > 1) saveGame(this.tab.id, this.game.toJSON());
  }
}

function show(action, isShown) {
  for (const button of $$(`[data-action="${action}"]`)) button.hidden = !isShown;
}

function enable(action, isEnabled) {
  for (const button of $$(`[data-action="${action}"]`)) button.disabled = !isEnabled;
}

/** Whether a link and a stored game begin alike. */
function isSameStart(link, stored) {
  const key = ({ side, swap, setup }) => JSON.stringify([side, swap, setup.white ?? [], setup.black ?? [], setup.first ?? "white"]);
  return key(link) === key(stored);
}
