// The finding below the board: what was overlooked and why, the steps of the better line, and the attempt.

import { $, $$, setText } from "./dom.js";
import { colorName, findingSentence, percent } from "../game/wording.js";

export class StudyView {
  constructor(root) {
    this.root = root;
    this.title = $("[data-finding-title]", root);
    this.text = $("[data-finding-text]", root);
    this.steps = $("[data-finding-steps]", root);
  }

  /** `findings` is the list that "next" and "previous" go through. */
  render(study, findings, level) {
    const { finding, isTrying, step, line } = study;
    this.root.hidden = !finding;
    if (!finding) return;
    const index = findings.findIndex(({ node }) => node === finding.node);
    setText(this.title, findingSentence(finding));
    setText(this.text, isTrying ? attemptSentence(finding, level) : reasonSentence(finding));
    setText(this.steps, line.length ? `${step} of ${line.length}` : "");
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

/** "Move 9: White wins 12 % after c4 (✕), 55 % after f2. The reason: f2 joins two of White's sides." */
function reasonSentence({ number, mover, played, better, played_chance: after, better_chance: instead, reason }) {
  const chances = `${percent(after)} after ${played} (✕), ${percent(instead)} after ${better}`;
  const sentence = `Move ${number}: ${colorName(mover)} wins ${chances.replaceAll(" %", "\u00a0%")}.`;
  return reason ? `${sentence} The reason: ${reason.text}.` : sentence;
}

function attemptSentence({ mover }, level) {
  return `You play ${colorName(mover)}. Malecon answers at level ${level}.`;
}

function enable(root, action, isEnabled) {
  $(`[data-action="${action}"]`, root).disabled = !isEnabled;
}
