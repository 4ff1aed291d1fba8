// The languages of the page: which one it speaks, where its texts come from, and that they fit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LESSONS } from "../page/js/game/lessons.js";
import { LANGUAGES } from "../page/js/language/languages.js";
import { flaws } from "./flaws.js";
import { ALL, ENGINES, built, dist, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

const browser = useBrowser();

/** The heading of the settings in each language: what a test can tell a language by. */
const SETTINGS = {
  en: "Settings",
  de: "Optionen",
  es: "Ajustes",
  fr: "Réglages",
  nl: "Opties",
  pl: "Opcje",
};
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** Waits until the page speaks a language. */
async function speaks(game, code) {
  await game.find(`html[lang="${code}"]:not(.without-texts)`).waitFor({ state: "attached" });
  assert.equal(await game.find("#settings-title").textContent(), SETTINGS[code]);
}

test("the page speaks the language of the browser, and loads no other one", async (t) => {
  const host = { build: dist };
  // Nothing can be kept for later.
  const alter = (name, content) => (name === "service-worker.js" ? null : content);
  const allowed = (text) => text.includes("fetching the script");
  const url = await staticSite(t, { host, alter });
  const files = Object.keys(LANGUAGES).filter((code) => code !== "en");
  for (const locale of ["en-US", "de-AT", "ja-JP"]) {
    host.served.length = 0;
    const game = await GamePage.open(await openContext(t, browser, { locale, allowed }), url);
    const code = locale.startsWith("de") ? "de" : "en";
    await speaks(game, code);
    const loaded = files.filter((file) => host.served.includes(built(`${file}.js`)));
    assert.deepEqual(loaded, code === "en" ? [] : [code], locale);
  }
});

test("another language can be chosen in the settings; it stays, also without a network", async (t) => {
  const host = { build: dist };
  const context = await openContext(t, browser, { locale: "de-DE" });
  const game = await GamePage.open(context, await staticSite(t, { host }));
  await game.newGame({ side: 5, play: "both" });
  await game.play("e5", "white");
  await game.play("f6", "black");
  await game.action("settings").click();
  await game.find('select[name="language"]').selectOption("fr");
  await speaks(game, "fr");
  await game.hasStone("f6", "black");
  await game.page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  host.isAway = true;
  await context.setOffline(true);
  await game.page.reload();
  await game.ready();
  await speaks(game, "fr");
  assert.match(await game.find("[data-status]").innerText(), /^À Blanc de jouer$/);
});

test("a page whose texts cannot be loaded goes on in English", async (t) => {
  const alter = (name, content) => (name === built("pl.js") ? null : content);
  const allowed = (text) => /404|Failed to load/.test(text);
  const game = await GamePage.open(
    await openContext(t, browser, { locale: "pl-PL", allowed }),
    await staticSite(t, { alter }),
  );
  await speaks(game, "en");
});

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`reasons and findings are in the language of the page (${engine})`, async (t) => {
    const url = await site(t);
    const german = await GamePage.open(await openContext(t, browser, { locale: "de-DE" }), url);
    await german.paste("# side 4\na1 c3 a2 d4 a3 e5");
    await german.action("hint").click();
    await german.find("[data-status]", { hasText: "Tipp: a4 vollendet eine Brücke und gewinnt." }).waitFor();
    const polish = await GamePage.open(await openContext(t, browser, { locale: "pl-PL" }), url);
    await polish.paste("# side 5\na1 e9 a2 f9 a3 g9 a4 h9 i7 c3 a5");
    await polish.action("review").click();
    await polish.find("[data-findings] button", { hasText: "Czarne przeoczyły i9 w ruchu 10." }).click();
    await polish.find("[data-finding-text]", { hasText: "Dlaczego: i9 kończy most i wygrywa." }).waitFor();
    await picture(polish.page, `finding-pl-${engine}`);
  });
}

/** What sticks out: of the screen, or of a button, a field or a cell that cuts it off. */
function overflows() {
  const { clientWidth } = document.documentElement;
  const isSeen = (element) => element.getClientRects().length > 0 && !element.closest(".visually-hidden, .skip-link");
  const name = (element) => `${element.tagName.toLowerCase()} ${element.textContent.trim().slice(0, 60)}`;
  const found = [];
  for (const element of document.querySelectorAll("button, label, p, h1, h2, h3, td, th, summary, legend, span, li")) {
    if (!isSeen(element)) continue;
    const { left, right } = element.getBoundingClientRect();
    if (element.closest(".moves, svg, .top-actions, table")) continue;
    if (left < -1 || right > clientWidth + 1) found.push(`beside the screen: ${name(element)}`);
  }
  for (const element of document.querySelectorAll("button, .segments span, .file-button, th")) {
    if (isSeen(element) && element.scrollWidth > element.clientWidth + 1) found.push(`cut off: ${name(element)}`);
  }
  if (document.scrollingElement.scrollWidth > clientWidth) found.push("the page is wider than the screen");
  return found;
}

