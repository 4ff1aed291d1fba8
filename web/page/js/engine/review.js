// The review of a game: the engine judges the moves of a line, and what it finds is kept with the positions. If these
// have a review that is complete, it is kept beside that as a draft, and takes its place in the end.

import { Emitter } from "../game/emitter.js";
import { splitMove } from "../game/stones.js";

/** What a review keeps with a position before it has found anything. */
const NOTHING = { assessment: null, isChecked: false, mistake: null };

/**
 * Emits "progress" when something was found, "failed" with an error of the engine, and "end" with whether the review is
 * complete.
 */
export class Review extends Emitter {
  #request = null;

  constructor(client, game, settings) {
    super();
    this.client = client;
    this.game = game;
    this.settings = settings;
    this.path = [];
    this.done = 0;
  }

  get isRunning() {
    return this.#request !== null;
  }

  /** What the engine reports on: each position, and then each move. */
  get total() {
    return 2 * this.path.length + 1;
  }

  /**
   * The end of the line through the position shown that a review is about: the one last reviewed, else one that was
   * reviewed before, else the one that is played. Where moves were taken back, these need not be the first variation.
   */
  tip() {
    const { tree, current, head } = this.game;
    const reviewed = reviewedEnds(tree);
    const isOnLine = (node) => node && tree.nodes.get(node.id) === node && tree.isBelow(node, current);
    return tree.tip([this.path.at(-1), reviewed.at(-1), ...reviewed, head].find(isOnLine) ?? current);
  }

  /**
   * Reviews the line through the position shown. It goes on where a review with searches of the same length was
   * stopped. A review that is complete stays until this one is, too.
   */
  start() {
    this.stop();
    const { game } = this;
    const tip = this.tip();
    const seconds = this.settings.get("reviewSeconds");
    this.path = game.tree.path(tip);
    this.#takeUp(seconds);
    const result = game.statedResult(tip);
    const query = { ...game.query(tip), ...(result && { result }), action: "review", seconds };
    // After a loss of the connection it is asked again, and goes on from what is known by then.
    const request = this.client.ask(() => ({ ...query, ...this.#known() }), {
      onPartial: (answer) => this.#receive(answer),
    });
    this.#request = request;
    this.emit("progress");
    request.answer.then(
      ({ findings }) => {
        this.#complete(findings);
        this.#end(request, true);
      },
      (error) => {
        if (this.#request === request) this.emit("failed", error);
        this.#end(request, false);
      },
    );
  }

  /** The positions under review, the start first. */
  get #line() {
    return [this.game.tree.root, ...this.path];
  }

  /** Keeps of the line under review what searches of this length have found, unless a review is complete with it. */
  #takeUp(seconds) {
    const reviewed = reviewedNodes(this.game.tree);
    for (const node of this.#line) {
      node.draft = reviewed.has(node) ? (node.draft ?? {}) : null;
      const part = partOf(node);
      if (part.seconds !== seconds) Object.assign(part, NOTHING, { seconds });
    }
    const parts = this.#line.map(partOf);
    this.done = parts.filter(({ assessment }) => assessment).length + parts.filter((part) => part.isChecked).length;
  }

  /** What is known of the line under review, as the engine takes it. */
  #known() {
    const known = knownOf(this.#line.map(partOf));
    return known.length > 0 && { known };
  }

