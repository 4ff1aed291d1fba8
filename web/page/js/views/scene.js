// Pictures of a position that can be saved. A scene is a list of shapes with fixed colours; it is written as SVG text
// or drawn on a canvas (for PNG), so that both look the same and neither needs the page's style sheets.

import { boardLabels } from "../game/notation.js";
import { markShapes } from "./scene-marks.js";
import { hexagon, round } from "../game/geometry.js";

const UNIT = 40;
const CELL_RADIUS = UNIT / Math.sqrt(3);
const STONE_RADIUS = 0.42 * UNIT;
const FONT = "system-ui, sans-serif";

export const PALETTES = {
  light: {
    background: "#f6f3ec",
    label: "#4d5a61",
    grid: "#8a6d3f",
    inner: "#dcc491",
    side: "#cfb279",
    corner: "#c0a06a",
    white: "#fdfdfb",
    whiteEdge: "#2d2a24",
    black: "#20252a",
    blackEdge: "#20252a",
    engraving: "#9aa6ae",
    winning: "#0b6471",
  },
  dark: {
    background: "#12181c",
    label: "#a9b8c1",
    grid: "#33434f",
    inner: "#536a7c",
    side: "#5e778a",
    corner: "#6b8499",
    white: "#f4f6f7",
    whiteEdge: "#12181c",
    black: "#0f1316",
    blackEdge: "#0f1316",
    engraving: "#8b9aa5",
    winning: "#f5b942",
  },
};

PALETTES["light-paper"] = { ...PALETTES.light, grid: "#6d6d66", inner: "#ffffff", side: "#f1f1ee", corner: "#e2e2dd" };
PALETTES["dark-paper"] = { ...PALETTES.dark, grid: "#2b2e31", inner: "#63676a", side: "#6d7174", corner: "#787c80" };

/** The colours of the page. */
export function pagePalette() {
  const { theme, boardTheme } = document.documentElement.dataset;
  return PALETTES[boardTheme === "paper" ? `${theme}-paper` : theme];
}

/**
 * The shapes of a position. `position` has the board (a Geometry), stones (Map of name to colour), last and winning
 * (array of names). `options`: palette, coordinates, labelSize, numbers (Map of name to text on the stone), marks (as
 * `marksOf` returns them).
 */
export function sceneOf({ board, stones, last = null, winning = [] }, options = {}) {
  const { palette = PALETTES.light, coordinates = true, labelSize = 14, numbers = new Map(), marks = {} } = options;
  const margin = (coordinates ? 1 : 0.25) * UNIT;
  const half = (values) => UNIT * Math.max(...values.map(Math.abs)) + CELL_RADIUS + margin;
  const [halfWidth, halfHeight] = [half(board.vertices.map(({ x }) => x)), half(board.vertices.map(({ y }) => y))];
  const shapes = [
    {
      kind: "box",
      x: -halfWidth,
      y: -halfHeight,
      width: 2 * halfWidth,
      height: 2 * halfHeight,
      fill: palette.background,
    },
  ];
  const won = new Set(winning);
  for (const vertex of board.vertices) shapes.push(cellShape(vertex, board.turn, palette));
  if (coordinates) shapes.push(...boardLabels(board).map((label) => labelShape(label, labelSize, palette)));
  shapes.push(
    ...board.vertices
      .filter((v) => stones.has(v.name))
      .flatMap((vertex) =>
        stoneShapes(vertex, {
          color: stones.get(vertex.name),
          isLast: vertex.name === last,
          number: numbers.get(vertex.name),
          palette,
        }),
      ),
  );
  shapes.push(...winning.flatMap((name) => linkShapes(board.find(name), won, palette)));
  shapes.push(...markShapes(marks, board, { unit: UNIT, color: palette.winning, halo: palette.background }));
  return { x: -halfWidth, y: -halfHeight, width: 2 * halfWidth, height: 2 * halfHeight, shapes };
}

function cellShape({ x, y, rim }, turn, palette) {
  return {
    kind: "polygon",
    points: hexagon(x * UNIT, y * UNIT, CELL_RADIUS, turn),
    fill: palette[rim],
    stroke: palette.grid,
    strokeWidth: 1.2,
  };
}

function labelShape({ text, x, y }, size, palette) {
  return { kind: "text", x: x * UNIT, y: y * UNIT, text, size, fill: palette.label };
}

