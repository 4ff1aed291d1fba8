import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { LANGUAGES, languageFor } from "../js/language/languages.js";
import { parse } from "../js/language/messages.js";
import { SITE } from "../js/site.js";
import { decimal, percent, shortNumber, speak, t } from "../js/language/texts.js";

const PAGE = fileURLToPath(new URL("..", import.meta.url));
const JS = path.join(PAGE, "js");

const catalogues = new Map();
for (const code of Object.keys(LANGUAGES)) {
  catalogues.set(code, (await import(`../js/language/${code}.js`)).default);
}
const english = catalogues.get("en");

/** Speaks a language for the time of a test. */
function speakIn(test, code, texts = catalogues.get(code)) {
  speak(code, texts);
  test.after(() => speak("en", english));
}

test("a message has places for values, in the syntax of ICU", (context) => {
  speakIn(context, "en", {
    plain: "{player} has {count} of {list}",
    plural: "{count, plural, =0 {nothing} one {# stone at {move}} other {# stones}}.",
    nested: "{who, select, you {{count, plural, one {You} other {You all}}} other {Nobody}} won",
    term: "{one, term, color} and {many, term, structure}, {many, any, structure}",
    "color.white": "White",
    "structure.ring": "a ring",
    "structure.fork": "a fork",
  });
  assert.equal(t("plain", { player: "Ann", count: 1234, list: ["a", "b", "c"] }), "Ann has 1,234 of a, b and c");
  const stones = (count) => t("plural", { count, move: "d4" });
  assert.deepEqual([0, 1, 2].map(stones), ["nothing.", "1 stone at d4.", "2 stones."]);
  assert.equal(t("nested", { who: "you", count: 1 }), "You won");
  assert.equal(t("nested", { who: "white", count: 1 }), "Nobody won");
  const said = t("term", { one: "white", many: ["ring", "fork"] });
  assert.equal(said, "White and a ring and a fork, a ring or a fork");
  assert.throws(() => t("plain", { player: "Ann" }), /needs the value "count"/);
  assert.throws(() => t("missing"), /no text "missing"/);
});

test("a message whose braces do not fit is refused", () => {
  for (const message of ["a {b", "a} b", "{n, plural, one {x}", "{n, plural, one {x} other {y}"]) {
    assert.throws(() => parse(message), SyntaxError, message);
  }
});

test("numbers follow the language, and chances are never rounded to certainty", (context) => {
  assert.deepEqual([0.47, 0.999, 0.001, 1, 0].map(percent), ["47 %", "99 %", "1 %", "100 %", "0 %"]);
  assert.deepEqual([950, 1500, 12_345, 1_500_000].map(shortNumber), ["950", "1.5k", "12k", "1.5M"]);
  speakIn(context, "de", english);
  assert.deepEqual([shortNumber(1500), decimal(1234.5, 2)], ["1,5k", "1234,50"]);
});

test("a message takes the plural form that its language has for a number", (context) => {
  const deleted = (code) => {
    speakIn(context, code);
    return [1, 2, 5, 22].map((moves) => t("moves.deleted", { moves }));
  };
  const one = "Usunięto jeden ruch.";
  assert.deepEqual(deleted("pl"), [one, "Usunięto 2 ruchy.", "Usunięto 5 ruchów.", "Usunięto 22 ruchy."]);
  assert.equal(deleted("de")[1], "2 Züge wurden gelöscht.");
});

test("the page knows where the texts of each language are", () => {
  const others = Object.keys(LANGUAGES).filter((code) => code !== "en");
  assert.deepEqual(Object.keys(SITE.languages), others);
  for (const file of Object.values(SITE.languages)) assert.ok(existsSync(path.join(PAGE, file)), file);
});

test("the language is the one that was chosen, else the browser's, else English", () => {
  assert.equal(languageFor("en", ["de"]), "en");
  assert.equal(languageFor("pl", ["de"]), "pl");
  assert.equal(languageFor("auto", ["xx-YY", "FR-ca", "en"]), "fr");
  assert.equal(languageFor("constructor", []), "en");
});

