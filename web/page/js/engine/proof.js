// Proofs of who wins: their files, and the words for what happens in them.

import { t } from "../language/texts.js";
import { SITE } from "../site.js";

/** Loads the proof that comes with the page, as bytes. Rejects if it cannot be loaded. */
export async function loadProof() {
  const response = await fetch(SITE.proof).catch(() => null);
  if (!response?.ok) throw new Error(t("proof.loading-failed"));
  return new Uint8Array(await response.arrayBuffer());
}

/** Bytes as a text in base64. */
export function base64(bytes) {
  // As many at a time as a function takes.
  const part = 0x8000;
  let text = "";
  for (let at = 0; at < bytes.length; at += part) text += String.fromCharCode(...bytes.subarray(at, at + part));
  return btoa(text);
}

/** The replies in the fragment of a link to the proof, such as #proof=b2,c3, or null if it leads elsewhere. */
export function repliesOf(fragment) {
  const replies = new URLSearchParams(fragment.replace(/^#/, "")).get("proof");
  if (replies === null) return null;
  return replies.toLowerCase().split(",").filter(Boolean);
}

/** The stones of a game as rows of a reply and its answer, the first of which may have no reply. */
export function rowsOf(steps, winner) {
  const rows = [];
  for (const step of steps) {
    if (step.color !== winner || rows.length === 0) rows.push({ reply: null, answer: null });
    rows[rows.length - 1][step.color === winner ? "answer" : "reply"] = step;
  }
  return rows;
}

/** What a stone of a proof does, in a word or two; "" if it only makes its player's way. */
export function stepWord({ by, blocks, threats }) {
  if (by.length > 0) return t("proof.completes", { structures: by });
  if (threats >= 2) return t("proof.two-at-once");
  if (blocks) return t(threats === 1 ? "proof.blocks-threat" : "proof.must-block");
  return threats === 1 ? t("proof.threat") : "";
}

/** The notes on the board: for each reply how many more stones there are until the end, the longest marked. */
export function lengthNotes(replies) {
  const entries = Object.entries(replies);
  const lengths = entries.map(([, length]) => length);
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  const note = (length) => ({
    heat: most > least ? (length - least) / (most - least) : 0,
    text: String(length),
    best: most > least && length === most,
    label: t("proof.length", { stones: length }),
  });
  return new Map(entries.map(([name, length]) => [name, note(length)]));
}
