// The site as it is installed: its size, its manifest, without a network, and after a new version.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { filesIn, pack, packedSize } from "../site/pack.js";
import { PATIENCE, built, dist, openContext, picture, staticSite, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

/** The most bytes that the site may have, with gzip. */
const LIMIT = 3_000_000;

const browser = useBrowser();

test("the site is small, and names with a hash are all that is in it", () => {
  const names = filesIn(dist);
  const size = packedSize(dist, names);
  assert.ok(size <= LIMIT, `the site has ${size} bytes with gzip; the limit is ${LIMIT}`);
  const plain = names.filter((name) => !/-[0-9a-f]{8}(\.\w+$|\/)/.test(name));
  // The first one is that of --pages.
  assert.deepEqual(
    plain.filter((name) => name !== ".nojekyll"),
    ["index.html", "service-worker.js"],
  );
});

test("the browser offers to install the site, with its icons", async (t) => {
  const context = await openContext(t, browser);
  const { page } = await GamePage.open(context, await staticSite(t, { folder: "/games/" }));
  const devtools = await context.newCDPSession(page);
  const { url, errors, data } = await devtools.send("Page.getAppManifest");
  assert.deepEqual([path.basename(url), errors], [built("manifest.json"), []]);
  const { icons, start_url: start } = JSON.parse(data);
  assert.equal(new URL(start, url).pathname, "/games/");
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  const reasons = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito");
  assert.deepEqual(reasons, []);
  for (const { src, sizes, type } of icons.filter(({ type }) => type === "image/png")) {
    const size = await page.evaluate(async (address) => {
      const image = await createImageBitmap(await (await fetch(address)).blob());
      return `${image.width}x${image.height}`;
    }, new URL(src, url).href);
    assert.deepEqual([size, type], [sizes, "image/png"], src);
  }
});

/** Waits until the browser keeps the site. */
async function isKept(game) {
  await game.page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
}

test("a board loads the engine and its own network alone", async (t) => {
  const host = { build: dist };
  // Nothing can be kept for later.
  const alter = (name, content) => (name === "service-worker.js" ? null : content);
  const context = await openContext(t, browser, { allowed: (text) => text.includes("fetching the script") });
  const game = await GamePage.open(context, await staticSite(t, { host, alter }));
  const engineFiles = () => host.served.filter((name) => name.startsWith("engine-")).map((name) => path.basename(name));
  await game.newGame({ side: 5, play: "black", level: 1 });
  await game.hasStones(1);
  const first = ["worker.js", "engine-relaxed.wasm", "network.bin", "searcher.js"];
  assert.deepEqual(engineFiles(), first);
  await game.newGame({ side: 6, play: "black", level: 1 });
  await game.hasStones(1);
  assert.deepEqual(engineFiles(), [...first, "network-large.bin"]);
});

test("without a network, the page starts and plays on small and large boards", async (t) => {
  const host = { build: dist };
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, await staticSite(t, { host, folder: "/games/" }));
  await isKept(game);
  host.isAway = true;
  await context.setOffline(true);
  await game.page.reload();
  await game.ready();
  assert.equal(await game.page.evaluate(() => self.crossOriginIsolated), true);
  for (const [side, vertex] of [
    [4, "d4"],
    [8, "h8"],
  ]) {
    await game.newGame({ side, play: "white", level: 1 });
    await game.play(vertex, "white");
    await game.hasStones(2);
  }
  await game.action("puzzles").click();
  await game.find('[data-puzzle-screen][data-state="yours"]').waitFor();
});

test("a site whose data are cleared is not a new version", async (t) => {
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, await staticSite(t));
  await isKept(game);
  const devtools = await context.newCDPSession(game.page);
  await game.page.evaluate(() => {
    self.controllers = [];
    const { serviceWorker } = navigator;
    serviceWorker.addEventListener("controllerchange", () => self.controllers.push(serviceWorker.controller));
  });
  await devtools.send("Storage.clearDataForOrigin", { origin: new URL(game.page.url()).origin, storageTypes: "all" });
  await game.page.waitForFunction(() => self.controllers.length > 0);
  assert.deepEqual(await game.page.evaluate(() => self.controllers), [null]);
  assert.equal(await game.find("[data-news]").isHidden(), true);
});

