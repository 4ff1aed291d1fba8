// Marks that people put on a position: shapes, labels, arrows and lines, as the properties of SGF that they are kept in.

/** The shapes by their properties. */
const SHAPES = { CR: "circle", SQ: "square", TR: "triangle", MA: "cross" };
const LABEL = "LB";
const ARROWS = { AR: "arrow", LN: "line" };

/** What can be put on the board: each needs one vertex, but arrows and lines two. */
export const TOOLS = [...Object.values(SHAPES), "label", ...Object.values(ARROWS)];

export function isArrow(tool) {
  return Object.values(ARROWS).includes(tool);
}

/** The two parts of a value such as "a1:b2"; what follows the first colon is one part. */
function split(value) {
  const at = value.indexOf(":");
  return at < 0 ? [value, ""] : [value.slice(0, at), value.slice(at + 1).replace(/\\([^])/g, "$1")];
}

/**
 * The marks of a position by its properties, which may be null: {shapes: shape by vertex, labels: text by vertex,
 * arrows: [{kind: "arrow" or "line", from, to}]}. What is not on the board is left out.
 */
export function marksOf(properties, board) {
  const marks = { shapes: {}, labels: {}, arrows: [] };
  const known = (name) => board.find(name)?.name;
  for (const [property, values] of Object.entries(properties ?? {})) {
    for (const [first, second] of values.map(split)) {
      const [vertex, other] = [known(first), known(second)];
      if (!vertex) continue;
      if (SHAPES[property]) marks.shapes[vertex] = SHAPES[property];
      else if (property === LABEL) marks.labels[vertex] = second;
      else if (ARROWS[property] && other && other !== vertex) {
        marks.arrows.push({ kind: ARROWS[property], from: vertex, to: other });
      }
    }
  }
  return marks;
}

const propertyOf = (shapes, wanted) => Object.keys(shapes).find((property) => shapes[property] === wanted);

/** The properties with a property's values; without the property if there are none. Null if nothing is left. */
function withValues(properties, property, values) {
  const { [property]: _, ...others } = properties ?? {};
  const all = values.length ? { ...others, [property]: values } : others;
  return Object.keys(all).length ? all : null;
}

/** The properties without the shape and the label of a vertex. */
function cleared(properties, name) {
  return [...Object.keys(SHAPES), LABEL].reduce((left, property) => {
    const values = left?.[property] ?? [];
    return withValues(
      left,
      property,
      values.filter((value) => split(value)[0] !== name),
    );
  }, properties);
}

/** The first letter that no label has: A to Z, then numbers. */
function nextLabel(labels) {
  const taken = new Set(Object.values(labels));
  for (let i = 0; i < 26; i++) {
    const letter = String.fromCharCode(65 + i);
    if (!taken.has(letter)) return letter;
  }
  let number = 1;
  while (taken.has(String(number))) number += 1;
  return String(number);
}

/**
 * The properties after a mark was put on a vertex, or taken away if it was there. A vertex has one shape or label. An
 * arrow or line leads from `name` to `to`.
 */
export function withMark(properties, board, tool, name, to = null) {
  if (isArrow(tool)) {
    const [property, value] = [propertyOf(ARROWS, tool), `${name}:${to}`];
    const values = properties?.[property] ?? [];
    const others = values.filter((other) => other !== value);
    return withValues(properties, property, others.length < values.length ? others : [...values, value]);
  }
  const { shapes, labels } = marksOf(properties, board);
  const isThere = tool === "label" ? Object.hasOwn(labels, name) : shapes[name] === tool;
  const others = cleared(properties, name);
  if (isThere) return others;
  const [property, value] =
    tool === "label"
      ? [LABEL, `${name}:${nextLabel(marksOf(others, board).labels)}`]
      : [propertyOf(SHAPES, tool), name];
  return withValues(others, property, [...(others?.[property] ?? []), value]);
}

/** The properties without any marks. */
export function withoutMarks(properties) {
  return [...Object.keys(SHAPES), LABEL, ...Object.keys(ARROWS)].reduce(
    (left, property) => withValues(left, property, []),
    properties,
  );
}
