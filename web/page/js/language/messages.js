// Messages in the syntax of ICU, as far as the page needs it: texts with places for values.
//
//   {name}                                     a text, a number, or a list of texts
//   {count, plural, one {# move} other {# moves}}   by the plural form of a number; # is the number
//   {who, select, white {…} other {…}}         by a word
//   {rate, percent}                            a share in [0, 1]
//   {move, vertex}                             a vertex, by its name in the notation that the user has chosen
//   {player, term, color}                      the text with the key color.white; of a list all, joined by "and"
//   {structures, any, structure}               as term, joined by "or"

const parsed = new Map();

/** The parts of a message: texts, and places as {name, type, style, forms}. Throws a SyntaxError if it has no end. */
export function parse(message) {
  if (!parsed.has(message)) {
    const reader = { message, at: 0 };
    const parts = readParts(reader, "");
    parsed.set(message, parts);
  }
  return parsed.get(message);
}

/** Reads up to the closing brace of a form, or to the end of the message. */
function readParts(reader, end) {
  const parts = [];
  for (;;) {
    const [text, stop] = readText(reader, /[{}]/g);
    if (text) parts.push(text);
    if (stop === end) return parts;
    if (stop !== "{") throw missingBrace(reader);
    parts.push(readPlace(reader));
  }
}

/** Reads up to one of the characters of `stops` and over it. Returns the text and the character, "" at the end. */
function readText(reader, stops) {
  stops.lastIndex = reader.at;
  const found = stops.exec(reader.message);
  const to = found ? found.index : reader.message.length;
  const text = reader.message.slice(reader.at, to);
  reader.at = to + 1;
  return [text, found?.[0] ?? ""];
}

function readPlace(reader) {
  const place = { name: "", type: "", style: "", forms: null };
  for (const field of ["name", "type", "style"]) {
    if (field === "style" && ["plural", "select"].includes(place.type)) return { ...place, forms: readForms(reader) };
    const [text, stop] = readText(reader, /[,}]/g);
    place[field] = text.trim();
    if (stop === "}") return place;
    if (stop === "") break;
  }
  throw missingBrace(reader);
}

function missingBrace({ message }) {
  return new SyntaxError(`a brace is missing or left over: ${message}`);
}

/** "one {# move} other {# moves}}": an object of parts. */
function readForms(reader) {
  const forms = {};
  for (;;) {
    const [word, stop] = readText(reader, /[{}]/g);
    if (stop === "}") return forms;
    if (stop === "") throw missingBrace(reader);
    forms[word.trim()] = readParts(reader, "}");
  }
}

/**
 * The text of parts with these values. `language` has what depends on the language: number(value), percent(share),
 * plural(number), and(list), or(list), term(key) and vertex(name).
 */
export function format(parts, values, language, count = null) {
  const one = (part) => {
    if (typeof part !== "string") return place(part, values, language, count);
    return count === null ? part : part.replaceAll("#", language.number(count));
  };
  return parts.map(one).join("");
}

function place({ name, type, style, forms }, values, language, count) {
  if (!Object.hasOwn(values, name)) throw new Error(`a message needs the value "${name}"`);
  const value = values[name];
  switch (type) {
    case "plural":
      return format(forms[`=${value}`] ?? forms[language.plural(value)] ?? forms.other, values, language, value);
    case "select":
      return format(forms[value] ?? forms.other, values, language, count);
    case "percent":
      return language.percent(value);
    case "term":
      return joined(value, (word) => language.term(`${style}.${word}`), language.and);
    case "any":
      return joined(value, (word) => language.term(`${style}.${word}`), language.or);
    case "vertex":
      return joined(value, language.vertex, language.and);
    default:
      return joined(value, (item) => (typeof item === "number" ? language.number(item) : String(item)), language.and);
  }
}

function joined(value, text, join) {
  return Array.isArray(value) ? join(value.map(text)) : text(value);
}
