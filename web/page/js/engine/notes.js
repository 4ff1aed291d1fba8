// What analysis writes on the vertices of the board, by the kind of overlay.

import { count, percent } from "../game/wording.js";

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
    case "ownership":
      return new Map(Object.entries(answer.ownership ?? {}).map(([name, owner]) => [name, { owner }]));
    case "threats":
      return threatNotes(answer.threats ?? {});
    default:
      return new Map();
  }
}

function drawn(moves) {
  const most = Math.max(1, ...moves.map(({ visits }) => visits));
  return moves
    .filter(({ move, visits, verdict }) => isVertex(move) && (visits >= FEWEST * most || verdict === "win"))
    .map((entry) => ({ ...entry, most }));
}

function isVertex(move) {
  return move !== "swap" && move !== "resign";
}

function rateText({ win_rate: rate, verdict }) {
  if (verdict) return verdict;
  return typeof rate === "number" ? percent(rate).replace(" %", "") : "?";
}

function label(entry) {
  const rate = entry.verdict ? `proven ${entry.verdict}` : `wins ${rateText(entry)} %`;
  return `candidate, ${rate}, ${entry.visits} visits`;
}

function visitNotes(moves) {
  return new Map(
    drawn(moves).map((entry, i) => [
      entry.move,
      {
        heat: Math.sqrt(entry.visits / entry.most),
        text: rateText(entry),
        small: count(entry.visits),
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
        label: p >= 0.01 ? `first guess ${percent(p)}` : null,
      },
    ]),
  );
}

/** What a colour would win with, by vertex. B, F and R stand for the bridge, fork or ring that a stone completes. */
export function threatNotes(threats) {
  const notes = new Map();
  for (const color of ["white", "black"]) {
    for (const [name, structures] of Object.entries(threats[color] ?? {})) {
      const text = structures.map((structure) => structure[0].toUpperCase()).join("");
      const list = [...(notes.get(name)?.threats ?? []), { color, text }];
      const said = list.map((threat) => `${threat.color} can complete ${threat.text}`).join(", ");
      notes.set(name, { threats: list, label: said });
    }
  }
  return notes;
}

/** The stones of the first `count` of a line of moves, with the colours in which they would be placed. */
export function lineStones(pv, toMove, count = LONGEST_LINE) {
  const colors = toMove === "white" ? ["white", "black"] : ["black", "white"];
  return pv
    .slice(0, count)
    .map((name, i) => ({ name, color: colors[i % 2] }))
    .filter(({ name }) => isVertex(name));
}
