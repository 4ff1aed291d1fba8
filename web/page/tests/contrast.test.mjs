// The colours of style/colors.css and of saved pictures have the contrasts that WCAG 2.1 AA asks for.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { PALETTES } from "../js/views/scene.js";

function luminance(color) {
  const [r, g, b] = [1, 3, 5]
    .map((i) => parseInt(color.slice(i, i + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function themes() {
  const css = readFileSync(new URL("../style/colors.css", import.meta.url), "utf8");
  const colorsIn = (block) =>
    Object.fromEntries(
      [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6}|[\d.]+);/g)].map(([, name, color]) => [name, color]),
    );
  const blocks = [...css.matchAll(/^( *)(:root\S*) \{([^}]*)\}/gm)];
  const [plain, contrasting] = ["", "  "].map((indent) =>
    Object.fromEntries(blocks.filter((block) => block[1] === indent).map((block) => [block[2], colorsIn(block[3])])),
  );
  const [light, dark] = [plain[":root"], plain[':root[data-theme="dark"]']];
  return {
    light,
    dark,
    "light-paper": { ...light, ...plain[':root[data-board-theme="paper"]'] },
    "dark-paper": { ...dark, ...plain[':root[data-theme="dark"][data-board-theme="paper"]'] },
    "light with more contrast": { ...light, ...contrasting[":root"] },
    "dark with more contrast": { ...dark, ...contrasting[':root[data-theme="dark"]'] },
  };
}

const TEXTS = [
  ["text", "ground"],
  ["text", "surface"],
  ["text", "raised"],
  ["text", "hover"],
  ["muted", "ground"],
  ["muted", "surface"],
  ["muted", "raised"],
  ["muted", "accent-soft"],
  ["accent-text", "accent"],
  ["accent-text", "accent-hover"],
  ["danger", "surface"],
  ["danger", "hover"],
  ["warn-text", "warn-ground"],
  ["mistake", "surface"],
  ["blunder", "surface"],
  ["on-cell", "cell"],
  ["on-cell", "cell-side"],
  ["ground", "text"],
];
const SHAPES = [
  ["control-edge", "surface"],
  ["control-edge", "raised"],
  ["focus", "ground"],
  ["focus", "surface"],
  ["focus", "cell"],
  ["focus", "cell-corner"],
  ["winning", "cell"],
  ["engraving", "black-stone"],
  ["white-stone", "black-stone"],
  ["accent", "surface"],
];
const CELLS = ["cell", "cell-side", "cell-corner"];

for (const [name, colors] of Object.entries(themes())) {
  test(`${name}: texts have a contrast of 4.5`, () => {
    for (const [front, back] of TEXTS) {
      const value = contrast(colors[front], colors[back]);
      assert.ok(value >= 4.5, `${front} on ${back}: ${value.toFixed(2)}`);
    }
  });
  test(`${name}: controls and marks have a contrast of 3`, () => {
    for (const [front, back] of SHAPES) {
      const value = contrast(colors[front], colors[back]);
      assert.ok(value >= 3, `${front} on ${back}: ${value.toFixed(2)}`);
    }
  });
  test(`${name}: the cross on a mistake or its edge has a contrast of 3 to every cell`, () => {
    for (const cell of CELLS) {
      const parts = [colors.blunder, colors["mark-halo"]].map((part) => contrast(part, colors[cell]));
      assert.ok(Math.max(...parts) >= 3, `${cell}: ${parts.map((value) => value.toFixed(2))}`);
    }
  });
  test(`${name}: stones or their edges have a contrast of 3 to every cell`, () => {
    for (const cell of CELLS) {
      for (const stone of ["white", "black"]) {
        const parts = [`${stone}-stone`, `${stone}-edge`].map((part) => contrast(colors[part], colors[cell]));
        assert.ok(Math.max(...parts) >= 3, `${stone} on ${cell}: ${parts.map((value) => value.toFixed(2))}`);
      }
    }
  });
}

/** `front` over `back` with this opacity. */
function mix(front, back, opacity) {
  const channel = (color, i) => parseInt(color.slice(i, i + 2), 16);
  const mixed = [1, 3, 5].map((i) => Math.round(opacity * channel(front, i) + (1 - opacity) * channel(back, i)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

test("light: what is written on the heat map has a contrast of 4.5 wherever it is hottest", () => {
  const { light } = themes();
  for (const cell of CELLS) {
    const value = contrast(light["on-cell"], mix(light.heat, light[cell], Number(light["heat-strength"])));
    assert.ok(value >= 4.5, `${cell}: ${value.toFixed(2)}`);
  }
});

test("dark: what is written on the heat map has a dark edge", () => {
  const { dark } = themes();
  assert.ok(contrast(dark["on-cell"], dark.halo) >= 4.5);
});

test("saved pictures have the colours of the page", () => {
  const css = themes();
  for (const [theme, palette] of Object.entries(PALETTES)) {
    const same = {
      inner: "cell",
      side: "cell-side",
      corner: "cell-corner",
      grid: "cell-edge",
      white: "white-stone",
      black: "black-stone",
      winning: "winning",
    };
    for (const [name, variable] of Object.entries(same))
      assert.equal(palette[name], css[theme][variable], `${theme} ${name}`);
    assert.ok(contrast(palette.label, palette.background) >= 4.5);
  }
});
