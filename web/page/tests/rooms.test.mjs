import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const JS = fileURLToPath(new URL("../js", import.meta.url));

/** The rooms, lowest first. A module uses its own room and those before it. */
const ROOMS = [
  "site.js",
  "language",
  "game",
  "engine",
  "store",
  "views",
  "screens",
  "model.js",
  "app.js",
  "main.js",
  "theme.js",
];

const modules = readdirSync(JS, { recursive: true })
  .map((name) => name.split(path.sep).join("/"))
  .filter((name) => name.endsWith(".js"));
const imports = new Map(modules.map((name) => [name, importsOf(name)]));

function importsOf(name) {
  const text = readFileSync(path.join(JS, name), "utf8");
  const found = [...text.matchAll(/\bfrom "(\..*?)"/g)].map(([, relative]) => relative);
  return found.map((relative) => path.posix.join(path.posix.dirname(name), relative));
}

const roomOf = (name) => ROOMS.indexOf(name.split("/")[0]);

test("each module is in a room and uses no room above its own", () => {
  assert.ok(modules.length > 40);
  for (const [name, used] of imports) {
    assert.ok(roomOf(name) >= 0, `${name} is in no room`);
    for (const other of used) {
      assert.ok(imports.has(other), `${name}: ${other} is not there`);
      assert.ok(roomOf(other) <= roomOf(name), `${name} uses ${other}, which is above it`);
    }
  }
});

test("no modules import each other in a circle", () => {
  const done = new Set();
  const visit = (name, way) => {
    assert.ok(!way.includes(name), `${[...way, name].join(" → ")}`);
    if (done.has(name)) return;
    for (const other of imports.get(name)) visit(other, [...way, name]);
    done.add(name);
  };
  for (const name of modules) visit(name, []);
  assert.equal(done.size, modules.length);
});
