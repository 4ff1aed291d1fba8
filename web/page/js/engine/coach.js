// Warns a beginner who plays the engine. After the user's stone it asks whether the engine could now win, at once or by
// force, and lets the opponent wait until it knows; before the user's stone it says where the engine threatens to win.

import { t } from "../language/texts.js";
import { Emitter } from "../game/emitter.js";
import { other } from "../game/stones.js";
import { moveText } from "../game/wording.js";

/** The highest level whose opponents are warned. */
const HIGHEST_COACHED_LEVEL = 3;
/** How long the engine may look for a forced win, for either player. */
const SECONDS = 0.5;

/** Emits "change" when there is something to show. */
export class Coach extends Emitter {
  /** What was looked at: the node and the colour that the user plays. */
  #node = null;
  #user = null;
  #requests = [];

  constructor(client, game, settings) {
    super();
    this.client = client;
    this.game = game;
    this.settings = settings;
    /** What to tell the user about the head of the game: {text, threats: by vertex, line, marks}, or null. */
    this.warning = null;
    /** Whether the opponent has to wait: for the check, or for the user's decision. */
    this.isHolding = false;
  }

  #isWanted() {
    const { game, settings } = this;
    const isPlayed = game.seats === "white" || game.seats === "black";
    return settings.get("warnings") && isPlayed && game.level <= HIGHEST_COACHED_LEVEL && !game.clock;
  }

  /** Looks at the head of the game, once. `position` is the engine's answer about it, or null if it is not known yet. */
  update(position) {
    const { game } = this;
    const node = this.#isWanted() && position && !position.over ? game.head : null;
    if (node === this.#node && game.seats === this.#user) return;
    this.#forget();
    this.#node = node;
    this.#user = game.seats;
    if (!node?.parent) return;
    const isUsers = position.to_move === game.seats;
    this.isHolding = !isUsers;
    const check = isUsers ? this.#lookForThreats(node) : this.#judge(node);
    // Without an answer there is nothing to say, and the game goes on.
    const requests = this.#requests;
    check.catch(() => null).then((warning) => requests === this.#requests && this.#settle(warning));
  }

  #settle(warning) {
    this.warning = warning;
    this.isHolding &&= warning !== null;
    this.emit("change");
  }

  /** The user has read the warning and wants to go on. */
  dismiss() {
    this.#settle(null);
  }

  #forget() {
    for (const { cancel } of this.#requests) cancel();
    this.#requests = [];
    this.warning = null;
    this.isHolding = false;
  }

  #ask(node, wanted) {
    const request = this.client.ask({ ...this.game.query(node), priority: 1, ...wanted });
    this.#requests.push(request);
    return request.answer;
  }

  /** Before the user's stone: where the engine would win at once. */
  async #lookForThreats(node) {
    const { threats } = await this.#ask(node, { want: ["threats"] });
    const engine = other(this.game.seats);
    const places = Object.keys(threats[engine]);
    if (places.length === 0) return null;
    const canWin = Object.keys(threats[this.game.seats]).length > 0;
    const text = threatSentence(engine, threats[engine], canWin);
    return { text, threats: { [engine]: threats[engine] } };
  }

  /** After the user's stone: whether the engine wins now, although another stone might have prevented it. */
  async #judge(node) {
    const engine = other(this.game.seats);
    const { threats } = await this.#ask(node, { want: ["threats"] });
    const places = Object.keys(threats[engine]);
    const found = places.length ? null : await this.#ask(node, { want: ["moves"], seconds: SECONDS, top: 1 });
    if (found && found.verdict !== "win") return null;
    const before = await this.#ask(node.parent, { want: ["moves"], seconds: SECONDS, top: 1 });
    if (before.verdict === "loss") return null;
    const values = { move: moveText(node.move), player: engine };
    const text = found
      ? t("warning.by-force", { ...values, best: found.best })
      : t("warning.at-once", { ...values, places });
    if (!found) return { text, threats: { [engine]: threats[engine] } };
    return { text, threats: {}, line: found.pv, marks: { [found.best]: "cross" } };
  }
}

/** "You could lose here: Black threatens to win at d4 (ring)." */
export function threatSentence(player, threats, canWin) {
  const place = ([vertex, structures]) => t("warning.place", { vertex, structures });
  const places = Object.entries(threats).map(place);
  const kind = canWin ? "first" : places.length > 1 ? "many" : "one";
  return t(`warning.threat.${kind}`, { player, places });
}
