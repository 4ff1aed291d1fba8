// The hexagonal board: which vertices there are, what they are called, and where they are drawn.
//
// A board of side s has a letter index l and a number index n for each vertex, both from 0 to 2s - 2, with |l - n| < s.
// The vertex is called by its letter and its number plus 1: (0, 0) is a1. Rows are horizontal, the row of number 1 is
// at the bottom, and a letter's line runs from below the board to the upper left.

/** The sides of the boards that people choose from. */
export const SIDES = [4, 5, 6, 7, 8, 9, 10];

/** The sides of the boards that the engine knows, which links and records may name. */
export const SMALLEST = 2;
export const LARGEST = 13;

const ROW_HEIGHT = Math.sqrt(3) / 2;
/** The six neighbours as steps in (letter, number), in circular order. */
const STEPS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
];

const cache = new Map();

/** How a board lies: turned clockwise by `turn` times 30 degrees, after it was mirrored from left to right. */
const UPRIGHT = { turn: 0, isMirrored: false };

export class Geometry {
  /** The board of this side length. The same object is returned for the same side, if it lies the same way. */
  static of(side, { turn, isMirrored } = UPRIGHT) {
    if (!Number.isInteger(side) || side < SMALLEST || side > LARGEST) {
      throw new RangeError(`invalid side length ${side} (expected ${SMALLEST} to ${LARGEST})`);
    }
    const key = `${side} ${turn} ${isMirrored}`;
    if (!cache.has(key)) cache.set(key, new Geometry(side, turn, isMirrored));
    return cache.get(key);
  }

  constructor(side, turn, isMirrored) {
    this.side = side;
    this.turn = turn;
    this.isMirrored = isMirrored;
    this.last = 2 * side - 2;
    this.byName = new Map();
    for (let number = this.last; number >= 0; number--) {
      for (let letter = 0; letter <= this.last; letter++) {
        if (Math.abs(letter - number) >= side) continue;
        const vertex = this.#vertex(letter, number);
        this.byName.set(vertex.name, vertex);
      }
    }
    this.vertices = [...this.byName.values()];
    /** The rows from top to bottom, each from left to right, as the board lies. */
    this.rows = rowsOf(this.vertices);
    this.rows.forEach((row, index) => row.forEach((vertex, place) => Object.assign(vertex, { row: index, place })));
    for (const vertex of this.vertices) this.#connect(vertex);
  }

  #vertex(letter, number) {
    return {
      name: nameOf(letter, number),
      letter,
      number,
      ...this.center(letter, number),
      neighbours: [],
      rim: "inner",
    };
  }

  #connect(vertex) {
    vertex.neighbours = STEPS.map(([l, n]) => this.at(vertex.letter + l, vertex.number + n)).filter(Boolean);
    if (vertex.neighbours.length === 3) vertex.rim = "corner";
    if (vertex.neighbours.length === 4) vertex.rim = "side";
  }

  /** Where a vertex is drawn. The centre of the board is (0, 0), neighbours are 1 apart, and y grows downwards. */
  center(letter, number) {
    const up = number - (this.side - 1);
    const [x, y] = [letter - (this.side - 1) - up / 2, -up * ROW_HEIGHT];
    const across = this.isMirrored ? -x : x;
    const angle = (Math.PI / 6) * this.turn;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return { x: across * cos - y * sin, y: across * sin + y * cos };
  }

  /** The vertex at these indices, or undefined if it is off the board. */
  at(letter, number) {
    return this.byName.get(nameOf(letter, number));
  }

  /** The vertex with this name in any case, or undefined. */
  find(name) {
    return this.byName.get(String(name).trim().toLowerCase());
  }

  /** The vertex in whose cell the point (x, y) lies, or undefined beside the board. */
  nearest(x, y) {
    const distance = (vertex) => Math.hypot(vertex.x - x, vertex.y - y);
    const vertex = this.vertices.reduce((best, v) => (distance(v) < distance(best) ? v : best));
    // Cells are hexagons whose corners are this far from their centre.
    return distance(vertex) <= 1 / Math.sqrt(3) ? vertex : undefined;
  }

  /** The coordinates beside the board: numbers at the start of each row, letters at the lower end of each line. */
  labels() {
    const numbers = [];
    const letters = [];
    for (let index = 0; index <= this.last; index++) {
      const first = Math.max(0, index - this.side + 1);
      numbers.unshift({ number: index, ...this.center(first - 1, index) });
      letters.push({ letter: index, ...this.center(index, first - 1) });
    }
    return [...numbers, ...letters];
  }

  /**
   * The vertex that an arrow key leads to: "left", "right", "up", "down", "start" or "end" of the row.
   * `aim` is the x coordinate that steps up and down try to keep, so that they do not drift to one side.
   * At the rim the vertex itself is returned.
   */
  step(vertex, direction, aim = vertex.x) {
    const row = this.rows[vertex.row];
    switch (direction) {
      case "left":
        return row[vertex.place - 1] ?? vertex;
      case "right":
        return row[vertex.place + 1] ?? vertex;
      case "start":
        return row[0];
      case "end":
        return row[row.length - 1];
      case "up":
        return nearest(aim, this.rows[vertex.row - 1]) ?? vertex;
      case "down":
        return nearest(aim, this.rows[vertex.row + 1]) ?? vertex;
      default:
        throw new Error(`unknown direction ${direction}`);
    }
  }
}

function nameOf(letter, number) {
  return String.fromCharCode(97 + letter) + (number + 1);
}

/** Vertices by their heights, the highest first, each row from left to right. */
function rowsOf(vertices) {
  const rows = new Map();
  for (const vertex of vertices) {
    const height = Math.round(1000 * vertex.y);
    rows.set(height, [...(rows.get(height) ?? []), vertex]);
  }
  const heights = [...rows.keys()].sort((a, b) => a - b);
  return heights.map((height) => rows.get(height).sort((a, b) => a.x - b.x));
}

/** The vertex of a row whose x is nearest to `aim`; ties go to the right. */
function nearest(aim, row) {
  if (!row) return undefined;
  return row.reduce((best, v) => (Math.abs(v.x - aim) <= Math.abs(best.x - aim) + 1e-9 ? v : best));
}

/**
 * The corners of a cell of circumradius `radius` around (x, y), as the value of a `points` attribute. `turn` is that of
 * the board.
 */
export function hexagon(x, y, radius, turn = 0) {
  const corners = [];
  for (let i = 0; i < 6; i++) {
    const angle = (Math.PI / 3) * i + (Math.PI / 6) * (1 + turn);
    corners.push(`${round(x + radius * Math.cos(angle))},${round(y + radius * Math.sin(angle))}`);
  }
  return corners.join(" ");
}

export function round(value) {
  return Math.round(value * 100) / 100;
}
