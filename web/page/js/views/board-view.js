// The board on the screen: an SVG picture that is also an ARIA grid, played with mouse, touch or keyboard.

import { t } from "../language/texts.js";
import { html, setAttribute, svg } from "./dom.js";
import { Emitter } from "../game/emitter.js";
import { hexagon, round } from "../game/geometry.js";
import { boardLabels, speakOf } from "../game/notation.js";
import { asItLies } from "../game/orientation.js";
import { Lens } from "./lens.js";
import { vertexLabel } from "../game/wording.js";

/** Drawing units between neighbours. */
export const UNIT = 40;
const CELL_RADIUS = UNIT / Math.sqrt(3);
const STONE_RADIUS = 0.42 * UNIT;
/** Below this many pixels per cell, numbers on the board are unreadable, and touches are confirmed. */
const SMALL_CELL = 27;
/** The outlines of marks around the origin. */
const MARKS = {
  circle: "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0z",
  square: "M-7 -7h14v14h-14z",
  triangle: "M0 -9l8 14h-16z",
  cross: "M-7 -7l14 14M7 -7l-14 14",
};
/** The length of an arrow's head. */
const ARROW = 13;
const ARROWS = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "start",
  End: "end",
};

/**
 * Emits "play" with a vertex name, "hover" with a vertex name or null, and "preview" with the vertex that a first
 * touch chose (or null).
 */
export class BoardView extends Emitter {
  #cells = new Map();
  #aim = null;
  /** What pressed on the board last: "mouse", "touch" or "pen"; "" once that was a click. */
  #pointer = "";
  #tabStop = null;

