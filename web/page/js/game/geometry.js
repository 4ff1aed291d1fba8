// The hexagonal board: which vertices there are, what they are called, and where they are drawn.
//
// A board of side s has a letter index l and a number index n for each vertex, both from 0 to 2s - 2, with |l - n| < s.
// The vertex is called by its letter and its number plus 1: (0, 0) is a1. Rows are horizontal, the row of number 1 is
// at the bottom, and a letter's line runs from below the board to the upper left.

export const SIDES = [4, 5, 6, 7, 8, 9, 10];

const SMALLEST = 2;
const LARGEST = 13;
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

export class Geometry {
  /** The board of this side length. The same object is returned for the same side. */
  static of(side) {
    if (!Number.isInteger(side) || side < SMALLEST || side > LARGEST) {
      throw new RangeError(`invalid side length ${side} (expected ${SMALLEST} to ${LARGEST})`);
    }
    if (!cache.has(side)) cache.set(side, new Geometry(side));
    return cache.get(side);
  }

  constructor(side) {
    this.side = side;
    this.last = 2 * side - 2;
    this.byName = new Map();
    /** The rows from top to bottom, each from left to right. */
    this.rows = [];
    for (let number = this.last; number >= 0; number--) {
      const row = [];
      for (let letter = 0; letter <= this.last; letter++) {
        if (Math.abs(letter - number) >= side) continue;
        const vertex = this.#vertex(letter, number);
        row.push(vertex);
        this.byName.set(vertex.name, vertex);
      }
      this.rows.push(row);
    }
    this.vertices = this.rows.flat();
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
    return { x: letter - (this.side - 1) - up / 2, y: -up * ROW_HEIGHT };
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

  /** The coordinates around the board: numbers at the left end of each row, letters at the lower end of each line. */
  labels() {
    const numbers = this.rows.map(([first]) => ({
      number: first.number,
      ...this.center(first.letter - 1, first.number),
    }));
    const letters = [];
    for (let letter = 0; letter <= this.last; letter++) {
      const lowest = Math.max(0, letter - this.side + 1);
      letters.push({ letter, ...this.center(letter, lowest - 1) });
    }
    return [...numbers, ...letters];
  }

  /**
   * The vertex that an arrow key leads to: "left", "right", "up", "down", "start" or "end" of the row.
   * `aim` is the x coordinate that steps up and down try to keep, so that they do not drift to one side.
   * At the rim the vertex itself is returned.
   */
  step(vertex, direction, aim = vertex.x) {
    const { letter, number } = vertex;
    const row = this.rows[this.last - number];
    switch (direction) {
      case "left":
        return this.at(letter - 1, number) ?? vertex;
      case "right":
        return this.at(letter + 1, number) ?? vertex;
      case "start":
        return row[0];
      case "end":
        return row[row.length - 1];
      case "up":
        return nearest(aim, this.rows[this.last - number - 1]) ?? vertex;
      case "down":
        return nearest(aim, this.rows[this.last - number + 1]) ?? vertex;
      default:
        throw new Error(`unknown direction ${direction}`);
    }
  }
}

function nameOf(letter, number) {
  return String.fromCharCode(97 + letter) + (number + 1);
}

/** The vertex of a row whose x is nearest to `aim`; ties go to the right. */
function nearest(aim, row) {
  if (!row) return undefined;
  return row.reduce((best, v) => (Math.abs(v.x - aim) <= Math.abs(best.x - aim) ? v : best));
}

/** The corners of a cell of circumradius `radius` around (x, y), as the value of a `points` attribute. */
export function hexagon(x, y, radius) {
  const corners = [];
  for (let i = 0; i < 6; i++) {
    const angle = (Math.PI / 3) * i + Math.PI / 6;
    corners.push(`${round(x + radius * Math.cos(angle))},${round(y + radius * Math.sin(angle))}`);
  }
  return corners.join(" ");
}

export function round(value) {
  return Math.round(value * 100) / 100;
}
