// The page as its user sees it. web/page/README.md lists the attributes that this relies on.

import assert from "node:assert/strict";

export class GamePage {
  constructor(page) {
    this.page = page;
  }

  /** Opens the page in a new tab and waits until it has an engine. */
  static async open(context, url) {
    const game = new GamePage(await context.newPage());
    await game.page.goto(url);
    await game.ready();
    return game;
  }

  async ready() {
    await this.page.locator('[data-engine][data-state="ready"]').waitFor();
  }

  /** What fits a selector, and perhaps options of Playwright such as `hasText`. */
  find(selector, options) {
    return this.page.locator(selector, options);
  }

  action(name) {
    return this.find(`[data-action="${name}"]:visible`).first();
  }

  vertex(name) {
    return this.find(`[data-vertex="${name}"]`);
  }

  /** Chooses a radio button or a checkbox by clicking its label, as a user does. */
  async choose(input, within = "body") {
    await this.find(`${within} label:has(${input})`).click();
  }

  async newGame({ side, play, level = 1, swap = false }) {
    await this.action("new-game").click();
    const dialog = '[data-dialog="new-game"]';
    await this.choose(`input[name="side"][value="${side}"]`, dialog);
    await this.choose(`input[name="play"][value="${play}"]`, dialog);
    if (play !== "both") await this.choose(`input[name="level"][value="${level}"]`, dialog);
    await this.find(`${dialog} input[name="swap"]`).setChecked(swap);
    await this.find(`${dialog} button[value="start"]`).click();
    // Whether one may play is known only when the new board is drawn.
    await this.find(`[data-board][data-side="${side}"][data-can-play]`).waitFor();
  }

  /** Checks that the page need not be scrolled sideways. `what` is what it shows. */
  async isAsWideAsTheScreen(what = "the page") {
    const [shown, needed] = await this.page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.scrollingElement;
      return [clientWidth, scrollWidth];
    });
    assert.equal(needed, shown, `${what} is as wide as the screen`);
  }

  /** Checks that neither the page nor a list in it need be scrolled sideways. `what` is what it shows. */
  async scrollsOnlyDown(what) {
    await this.isAsWideAsTheScreen(what);
    const wide = await this.page.evaluate(() => {
      const canScroll = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
      const boxes = [...document.querySelectorAll("body *:not(textarea)")].filter(canScroll);
      return boxes.filter((box) => box.scrollWidth > box.clientWidth).map(({ className }) => className);
    });
    assert.deepEqual(wide, [], `in ${what}, nothing is wider than its box`);
  }

  /** Checks that the page ends with what it shows, or with the screen. */
  async endsWithItsContent() {
    const [end, needed] = await this.page.evaluate(() => {
      const { clientHeight, scrollHeight, scrollTop } = document.scrollingElement;
      const shown = [...document.querySelectorAll("main")].map((main) => main.getBoundingClientRect().bottom);
      return [Math.max(clientHeight, Math.ceil(Math.max(...shown) + scrollTop)), scrollHeight];
    });
    assert.ok(needed <= end, `${needed} pixels are no more than ${end}`);
  }

  /** Opens a record from its text. */
  async paste(text) {
    await this.action("open").click();
    await this.find("[data-paste]").fill(text);
    await this.find('[data-dialog="open"] button[value="load"]').click();
  }

  /** Clicks on a vertex and waits for the stone. */
  async play(name, color) {
    await this.find(`[data-board][data-can-play="true"][data-to-move="${color}"]`).waitFor();
    await this.vertex(name).click();
    await this.hasStone(name, color);
  }

  async hasStone(name, color) {
    await this.find(`[data-vertex="${name}"][data-stone="${color}"]`).waitFor({ state: "attached" });
  }

  /** Waits until something has been read out, and returns it. */
  async isSaid(pattern) {
    const found = await this.page.waitForFunction((regex) => window.said.find((text) => regex.test(text)), pattern);
    return found.jsonValue();
  }

  /** All stones, as an object from vertex to colour. */
  stones() {
    return this.find("[data-vertex][data-stone]").evaluateAll((cells) =>
      Object.fromEntries(cells.map(({ dataset }) => [dataset.vertex, dataset.stone])),
    );
  }

  /** Waits until there are this many stones. */
  async hasStones(count) {
    await this.page.waitForFunction((n) => document.querySelectorAll("[data-vertex][data-stone]").length === n, count);
  }

  /** Waits until the user may move or the game is over. Returns whether it is over. */
  async turnOrEnd() {
    const over = "[data-result]:not([hidden])";
    await this.find(`[data-board][data-can-play="true"], ${over}`).first().waitFor();
    return (await this.find(over).count()) > 0;
  }

  /** The names of the vertices with an attribute, such as `data-winning`. */
  async marked(attribute) {
    const names = await this.find(`[data-vertex][${attribute}]`).evaluateAll((cells) =>
      cells.map((c) => c.dataset.vertex),
    );
    return names.sort();
  }

  /** The moves of the list, in the order of play. */
  moves() {
    return this.find("[data-moves] [data-node]").evaluateAll((nodes) => nodes.map((node) => node.dataset.move));
  }

  /** Waits for the result and checks it. */
  async result(pattern) {
    const text = this.find("[data-result]:not([hidden]) [data-result-text]");
    await text.waitFor();
    assert.match(await text.innerText(), pattern);
  }

  /** The element that the keyboard acts on, as the value of one of its attributes. */
  focused(attribute) {
    return this.page.evaluate((name) => document.activeElement?.getAttribute(name) ?? null, attribute);
  }
}