  /** Takes what was found about the position after `turn` moves, and about the next move once that was checked. */
  #receive({ turn, position, move }) {
    const node = this.#line[turn];
    const part = partOf(node);
    part.assessment = position;
    if (part === node) node.evaluation = evaluationIn(position);
    if (move) Object.assign(partOf(this.path[turn]), { mistake: withEvaluation(move, position), isChecked: true });
    this.done = Math.max(this.done, move ? this.total - turn : turn + 1);
    this.emit("progress");
  }

  /** The drafts take the place of what another review has found before. */
  #complete(findings) {
    for (const node of this.#line) {
      const { draft } = node;
      if (draft) Object.assign(node, NOTHING, draft, { draft: null });
      if (draft?.assessment) node.evaluation = evaluationIn(draft.assessment);
      node.findings = null;
    }
    this.#line.at(-1).findings = findings;
  }

  #end(request, isComplete) {
    if (request !== this.#request) return;
    this.#request = null;
    this.emit("end", isComplete);
  }

  /** Whether all of the line through the position shown was reviewed. */
  isWhole() {
    const { tree } = this.game;
    const line = tree.positions(this.tip());
    const isChecked = ({ assessment, parent, isChecked }) => assessment && (!parent || isChecked);
    return line.length > 1 && line.every(isChecked) && Boolean(line.at(-1).findings);
  }

  /** The review as the text of a file: "sgf" or "html", as `malecon review` writes them. */
  async write(format, names) {
    const { client, game, settings } = this;
    const tip = this.tip();
    const result = game.statedResult(tip);
    const { text } = await client.ask({
      action: "review",
      side: game.side,
      swap: game.swap,
      ...(game.setup.first !== "white" && { first: game.setup.first }),
      tree: game.tree.toRecord(game.setup, tip),
      ...(names.white && { white_player: names.white }),
      ...(names.black && { black_player: names.black }),
      ...(result && { result: { winner: result.winner, by: result.by } }),
      seconds: settings.get("reviewSeconds"),
      known: knownOf(game.tree.positions(tip)),
      write: format,
    }).answer;
    return text;
  }

  stop() {
    const request = this.#request;
    if (!request) return;
    request.cancel();
    this.#end(request, false);
  }

  /** The mistakes that reviews have found on the line with this end, in the order of play. */
  mistakes(tip = this.tip()) {
    const { game } = this;
    const { movers } = game.stonesAt(tip);
    const moves = game.tree.path(tip).map((node, i) => ({
      node,
      number: i + 1,
      mover: movers[i],
      played: splitMove(node.move).action,
      ...node.mistake,
    }));
    return moves.filter(({ node }) => node.mistake);
  }

  /**
   * What reviews have found on the line with this end, the most important first: each as the mistake that
   * shows it best, with its `text`, its `claim` (the same as data), and whether it is `decisive`. Before the end of a
   * review these are the mistakes so far, in the order of play and without a text.
   */
  findings(tip = this.tip()) {
    const mistakes = this.mistakes(tip);
    const path = this.game.tree.path(tip);
    const findings = path.findLast((node) => node.findings)?.findings;
    if (!findings) return mistakes;
    const known = new Map(mistakes.map((mistake) => [mistake.number, mistake]));
    return findings
      .filter(({ move }) => known.has(move))
      .map(({ text, decisive, ...claim }) => ({ ...known.get(claim.move), text, claim, decisive }));
  }
}

/** The ends of all lines whose review is complete. */
function reviewedEnds(tree) {
  return [...tree.nodes.values()].filter(({ findings }) => findings);
}

/** The positions of all lines whose review is complete. */
function reviewedNodes(tree) {
  return new Set(reviewedEnds(tree).flatMap((end) => tree.positions(end)));
}

/** Where the review that runs, or was stopped, keeps what it finds about a position. */
function partOf(node) {
  return node.draft ?? node;
}

function evaluationIn({ white, simulations, proven }) {
  return { white, simulations, isDecided: proven !== null };
}

/** The mistake of a move, with White's chance after the better one, as far as the review has searched it. */
function withEvaluation({ color, mistake }, { simulations }) {
  if (!mistake) return null;
  const { better_chance: chance, missed_win: isDecided } = mistake;
  const white = color === "black" ? 1 - chance : chance;
  return { ...mistake, evaluation: { white, simulations, isDecided: Boolean(isDecided) } };
}

/** What a review has said about the positions of a line, the start first, as partial answers of the engine. */
function knownOf(line) {
  const parts = line.map(({ assessment }, turn) => ({ turn, position: assessment, move: checkOf(line[turn + 1]) }));
  return parts.filter(({ position }) => position);
}

function checkOf(next) {
  if (!next?.isChecked) return undefined;
  const { evaluation, ...mistake } = next.mistake ?? {};
  return { mistake: next.mistake ? mistake : null };
}
