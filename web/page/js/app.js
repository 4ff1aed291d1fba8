// What the user can do, and what happens by itself: playing, going through the game, clocks, links, storing.

import { t } from "./language/texts.js";
import { Announcer, SHOWN_FOR } from "./views/announcer.js";
import { NewGameDialog, OpenDialog, RulesDialog, SettingsDialog, ShareDialog } from "./screens/dialogs.js";
import { $, download } from "./views/dom.js";
import { reasonSentence } from "./views/study-view.js";
import { listenToDrops } from "./views/drops.js";
import { findSpoken, speakOf, useNotation } from "./game/notation.js";
import { levelAfter } from "./game/levels.js";
import { fromFragment } from "./game/link.js";
import { turnBoards } from "./game/orientation.js";
import { playStone } from "./views/sound.js";
import { Model } from "./model.js";
import { factsOf } from "./game/facts.js";
import { pairOf, playerNames, playersOf, storedGame, storedToKeep } from "./engine/records.js";
import { LibraryScreen, failure } from "./screens/library-screen.js";
import { EditorScreen } from "./screens/editor-screen.js";
import { ProofScreen } from "./screens/proof-screen.js";
import { PuzzleScreen } from "./screens/puzzle-screen.js";
import { Screen } from "./screens/screen.js";
import { Exercises, exercisesOf } from "./store/exercises.js";
import { Library } from "./store/library.js";
import { forgetOldGames, gameWithoutRoom, load, loadGame, recentGames, save, saveGame } from "./store/storage.js";
import { other } from "./game/stones.js";
import { setupOf, stoneCount } from "./game/setup.js";
import { GameTree } from "./game/tree.js";
import { Tutorial } from "./screens/tutorial.js";
import {
  findingSentence,
  hintSentence,
  levelText,
  lineText,
  moveSentence,
  noSwapSentence,
  plainReason,
  resultSentence,
} from "./game/wording.js";

const SAVE_DELAY = 300;
const LINK_DELAY = 1000;
const CLOCK_TICK = 100;
/** Keys that go through the game and through the findings of its review, except where they have another meaning. */
const KEYS = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  Home: "first",
  End: "last",
  "Shift+ArrowLeft": "previous-finding",
  "Shift+ArrowRight": "next-finding",
};
/** Keys that go through the better line of a finding while it is on the board. */
const STEP_KEYS = { ArrowUp: "step-back", ArrowDown: "step-forward" };
const LINE_KEYS = { ArrowUp: "line-back", ArrowDown: "line-forward" };
const OTHER_MEANING = "input, select, textarea, dialog, .segments";
/** The game after the tutorial. */
const FIRST_GAME = { side: 5, play: "white", level: 1, swap: false, adapts: true, clockMain: 0, warnings: true };

export class App {
  #saveTimer = null;
  #linkTimer = null;
  #resignTimer = null;
  #announcedResult = null;
  #isWarned = false;
  /** The setting with which the page was made. */
  #language;
  /** The id of the game of a link, or of one that the user has deleted: until it changes, the library does not need it. */
  #unkept = null;
  /** What a message offers to undo: the latest change of the game. */
  #offer = null;

  constructor({ client, installation, settings, tab }) {
    Object.assign(this, { client, installation, settings, tab });
    // Before anything draws.
    settings.on("change", () => this.#lookAtBoards());
    this.#lookAtBoards();
    this.#language = settings.get("language");
    this.library = new Library(tab.id);
    this.model = new Model(client, settings, this.library);
    this.game = this.model.game;
    this.screen = new Screen(this.model);
    this.announcer = new Announcer();
    this.announcer.onFocusLost = () => this.#focusBoard();
    this.exercises = new Exercises();
    this.puzzles = new PuzzleScreen({ client, settings, announcer: this.announcer, exercises: this.exercises });
    this.proof = new ProofScreen({ client, settings, announcer: this.announcer });
    this.editor = new EditorScreen({
      client,
      settings,
      announcer: this.announcer,
      present: () => setupOf(this.game.side, this.game.stonesAt()),
    });
    this.games = new LibraryScreen({
      client,
      library: this.library,
      exercises: this.exercises,
      puzzles: this.puzzles.puzzles,
      announcer: this.announcer,
      side: () => this.game.side,
    });
    this.dialogs = this.#makeDialogs();
    this.tutorial = this.#makeTutorial();
    this.actions = this.#makeActions();
    this.#listenToModel();
    this.#listenToViews();
    this.#listenToControls();
    this.#listenToWindow();
  }

  /** How boards lie, and what their vertices are called. */
  #lookAtBoards() {
    const { settings } = this;
    useNotation(settings.get("notation"));
    turnBoards({ turn: settings.get("turn"), isMirrored: settings.get("mirrored") });
  }

