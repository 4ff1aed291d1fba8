// Reading and writing records of games, with the engine's help.

import { GameTree } from "../game/tree.js";

/** Records are small. The engine takes messages of up to 4 MiB. */
const LARGEST_TEXT = 1024 * 1024;

export async function readFile(file) {
  if (file.size > LARGEST_TEXT) throw new Error(`${file.name} is too large for a record of a game`);
  return file.text();
}

/**
 * The games in a text, each as {title, options, tree} for `Game.start`. `side` is the board for a list of moves that
 * does not name one.
 */
export async function readGames(client, text, side) {
  if (!text.trim()) throw new Error("there is no text");
  if (text.length > LARGEST_TEXT) throw new Error("the text is too large for a record of a game");
  const { games } = await client.ask({ action: "read_record", text: withSide(text, side) }).answer;
  return games.map((game) => ({
    title: titleOf(game),
    detail: `side ${game.side}, ${game.moves.length} moves`,
    options: {
      side: game.side,
      swap: game.swap,
      seats: "both",
      setup: { white: game.white, black: game.black, first: game.first ?? "white" },
      names: { white: game.white_player, black: game.black_player },
    },
    tree: treeOf(game),
  }));
}

/** The tree of a recorded game. Its main line ends with the result, which may not show on the board. */
function treeOf({ tree, first, result }) {
  const read = GameTree.fromRecord(tree, first ?? "white");
  read.tip().result = result;
  return read;
}

/** A bare list of moves gets the line that names the side. */
export function withSide(text, side) {
  const isBareList = /^\s*(\d+\.\s*)?((white|black):)?([a-z]\d+|swap)(\s|,|$)/i.test(text) && !/side/i.test(text);
  return isBareList
    ? `# side ${side}\n${text
        .replace(/\b\d+\.\s*/g, "")
        .replace(/[,;]/g, " ")
        .trim()
        .replace(/\s+/g, " ")}\n`
    : text;
}

function titleOf({ white_player: white, black_player: black }) {
  return white || black ? `${white ?? "?"} – ${black ?? "?"}` : "Game";
}

/** The text of the game in a format: "sgf", "hgf" or "moves". */
export async function writeGame(client, game, format, result) {
  const names = playerNames(game);
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
  return text;
}

/** What to call the players: their recorded names, or who they are here. */
export function playerNames(game) {
  const nameOf = (color) => {
    if (game.names[color]) return game.names[color];
    return game.playerOf(color) === "engine" ? `Malecon level ${game.level}` : game.hasEngine() ? "You" : null;
  };
  const [white, black] = [nameOf("white"), nameOf("black")];
  return { ...(white && { white }), ...(black && { black }) };
}

/** Saves a text or blob as a file, as if a link to it had been clicked. */
export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