// ---------------------------------------------------------------- the catalogues

/** The places of a message, each as its name, type and style; those in forms, too. */
function placesOf(parts, found = new Set()) {
  for (const part of parts.filter((part) => typeof part !== "string")) {
    found.add([part.name, part.type === "plural" || part.type === "select" ? "" : part.type].join(" "));
    for (const form of Object.values(part.forms ?? {})) placesOf(form, found);
  }
  return found;
}

/** Calls `visit` for each place of a message, also for those in forms. */
function visitPlaces(parts, visit) {
  for (const part of parts.filter((part) => typeof part !== "string")) {
    visit(part);
    for (const form of Object.values(part.forms ?? {})) visitPlaces(form, visit);
  }
}

/** The terms that the messages of a language name, such as "structure.a". */
function termsOf(texts) {
  const found = new Set();
  const note = ({ type, style }) => (type === "term" || type === "any") && found.add(style);
  for (const message of Object.values(texts)) visitPlaces(parse(message), note);
  return found;
}

test("each language has all texts and no other ones", () => {
  for (const [code, texts] of catalogues) {
    const missing = Object.keys(english).filter((key) => !Object.hasOwn(texts, key));
    // A language may have more forms of a term.
    const forms = termsOf(texts);
    const isKnown = (key) => Object.hasOwn(english, key) || forms.has(key.replace(/\.[\w-]+$/, ""));
    const unknown = Object.keys(texts).filter((key) => !isKnown(key));
    assert.deepEqual([missing, unknown], [[], []], code);
  }
});

test("the places of a message are the same in all languages", () => {
  const names = (message) => [...placesOf(parse(message))].map((place) => place.split(" ")[0]);
  for (const [code, texts] of catalogues) {
    for (const [key, message] of Object.entries(texts).filter(([key]) => Object.hasOwn(english, key))) {
      assert.deepEqual(new Set(names(message)), new Set(names(english[key])), `${code}: ${key}: ${message}`);
    }
  }
});

test("each place has the forms that its language needs, and terms that exist", () => {
  for (const [code, texts] of catalogues) {
    const plurals = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    // "many" of French and Spanish is for millions; such numbers are written as 1.5M.
    const needed = plurals.filter((form) => form !== "many" || code === "pl");
    for (const [key, message] of Object.entries(texts)) {
      visitPlaces(parse(message), ({ type, style, forms }) => {
        const what = `${code}: ${key}: ${message}`;
        if (type === "plural")
          assert.deepEqual(
            needed.filter((form) => !forms[form]),
            [],
            what,
          );
        if (type === "select") assert.ok(forms.other, what);
        if (type === "term" || type === "any") {
          assert.ok(
            Object.keys(texts).some((other) => other.startsWith(`${style}.`)),
            what,
          );
        } else if (!["plural", "select", "percent", "vertex", ""].includes(type)) {
          assert.fail(`unknown type: ${what}`);
        }
      });
    }
  }
});

// ---------------------------------------------------------------- their use

const html = readFileSync(path.join(PAGE, "index.html"), "utf8");
const modules = readdirSync(JS, { recursive: true })
  .filter((name) => name.endsWith(".js") && !/^language.(?!texts)/.test(name))
  .map((name) => [name, readFileSync(path.join(JS, name), "utf8")]);

