// The graph of white's chance of winning over the game. It is also a slider: arrow keys go through the moves.

import { setAttribute, svg } from "./dom.js";
import { Emitter } from "../game/emitter.js";
import { round } from "../game/geometry.js";
import { moveSentence } from "../game/wording.js";
import { t } from "../language/texts.js";

const WIDTH = 400;
const HEIGHT = 110;
const PAD = 6;

/** Emits "go" with the index of a position on the line, 0 for the start. */
export class GraphView extends Emitter {
  constructor(container) {
    super();
    this.area = svg("path", { class: "graph-area" });
    this.above = svg("path", { class: "graph-above" });
    this.curve = svg("path", { class: "graph-curve" });
    this.marks = svg("g", { class: "graph-marks" });
    this.cursor = svg("line", { class: "graph-cursor", y1: 0, y2: HEIGHT });
    this.svg = svg(
      "svg",
      {
        class: "graph",
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "slider",
        tabindex: "0",
        "data-graph": "",
        "aria-label": t("graph.label"),
        "aria-valuemin": "0",
      },
      svg("rect", { class: "graph-ground", width: WIDTH, height: HEIGHT }),
      this.area,
      this.above,
      svg("line", { class: "graph-middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      this.curve,
      this.marks,
      this.cursor,
    );
    container.replaceChildren(this.svg);
    this.svg.addEventListener("click", (event) => this.emit("go", this.#indexAt(event)));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
  }

  #indexAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * WIDTH - PAD) / (WIDTH - 2 * PAD);
    return Math.max(0, Math.min(this.last, Math.round(share * this.last)));
  }

  #key(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
    let index = null;
    if (event.key in steps) index = this.index + steps[event.key];
    if (event.key === "Home") index = 0;
    if (event.key === "End") index = this.last;
    if (index === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.emit("go", Math.max(0, Math.min(this.last, index)));
  }

  /**
   * Draws a line of positions. `points` has {white: chance or null, move, mover, mistake} per position, the start
   * first; `index` is the position shown.
   */
  render(points, index) {
    this.index = index;
    this.last = points.length - 1;
    const x = (i) => PAD + (this.last ? i / this.last : 0) * (WIDTH - 2 * PAD);
    const y = (white) => HEIGHT - PAD - white * (HEIGHT - 2 * PAD);
    const known = points.map((point, i) => ({ ...point, i })).filter(({ white }) => white !== null);
    const steps = known.map(({ white, i }) => `${round(x(i))},${round(y(white))}`);
    const line = steps.length ? `M${steps.join("L")}` : "";
    this.curve.setAttribute("d", line);
    const [from, to] = [known[0]?.i, known[known.length - 1]?.i];
    const upTo = (edge) => (line ? `${line}L${round(x(to))},${edge}L${round(x(from))},${edge}Z` : "");
    this.area.setAttribute("d", upTo(HEIGHT));
    this.above.setAttribute("d", upTo(0));
    this.marks.replaceChildren(
      ...known.filter(({ mistake }) => mistake).map(({ mistake, white, i }) => markOf(mistake.kind, x(i), y(white))),
    );
    setAttribute(this.cursor, "x1", round(x(index)));
    setAttribute(this.cursor, "x2", round(x(index)));
    this.#describe(points, index);
  }

  #describe(points, index) {
    const { move, mover, white, mistake } = points[index];
    const parts = [move ? t("graph.move", { number: index, move: moveSentence(move, mover) }) : t("graph.start")];
    parts.push(white === null ? t("graph.unknown") : t("graph.chance", { rate: white }));
    if (mistake) parts.push(t(`mistake.${mistake.kind}`));
    this.svg.setAttribute("aria-valuemax", this.last);
    this.svg.setAttribute("aria-valuenow", index);
    this.svg.setAttribute("aria-valuetext", parts.join(", "));
  }
}

/** Mistakes differ in shape as well as in colour. */
function markOf(kind, x, y) {
  const points = {
    mistake: `${x - 4},${y + 5} ${x},${y - 6} ${x + 4},${y + 5}`,
    blunder: `${x - 4},${y - 6} ${x + 4},${y - 6} ${x + 4},${y + 6} ${x - 4},${y + 6}`,
  }[kind];
  return svg("polygon", { class: `graph-mark ${kind}`, points });
}
