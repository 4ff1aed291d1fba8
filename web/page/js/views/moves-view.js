// The list of moves: the main line in two columns, variations below the move that they replace. Every move has its
// number, as is usual in Havannah; the status line and the graph count alike.

import { t } from "../language/texts.js";
import { html } from "./dom.js";
import { Emitter } from "../game/emitter.js";
import { usedNotation } from "../game/notation.js";
import { BLACK, WHITE } from "../game/stones.js";
import { MARKS, colorName, moveText } from "../game/wording.js";

/** Keys that lead to the move before and after in the order of the list, where variations have their places, too. */
const STEPS = { ArrowUp: -1, ArrowDown: 1 };

/** Emits "go" with the node of a move that was clicked or reached by keys. One Tab leads to the move that is shown. */
export class MovesView extends Emitter {
  constructor(container) {
    super();
    this.container = container;
    container.addEventListener("click", (event) => {
      const button = event.target.closest("[data-node]");
      if (button) this.emit("go", Number(button.dataset.node));
    });
    container.addEventListener("keydown", (event) => this.#step(event));
  }

  /**
   * Draws the tree of a game. `marks` maps node ids to mistakes.
   * The list is built anew only if the tree or the marks have changed.
   */
  render(game, marks) {
    const nodes = JSON.stringify(game.tree.toJSON().map(({ id, comment }) => [id, comment]));
    const place = `${game.current.id} ${nodes}`;
    const key = `${usedNotation()} ${nodes} ${JSON.stringify([...marks].map(([id, { kind }]) => [id, kind]))}`;
    // Otherwise the list stays where the user has scrolled it.
    const isElsewhere = place !== this.place || game.tree !== this.tree;
    // A list that is built anew loses it.
    const hasFocus = this.container.contains(document.activeElement);
    if (key !== this.key || game.tree !== this.tree) {
      this.key = key;
      this.tree = game.tree;
      this.game = game;
      this.marks = marks;
      this.container.replaceChildren(...this.#mainLine());
    }
    this.#showCurrent(game, hasFocus);
    if (isElsewhere) this.#scroll();
    this.place = place;
  }

  #step(event) {
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...this.container.querySelectorAll("[data-node]")];
    const next = buttons[buttons.indexOf(event.target) + step];
    if (next) this.emit("go", Number(next.dataset.node));
  }

  #showCurrent(game, hasFocus) {
    for (const button of this.container.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    for (const button of this.container.querySelectorAll(".head")) button.classList.remove("head");
    const current = this.container.querySelector(`[data-node="${game.current.id}"]`);
    current?.setAttribute("aria-current", "true");
    this.container.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    const stop = current ?? this.container.querySelector("[data-node]");
    stop?.setAttribute("tabindex", "0");
    if (hasFocus) stop?.focus({ preventScroll: true });
    this.container.querySelector(`[data-node="${game.head.id}"]`)?.classList.add("head");
  }

  #scroll() {
    const current = this.container.querySelector("[aria-current]");
    if (current) scrollInto(this.container, current);
    else this.container.scrollTop = 0;
  }

  #mainLine() {
    const { tree } = this.game;
    const line = tree.mainLine();
    const comment = tree.root.comment ? [html("p", { class: "comment", text: tree.root.comment })] : [];
    if (!line.length) return [...comment, html("p", { class: "empty", text: t("moves.none") })];
    const { movers } = this.game.stonesAt(line[line.length - 1]);
    const table = html("div", { class: "moves-grid", role: "list", "aria-label": t("moves.main-line") });
    let column = BLACK;
    line.forEach((node, i) => {
      const mover = movers[i];
      // White moves stand on the left. Where colours do not alternate, a place remains empty.
      if (mover === column) table.append(gap(mover === BLACK ? "…" : ""));
      table.append(this.#button(node, mover, i + 1));
      column = mover;
      const extras = this.#below(node, i);
      if (!extras.length) return;
      if (mover === WHITE) table.append(gap());
      column = BLACK;
      table.append(html("div", { class: "below", role: "listitem" }, ...extras));
    });
    return [...comment, table];
  }

  /** The comment of a move of the main line, and the variations that replace it. */
  #below(node, depth) {
    const extras = [];
    if (node.comment) extras.push(html("p", { class: "comment", text: node.comment }));
    for (const variation of node.parent.children.slice(1)) {
      extras.push(
        html(
          "div",
          { class: "variation", role: "list", "aria-label": t("moves.variation") },
          ...this.#variation(variation, depth),
        ),
      );
    }
    return extras;
  }

  /** A variation as running text; its own variations follow in parentheses. */
  #variation(first, depth) {
    const parts = [];
    let node = first;
    for (let ply = depth; node; ply++) {
      parts.push(this.#button(node, this.game.stonesAt(node).movers[ply], ply + 1));
      if (node.comment) parts.push(html("span", { class: "comment", role: "listitem", text: node.comment }));
      if (node !== first) {
        for (const other of node.parent.children.slice(1)) parts.push("(", ...this.#variation(other, ply), ")");
      }
      node = node.children[0];
    }
    return parts;
  }

  #button(node, mover, number) {
    const mistake = this.marks.get(node.id);
    return html(
      "span",
      { role: "listitem", class: "move-item" },
      html(
        "button",
        {
          type: "button",
          class: `move ${mover} ${mistake?.kind ?? ""}`,
          tabindex: "-1",
          "data-node": node.id,
          "data-move": node.move,
        },
        html("span", { class: "move-number", text: number }),
        html("span", { class: `dot ${mover}` }),
        spoken(colorName(mover)),
        moveText(node.move),
        mistake && html("span", { class: "mark", "aria-hidden": "true", text: MARKS[mistake.kind] }),
        mistake && spoken(t(`mistake.${mistake.kind}`)),
      ),
    );
  }
}

/** A place without a move. */
function gap(text = "") {
  return html("span", { class: "gap", "aria-hidden": "true", text });
}

/** A word for screen readers only. */
function spoken(text) {
  return html("span", { class: "visually-hidden", text: ` ${text} ` });
}

/** Scrolls within the list only; the page stays where it is. */
function scrollInto(container, element) {
  const outer = container.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top < outer.top) container.scrollTop -= outer.top - inner.top + 8;
  if (inner.bottom > outer.bottom) container.scrollTop += inner.bottom - outer.bottom + 8;
}
