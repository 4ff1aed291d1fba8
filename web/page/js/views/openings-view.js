// The card of openings: the moves of the position, with the library's games, the table of first stones and the engine.

import { Emitter } from "../game/emitter.js";
import { lineText, moveText, playLabel, resultSentence } from "../game/wording.js";
import { percent, shortNumber, t } from "../language/texts.js";
import { $, html, setText } from "./dom.js";

/** How many moves are listed at first, and how many games. */
const ROWS = 8;
const GAMES = 5;

/**
 * Emits "switch" with whether the card is on, "play" with a move, "hover" with {pv} or null, "open" with the engine's
 * line, and "game" with a game of `Openings.gamesAt`.
 */
export class OpeningsView extends Emitter {
  #isLong = false;
  #rows = [];
  #key = "";

  constructor() {
    super();
    this.switch = html("input", {
      type: "checkbox",
      role: "switch",
      "data-openings-switch": "",
      onchange: () => this.emit("switch", this.switch.checked),
    });
    this.summary = html("p", { class: "note", "data-openings-summary": "" });
    this.tableHead = html("th", { scope: "col", text: t("openings.table") });
    this.rows = html("tbody", { "data-openings-rows": "" });
    this.table = html(
      "table",
      { class: "candidates openings-table" },
      html("caption", { class: "visually-hidden", text: t("openings.moves") }),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("th", { scope: "col", text: t("analysis.move") }),
          html("th", { scope: "col", text: t("openings.games") }),
          html("th", { scope: "col", text: t("openings.results") }),
          this.tableHead,
          html("th", { scope: "col", text: t("openings.engine") }),
        ),
      ),
      this.rows,
    );
    this.more = html("button", {
      type: "button",
      class: "small",
      "data-openings-more": "",
      onclick: () => this.#toggle(),
    });
    this.line = html("button", { type: "button", class: "openings-line", "data-openings-line": "" });
    this.line.addEventListener("click", () => this.emit("open", this.pv));
    this.gamesHead = html("h2", { text: t("openings.your-games") });
    this.games = html("ul", { class: "choice-list", "data-openings-games": "" });
    this.legend = html("p", { class: "legend", "data-openings-legend": "" });
    this.body = html(
      "div",
      { class: "openings-body", hidden: true },
      this.summary,
      this.table,
      this.more,
      this.line,
      this.legend,
      this.gamesHead,
      this.games,
    );
    const label = html("label", { class: "switch" }, this.switch, html("span", { text: t("openings.title") }));
    const card = html(
      "section",
      { class: "card openings", "aria-label": t("openings.title"), "data-openings": "" },
      html("div", { class: "card-head" }, label),
      this.body,
    );
    $(".analysis").after(card);
    this.#listen();
  }

  #listen() {
    const rowAt = (event) => this.#rows[event.target.closest("tr")?.dataset.index] ?? null;
    const hover = (event) => {
      const row = rowAt(event);
      this.emit("hover", row && row.move !== "swap" ? { pv: [row.move] } : null);
    };
    this.rows.addEventListener("pointermove", hover);
    this.rows.addEventListener("focusin", hover);
    for (const name of ["pointerleave", "focusout"]) this.rows.addEventListener(name, () => this.emit("hover", null));
    this.rows.addEventListener("click", (event) => {
      const row = rowAt(event);
      if (row && event.target.closest("button")) this.emit("play", row.move);
    });
  }

  #toggle() {
    this.#isLong = !this.#isLong;
    this.#renderRows();
  }

  /**
   * `rows` as `explorerRows` makes them, `games` as `Openings.gamesAt`, `pv` the engine's line or null, `isAnalysed`
   * whether analysis is on; `nameOf` says what a game is called.
   */
  render({ isOn, rows, games, pv, isAnalysed, nameOf }) {
    this.switch.checked = isOn;
    this.body.hidden = !isOn;
    if (!isOn) return;
    this.#rows = rows;
    this.tableHead.hidden = !rows.some(({ table }) => table);
    this.#renderRows();
    this.pv = pv ?? [];
    this.line.hidden = this.pv.length < 2;
    setText(this.line, t("openings.line", { line: lineText(this.pv) }));
    setText(this.summary, summaryOf(rows, games));
    setText(this.legend, legendOf(rows, isAnalysed));
    this.#renderGames(games, nameOf);
  }

  /** Rows are changed in place, so that a button under the pointer or with the focus stays. */
  #renderRows() {
    const shown = this.#isLong ? this.#rows : this.#rows.slice(0, ROWS);
    while (this.rows.children.length > shown.length) this.rows.lastChild.remove();
    shown.forEach((row, i) =>
      renderRow(this.rows.children[i] ?? this.rows.appendChild(emptyRow(i)), row, this.tableHead),
    );
    this.table.hidden = shown.length === 0;
    const left = this.#rows.length - ROWS;
    this.more.hidden = left <= 0;
    setText(this.more, this.#isLong ? t("openings.fewer") : t("openings.more", { moves: left }));
  }

  #renderGames(games, nameOf) {
    const shown = games.slice(0, GAMES);
    this.gamesHead.hidden = shown.length === 0;
    const key = JSON.stringify(shown.map(({ entry, after }) => [entry.id, entry.changedAt, after]));
    if (key === this.#key) return;
    this.#key = key;
    this.games.replaceChildren(
      ...shown.map((found) =>
        html(
          "li",
          {},
          html(
            "button",
            { type: "button", "data-openings-game": found.entry.id, onclick: () => this.emit("game", found) },
            html("span", { text: nameOf(found.entry) }),
            html("span", { class: "note", text: found.entry.result ? resultSentence(found.entry.result) : "" }),
          ),
        ),
      ),
    );
  }
}

