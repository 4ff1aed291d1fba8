// Reading and writing records of games, with the engine's help.

import { t } from "../language/texts.js";
import { factsOf } from "../game/facts.js";
import { Game, SEATS } from "../game/game.js";
import { inUsedNames } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { base64 } from "./proof.js";

/** Records are small. The engine takes messages of up to 4 MiB. */
const LARGEST_TEXT = 1024 * 1024;

/** The largest file with games. */
const LARGEST_FILE = 64 * 1024 * 1024;

/** The content of a file as bytes, because only the engine knows its encoding. */
export async function readFile(file) {
  if (file.size > LARGEST_FILE) throw new Error(t("open.too-large", { name: file.name }));
  return new Uint8Array(await file.arrayBuffer());
}

/** A text with many games in parts that the engine takes: games of SGF, or lines, that fit together. */
export function partsOf(text, largest = LARGEST_TEXT) {
  if (text.length <= largest) return [text];
  const parts = [];
  let part = "";
  for (const game of text.trimStart().startsWith("(") ? gamesOfSgf(text) : text.split(/(?<=\n)/)) {
    if (part && part.length + game.length > largest) {
      parts.push(part);
      part = "";
    }
    part += game;
  }
  return [...parts, part];
}

/** The games of a text in SGF: brackets count but for those in values. */
function gamesOfSgf(text) {
  const games = [];
  let [depth, isValue, start] = [0, false, 0];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "\\") i += 1;
    else if (isValue) isValue = character !== "]";
    else if (character === "[") isValue = true;
    else if (character === "(") depth += 1;
    else if (character === ")" && --depth === 0) {
      games.push(text.slice(start, i + 1));
      start = i + 1;
    }
  }
  const rest = text.slice(start);
  return rest.trim() ? [...games, rest] : games;
}

/** A decoder for the character set with this name, or null if the browser knows none. */
function decoderOf(name) {
  for (const label of [name, name.replaceAll("_", "-"), name.replaceAll(/[-_]/g, "")]) {
    try {
      return new TextDecoder(label);
    } catch {
      // The next spelling may be known.
    }
  }
  return null;
}

/**
 * The text of bytes that are not Unicode, in the character set that a record names, or else in Windows-1252; null for
 * Unicode, and for other files, which the engine reads itself.
 */
export function textOf(bytes) {
  if (bytes.slice(0, 4).some((byte) => byte === 0 || byte > 0x7f)) return null;
  const name =
    /\bCA\s*\[([^\]]*)\]/.exec(new TextDecoder("windows-1252").decode(bytes.slice(0, 4096)))?.[1].trim() ?? "";
  const isLatin = /^(iso-?8859-?1|latin-?1)?$/i.test(name);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (isLatin || /^utf/i.test(name)) return text;
  } catch {
    // It is in the character set that it names.
  }
  const decoder = isLatin ? null : decoderOf(name);
  return (decoder && decoder.encoding !== "utf-8" ? decoder : new TextDecoder("windows-1252")).decode(bytes);
}

/** A text, or the bytes of a file, in parts that the engine takes. Too many bytes that are not text are cut. */
function partsOfContent(content) {
  const text = typeof content === "string" ? content : textOf(content);
  if (text !== null) return partsOf(text).map((part) => ({ text: part }));
  if (content.length <= LARGEST_TEXT) return [{ bytes: base64(content) }];
  return partsOf(new TextDecoder().decode(content)).map((part) => ({ text: part }));
}

/**
 * The games in a text or in the bytes of a file, each as {title, options, tree} for `Game.start`, with a `note` if it is
 * doubtful how the game is meant; and `errors`, which say what is wrong with other games of the file. `side` is the board
 * for a list of moves that does not name one, `names` whose names the vertices have; without it, the content decides.
 */
export async function readGames(client, content, { side, names }) {
  if (typeof content === "string" ? !content.trim() : !content.length) throw new Error(t("open.no-text"));
  const parts = partsOfContent(content);
  // Only the first of several parts would name the board of a list.
  const query = { action: "read_record", ...(names && { names }), ...(parts.length === 1 && { side }) };
  const read = { games: [], errors: [] };
  for (const part of parts) {
    const answer = await client.ask({ ...query, ...part }).answer;
    read.games.push(...answer.games.map(toOpen));
    read.errors.push(...(answer.errors ?? []));
  }
  return read;
}

function toOpen(game) {
  return {
    note: game.note,
    title: pairOf({ white: game.white_player, black: game.black_player }) ?? t("library.game"),
    options: {
      side: game.side,
      swap: game.swap,
      seats: "both",
      setup: { white: game.white, black: game.black, first: game.first ?? "white" },
      names: { white: game.white_player, black: game.black_player },
    },
    tree: treeOf(game),
  };
}

/** A game of `readGames` as the library takes it. */
export function toKeep({ options, tree }) {
  const game = new Game(options);
  game.start(options, tree, tree.tip());
  return { game: game.toJSON(), facts: factsOf(game, options.names, tree.tip().result) };
}

/** The game that is in the form of `Game.toJSON`. */
export function storedGame(stored) {
  const game = new Game(stored);
  game.restore(stored);
  return game;
}

/** A game in the form of `Game.toJSON` as the library takes it. */
export function storedToKeep(stored) {
  const game = storedGame(stored);
  return { game: game.toJSON(), facts: factsOf(game, playerNames(game), game.statedResult(game.end())) };
}

/** The tree of a recorded game. Its main line ends with the result, which may not show on the board. */
function treeOf({ tree, first, result }) {
  const read = GameTree.fromRecord(tree, first ?? "white");
  read.tip().result = result;
  return read;
}

/** "Ann – Ben", or null if neither player has a name. */
export function pairOf({ white, black }) {
  return white || black ? `${white ?? "?"} – ${black ?? "?"}` : null;
}

/**
 * The text of the game in a format: "sgf", "hgf" or "moves". SGF and HGF have their own names of vertices; those of a list
 * of moves are the user's. `names` are those of the players.
 */
export async function writeGame(client, game, format, result, names = playerNames(game)) {
  const { text } = await client.ask({
    action: "write_record",
    format,
    side: game.side,
    swap: game.swap,
    tree: game.tree.toRecord(game.setup),
    white_player: names.white,
    black_player: names.black,
    ...(result && { result: { winner: result.winner, by: result.by } }),
  }).answer;
  return format === "moves" ? inUsedNames(text, game.board) : text;
}

/** What to call the players: their recorded names, or who they are here. */
export function playerNames(game) {
  const seats = game.ownSeats();
  const nameOf = (color) => {
    if (game.names[color]) return game.names[color];
    if (SEATS[seats][color] === "engine") return t("player.engine", { level: game.levels[color] });
    return seats === "both" ? null : t("player.you");
  };
  const [white, black] = [nameOf("white"), nameOf("black")];
  return { ...(white && { white }), ...(black && { black }) };
}

/** What to call the players of the game of a study: during an attempt, the seats are not those of the game. */
export function playersOf(study) {
  return playerNames(study.isTrying ? storedGame(study.gameToKeep()) : study.game);
}

/** The text in SGF of a game in the form of `Game.toJSON`. */
export async function writeStored(client, stored) {
  const game = storedGame(stored);
  return writeGame(client, game, "sgf", game.statedResult(game.end()));
}