  /** A board that lies as the user wants it; if it `isUpright`, as texts about it say. */
  constructor(container, { isUpright = false } = {}) {
    super();
    this.isUpright = isUpright;
    this.container = container;
    this.confirm = "auto";
    this.view = null;
    this.previewed = null;
    this.cellPixels = UNIT;
    new ResizeObserver(() => this.#measure()).observe(container);
    this.#listen();
  }

  /** Draws an empty board of this geometry. */
  setBoard(upright) {
    const board = this.isUpright ? upright : asItLies(upright);
    if (this.board === board) return;
    this.board = board;
    this.#cells.clear();
    this.previewed = null;
    this.labels = svg("g", { class: "labels", "aria-hidden": "true" });
    const rows = board.rows.map((row, i) =>
      svg("g", { role: "row", "aria-rowindex": i + 1 }, ...row.map((vertex) => this.#makeCell(vertex))),
    );
    this.cells = svg("g", { class: "cells", role: "presentation" }, ...rows);
    // The labels of the cells say what is written on them.
    const notes = [...this.#cells.values()].map(({ note }) => note);
    this.notes = svg("g", { class: "notes", "aria-hidden": "true" }, ...notes);
    this.links = svg("g", { class: "links", "aria-hidden": "true" });
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.marks = svg("g", { class: "marks", "aria-hidden": "true" });
    this.line = svg("g", { class: "line", "aria-hidden": "true" });
    this.drawing = svg("g", {}, this.labels, this.cells, this.notes, this.links, this.arrows, this.marks, this.line);
    this.lens = new Lens(board, this.drawing, UNIT);
    this.svg = svg(
      "svg",
      {
        class: "board-svg",
        viewBox: viewBox(board).join(" "),
        role: "grid",
        "data-board": "",
        "data-side": board.side,
        "aria-label": t("board.label", { side: board.side }),
        "aria-rowcount": board.rows.length,
        "aria-describedby": "board-keys",
      },
      this.drawing,
      this.lens.element,
    );
    this.container.replaceChildren(this.svg);
    this.#setCursor(board.at(board.side - 1, board.side - 1), false);
    this.#measure();
  }

  /** Takes the board away, until the next `setBoard`. */
  clear() {
    this.board = null;
    this.container.replaceChildren();
  }

  #makeCell(vertex) {
    const [x, y] = [vertex.x * UNIT, vertex.y * UNIT];
    const { turn } = this.board;
    const cell = {
      vertex,
      heat: svg("polygon", { class: "heat", points: hexagon(x, y, CELL_RADIUS - 0.6, turn), "fill-opacity": 0 }),
      stone: svg("g", { class: "stone" }),
      note: svg("g", { class: "note" }),
    };
    cell.element = svg(
      "g",
      {
        class: `cell ${vertex.rim}`,
        role: "gridcell",
        tabindex: "-1",
        "data-vertex": vertex.name,
      },
      svg("polygon", { class: "hex", points: hexagon(x, y, CELL_RADIUS, turn) }),
      cell.heat,
      svg("circle", { class: "ghost", cx: round(x), cy: round(y), r: STONE_RADIUS }),
      cell.stone,
      svg("polygon", { class: "focus-ring", points: hexagon(x, y, CELL_RADIUS - 2, turn) }),
    );
    this.#cells.set(vertex.name, cell);
    return cell.element;
  }

  /** On the container: an SVG element that listens to the focus would be a stop of the keyboard itself. */
  #listen() {
    const { container } = this;
    // The click itself does not say it in all browsers.
    container.addEventListener("pointerdown", (event) => (this.#pointer = event.pointerType));
    container.addEventListener("click", (event) => this.board && this.#click(event));
    container.addEventListener("keydown", (event) => this.board && this.#key(event));
    container.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.emit("hover", vertexOf(event));
    });
    container.addEventListener("pointerleave", () => this.emit("hover", null));
    container.addEventListener("focusin", (event) => this.emit("hover", vertexOf(event)));
    container.addEventListener("focusout", () => this.emit("hover", null));
  }

  #click(event) {
    const pointer = this.#pointer;
    this.#pointer = "";
    const inLens = this.lens.contains(event.target);
    const name = inLens ? this.lens.vertexAt(event) : vertexOf(event);
    if (!name) return;
    this.#setCursor(this.board.find(name), false);
    if (this.#needsConfirmation(pointer) && this.previewed !== name && this.isPlayable(name)) {
      this.setPreview(name);
      if (pointer === "touch" && this.cellPixels < SMALL_CELL && !inLens) this.#openLens(name);
      return;
    }
    this.setPreview(null);
    this.emit("play", name);
  }

  #needsConfirmation(pointer) {
    if (this.confirm === "auto") return pointer === "touch" && this.cellPixels < SMALL_CELL;
    return this.confirm === "always" && pointer !== "";
  }

  #openLens(name) {
    this.lens.open(this.board.find(name), UNIT / this.cellPixels, viewBox(this.board));
  }

  /** Shows a stone that waits to be confirmed, or none. */
  setPreview(name) {
    if (!name) this.lens?.close();
    if (this.previewed === name) return;
    this.#cells.get(this.previewed)?.element.classList.remove("preview");
    this.previewed = name;
    this.#cells.get(name)?.element.classList.add("preview");
    this.emit("preview", name);
    if (name) this.emit("hover", name);
  }

  #key(event) {
    const name = vertexOf(event);
    if (!name || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const vertex = this.board.find(name);
    const direction = ARROWS[event.key];
    if (direction) {
      const next = this.board.step(vertex, direction, this.#aim ?? vertex.x);
      const isVertical = direction === "up" || direction === "down";
      this.#setCursor(next, true, isVertical ? (this.#aim ?? vertex.x) : null);
    } else if (event.key === "Enter" || event.key === " ") {
      this.emit("play", name);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the one cell that Tab leads to. `aim` is the column that steps up and down keep to. */
  #setCursor(vertex, focus, aim = null) {
    this.#tabStop?.setAttribute("tabindex", "-1");
    this.#tabStop = this.#cells.get(vertex.name).element;
    this.#tabStop.setAttribute("tabindex", "0");
    this.#aim = aim;
    if (focus) this.#tabStop.focus();
  }

  /** `options` as `HTMLElement.focus` takes them. */
  focus(options) {
    this.#tabStop?.focus(options);
  }

  #measure() {
    if (!this.board) return;
    const [, , width, height] = viewBox(this.board);
    const { clientWidth, clientHeight } = this.container;
    this.cellPixels = UNIT * Math.min(clientWidth / width, clientHeight / height || Infinity);
    this.svg.classList.toggle("small-cells", this.cellPixels < SMALL_CELL);
  }

  isPlayable(name) {
    const { view } = this;
    if (view?.isMarking) return true;
    return Boolean(view?.canPlay && !view.stones.has(name) && (view.legal?.has(name) ?? true));
  }

  /**
   * Draws a position. `view` has
   * - stones: Map of vertex name to colour; last: the vertex of the last stone or null;
   * - toMove: the colour that a click places; canPlay: whether one may play; legal: Set of names, or null if unknown;
   * - winning: array of names; notes: Map of vertex name to {heat 0..1, text, small, best, label, frames, threats};
   * - suggestion: a vertex to point at, or null; marks: shapes by vertex name, as the engine names them;
   * - labels: texts by vertex name; arrows: [{kind: "arrow" or "line", from, to}];
   * - isMarking: whether a click puts a mark on any vertex, and no stone;
   * - line: [{name, color}], a variation drawn as numbered ghost stones;
   * - coordinates: whether labels are shown.
   */
  render(view) {
    this.view = view;
    speakOf(this.board);
    this.#renderLabels();
    const winning = new Set(view.winning);
    this.svg.dataset.toMove = view.toMove;
    // The lens shows the group, not what is around it.
    this.drawing.setAttribute("class", `${view.toMove}-to-move`);
    this.svg.dataset.canPlay = view.canPlay;
    this.svg.classList.toggle("decided", winning.size > 0);
    this.svg.classList.toggle("no-coordinates", !view.coordinates);
    if (this.previewed && !this.isPlayable(this.previewed)) this.setPreview(null);
    for (const [name, cell] of this.#cells) this.#renderCell(cell, view, winning.has(name));
    this.#renderLinks(view.winning);
    this.svg.classList.toggle("marking", Boolean(view.isMarking));
    this.#renderMarks(view);
    this.drawLine(view.line);
  }

  /** The coordinates around the board, anew only if they have changed. */
  #renderLabels() {
    const labels = boardLabels(this.board);
    const key = labels.map(({ text }) => text).join(" ");
    if (this.labels.dataset.key === key) return;
    this.labels.dataset.key = key;
    this.labels.replaceChildren(...labels.map(labelText));
  }

  #renderMarks({ marks = {}, labels = {}, arrows = [] }) {
    const shapes = Object.entries(marks).map(([name, shape]) => markShape(shape, this.board.find(name)));
    const texts = Object.entries(labels).map(([name, text]) => markText(text, this.board.find(name)));
    this.marks.replaceChildren(...shapes, ...texts);
    this.arrows.replaceChildren(
      ...arrows.map(({ kind, from, to }) => arrowShape(kind, this.board.find(from), this.board.find(to))),
    );
  }

  #renderCell(cell, view, isWinning) {
    const { name } = cell.vertex;
    const stone = view.stones.get(name) ?? null;
    const isLast = view.last === name;
    const note = view.notes.get(name) ?? null;
    const isLegal = !stone && (view.legal?.has(name) ?? true);
    drawStone(cell, stone, isLast);
    drawNote(cell, note, stone);
    const { element } = cell;
    setAttribute(element, "data-stone", stone);
    setAttribute(element, "data-last", isLast);
    setAttribute(element, "data-winning", isWinning);
    setAttribute(element, "data-playable", view.canPlay && isLegal);
    setAttribute(element, "data-suggested", view.suggestion === name);
    const label = vertexLabel(cell.vertex, {
      stone,
      isLast,
      isWinning,
      isLegal,
      candidate: note?.label,
      mark: markOf(view, name),
    });
    if (label !== cell.label) element.setAttribute("aria-label", (cell.label = label));
  }