function emptyRow(index) {
  return html(
    "tr",
    { "data-index": index },
    html("td", {}, html("button", { type: "button", class: "small" })),
    html("td"),
    html("td", {}, html("span", { class: "result-bar", role: "img" }, ...["white", "draw", "black"].map(share))),
    html("td"),
    html("td"),
  );
}

function share(kind) {
  return html("span", { class: kind });
}

function renderRow(element, row, tableHead) {
  const [move, games, results, table, engine] = element.children;
  const button = move.firstChild;
  setText(button, moveText(row.move));
  button.setAttribute("aria-label", playLabel(row.move));
  element.dataset.opening = row.move;
  setText(games, row.games ? shortNumber(row.games) : "–");
  const bar = results.firstChild;
  bar.hidden = row.games === 0;
  const shares = [row.white, row.draws, row.black];
  shares.forEach((share, i) => bar.children[i].style.setProperty("flex-grow", share));
  const text = resultText(row);
  bar.setAttribute("aria-label", text);
  bar.title = text;
  table.hidden = tableHead.hidden;
  setText(table, row.table ? percent(row.table.value) : "–");
  table.title = row.table ? t("openings.table-games", { games: row.table.games }) : "";
  setText(engine, row.chance === undefined ? "–" : percent(row.chance));
}

function resultText({ white, black, draws }) {
  return draws ? t("openings.result-draws", { white, black, draws }) : t("openings.result", { white, black });
}

function summaryOf(rows, games) {
  if (games.length) return t("openings.reached", { games: games.length });
  const all = rows.reduce((sum, row) => sum + row.games, 0);
  return all === 0 ? t("openings.none") : "";
}

function legendOf(rows, isAnalysed) {
  const parts = [];
  if (rows.some(({ games }) => games > 0)) parts.push(t("openings.legend.results"));
  if (rows.some(({ table }) => table)) {
    parts.push(t("openings.legend.table"));
  }
  if (!isAnalysed) parts.push(t("openings.legend.engine"));
  return parts.join(" ");
}