test("first visits, findings, attempts and openings fit a phone in all languages", async (t) => {
  const url = await ENGINES.native(t);
  const isOneLine = async (game, selector, code) => {
    const button = game.find(selector);
    await button.waitFor();
    const { height } = await button.boundingBox();
    assert.ok(height < 48, `${code}: ${selector} is ${height} pixels high`);
  };
  for (const code of Object.keys(LANGUAGES)) {
    const settings = { language: code, tutorial: LESSONS.length, openings: true };
    const game = await GamePage.open(await openContext(t, browser, { ...PHONE, settings }), url);
    await isOneLine(game, "[data-lesson-next]", code);
    await picture(game.page, `${code}-lesson-end`);
    await game.page.keyboard.press("Escape");
    await game.paste("# side 5\na1 e9 a2 f9 a3 g9 a4 h9 i7 c3 a5");
    await game.find('[data-action="review"].small').tap();
    await game.find("[data-review-files]:visible").waitFor();
    await game.find("[data-findings] button").first().tap();
    await game.find("[data-finding]:visible").waitFor();
    assert.deepEqual(await flaws(game.page), [], code);
    await game.action("try").tap();
    await isOneLine(game, '[data-action="end-try"]', code);
    assert.deepEqual(await game.page.evaluate(overflows), [], code);
    // The table of first stones has the most columns.
    await game.newGame({ side: 5, play: "both" });
    await game.find("[data-opening]").first().waitFor();
    assert.deepEqual(await game.page.evaluate(overflows), [], code);
  }
});

/** The colours in which axe looks at all screens; the language makes no difference to it. */
const SCHEMES = ALL ? { en: "light", de: "dark" } : { en: "light" };

// English is the shortest, and German has the longest words.
for (const code of ALL ? Object.keys(LANGUAGES) : ["en", "de"]) {
  test(`all texts fit on a phone of 360 pixels (${code})`, async (t) => {
    const settings = { analysis: true, openings: true, language: code, warnings: true };
    const context = await openContext(t, browser, { ...PHONE, settings, colorScheme: SCHEMES[code] ?? "light" });
    const game = await GamePage.open(context, await ENGINES.native(t));
    const fits = async (what) => {
      assert.deepEqual(await game.page.evaluate(overflows), [], `${code}: ${what}`);
      if (code in SCHEMES) assert.deepEqual(await flaws(game.page), [], `${SCHEMES[code]}: ${what}`);
      await picture(game.page, `${code}-${what}`);
    };
    await game.newGame({ side: 5, play: "white", level: 1, swap: true });
    await game.vertex("e5").tap();
    await game.find('[data-board][data-can-play="true"]').waitFor();
    await game.find("[data-candidate]").first().waitFor();
    await fits("game");
    // The longest move in a table.
    await game.paste("(;FF[4]SZ[5];W[e5];B[swap])");
    await game.find('[data-moves] [data-move="swap"]').waitFor();
    // In the next game, it is the move that a game of the library has.
    await game.newGame({ side: 5, play: "both", swap: true });
    await game.vertex("e5").tap();
    await game.find('[data-opening="swap"]').waitFor();
    await fits("swap");
    const { height } = await game.find(".top").boundingBox();
    assert.ok(height < 60, `${code}: the top of the page is ${height} high`);
    const buttons = game.find(".actions button:visible:not(.primary)");
    const tops = await buttons.evaluateAll((list) => list.map((button) => button.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1, `${code}: the buttons below the board are one row`);
    await game.page.evaluate(() => scrollTo(0, document.scrollingElement.scrollHeight));
    await fits("panel");
    await game.page.evaluate(() => scrollTo(0, 0));
    await game.action("annotate").click();
    await game.find("[data-annotate]:visible").waitFor();
    await game.find("[data-open-line]").first().tap();
    await game.find("[data-line-card]:visible").waitFor();
    await fits("notes");
    await game.action("close-line").click();
    await game.action("annotate").click();
    // No search slows what follows.
    await game.choose("[data-analysis-switch]");
    for (const dialog of ["new-game", "open", "share", "settings", "rules"]) {
      await game.action(dialog).click();
      await game.find(`dialog[data-dialog="${dialog}"]`).waitFor();
      if (dialog === "new-game") {
        await game.find("[data-more-choices] summary").click();
        await game.find('select[name="handicap"]').selectOption("white");
      }
      await fits(dialog);
      await game.page.keyboard.press("Escape");
      await game.find(`dialog[data-dialog="${dialog}"]`).waitFor({ state: "hidden" });
    }
    await game.action("rules").click();
    await game.action("tutorial").click();
    await game.find("[data-lesson-board] [data-board]").waitFor();
    await fits("tutorial");
    await game.page.keyboard.press("Escape");
    await game.action("puzzles").click();
    await game.find('[data-puzzle-screen][data-state="yours"]').waitFor();
    await fits("puzzle");
    await game.action("proof").click();
    await game.find("[data-proof-row]").first().waitFor();
    await fits("proof");
    await game.page.evaluate(() => (location.hash = "editor:side=5&white=a1,a2&black=b2"));
    await game.find("[data-editor-status]").waitFor();
    await fits("editor");
    await game.page.evaluate(() => (location.hash = "games"));
    await game.find("[data-library-summary]").waitFor();
    await fits("library");
  });
}