  /** Joins the neighbouring stones of the winning structure. */
  #renderLinks(winning) {
    const names = new Set(winning);
    const lines = [];
    for (const name of winning) {
      const vertex = this.board.find(name);
      for (const next of vertex.neighbours) {
        if (names.has(next.name) && name < next.name) lines.push(linkBetween(vertex, next));
      }
    }
    this.links.replaceChildren(...lines);
  }

  /** Draws a line of moves as numbered, translucent stones. */
  drawLine(line = []) {
    this.line.replaceChildren(
      ...line.map(({ name, color }, i) => {
        const { x, y } = this.board.find(name);
        return svg(
          "g",
          { class: `ghost-stone ${color}`, "data-line-move": i + 1 },
          svg("circle", { cx: round(x * UNIT), cy: round(y * UNIT), r: STONE_RADIUS }),
          svg("text", { x: round(x * UNIT), y: round(y * UNIT), text: i + 1 }),
        );
      }),
    );
  }

  /** The HTML that explains the keys; the grid refers to it. */
  static keyHelp() {
    return html("p", {
      id: "board-keys",
      class: "visually-hidden",
      text: t("board.keys"),
    });
  }
}

function vertexOf(event) {
  return event.target.closest?.("[data-vertex]")?.dataset.vertex ?? null;
}