/** Another build of the site, whose page says so. */
async function buildAgain(t) {
  const folder = mkdtempSync(path.join(tmpdir(), "malecon-site-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [page, out] = [path.join(folder, "page"), path.join(folder, "dist")];
  cpSync(new URL("../page", import.meta.url), page, { recursive: true });
  const html = path.join(page, "index.html");
  writeFileSync(html, readFileSync(html, "utf8").replace("<title>Malecon", "<title>The new Malecon"));
  const main = path.join(page, "js/main.js");
  writeFileSync(main, `${readFileSync(main)}\ndocument.documentElement.dataset.build = "new";\n`);
  const modules = path.join(dist, built("engine"));
  const isModule = (file) => !file.endsWith(".js");
  cpSync(modules, path.join(out, "engine"), { recursive: true, filter: isModule });
  await pack(out, page);
  return out;
}

test("a new version is announced, takes over when the user wants it, and the game goes on", async (t) => {
  const host = { build: dist };
  const [context, url] = [await openContext(t, browser), await staticSite(t, { host })];
  const [game, other] = [await GamePage.open(context, url), await GamePage.open(context, url)];
  await isKept(game);
  await game.newGame({ side: 5, play: "white", level: 1 });
  await game.play("e5", "white");
  await game.hasStones(2);
  await game.find('[data-board][data-can-play="true"]').waitFor();
  const stones = await game.stones();

  host.build = await buildAgain(t);
  host.served = [];
  // As a user who comes back to the page.
  await game.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await game.find("[data-news]:visible").waitFor();
  await picture(game.page, "new-version");
  assert.equal(await game.page.title(), "Malecon: Havannah");
  assert.ok(!host.served.some((name) => name.endsWith(".wasm")), "what has not changed is not loaded again");
  await game.action("renew").click();
  await game.page.waitForFunction(() => document.documentElement.dataset.build === "new");
  await game.ready();
  assert.equal(await game.page.title(), "The new Malecon: Havannah");
  await game.hasStones(2);
  assert.deepEqual(await game.stones(), stones);
  await game.find('[data-board][data-can-play="true"]').waitFor();
  await game.find("[data-news]").waitFor({ state: "hidden" });

  // The other tab goes on with its version, and is told, too.
  await other.find("[data-news]:visible").waitFor();
  await other.newGame({ side: 6, play: "white", level: 1 });
  await other.play("f6", "white");
  await other.hasStones(2);
  await other.action("later").click();
  await other.find("[data-news]").waitFor({ state: "hidden" });
});

test("while a new version is only half there, the page stays as it is", async (t) => {
  const host = { build: dist };
  const next = await buildAgain(t);
  let isHalf = true;
  // The host has the new files, but still the old page.
  const alter = (name, content) => (isHalf && name === "index.html" ? readFileSync(path.join(dist, name)) : content);
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, await staticSite(t, { host, alter }));
  await isKept(game);
  host.build = next;
  const update = () =>
    game.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      await registration.update().catch(() => {});
      const worker = registration.installing ?? registration.waiting;
      if (worker?.state === "installing") {
        await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
      }
      return worker?.state;
    });
  assert.equal(await update(), "redundant");
  await game.page.reload();
  await game.ready();
  assert.equal(await game.page.title(), "Malecon: Havannah");
  isHalf = false;
  // The browser itself may have begun to look for an update before, and then this gets what comes of that.
  const end = Date.now() + PATIENCE;
  while ((await update()) !== "installed") assert.ok(Date.now() < end);
});

test("with a full disk, what cannot be kept is loaded all the same", async (t) => {
  const host = { build: dist };
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, await staticSite(t, { host }));
  await isKept(game);
  const devtools = await context.newCDPSession(game.page);
  const { origin } = new URL(game.page.url());
  // The browser has dropped what it kept, and has no room any more.
  await game.page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) await cache.delete(request);
    }
  });
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await game.page.reload();
  await game.ready();
  await game.newGame({ side: 5, play: "white", level: 1 });
  await game.play("e5", "white");
  await game.hasStones(2);
});
