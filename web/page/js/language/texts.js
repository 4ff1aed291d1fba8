// The texts of the page in the language that it speaks. It begins with English, which is part of the page; the texts of
// other languages are loaded when they are needed.

import { SITE } from "../site.js";
import en from "./en.js";
import { format, parse } from "./messages.js";

/** What the formats of the browser are to follow, where that is not the language itself. */
const LOCALES = { en: "en-GB" };

let texts = en;
/** How a vertex is called. */
let vertexName = (name) => name;
let language = languageOf("en");

/** What depends on a language, as `format` takes it, with the browser's own rules. */
function languageOf(code) {
  const locale = LOCALES[code] ?? code;
  const list = (type) => {
    const lists = new Intl.ListFormat(locale, { type });
    return (items) => lists.format(items);
  };
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return {
    code,
    locale,
    plural: (number) => plurals.select(number),
    number: (value) => numbers.format(value),
    percent,
    and: list("conjunction"),
    or: list("disjunction"),
    term: (key) => t(key),
    vertex: (name) => vertexName(name),
  };
}

/** Calls vertices by the names that `name` gives them. */
export function nameVertices(name) {
  vertexName = name;
}

/** Speaks the language with this code and these texts. */
export function speak(code, messages) {
  texts = messages;
  language = languageOf(code);
}

/** Loads the texts of a language and speaks it. If they cannot be loaded, the page goes on in English. */
export async function loadLanguage(code) {
  if (code === "en") return speak(code, en);
  try {
    const module = await import(new URL(SITE.languages[code], document.baseURI));
    return speak(code, module.default);
  } catch (error) {
    console.warn(error);
    return speak("en", en);
  }
}

/** The code of the language that is spoken, such as "de". */
export function spokenLanguage() {
  return language.code;
}

/** The text with this key, with these values in its places. The syntax is that of messages.js. */
export function t(key, values = {}) {
  const message = texts[key];
  if (message === undefined) throw new Error(`there is no text "${key}" in "${language.code}"`);
  return format(parse(message), values, language);
}

/** Whether there is a text with this key: for words that come from the engine. */
export function hasText(key) {
  return Object.hasOwn(texts, key);
}

/** "47 %", for a share in [0, 1]. */
export function percent(share) {
  return t("percent", { value: wholePercent(share) });
}

/** The number of per cent of a share in [0, 1]. Chances are rounded, but never to certainty. */
export function wholePercent(share) {
  const value = Math.round(share * 100);
  if (value === 100 && share < 1) return 99;
  return value === 0 && share > 0 ? 1 : value;
}

/** A number of visits or the like in few characters: "950", "12.3k", "1.5M". */
export function shortNumber(n) {
  const [unit, sign] = n < 1000 ? [1, ""] : n < 1e6 ? [1000, "k"] : [1e6, "M"];
  const digits = sign === "M" || (sign === "k" && n < 1e4) ? 1 : 0;
  return decimal(n / unit, digits) + sign;
}

/** A number with this many digits after the point. */
export function decimal(n, digits) {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return new Intl.NumberFormat(language.locale, options).format(n);
}

/** "27 Nov 2026, 14:05", as is usual in the language and, if the browser says so, in the country. */
export function dateTime(time) {
  const { code } = language;
  const regional = navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === code) ?? language.locale;
  return new Intl.DateTimeFormat(regional, { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** Compares two texts in the order of the language, numbers in them by their value. */
export function compareTexts(a, b) {
  return a.localeCompare(b, language.locale, { numeric: true });
}