/** The part of the drawing plane that the board and its coordinates need: [x, y, width, height]. */
export function viewBox(board) {
  const cells = board.vertices.map(({ x, y }) => ({ x, y, width: 0.58, height: 0.58 }));
  // Numbers have up to two digits.
  const labels = board.labels().map(({ x, y }) => ({ x, y, width: board.side < 6 ? 0.3 : 0.38, height: 0.38 }));
  const boxes = [...cells, ...labels];
  const [left, right] = [Math.min(...boxes.map((b) => b.x - b.width)), Math.max(...boxes.map((b) => b.x + b.width))];
  const [top, bottom] = [Math.min(...boxes.map((b) => b.y - b.height)), Math.max(...boxes.map((b) => b.y + b.height))];
  const margin = 0.08;
  return [left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin].map((v) =>
    round(v * UNIT),
  );
}

function labelText({ text, x, y }) {
  return svg("text", { x: round(x * UNIT), y: round(y * UNIT), text });
}

function linkBetween(a, b) {
  const at = (value) => round(value * UNIT);
  return svg("line", { x1: at(a.x), y1: at(a.y), x2: at(b.x), y2: at(b.y) });
}

/** A mark on a vertex, drawn with a halo so that it stands out on stones and cells alike. */
function markShape(shape, { x, y, name }) {
  const transform = `translate(${round(x * UNIT)} ${round(y * UNIT)})`;
  const outline = () => svg("path", { d: MARKS[shape] ?? MARKS.circle });
  return svg("g", { class: "mark", transform, "data-mark": shape, "data-on": name }, outline(), outline());
}

/** A label on a vertex. */
function markText(text, { x, y, name }) {
  const at = { x: round(x * UNIT), y: round(y * UNIT), text: text.length > 3 ? `${text.slice(0, 2)}…` : text };
  return svg("g", { class: "mark label", "data-mark": "label", "data-on": name }, svg("text", at));
}