  #makeDialogs() {
    const { client, game, announcer, model, settings } = this;
    return {
      "new-game": new NewGameDialog(settings, (options) => this.#begin(options)),
      open: new OpenDialog({
        client,
        game,
        library: this.library,
        announcer,
        onGame: (record) => this.openRecord(record),
        onLink: (fragment) => this.#openLink(fragment, model.study.gameToKeep()),
        onKept: (id) => this.#openKept(id),
        onFiles: (files) => this.#addFiles(files),
        onGames: (list, errors) => this.#addGames(list, errors),
      }),
      share: new ShareDialog({
        client,
        game,
        resultAt: (node) => model.resultAt(node),
        players: () => playersOf(model.study),
      }),
      settings: new SettingsDialog(settings),
      rules: new RulesDialog(),
    };
  }

  /** The tutorial keeps its step only on the first visit; later it is a dialog like any other. */
  #makeTutorial() {
    const { settings } = this;
    const isFirstVisit = () => settings.get("tutorial") >= 0;
    const tutorial = new Tutorial(this.client, settings);
    tutorial.on("step", (step) => isFirstVisit() && settings.set("tutorial", step));
    tutorial.on("play", () => this.#startFirstGame());
    tutorial.on("close", () => {
      if (!isFirstVisit()) return;
      settings.set("tutorial", -1);
      this.announcer.show(t("tutorial.again"));
      $("[data-welcome]").hidden = true;
    });
    return tutorial;
  }