/** The keys that the page uses, those with a part that varies as a pattern. */
function usedKeys() {
  const keys = [...html.matchAll(/data-t(?:-\w+)?="([^"]+)"/g)].map(([, key]) => key);
  for (const [, text] of modules) {
    keys.push(...[...text.matchAll(/"([a-z][\w.-]*)"/g)].map(([, key]) => key));
    keys.push(
      ...[...text.matchAll(/`([a-z](?:[\w.-]|\$\{[^`}]*\})*)`/g)].map(([, key]) => key.replace(/\$\{.*?\}/g, "*")),
    );
  }
  for (const texts of catalogues.values()) keys.push(...[...termsOf(texts)].map((term) => `${term}.*`));
  return [...new Set(keys)];
}

const fits = (pattern, key) =>
  new RegExp(
    `^${pattern
      .split("*")
      .map(RegExp.escape ?? escaped)
      .join("[\\w-]+")}$`,
  ).test(key);

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

test("every text is used", () => {
  const used = usedKeys();
  const patterns = used.filter((key) => key.includes("*") && key.includes("."));
  const unused = Object.keys(english).filter(
    (key) => !used.includes(key) && !patterns.some((pattern) => fits(pattern, key)),
  );
  assert.deepEqual(unused, []);
});

test("every text that is asked for is there", () => {
  const asked = [...html.matchAll(/data-t(?:-\w+)?="([^"]+)"/g)].map(([, key]) => key);
  for (const [, text] of modules) asked.push(...[...text.matchAll(/\bt\(\s*"([^"]+)"/g)].map(([, key]) => key));
  const missing = asked.filter((key) => !Object.hasOwn(english, key));
  assert.deepEqual(missing, []);
});

// ---------------------------------------------------------------- texts that are left in the sources

/** Words that are the same in every language, or are for other programs. */
const NAMES = ["Malecon", "HavannahGui", "Little Golem", "GoGui", "SGF", "HGF", "PNG", "SVG"];

/** The literals of a module: strings, and templates without what is in their places. Comments are left out. */
function literalsOf(source) {
  const tokens =
    /\/\/.*|\/\*[^]*?\*\/|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}`]*\})*\})*)`|\/(?![*/ ])(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/g;
  return [...source.matchAll(tokens)]
    .map((token) => token[1] ?? token[2]?.replace(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}`]*\})*\}/g, "{}"))
    .filter(Boolean);
}

/** Whether people might read a literal: it has a capital letter at the start of a word, or words in a row. */
function isText(literal) {
  const words = literal
    .replaceAll("{}", " ")
    .split(/[^\p{L}']+/u)
    .filter(Boolean);
  const isSentence = /\p{L}{2,} \p{L}{2,} \p{L}{2,}/u.test(literal) || /\p{L} .*[.…!?:]$/u.test(literal);
  const isTitle = /^\p{Lu}\p{Ll}/u.test(literal);
  return words.length > 0 && !words.every((word) => NAMES.includes(word)) && (isTitle || isSentence);
}

/** Literals that look like texts and are none. */
const NO_TEXTS = [
  // Keys and events.
  /^Files$|^(Shift\+)?(\{\}|Arrow(Left|Right|Up|Down)|Home|End|Enter|Escape|PageUp|PageDown)$/,
  // Fragments of addresses, queries of media, selectors, and names of errors.
  /^(https?|wss?):$/,
  /[[\]#>=]|^\(min-width/,
  /^[A-Z]\w*Error$/,
  // What only developers read.
  /^(The engine sent something that is not JSON|unknown \w+ \{\}|no engine at|invalid side length|the root cannot)/,
];

test("no module has texts of its own", () => {
  const sources = modules.filter(([name]) => !name.startsWith("language"));
  const found = sources.flatMap(([name, source]) =>
    literalsOf(source)
      .filter((literal) => isText(literal) && !NO_TEXTS.some((pattern) => pattern.test(literal)))
      .map((literal) => `${name}: ${literal}`),
  );
  assert.deepEqual(found, []);
});

test("index.html has no texts of its own", () => {
  const body = html.slice(html.indexOf("<body>")).replace(/<!--[^]*?-->|<noscript>.*?<\/noscript>/g, "");
  const texts = [...body.matchAll(/>([^<>]*\p{L}[^<>]*)</gu)].map(([, text]) => text.trim());
  const labels = [...body.matchAll(/ (?:aria-label|title|alt)="([^"]+)"/g)].map(([, text]) => text);
  assert.deepEqual(
    [...texts, ...labels].filter((text) => !NAMES.includes(text)),
    [],
  );
});