/** An arrow or a line between two vertices, with a halo as marks have it. */
function arrowShape(kind, from, to) {
  const [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map((value) => value * UNIT);
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const point = (along, aside) => `${round(x2 - along * dx - aside * dy)} ${round(y2 - along * dy + aside * dx)}`;
  const head = kind === "arrow" ? `M${point(ARROW, -ARROW / 2)}L${point(2, 0)}L${point(ARROW, ARROW / 2)}` : "";
  const d = `M${round(x1)} ${round(y1)}L${point(kind === "arrow" ? 2 : 0, 0)}${head}`;
  return svg(
    "g",
    { class: "mark", "data-arrow": `${from.name}-${to.name}`, "data-kind": kind },
    svg("path", { d }),
    svg("path", { d }),
  );
}

/** What is marked on a vertex, in words; null if nothing is. */
function markOf({ marks = {}, labels = {}, arrows = [] }, name) {
  const ends = arrows.filter(({ from }) => from === name).map(({ kind, to }) => t(`notes.${kind}-to`, { to }));
  const shape = marks[name] && t(`notes.tool.${marks[name]}`).toLowerCase();
  const parts = [shape, labels[name] && t("notes.label", { label: labels[name] }), ...ends].filter(Boolean);
  return parts.length ? parts.join(", ") : null;
}

/** White stones are plain, black ones have a ring, so that they differ in more than their colour. */
function drawStone(cell, color, isLast) {
  const key = `${color}${isLast}`;
  if (cell.drawn === key) return;
  const isNew = color !== null && !cell.drawn?.startsWith(color);
  cell.drawn = key;
  cell.stone.replaceChildren();
  cell.stone.setAttribute("class", `stone ${color ?? "none"}${isNew ? " new" : ""}`);
  if (!color) return;
  const [cx, cy] = [round(cell.vertex.x * UNIT), round(cell.vertex.y * UNIT)];
  cell.stone.append(svg("circle", { class: "body", cx, cy, r: STONE_RADIUS }));
  if (color === "black") cell.stone.append(svg("circle", { class: "engraving", cx, cy, r: 0.7 * STONE_RADIUS }));
  if (isLast) cell.stone.append(svg("circle", { class: "last-mark", cx, cy, r: 0.3 * STONE_RADIUS }));
}

/** What analysis writes on a vertex. */
function drawNote(cell, note, stone) {
  const key = note ? JSON.stringify(note) + stone : "";
  if (cell.noted === key) return;
  cell.noted = key;
  cell.note.replaceChildren();
  setAttribute(cell.element, "data-note", note?.text);
  setAttribute(cell.element, "data-best", note?.best);
  cell.heat.setAttribute("fill-opacity", note?.heat && !stone ? round(0.15 + 0.85 * note.heat) : 0);
  if (!note) return;
  const [x, y] = [round(cell.vertex.x * UNIT), round(cell.vertex.y * UNIT)];
  if (note.frames && !stone)
    cell.note.append(...note.frames.map((color, i) => frameMark(color, x, y, i, note.frames.length)));
  if (note.threats) cell.note.append(threatMark(note.threats, x, y));
  if (stone || !note.text) return;
  if (note.best) cell.note.append(svg("circle", { class: "best-ring", cx: x, cy: y, r: STONE_RADIUS }));
  cell.note.append(svg("text", { x, y: note.small ? y - 3 : y, text: note.text }));
  if (note.small) cell.note.append(svg("text", { class: "small", x, y: y + 9, text: note.small }));
}

/** A square that says that the vertex is in a frame of this colour; the `index`th of `count` side by side. */
function frameMark(color, x, y, index, count) {
  const half = UNIT / 9;
  const left = x + (2 * index - count + 1) * (half + 1) - half;
  return svg("rect", {
    class: `frame ${color}`,
    x: round(left),
    y: round(y - half),
    width: round(2 * half),
    height: round(2 * half),
  });
}

/** Letters for what a stone there would complete, in the colour of the player who could. */
function threatMark(threats, x, y) {
  const group = svg("g", { class: "threats" });
  threats.forEach(({ color, text }, i) => {
    const dx = threats.length > 1 ? (i === 0 ? -9 : 9) : 0;
    group.append(svg("circle", { class: color, cx: x + dx, cy: y, r: 9 }));
    group.append(svg("text", { class: color, x: x + dx, y, text }));
  });
  return group;
}
