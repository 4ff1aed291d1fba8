// The finding below the board: what was overlooked and why, the steps of the better line, and the attempt.

import { $, $$, setText } from "./dom.js";
import { colorName, findingSentence } from "../game/wording.js";
import { percent } from "../language/texts.js";

export class StudyView {
  constructor(root) {
    this.root = root;
    this.title = $("[data-finding-title]", root);
    this.text = $("[data-finding-text]", root);
    this.steps = $("[data-finding-steps]", root);
    this.verdict = $("[data-finding-verdict]", root);
    this.#findPlace();
  }

  /** On wide screens the finding is on top of the panel, so that the board keeps its size; else below the board. */
  #findPlace() {
    const [below, panel] = [this.root.previousElementSibling, $(".panel")];
    const isWide = matchMedia("(min-width: 60em)");
    const place = () => (isWide.matches ? panel.prepend(this.root) : below.after(this.root));
    isWide.addEventListener("change", place);
    place();
  }

  /** `findings` is the list that "next" and "previous" go through. */
  render(study, findings) {
    const { finding, isTrying, step, line } = study;
    this.root.hidden = !finding;
    if (!finding) return;
    const index = findings.findIndex(({ node }) => node === finding.node);
    setText(this.title, findingSentence(finding));
    setText(this.text, isTrying ? attemptSentence(finding) : reasonSentence(finding));
    const verdict = study.verdict();
    this.verdict.hidden = !verdict;
    if (verdict) setText(this.verdict, verdictSentence(verdict, finding.mover));
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

/** "White's chance fell to 12 % with c4 (✕). With f2 (1) it was 55 %. Why: f2 joins two of White's sides." */
function reasonSentence({ mover, played, better, reason, node }) {
  const own = ({ white }) => (mover === "white" ? white : 1 - white);
  const { mistake, evaluation } = node;
  const [after, instead] = [
    evaluation ? own(evaluation) : mistake.played_chance,
    mistake.evaluation ? own(mistake.evaluation) : mistake.better_chance,
  ].map((chance) => percent(chance).replace(" %", "\u00a0%"));
  const sentences = [`${colorName(mover)}'s chance fell to ${after} with ${played} (✕).`];
  sentences.push(`With ${better} it was ${instead}.`);
  if (reason) sentences.push(`Why: ${reason.text}.`, ...markSentences(Object.values(reason.marks ?? {})));
  return sentences.join(" ");
}

/** What the marks on the board are, of those that are there. */
function markSentences(shapes) {
  const said = { circle: "○ works with it", square: "□ works against it", triangle: "△ the cells of the connection" };
  const words = Object.entries(said).filter(([shape]) => shapes.includes(shape));
  return words.length ? [`On the board: ${words.map(([, text]) => text).join(", ")}.`] : [];
}

function attemptSentence({ mover }) {
  return `You play ${colorName(mover)}, Malecon the other side at full strength. Find a better move.`;
}

/** How good the move of an attempt is. */
function verdictSentence({ move, kind, chance, better, betterChance }, mover) {
  const wins = (rate) => `${colorName(mover)} wins ${percent(rate)}`;
  switch (kind) {
    case "better":
      return `${move} is the better move: ${wins(betterChance)}.`;
    case "played":
      return `${move} is the move of the game. Take it back and try another one.`;
    case "good":
      return `${move} is as good as ${better}: ${wins(chance)}.`;
    default:
      return `${move} is not as good: ${wins(chance)}, with ${better} ${percent(betterChance)}.`;
  }
}

function enable(root, action, isEnabled) {
  $(`[data-action="${action}"]`, root).disabled = !isEnabled;
}
