// The finding below the board: what was overlooked and why, the steps of the better line, and the attempt.

import { $, $$, setText } from "./dom.js";
import { placeBesideBoard } from "./place.js";
import { findingSentence, moveText, reasonText } from "../game/wording.js";
import { t } from "../language/texts.js";

export class StudyView {
  constructor(root) {
    this.root = root;
    this.title = $("[data-finding-title]", root);
    this.text = $("[data-finding-text]", root);
    this.steps = $("[data-finding-steps]", root);
    this.verdict = $("[data-finding-verdict]", root);
    placeBesideBoard(this.root);
  }

  /** `findings` is the list that "next" and "previous" go through. */
  render(study, findings) {
    const { finding, isTrying, step, line } = study;
    this.root.hidden = !finding;
    if (!finding) return;
    const index = findings.findIndex(({ node }) => node === finding.node);
    setText(this.title, findingSentence(finding));
    setText(this.text, isTrying ? t("attempt.task", { player: finding.mover }) : reasonSentence(finding));
    const verdict = study.verdict();
    this.verdict.hidden = !verdict;
    if (verdict) setText(this.verdict, verdictSentence(verdict, finding.mover));
    setText(this.steps, line.length ? t("finding.step", { step, steps: line.length }) : "");
    for (const element of $$("[data-trying]", this.root)) {
      element.hidden = (element.dataset.trying === "yes") !== isTrying;
    }
    for (const button of $$("[data-step]", this.root)) button.hidden ||= line.length < 2;
    enable(this.root, "step-back", step > 0);
    enable(this.root, "step-forward", step < line.length);
    enable(this.root, "previous-finding", index > 0);
    enable(this.root, "next-finding", index >= 0 && index + 1 < findings.length);
  }
}

/** "White's chance fell to 12 % with c4 (✕). With f2 (1) it was 55 %. Why: f2 joins two of White's sides." */
export function reasonSentence({ mover, played, better, reason, node }) {
  const own = ({ white }) => (mover === "white" ? white : 1 - white);
  const { mistake, evaluation } = node;
  const after = evaluation ? own(evaluation) : mistake.played_chance;
  const instead = mistake.evaluation ? own(mistake.evaluation) : mistake.better_chance;
  const sentences = [t("finding.chance", { player: mover, played: moveText(played), after })];
  sentences.push(t("finding.instead", { better: moveText(better), instead }));
  if (reason) sentences.push(t("finding.why", { reason: reasonText(reason) }));
  return [...sentences, ...markSentences(Object.values(reason?.marks ?? {}))].join(" ").replaceAll(" %", "\u00a0%");
}

/** What the marks on the board are, of those that are there. */
function markSentences(shapes) {
  const known = ["circle", "square", "triangle"].filter((shape) => shapes.includes(shape));
  return known.length ? [t("finding.marks", { marks: known.map((shape) => t(`mark.${shape}`)).join(", ") })] : [];
}

/** How good the move of an attempt is. */
function verdictSentence({ kind, ...values }, player) {
  return t(`attempt.${kind}`, { player, ...values });
}

function enable(root, action, isEnabled) {
  $(`[data-action="${action}"]`, root).disabled = !isEnabled;
}
