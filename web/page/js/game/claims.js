// What reasons and findings say, worded from the engine's data (docs/analysis.md, docs/review.md).

import { t } from "../language/texts.js";
import { other } from "./stones.js";

/** The longest text, in characters, to which a second claim is added. */
const LONGEST = 110;

/** A claim in one or two short sentences, without the last full stop. Throws an Error if it is none that is known. */
export function claimText(claim) {
  const values = { ...claim, opponent: other(claim.player) };
  const clause = clauseOf(claim, values);
  const text = claim.after ? t("claim.after", { after: claim.after, clause }) : clause;
  if (!claim.also) return text;
  const longer = `${text}. ${capitalized(stakeText({ ...values, ...claim.also }))}`;
  return longer.length <= LONGEST ? longer : text;
}

function clauseOf({ kind, by, move, vertices, ends, sides, evidence, opponent_stones: stones }, values) {
  const [first, second] = vertices ?? [];
  switch (kind) {
    case "stops-one-of":
    case "double-threat":
    case "threatens":
    case "threatens-to-force":
    case "stops-double-threat":
      return t(kind === "stops-double-threat" && by === move ? `claim.${kind}.there` : `claim.${kind}`, {
        ...values,
        first,
        second,
      });
    case "wins-race":
      return t(stones === null ? "claim.wins-race.alone" : "claim.wins-race", values);
    case "joins":
    case "prevents-joining":
    case "prevents-connecting":
    case "intrudes":
      return t(`claim.${kind}`, { ...values, ...endTexts(ends) });
    case "connects":
      return `${t("claim.connects", { ...values, ...endTexts(ends) })}. ${answerText(values, vertices)}`;
    case "stays":
      return `${t("claim.stays", { ...values, end: endText(ends[0]) })}. ${answerText(values, vertices)}`;
    case "takes-over":
      return t("claim.takes-over", { ...values, evidence: t(`evidence.${evidence.from}`, evidence) });
    case "leaves-stone":
      return t("claim.leaves-stone", { ...values, first, evidence: t(`evidence.${evidence.from}`, evidence) });
    case "own-stones":
    case "opponent-stones":
      return t("claim.stake", { ...values, clause: stakeText(values) });
    case "near-sides":
    case "near-side": {
      const [near, next] = sides.map(({ side, steps }) => ({ side: sideText(side), steps }));
      return t(`claim.${kind}`, { ...values, ...near, other: next?.side, more: next?.steps });
    }
    default:
      return t(`claim.${kind}`, values);
  }
}

/** How many more stones a structure needs. */
function stakeText(values) {
  const [structure] = values.structures;
  const isPossible = values.kind === "own-stones" ? values.without !== null : values.with !== null;
  return t(isPossible ? `stake.${values.kind}` : `stake.${values.kind}.impossible`, { ...values, structure });
}

/** How a connection holds. */
function answerText(values, pair) {
  if (!pair) return t("claim.every-cut");
  const [first, second] = pair;
  return t("claim.answer", { ...values, first, second });
}

/** Two ends, as "d4 with the side a1-a5": a chain comes first. */
function endTexts(ends) {
  const [chain, end] = ends[0].chain ? ends : [ends[1], ends[0]];
  return { chain: chain.chain, end: endText(end) };
}

function endText({ chain, side }) {
  return chain ? t("vertex", { name: chain }) : sideText(side);
}

function sideText([from, to]) {
  return t("claim.side", { from, to });
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** A finding of a review: "Both overlooked f2 from move 9 to 23." */
export function findingText({ kind, player, better, played, moves }) {
  const values = { player, better, played, first: moves[0], last: moves.at(-1) };
  if (kind === "overlooked") return t(moves.length > 1 ? "overlooked.again" : "overlooked.once", values);
  return t(`overlooked.${kind}`, values);
}