  #startFirstGame() {
    for (const [name, value] of Object.entries(FIRST_GAME)) this.settings.set(name, value);
    this.startGame(this.model.firstGame());
  }

  /** What the buttons with `data-action` do; those that are not here open a dialog. */
  #makeActions() {
    const { game, model, settings } = this;
    const { review } = model;
    return {
      confirm: () => this.#touch(this.screen.board.previewed),
      swap: () => this.playMove("swap"),
      undo: () => game.undo(),
      redo: () => game.redo(),
      hint: () => model.askHint(),
      resign: () => this.#resign(),
      rematch: () => this.#rematch(),
      review: () => this.#review(),
      "review-sgf": () => this.#saveReview("sgf"),
      "review-html": () => this.#saveReview("html"),
      first: () => game.show(game.tree.root),
      previous: () => game.current.parent && game.show(game.current.parent),
      next: () => game.current.children.length && game.show(game.current.children[0]),
      last: () => game.show(game.lineTip()),
      "previous-finding": () => this.#visitFinding(-1),
      "next-finding": () => this.#visitFinding(1),
      "step-back": () => this.#step(model.study, -1),
      "step-forward": () => this.#step(model.study, 1),
      try: () => this.#tryFinding(),
      "end-try": () => model.study.finish(),
      "close-finding": () => model.study.close(),
      "line-back": () => this.#step(model.line, -1),
      "line-forward": () => this.#step(model.line, 1),
      "close-line": () => model.line.close(),
      "add-line": () => this.#addLine(),
      annotate: () => this.#annotate(),
      "clear-marks": () => model.annotator.clear(),
      promote: () => this.#promote(),
      delete: () => this.#delete(),
      theme: () => settings.set("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
      reconnect: () => this.client.connect(),
      renew: () => this.installation.renew(),
      later: () => ($("[data-news]").hidden = true),
      tutorial: () => {
        this.dialogs.rules.dialog.close();
        this.#endWelcome();
        this.tutorial.open();
      },
      "no-tutorial": () => this.#endWelcome(),
      pause: () => game.pause(!game.isPaused),
      step: () => game.step(),
      editor: () => {
        this.dialogs["new-game"].dialog.close();
        this.editor.open();
      },
      "play-on": () => model.coach.dismiss(),
      "no-warnings": () => settings.set("warnings", false),
      puzzles: () => this.puzzles.open(),
      proof: () => this.proof.open(),
      open: () => {
        this.#saveNow();
        this.dialogs.open.open();
      },
      library: () => {
        this.dialogs.open.close();
        this.games.open();
      },
    };
  }

  get #screens() {
    return [this.puzzles, this.proof, this.games, this.editor];
  }

  /** The screen that is shown in place of the game, if there is one. */
  get #other() {
    return this.#screens.find((screen) => screen.isOpen);
  }

  /** Shows what a fragment names in place of the game, else the game. Returns whether it names something. */
  #route(fragment) {
    return this.#screens.map((screen) => screen.route(fragment)).includes(true);
  }

  #act(action) {
    if (this.actions[action]) this.actions[action]();
    else this.dialogs[action]?.open();
  }

  // ---------------------------------------------------------------- start

  /** Takes up the game of the link or of the last time in this tab, and begins. */
  start() {
    // Taking up a game changes the address.
    const { hash } = location;
    const stored = loadGame(this.tab.id) ?? (this.tab.inherited && loadGame(this.tab.inherited));
    if (!this.#openLink(hash, stored) && stored) this.game.restore(stored);
    if (stored?.isUnkept && stored.id === this.game.id) this.#unkept = stored.id;
    const id = stored ? null : gameWithoutRoom();
    if (id) this.#takeUpKept(id, hash);
    this.#adoptOldGames();
    this.screen.draw();
    this.#route(hash);
    this.#welcome(hash.length <= 1);
    setInterval(() => this.#tick(), CLOCK_TICK);
  }

  /**
   * On the first visit the page begins with the tutorial, also after a reload in its middle. Who comes by a link to a
   * position is asked first.
   */
  #welcome(isPlain) {
    const { settings } = this;
    if (settings.isFirstVisit) settings.set("tutorial", 0);
    const step = settings.get("tutorial");
    if (step < 0) return;
    if (isPlain) this.tutorial.open(step);
    else $("[data-welcome]").hidden = false;
  }

  #endWelcome() {
    $("[data-welcome]").hidden = true;
    this.settings.set("tutorial", -1);
  }

  /** Once, the games that versions without a library have kept go there. */
  async #adoptOldGames() {
    if (!load("adopted")) {
      // Those of this tab and of its original are being played.
      const games = recentGames().filter(({ id }) => id !== this.tab.id && id !== this.tab.inherited);
      const list = games.filter(({ game }) => game.tree.length > 1).map(({ game }) => storedToKeep(game));
      try {
        await this.library.add(list);
      } catch {
        return; // They stay where they are.
      }
      save("adopted", true);
    }
    forgetOldGames();
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
    const isKnown = stored && !link.shared && isSameStart(link, stored) && this.game.restore(stored, link.moves);
    if (!isKnown) this.#startFromLink(link);
    return true;
  }

  #startFromLink(link) {
    const tree = link.shared?.tree ?? new GameTree();
    const end = link.shared?.shown ?? tree.playAll(link.moves);
    const names = link.shared?.names ?? {};
    const first = this.model.firstGame();
    const isBegun = tree.nodes.size > 1;
    const seats = isBegun ? "both" : first.seats;
    const levels = isBegun ? { white: first.level, black: first.level } : first.levels;
    // What others have set up or played says nothing about the user.
    const counts = first.counts && tree.nodes.size === 1 && stoneCount(link.setup) === 0;
    this.game.start({ ...first, ...link, names, seats, levels, counts }, tree, end);
    this.#unkept = this.game.id;
  }

  /** Starts a game of the dialog, at once or after the first stones of a handicap. */
  #begin({ handicap, ...options }) {
    if (!handicap) return this.startGame(options);
    for (const screen of this.#screens) if (screen !== this.editor) screen.close();
    return this.editor.openHandicap({ ...handicap, options });
  }

  /** Starts a game from a position that was set up. */
  #startFromSetup({ options, handicap, isAnalysis }) {
    const tree = new GameTree();
    if (handicap) tree.root.properties = { HA: [String(handicap)] };
    if (isAnalysis) this.settings.set("analysis", true);
    this.startGame(options, tree);
  }

  startGame(options, tree = new GameTree()) {
    const { game } = this;
    game.start(options, tree);
    const { side } = options;
    const isSeated = game.seats === "white" || game.seats === "black";
    this.announcer.say(
      isSeated ? t("announce.new-game-as", { side, player: game.seats }) : t("announce.new-game", { side }),
    );
    this.screen.board.setBoard(game.board);
    this.screen.board.focus();
  }

  /** Shows a game that was read from a record. */
  openRecord({ options, tree, title }) {
    this.game.start({ ...options, level: this.game.level }, tree, tree.tip());
    this.announcer.show(t("announce.opened", { title, moves: tree.mainLine().length }));
  }

  /** Opens a game of the library, where it was left or after this many moves of its main line. */
  async #openKept(id, after = null) {
    if (!(await this.#restoreKept(id))) return this.announcer.show(t("library.unreadable"));
    this.games.close();
    if (after !== null) this.game.show(this.game.tree.mainLine()[after - 1]);
    return this.#focusBoard();
  }

  async #addFiles(files) {
    this.games.open();
    await this.games.add(files);
  }

  async #addGames(list, errors) {
    this.games.open();
    await this.games.keep(list, errors);
  }

  /** Deletes the move that is shown and what follows; it can be brought back for a while. */
  #delete() {
    const { game } = this;
    const stored = this.model.study.gameToKeep();
    const before = game.tree.nodes.size;
    game.remove(game.current);
    const count = before - game.tree.nodes.size;
    this.#offerUndo(t("moves.deleted", { moves: count }), stored);
  }

  /** Says what was done, and lets the user go back to the game as it was stored before. */
  #offerUndo(text, stored) {
    const { game } = this;
    const undo = () => game.id === stored.id && game.restore({ ...stored, revision: game.revision });
    this.#offer = { text: t("undo"), act: undo };
    this.announcer.offer(text, this.#offer);
  }

  #promote() {
    const stored = this.model.study.gameToKeep();
    this.game.promote(this.game.current);
    this.#offerUndo(t("moves.promoted"), stored);
  }

  /** Puts the line that is open, or that of the finding, into the game. */
  #addLine() {
    const { line, study } = this.model;
    const stored = study.gameToKeep();
    const added = this.game.addLine(line.isOpen ? line.moves : study.finding.line);
    line.close();
    if (added === 0) return this.announcer.show(t("line.known"));
    return this.#offerUndo(t("line.added", { moves: added }), stored);
  }

  /** Starts or stops the review, and shows where it is. */
  #review() {
    const { review } = this.model;
    if (review.isRunning) return review.stop();
    review.start();
    this.screen.draw();
    return $(".review").scrollIntoView({ block: "nearest" });
  }

  /** A review is complete: what it has found becomes exercises. */
  async #reviewed(findings) {
    const said = [t("review.complete", { findings: findings.length })];
    const exercises = await this.#learnFrom(findings).catch(() => 0);
    if (exercises) said.push(t("exercise.added", { exercises }));
    this.announcer.say(said.join(" "));
  }

  /** Makes exercises of what a review has found. Resolves to how many are new. */
  #learnFrom(findings) {
    const { game } = this;
    const kept = storedGame(this.model.study.gameToKeep());
    const names = playerNames(kept);
    const title = pairOf(names) ?? t("exercise.a-game");
    return this.exercises.add(exercisesOf(findings, game, { user: this.#userOf(names, kept), title }));
  }

  /** The colour of the user: by the seats, or by the name in the settings. */
  #userOf(names, game) {
    const seats = game.ownSeats();
    if (seats === "white" || seats === "black") return seats;
    const own = this.settings.get("playerName").trim().toLowerCase();
    return (own && ["white", "black"].find((color) => names[color]?.trim().toLowerCase() === own)) || null;
  }

  async #saveReview(format) {
    const { review } = this.model;
    try {
      const text = await review.write(format, playersOf(this.model.study));
      download(`havannah-review.${format}`, text, format === "html" ? "text/html" : "application/x-go-sgf");
    } catch (error) {
      this.announcer.show(t("review.not-saved", { reason: plainReason(error) }));
    }
  }

  /** The same game again, with colours changed. */
  #rematch() {
    const { side, swap, setup, clock } = this.game;
    const seats = this.game.ownSeats();
    const first = this.model.firstGame();
    const { level } = first;
    const counts = first.counts && stoneCount(setup) === 0;
    const isAdapted = counts && (seats === "white" || seats === "black");
    this.startGame({
      side,
      swap,
      setup,
      levels: isAdapted ? { white: level, black: level } : rematchLevels(seats, this.game.levels),
      counts,
      seats: { white: "black", black: "white" }[seats] ?? seats,
      clock: clock && { main: clock.main, increment: clock.increment },
    });
  }

  // ---------------------------------------------------------------- events

  #listenToModel() {
    const { model, announcer } = this;
    model.on("message", (message) => announcer.show(message));
    model.on("hint", (hint) => (hint ? announcer.say(hintSentence(hint)) : announcer.show(hintSentence(hint))));
    model.on("game", (kind) => this.#gameChanged(kind));
    this.game.on("leave", () => this.#save());
    this.library.on("failed", (error) => this.#cannotKeep(error));
    this.games.on("open", (id) => this.#openKept(id));
    this.games.on("deleted", (id) => {
      if (id !== this.game.id) return;
      this.#unkept = id;
      this.#save();
    });
    this.editor.on("start", (start) => this.#startFromSetup(start));
    model.on("change", () => this.#resultChanged());
    model.review.on("end", (isComplete) => {
      this.#unkept = null;
      if (isComplete) this.#reviewed(model.review.findings(model.review.path.at(-1)));
      this.#saveSoon();
    });
    this.installation.on("outdated", () => {
      announcer.say(t("news.announced"));
      $("[data-news]").hidden = false;
    });
    this.settings.on("change", (name) => {
      const { theme, boardTheme } = this.settings.values;
      const detail = { theme, boardTheme };
      if (name in detail) document.dispatchEvent(new CustomEvent("themechange", { detail }));
      if (name !== "language") return undefined;
      // The texts are those of the language with which the page was made; the game is kept.
      if (this.settings.isKept) return location.reload();
      // A dialog would hide the message.
      this.dialogs.settings.dialog.close();
      this.settings.values.language = this.#language;
      return announcer.show(t("settings.not-kept"));
    });
  }

  #gameChanged(kind) {
    speakOf(this.game.board);
    if (["move", "tree", "annotation"].includes(kind)) this.#unkept = null;
    // What would be undone is no longer the latest.
    if (["move", "tree", "annotation", "game"].includes(kind)) this.announcer.withdraw(this.#offer);
    if (kind === "move" && this.settings.get("sound")) playStone();
    if (kind === "game") {
      this.#announcedResult = null;
      for (const screen of this.#screens) screen.close();
    } else if (!this.#other && kind !== "annotation") this.#announcePosition(kind);
    this.#updateLink();
    this.#saveSoon();
  }

  #announcePosition(kind) {
    const { game } = this;
    const node = kind === "move" ? game.head : game.current;
    if (!node.parent) return this.announcer.say(t("announce.start"));
    const move = moveSentence(node.move, other(game.toMoveAt(node)));
    const number = game.tree.path(node).length;
    return this.announcer.say(kind === "move" ? `${move}.` : t("announce.move", { number, move }));
  }

  #resultChanged() {
    const result = this.model.resultAt();
    const sentence = result && `${resultSentence(result, this.game.userColor())}.`;
    if (sentence === this.#announcedResult) return;
    this.#saveSoon();
    this.#announcedResult = sentence;
    if (!sentence) return;
    if (!this.#other) this.announcer.sayNow(sentence);
    this.#adaptLevel(result);
  }

  /** The result of a game against the engine changes the level of the next one, if the user wants that; once. */
  #adaptLevel({ winner }) {
    const { game, settings } = this;
    if (!game.counts || !settings.get("adapts") || !["white", "black"].includes(game.seats)) return;
    game.counts = false;
    const next = levelAfter(game.level, winner, game.seats);
    settings.set("level", next);
    this.announcer.show(t("announce.next-level", { level: levelText(next) }));
    this.#saveSoon();
  }

  #listenToViews() {
    const { game, screen } = this;
    screen.board.on("play", (name) => this.#touch(name));
    screen.analysis.on("play", (move) => this.playMove(move));
    screen.analysis.on("open", (moves) => this.#openLine(moves));
    screen.openings.on("switch", (isOn) => this.settings.set("openings", isOn));
    screen.openings.on("play", (move) => this.playMove(move));
    screen.openings.on("open", (moves) => this.#openLine(moves));
    screen.openings.on("game", ({ entry, after }) => this.#openKept(entry.id, after));
    screen.annotate.on("tool", (tool) => this.model.annotator.choose(tool));
    screen.annotate.on("left", () => screen.drawSoon());
    screen.annotate.on("comment", ({ text, node }) => this.model.annotator.comment(text, node));
    screen.moves.on("go", (id) => game.show(game.tree.nodes.get(id)));
    screen.review.on("go", (id) => this.#showFinding(this.model.findings().find(({ node }) => node.id === id)));
    screen.graph.on("go", (index) => game.show(game.tree.positions(this.model.review.tip())[index]));
    for (const other of this.#screens) other.on("toggle", () => this.#toggled());
  }

  /** Another screen was opened or closed, or shows something else. */
  #toggled() {
    this.#saveNow();
    this.screen.root.hidden = Boolean(this.#other);
    this.#updateLink();
    this.screen.drawSoon();
    if (!this.#other && document.activeElement === document.body) this.#focusBoard();
  }

  /** Gives the focus to the board that is on the screen. */
  #focusBoard() {
    (this.#other ?? this.screen).board.focus();
  }

  #listenToControls() {
    const { game, settings } = this;
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-action]");
      if (button) this.#act(button.dataset.action);
    });
    $("[data-skip]").addEventListener("click", (event) => {
      // The address is the position's.
      event.preventDefault();
      this.#focusBoard();
    });
    $("[data-seats]").addEventListener("change", ({ target }) => {
      game.setSeats(target.value, this.model.resultAt(game.tree.tip()) !== null);
    });
    $("[data-level]").addEventListener("change", ({ target }) => {
      settings.set("level", Number(target.value));
      game.setLevel(Number(target.value), game.seats === "neither" ? "white" : null);
    });
    $("[data-level-black]").addEventListener("change", ({ target }) => {
      settings.set("levelBlack", Number(target.value));
      game.setLevel(Number(target.value), "black");
    });
    $("[data-analysis-switch]").addEventListener("change", ({ target }) => settings.set("analysis", target.checked));
    $("[data-overlay]").addEventListener("change", ({ target }) => settings.set("overlay", target.value));
    $("[data-type-move]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#playTyped(event.target.elements.move);
    });
  }

  #listenToWindow() {
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("visibilitychange", () => {
      // A page in the background may be ended without another word.
      if (document.hidden) this.#save();
      this.screen.drawSoon();
    });
    addEventListener("hashchange", (event) => this.#hashChanged(event));
    addEventListener("pagehide", () => this.#save());
    const { open } = this.dialogs;
    listenToDrops($("[data-drop-hint]"), {
      readFiles: (files) => (files[0].name.endsWith(".proof") ? this.#openProof(files[0]) : open.readFiles(files)),
      readText: (text) => open.readText(text),
    });
  }

  #key(event) {
    const { study, line } = this.model;
    const key = event.shiftKey ? `Shift+${event.key}` : event.key;
    const steps = line.isOpen ? LINE_KEYS : study.finding && !study.isTrying ? STEP_KEYS : {};
    const action = KEYS[key] ?? steps[key];
    if (isUndo(event) && this.announcer.act()) event.preventDefault();
    if (!action || event.altKey || event.ctrlKey || event.metaKey || event.target.closest(OTHER_MEANING)) return;
    if (this.#other && this.#other !== this.proof) return;
    event.preventDefault();
    if (this.proof.isOpen) this.proof.press(action);
    else this.#act(action);
  }

  /** Shows a finding of the review on the board. */
  #showFinding(finding) {
    if (!finding) return;
    this.model.study.open(finding);
    const sentence = findingSentence(finding).replace(/\.?$/, ".");
    this.announcer.say(`${sentence} ${reasonSentence(finding)}`);
    $("[data-board-container]").scrollIntoView({ block: "nearest" });
  }

  /** Opens or closes the card of comments and marks. The focus goes there, and back to the button. */
  #annotate() {
    const { annotator } = this.model;
    annotator.toggle();
    this.screen.draw();
    if (annotator.isOpen) this.screen.annotate.focus();
    else $('.navigation [data-action="annotate"]').focus();
  }

  /** Shows more or fewer stones of a line, and says which stone is the last. */
  #step(part, by) {
    part.move(by);
    const stone = part.stones().at(-1);
    if (stone) this.announcer.say(`${moveSentence(stone.name, stone.color)}.`);
  }

  /** Goes to the next or the previous finding from the one that is shown, else to the first. */
  #visitFinding(by) {
    const { study } = this.model;
    if (study.isTrying) return;
    const findings = this.model.findings();
    const index = findings.findIndex(({ node }) => node === study.finding?.node);
    this.#showFinding(findings[index < 0 ? 0 : index + by]);
  }

  #tryFinding() {
    const { study } = this.model;
    study.try();
    this.announcer.say(t("finding.trying", { player: study.finding.mover }));
  }

  #hashChanged(event) {
    // Closing another screen changes the address. A move that came meanwhile may have replaced it by the game's.
    const { hash } = new URL(event.newURL);
    const id = history.state?.game;
    if (this.#route(hash)) return;
    // Back to an address of this game, which may have gone on since.
    if (id === this.game.id) this.#updateLink();
    else if (id) this.#returnTo(id, hash);
    else if (hash.slice(1) !== this.game.fragment()) this.#openLink(hash, this.model.study.gameToKeep());
    this.screen.drawSoon();
  }

  /** Goes back to another game: as the library has it, else to the position of its link. */
  async #returnTo(id, hash) {
    if (!(await this.#restoreKept(id))) this.#openLink(hash, null);
  }

  /** At the start: takes up a game that only the library has, unless the user has begun something meanwhile. */
  async #takeUpKept(id, hash) {
    const { game } = this;
    const state = () => `${game.id} ${game.tree.nodes.size}`;
    const before = state();
    const stored = await this.library.get(id).catch(() => null);
    // A game that is taken up closes the other screens.
    if (stored && state() === before && game.restore(stored)) this.#route(hash);
  }

  /** Takes up a game of the library. Resolves to whether it is there. */
  async #restoreKept(id) {
    const stored = await this.library.get(id).catch(() => null);
    return stored !== null && this.game.restore(stored);
  }

  #openProof(file) {
    for (const screen of this.#screens) if (screen !== this.proof) screen.close();
    this.proof.readFile(file);
  }

  // ---------------------------------------------------------------- playing

  /** The user has chosen a vertex: it gets a mark, or a stone. */
  #touch(name) {
    const { annotator } = this.model;
    if (!name || !annotator.isMarking) return this.playMove(name);
    this.screen.board.setPreview(null);
    return annotator.mark(name);
  }

  #openLine(moves) {
    this.model.line.open(moves);
    this.announcer.say(t("line.opened", { line: lineText(moves) }));
    $("[data-board-container]").scrollIntoView({ block: "nearest" });
  }

  /** Plays a move of the user in the position shown, if that is possible. */
  playMove(move) {
    const { game, announcer, model } = this;
    if (!move) return;
    this.screen.board.setPreview(null);
    const position = model.positions.at(game.current);
    const isLost = game.current === game.head && game.isOutOfTime();
    if (position?.over || isLost) return announcer.show(t("move.game-over"));
    if (!this.#isPossible(move, position)) return announcer.show(this.#whyNot(move));
    if (!game.isHumanTurn() && !this.#takeOver()) {
      return announcer.show(t("move.not-your-turn", { player: game.toMoveAt() }));
    }
    return game.play(move);
  }

  /** Whether a move is legal, as far as is known: without the engine any empty vertex will do. */
  #isPossible(move, position) {
    if (move === "swap") return Boolean(position?.can_swap);
    return position ? position.legal.has(move) : !this.game.stonesAt().stones.has(move);
  }

  #whyNot(move) {
    if (move === "swap") return noSwapSentence(this.game);
    return t(this.game.stonesAt().stones.has(move) ? "move.taken" : "move.not-possible", { move });
  }

  /** In a position of a finished game one may play both colours. */
  #takeOver() {
    if (!this.model.isOver() || this.game.current === this.game.head) return false;
    this.game.setSeats("both", true);
    this.announcer.show(t("announce.both"));
    return true;
  }

  #playTyped(field) {
    const word = field.value.trim().toLowerCase();
    field.value = "";
    if (word === "resign") this.#resignNow();
    else if (word === "swap") this.playMove(word);
    else if (word) this.#playVertex(word);
  }

  #playVertex(word) {
    const vertex = findSpoken(word, this.game.board);
    if (vertex) this.playMove(vertex.name);
    else this.announcer.show(t("moves.unknown", { word, example: "d4" }));
  }

  /** The first click asks, the second one resigns if it is not too late. */
  #resign() {
    if (this.#resignTimer) return this.#resignNow();
    $('[data-action="resign"] span').textContent = t("action.resign.sure");
    this.announcer.say(t("action.resign.sure"));
    this.#resignTimer = setTimeout(() => this.#forgetResign(), SHOWN_FOR);
    return undefined;
  }

  #forgetResign() {
    clearTimeout(this.#resignTimer);
    this.#resignTimer = null;
    $('[data-action="resign"] span').textContent = t("action.resign");
  }

  /** Resigns for the human: for the colour to move, or for the own colour while the engine thinks. */
  #resignNow() {
    const { game } = this;
    this.#forgetResign();
    if (this.model.isOver() || game.seats === "neither") return;
    const toMove = game.toMoveAt(game.head);
    const loser = game.playerOf(toMove) === "human" ? toMove : other(toMove);
    game.current = game.head;
    game.play(loser === toMove ? "resign" : `${loser}:resign`, game.head);
  }

  /** Lets the clock of the player to move run. It waits for the first move, and while there is no engine. */
  #tick() {
    const { game } = this;
    if (!game.clock) return;
    const toMove = game.toMoveAt(game.head);
    const isGoing = this.model.goesOn() && !game.isHeld();
    const isRunning = isGoing && this.client.state === "ready";
    game.clock.run(isRunning ? toMove : null);
    if (isRunning && game.clock.isOut(toMove)) game.loseOnTime(toMove);
    this.screen.bars.renderClocks(game);
  }

  // ---------------------------------------------------------------- keeping

  #updateLink() {
    const fragment = `#${this.#other?.fragment ?? this.game.fragment()}`;
    if (location.hash === fragment) return;
    try {
      history.replaceState({ game: this.game.id }, "", fragment);
    } catch {
      // Some browsers refuse too many changes in a short time.
      clearTimeout(this.#linkTimer);
      this.#linkTimer = setTimeout(() => this.#updateLink(), LINK_DELAY);
    }
  }

  #saveSoon() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), SAVE_DELAY);
  }

  /** Saves what waits for that: the library, its latest games and a backup have what was done last. */
  #saveNow() {
    if (this.#saveTimer) this.#save();
  }

  #save() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = null;
    const { game } = this;
    // An untouched board is worth keeping only in place of another game, and not in the library.
    const isUntouched = game.tree.nodes.size <= 1 && stoneCount(game.setup) === 0;
    if (isUntouched && !loadGame(this.tab.id)) return;
    const stored = this.model.study.gameToKeep();
    saveGame(this.tab.id, { ...stored, isUnkept: this.#unkept === game.id });
    if (isUntouched || this.#unkept === game.id) return;
    this.#keep(stored, factsOf(game, playersOf(this.model.study), this.model.resultAt(game.end())));
  }

  /** Keeps a game in the library. */
  async #keep(stored, facts) {
    const kept = await this.library.keep(stored, facts);
    const { game } = this;
    // Another game may have begun meanwhile.
    if (kept && game.id === stored.id) Object.assign(game, kept);
  }

  /** Says once that games cannot be kept. */
  #cannotKeep(error) {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.announcer.show(failure(error));
  }
}

/** Whether a key asks to undo something, and not in a text. */
function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey, target }) {
  const isPressed = (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === "z";
  return isPressed && !target.closest("input, textarea");
}

/** Where the engine plays both colours, its levels change sides, too. */
function rematchLevels(seats, { white, black }) {
  return seats === "neither" ? { white: black, black: white } : { white, black };
}

/** Whether a link and a stored game begin alike. */
function isSameStart(link, stored) {
  const key = ({ side, swap, setup: { white = [], black = [], first = "white" } }) =>
    JSON.stringify([side, swap, white, black, first]);
  return key(link) === key(stored);
}