function stoneShapes(vertex, { color, isLast, number, palette }) {
  const center = { x: vertex.x * UNIT, y: vertex.y * UNIT };
  const isBlack = color === "black";
  const ink = isBlack ? palette.white : palette.black;
  const circle = (radius, style) => ({ kind: "circle", ...center, radius, ...style });
  const shapes = [
    circle(STONE_RADIUS, {
      fill: isBlack ? palette.black : palette.white,
      stroke: isBlack ? palette.blackEdge : palette.whiteEdge,
      strokeWidth: 1.5,
    }),
  ];
  if (isBlack && !number) shapes.push(circle(0.7 * STONE_RADIUS, { stroke: palette.engraving, strokeWidth: 1.8 }));
  if (number) shapes.push({ kind: "text", ...center, text: number, size: 15, fill: ink });
  else if (isLast) shapes.push(circle(0.3 * STONE_RADIUS, { fill: ink }));
  return shapes;
}

function linkShapes(vertex, won, palette) {
  return vertex.neighbours
    .filter((next) => won.has(next.name) && vertex.name < next.name)
    .map((next) => ({
      kind: "line",
      x1: vertex.x * UNIT,
      y1: vertex.y * UNIT,
      x2: next.x * UNIT,
      y2: next.y * UNIT,
      stroke: palette.winning,
      strokeWidth: 7,
    }));
}

/** The scene as the text of an SVG file. */
export function toSvg({ x, y, width, height, shapes }, title = "") {
  const size = { viewBox: [x, y, width, height].map(round).join(" "), width, height };
  const content = shapes.map(shapeToSvg);
  if (title) content.unshift(element("title", {}, title));
  const lines = ["", ...content, ""].join("\n");
  return `${element("svg", { xmlns: "http://www.w3.org/2000/svg", ...size }, null, lines)}\n`;
}

/** An element as text. Numbers are rounded; attributes that are null are left out. */
function element(name, attributes, text = null, content = text === null ? "" : escape(String(text))) {
  const given = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  const written = given.map(([key, value]) => ` ${key}="${typeof value === "number" ? round(value) : escape(value)}"`);
  const start = `<${name}${written.join("")}`;
  return content ? `${start}>${content}</${name}>` : `${start}/>`;
}

function escape(text) {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

function shapeToSvg(shape) {
  const { x, y, x1, y1, x2, y2, width, height, points, radius, fill = "none", stroke, strokeWidth } = shape;
  const paint = { fill, stroke, "stroke-width": strokeWidth, "stroke-linecap": stroke && "round" };
  const font = { "font-family": FONT, "font-size": shape.size, "font-weight": 600 };
  const centered = { "text-anchor": "middle", "dominant-baseline": "central" };
  switch (shape.kind) {
    case "box":
      return element("rect", { x, y, width, height, ...paint });
    case "polygon":
      return element("polygon", { points, ...paint });
    case "circle":
      return element("circle", { cx: x, cy: y, r: radius, ...paint });
    case "line":
      return element("line", { x1, y1, x2, y2, ...paint });
    case "text":
      return element("text", { x, y, ...font, ...centered, ...paint }, shape.text);
    default:
      throw new Error(`unknown shape ${shape.kind}`);
  }
}

/** Draws the scene on a 2D canvas context, `scale` pixels per unit. */
export function toCanvas({ x, y, shapes }, context, scale) {
  context.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
  context.lineCap = "round";
  for (const shape of shapes) drawShape(shape, context);
}

function drawShape(shape, context) {
  if (shape.kind === "text") return drawText(shape, context);
  context.beginPath();
  if (shape.kind === "box") context.rect(shape.x, shape.y, shape.width, shape.height);
  if (shape.kind === "circle") context.arc(shape.x, shape.y, shape.radius, 0, 2 * Math.PI);
  if (shape.kind === "polygon") {
    for (const point of shape.points.split(" ")) context.lineTo(...point.split(",").map(Number));
    context.closePath();
  }
  if (shape.kind === "line") {
    context.moveTo(shape.x1, shape.y1);
    context.lineTo(shape.x2, shape.y2);
  }
  if (shape.fill) {
    context.fillStyle = shape.fill;
    context.fill();
  }
  if (shape.stroke) {
    context.strokeStyle = shape.stroke;
    context.lineWidth = shape.strokeWidth;
    context.stroke();
  }
}

function drawText({ x, y, text, size, fill }, context) {
  context.font = `600 ${size}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = fill;
  context.fillText(text, x, y);
}

/** The scene as a PNG file. Needs a browser. */
export async function toPng(scene, scale = 2) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(scene.width * scale);
  canvas.height = Math.round(scene.height * scale);
  toCanvas(scene, canvas.getContext("2d"), scale);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
