// A magnifying glass for boards whose cells are too small for a finger: it shows the surroundings of the cell that was
// touched, and another cell can be chosen in it.

import { svg } from "./dom.js";
import { round } from "../game/geometry.js";

/** The size of the lens and of the cells in it, in pixels. */
const WIDTH = 236;
const HEIGHT = 150;
const CELL = 46;
/** Between the touched cell and the lens, in cells. */
const GAP = 0.7;

let count = 0;

export class Lens {
  #center = null;
  #focus = null;
  #scale = 1;

  /** `drawing` is the group that is magnified, in which neighbours are `unit` apart. */
  constructor(board, drawing, unit) {
    Object.assign(this, { board, unit });
    drawing.id = `board-drawing-${++count}`;
    const clip = `lens-clip-${count}`;
    const frame = { rx: unit / 4 };
    this.boxes = [
      svg("rect", frame),
      svg("rect", { ...frame, class: "lens-ground" }),
      svg("rect", { ...frame, class: "lens-frame" }),
    ];
    const [edge, ground, rim] = this.boxes;
    this.image = svg("use", { href: `#${drawing.id}` });
    this.element = svg(
      "g",
      { class: "lens", "aria-hidden": "true", "data-lens": "" },
      svg("clipPath", { id: clip }, edge),
      ground,
      svg("g", { "clip-path": `url(#${clip})` }, this.image),
      rim,
    );
    // The board keeps the focus.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.close();
  }

  close() {
    this.element.style.display = "none";
  }

  /** Shows the surroundings of a vertex, above it or, where there is no room, below. `pixel` is a pixel's size. */
  open(vertex, pixel, [left, top, boardWidth]) {
    const { unit } = this;
    const [width, height] = [Math.min(WIDTH * pixel, boardWidth), HEIGHT * pixel];
    this.#focus = { x: vertex.x * unit, y: vertex.y * unit };
    this.#scale = (CELL * pixel) / unit;
    const half = width / 2;
    const x = Math.min(Math.max(this.#focus.x, left + half), left + boardWidth - half);
    const above = this.#focus.y - GAP * unit - height;
    const y = (above >= top ? above : this.#focus.y + GAP * unit) + height / 2;
    this.#center = { x, y };
    for (const box of this.boxes) {
      const place = { x: x - half, y: y - height / 2, width, height };
      for (const [name, value] of Object.entries(place)) box.setAttribute(name, round(value));
    }
    const { x: fx, y: fy } = this.#focus;
    this.image.setAttribute("transform", `translate(${x} ${y}) scale(${this.#scale}) translate(${-fx} ${-fy})`);
    this.element.style.display = "";
  }

  contains(element) {
    return this.element.contains(element);
  }

  /** The name of the vertex that is shown where an event happened, or null beside the board. */
  vertexAt({ clientX, clientY }) {
    const point = new DOMPoint(clientX, clientY).matrixTransform(this.element.getScreenCTM().inverse());
    const x = ((point.x - this.#center.x) / this.#scale + this.#focus.x) / this.unit;
    const y = ((point.y - this.#center.y) / this.#scale + this.#focus.y) / this.unit;
    return this.board.nearest(x, y)?.name ?? null;
  }
}
