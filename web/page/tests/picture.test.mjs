import assert from "node:assert/strict";
import test from "node:test";
import { Geometry } from "../js/game/geometry.js";
import { sceneOf, toCanvas, toSvg } from "../js/views/scene.js";

const position = {
  board: Geometry.of(4),
  stones: new Map([
    ["a1", "white"],
    ["b2", "black"],
    ["c3", "white"],
  ]),
  last: "c3",
  winning: ["b2", "c3"],
};

test("a picture has a polygon for each vertex, its stones, and the winning structure", () => {
  const text = toSvg(sceneOf(position), "A & B");
  assert.equal(text.match(/<polygon/g).length, 37);
  assert.equal(text.match(/<circle/g).length, 3 + 1 + 1);
  assert.equal(text.match(/<line/g).length, 1);
  assert.equal(text.match(/<text/g).length, 14);
  assert.match(text, /<title>A &amp; B<\/title>/);
  assert.doesNotMatch(text, /NaN|undefined/);
});

test("a picture has the marks of people, each with its halo", () => {
  const plain = toSvg(sceneOf(position));
  const marks = {
    shapes: { a1: "circle", b2: "square", c3: "triangle", d4: "cross" },
    labels: { e5: "A<" },
    arrows: [
      { kind: "arrow", from: "a1", to: "g7" },
      { kind: "line", from: "a1", to: "a4" },
    ],
  };
  const text = toSvg(sceneOf(position, { marks }));
  const more = (element) => text.split(element).length - plain.split(element).length;
  assert.deepEqual(["<circle", "<polygon", "<line", "<text"].map(more), [3, 4, 12, 1]);
  assert.match(text, />A&lt;</);
  assert.doesNotMatch(text, /NaN|undefined/);
});

test("numbers stand on the stones instead of marks", () => {
  const text = toSvg(
    sceneOf(position, {
      coordinates: false,
      numbers: new Map([
        ["a1", "1"],
        ["b2", "2"],
        ["c3", "3"],
      ]),
    }),
  );
  assert.deepEqual([...text.matchAll(/<text[^>]*>(\d)</g)].map(([, n]) => n).sort(), ["1", "2", "3"]);
});

test("the canvas gets the same shapes as the SVG file", () => {
  const calls = {};
  const context = new Proxy(
    {},
    {
      get: (_, name) => () => (calls[name] = (calls[name] ?? 0) + 1),
      set: () => true,
    },
  );
  const scene = sceneOf(position);
  toCanvas(scene, context, 2);
  assert.equal(calls.arc, scene.shapes.filter(({ kind }) => kind === "circle").length);
  assert.equal(calls.fillText, 14);
  assert.equal(calls.closePath, 37);
});
