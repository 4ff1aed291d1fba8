// What analysis writes on the vertices of the board, by the kind of overlay.

import { isStone } from "../game/stones.js";
import { shortNumber, t, wholePercent } from "../language/texts.js";

/** Moves with fewer visits than this share of the best one's are not drawn. */
const FEWEST = 0.01;
/** Moves that are worse than the best one by this much have no colour in the overlay of win rates. */
const SPREAD = 0.3;
/** Longer lines are guesswork and cover the board. */
const LONGEST_LINE = 9;

/** Notes by vertex name for `BoardView.render`. `answer` is the engine's, or null. */
export function notesOf(answer, overlay) {
  if (!answer) return new Map();
  switch (overlay) {
    case "visits":
      return visitNotes(answer.moves ?? []);
    case "winrate":
      return rateNotes(answer.moves ?? []);
    case "policy":
      return policyNotes(answer.policy ?? {});
    case "race":
      return raceNotes(answer);
    case "threats":
      return threatNotes(answer.threats ?? {});
    default:
      return new Map();
  }
}

function drawn(moves) {
  const most = Math.max(1, ...moves.map(({ visits }) => visits));
  return moves
    .filter(({ move, visits, verdict }) => isStone(move) && (visits >= FEWEST * most || verdict === "win"))
    .map((entry) => ({ ...entry, most }));
}

function rateText({ win_rate: rate, verdict }) {
  if (verdict) return t(`verdict.${verdict}`);
  return typeof rate === "number" ? String(wholePercent(rate)) : "?";
}

function label(entry) {
  const { verdict, win_rate: rate, visits } = entry;
  if (verdict) return t("note.proven", { verdict, visits });
  return typeof rate === "number" ? t("note.candidate", { rate, visits }) : t("note.visits", { visits });
}

function visitNotes(moves) {
  return new Map(
    drawn(moves).map((entry, i) => [
      entry.move,
      {
        heat: Math.sqrt(entry.visits / entry.most),
        text: rateText(entry),
        small: shortNumber(entry.visits),
        best: i === 0,
        label: label(entry),
      },
    ]),
  );
}

function rateNotes(moves) {
  const list = drawn(moves).filter((entry) => typeof entry.win_rate === "number");
  const best = Math.max(...list.map((entry) => entry.win_rate));
  return new Map(
    list.map((entry, i) => [
      entry.move,
      {
        heat: Math.max(0.02, 1 - (best - entry.win_rate) / SPREAD),
        text: rateText(entry),
        best: i === 0,
        label: label(entry),
      },
    ]),
  );
}

function policyNotes(policy) {
  const entries = Object.entries(policy);
  const most = Math.max(...entries.map(([, p]) => p));
  return new Map(
    entries.map(([name, p]) => [
      name,
      {
        heat: p >= 0.005 ? p / most : 0,
        text: p >= 0.01 ? String(Math.round(100 * p)) : "",
        best: p === most,
        label: p >= 0.01 ? t("note.policy", { rate: p }) : null,
      },
    ]),
  );
}

/** What a colour would win with, by vertex. B, F and R stand for the bridge, fork or ring that a stone completes. */
export function threatNotes(threats) {
  const notes = new Map();
  for (const color of ["white", "black"]) {
    for (const [name, structures] of Object.entries(threats[color] ?? {})) {
      const text = structures.map((structure) => t(`structure.letter.${structure}`)).join("");
      const list = [...(notes.get(name)?.threats ?? []), { color, text }];
      const said = list.map((threat) => t("note.threat", { player: threat.color, structures: threat.text })).join(", ");
      notes.set(name, { threats: list, label: said });
    }
  }
  return notes;
}

/** The tightest full frame of a player, or null. The list may have half frames, which the opponent can break. */
function fullFrame(frames) {
  return frames.find(({ full }) => full) ?? null;
}

/**
 * The race: where the tightest frame of each colour lies, and if neither has one, where a bridge or fork of the player
 * to move needs the fewest stones.
 */
function raceNotes({ frames, distances, to_move: toMove }) {
  if (!frames || !distances) return new Map();
  const notes = new Map();
  for (const color of ["white", "black"]) {
    for (const name of fullFrame(frames[color])?.carrier ?? []) {
      const list = [...(notes.get(name)?.frames ?? []), color];
      notes.set(name, { frames: list, label: t("note.frame", { players: list }) });
    }
  }
  if (notes.size > 0) return notes;
  const ways = Object.entries(distances[toMove]).filter(([, stones]) => stones !== null);
  const fewest = Math.min(...ways.map(([, stones]) => stones));
  const near = ways.filter(([, stones]) => stones <= fewest + 1);
  return new Map(
    near.map(([name, stones]) => [
      name,
      {
        heat: stones === fewest ? 1 : 0.2,
        text: String(stones),
        label: t("note.race", { stones }),
      },
    ]),
  );
}

/** What the overlay shows, in a sentence or two; `answer` is the engine's, or null. */
export function legendOf(answer, overlay) {
  switch (overlay) {
    case "visits":
      return t("legend.visits");
    case "winrate":
      return t("legend.winrate");
    case "policy":
      return t("legend.policy");
    case "race":
      return answer?.frames && answer.distances ? raceSentence(answer) : "";
    case "threats":
      return threatSentence(answer?.threats);
    default:
      return "";
  }
}

function raceSentence({ frames, distances }) {
  const { leader, proven } = frames;
  const [white, black] = ["white", "black"].map((color) => fewest(distances[color]));
  const need = t("legend.need", { white, black });
  const widths = ["white", "black"].map((color) => fullFrame(frames[color])?.width);
  const hasNone = widths.every((width) => width === undefined);
  const frame = (width) => (width === undefined ? t("frame.none") : t("frame.lacks", { stones: width }));
  const who = leader ? [t(proven ? "legend.leader-wins" : "legend.leader", { player: leader })] : [];
  if (hasNone) return [...who, t("legend.no-frame", { need })].join(" ");
  return [...who, t("legend.frames", { white: frame(widths[0]), black: frame(widths[1]) }), need].join(" ");
}

function fewest(distances) {
  const stones = Object.values(distances).filter((count) => count !== null);
  return stones.length ? Math.min(...stones) : t("legend.impossible");
}

function threatSentence(threats) {
  if (!threats) return "";
  const isThere = ["white", "black"].some((color) => Object.keys(threats[color] ?? {}).length > 0);
  if (!isThere) return t("legend.no-threats");
  return t("legend.threats");
}

/** The stones of the first `count` of a line of moves, with the colours in which they would be placed. */
export function lineStones(pv, toMove, count = LONGEST_LINE) {
  const colors = toMove === "white" ? ["white", "black"] : ["black", "white"];
  return pv
    .slice(0, count)
    .map((name, i) => ({ name, color: colors[i % 2] }))
    .filter(({ name }) => isStone(name));
}
