// The marks of people in a picture: shapes, letters, arrows and lines, each with a halo so that it stands out.

const ARROW = 12;
const MARK = 8;

/** The corners of a square and a triangle around the origin. */
const CORNERS = {
  square: [
    [-MARK, -MARK],
    [MARK, -MARK],
    [MARK, MARK],
    [-MARK, MARK],
  ],
  triangle: [
    [0, -MARK - 2],
    [MARK + 1, MARK - 1],
    [-MARK - 1, MARK - 1],
  ],
};

/** The shapes of a scene for the marks of `marksOf`, on a board whose neighbours are `unit` apart. */
export function markShapes({ shapes = {}, labels = {}, arrows = [] }, board, { unit, color, halo }) {
  const at = (name) => {
    const { x, y } = board.find(name);
    return { x: x * unit, y: y * unit };
  };
  const outlines = [
    ...arrows.flatMap(({ kind, from, to }) => arrowLines(kind, at(from), at(to))),
    ...Object.entries(shapes).flatMap(([name, shape]) => outlineOf(shape, at(name))),
  ];
  return [
    ...outlines.map((shape) => ({ ...shape, stroke: halo, strokeWidth: 6 })),
    ...outlines.map((shape) => ({ ...shape, stroke: color, strokeWidth: 2.8 })),
    ...Object.entries(labels).flatMap(([name, text]) => [
      { kind: "circle", ...at(name), radius: 11, fill: halo },
      { kind: "text", ...at(name), text, size: 18, fill: color },
    ]),
  ];
}

function outlineOf(shape, { x, y }) {
  const line = (dx, dy) => ({ kind: "line", x1: x - dx, y1: y - dy, x2: x + dx, y2: y + dy });
  if (shape === "circle") return [{ kind: "circle", x, y, radius: MARK }];
  if (shape === "cross") return [line(MARK, MARK), line(MARK, -MARK)];
  return [{ kind: "polygon", points: CORNERS[shape].map(([dx, dy]) => `${x + dx},${y + dy}`).join(" ") }];
}

function arrowLines(kind, from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const lines = [{ kind: "line", x1: from.x, y1: from.y, x2: to.x, y2: to.y }];
  if (kind === "line") return lines;
  const side = (turn) => ({
    kind: "line",
    x1: to.x - ARROW * dx - (turn * ARROW * dy) / 2,
    y1: to.y - ARROW * dy + (turn * ARROW * dx) / 2,
    x2: to.x,
    y2: to.y,
  });
  return [...lines, side(1), side(-1)];
}
