// Nobody loses a game: the library, and what could delete moves.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ENGINES, openContext, picture, staticSite, useBrowser, waitLonger } from "./harness.js";
import { entries, gameBesideLibrary, hasGames, isKept, listed, openLibrary } from "./kept.js";
import { GamePage } from "./page.js";

const browser = useBrowser();
const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`new games, records and rematches leave the games before them in the library (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    await game.newGame({ side: 4, play: "both" });
    for (const [i, move] of ["a1", "c3", "a2", "d4", "a3", "e5", "a4"].entries()) {
      await game.play(move, i % 2 === 0 ? "white" : "black");
    }
    await game.result(/white won by bridge/i);
    await game.action("rematch").click();
    await game.hasStones(0);
    await game.play("d4", "white");
    await game.newGame({ side: 5, play: "both" });
    await game.play("e5", "white");
    await game.play("f6", "black");
    await game.paste("# side 6\nf6 g7 e5");
    await game.hasStones(3);
    await openLibrary(game, 4);
    const details = (await listed(game)).join("\n");
    for (const detail of [
      "side 4, 7 moves, White won by bridge",
      "side 4, 1 move",
      "side 5, 2 moves",
      "side 6, 3 moves",
    ]) {
      assert.ok(details.includes(detail), `${detail} in ${details}`);
    }
    await picture(game.page, `library-${engine}`);
    // Any of them is taken up again, and goes on.
    await game.find("[data-library-open]", { hasText: "side 5" }).click();
    await game.hasStones(2);
    await game.play("g6", "white");
    await isKept(game, 5, 3);
    await game.page.reload();
    await game.hasStones(3);
    await openLibrary(game, 4);
    assert.match((await listed(game))[0], /side 5, 3 moves/);
  });

  test(`a record says what is doubtful, and the names of its points can be chosen (${engine})`, async (t) => {
    const game = await GamePage.open(await openContext(t, browser), await site(t));
    const doubtful = "(;FF[4]SZ[4];W[E3];B[F3])";
    await game.paste(doubtful);
    await game.hasStone("e3", "white");
    await game.find("[data-toast]", { hasText: "does not say whose names" }).waitFor();
    await game.action("open").click();
    await game.find("[data-open-names]").selectOption("littlegolem");
    await game.find("[data-paste]").fill(doubtful);
    await game.find('[data-dialog="open"] button[value="load"]').click();
    await game.hasStone("e4", "white");
    await game.hasStone("f5", "black");
    // What cannot be read says where.
    await game.paste("# side 4\na1 b2 a1");
    await game.find("[data-open-error]", { hasText: /could not be read: line 2, column 7: illegal move a1/ }).waitFor();
    await game.page.keyboard.press("Escape");
    // One bad game does not keep the good one away.
    await game.paste("(;SZ[4];W[a1])\n(;SZ[4];W[z9])");
    await game.find("[data-toast]", { hasText: /1 game added, 1 not read \(.*z9/ }).waitFor();
  });
}

test("moves that were deleted are brought back", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.paste("# side 4\nd4 c3 e5 c5 d3 b3");
  await game.hasStones(6);
  await game.action("first").click();
  await game.action("next").click();
  await game.hasStones(1);
  await game.action("delete").click();
  await game.hasStones(0);
  assert.deepEqual(await game.moves(), []);
  await game.find("[data-toast]", { hasText: "6 moves were deleted." }).getByRole("button").click();
  await game.hasStones(1);
  assert.equal((await game.moves()).length, 6);
  // With the keyboard, without going to the message; once.
  await game.action("delete").click();
  await game.hasStones(0);
  await game.page.keyboard.press("Control+z");
  await game.hasStones(1);
  assert.equal((await game.moves()).length, 6);
  await game.find("[data-toast]").waitFor({ state: "hidden" });
  await game.action("next").click();
  await game.hasStones(2);
  await game.page.keyboard.press("Control+z");
  assert.equal(Object.keys(await game.stones()).length, 2);
});

test("the latest games begin with the one on the board, also before it is saved", async (t) => {
  const context = await openContext(t, browser);
  // The game would be saved after this time.
  await context.addInitScript(waitLonger, { times: [300], patience: 1000 });
  const game = await GamePage.open(context, await staticSite(t));
  await game.paste("# side 4\nd4 c3");
  await game.hasStones(2);
  assert.deepEqual(await entries(game), []);
  await game.action("open").click();
  await game.find("[data-recent-game]", { hasText: "2 moves" }).waitFor();
  await game.page.keyboard.press("Escape");
  await game.newGame({ side: 5, play: "both" });
  await game.action("open").click();
  await game.find("[data-recent-game]", { hasText: "2 moves" }).click();
  await game.hasStones(2);
});

test("a collection is added, searched, sorted, renamed, deleted and exported, on a phone", async (t) => {
  const game = await GamePage.open(await openContext(t, browser, PHONE), await staticSite(t));
  const folder = mkdtempSync(path.join(tmpdir(), "malecon-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const collection = path.join(folder, "club.sgf");
  const names = ["Ann", "Ben", "Cleo", "Dan"];
  const record = (i) => {
    const board = `FF[4]SZ[${4 + (i % 2)}]EV[Round ${i}]PW[${names[i % 4]}]PB[${names[(i + 1) % 4]}]RE[B+R]`;
    return `(;${board};W[d4];B[c3]C[Move ${i}.\\]])`;
  };
  // More than the engine takes in one message.
  const filler = "x".repeat(600);
  const games = Array.from({ length: 2000 }, (_, i) => record(i).replace("Move", `${filler} Move`));
  writeFileSync(collection, games.join("\n"));
  await openLibrary(game, 0);
  await game.find("[data-library-files]").setInputFiles(collection);
  await hasGames(game, 2000);
  assert.equal((await listed(game)).length, 100);
  await game.find('[data-library-action="more"]').click();
  assert.equal((await listed(game)).length, 200);
  await picture(game.page, "library-phone");
  await game.isAsWideAsTheScreen();
  // The same file again adds nothing.
  await game.find("[data-library-files]").setInputFiles(collection);
  await game.find("[data-toast]", { hasText: "0 games added, 2,000 games there already." }).waitFor();

  const search = game.find("[data-library-search]");
  await search.fill("cleo dan side 5");
  await game.find("[data-library-summary]", { hasText: /^0 of 2,000 games/ }).waitFor();
  await search.fill("cleo dan side 4");
  await game.find("[data-library-summary]", { hasText: /^500 of 2,000 games/ }).waitFor();
  await game.find("[data-library-order]").selectOption("name");
  assert.match((await listed(game))[0], /^Cleo – Dan/);

  const first = game.find("[data-library-list] li").first();
  const id = await first.getAttribute("data-game");
  await first.locator('[data-library-action="rename"]').click();
  await game.page.keyboard.type("A game to remember, Cleo");
  await game.page.keyboard.press("Enter");
  await game.find(`[data-library-open="${id}"]`, { hasText: "A game to remember" }).waitFor();
  await game.find(`[data-game="${id}"] [data-library-action="delete"]`).click();
  await game.find("[data-library-summary]", { hasText: /^499 of 1,999 games/ }).waitFor();
  await game.find("[data-toast-action]").click();
  await game.find(`[data-library-open="${id}"]`, { hasText: "A game to remember" }).waitFor();

  await search.fill("remember");
  await game.find("[data-library-summary]", { hasText: /^1 of 2,000 games/ }).waitFor();
  const [download] = await Promise.all([
    game.page.waitForEvent("download"),
    game.find('[data-library-action="export"]').click(),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  assert.match(text, /PB\[Dan\]/);
  assert.match(text, /EV\[Round \d+\]/);
  assert.match(text, /Move \d+\.\\\]\]/);
});

test("several files that are opened all go to the library, and one that is broken is named", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  const file = (name) => fileURLToPath(new URL(`../../tests/data/records/${name}`, import.meta.url));
  await game.action("open").click();
  const broken = { name: "broken.sgf", mimeType: "text/plain", buffer: Buffer.from("(;FF[4]SZ[4];W[zz99])") };
  const files = ["swapped.hgf", "resigned.hgf"].map((name) => ({
    name,
    mimeType: "text/plain",
    buffer: readFileSync(file(name)),
  }));
  await game.find("[data-file]").setInputFiles([...files, broken]);
  await game.find("[data-toast]", { hasText: /2 games added, 1 not read \(broken\.sgf: .*zz99/ }).waitFor();
  await hasGames(game, 2);
});

test("two tabs with the same game keep both of its ends", async (t) => {
  const [one, other] = await gameBesideLibrary(await openContext(t, browser), await staticSite(t));
  await other.find("[data-library-open]").click();
  await other.hasStones(1);
  await other.play("c3", "black");
  await isKept(other, 4, 2);
  await one.play("e5", "black");
  await one.play("c4", "white");
  // A tab that is hidden and left saves twice, before it knows where the library has kept the game.
  await one.page.evaluate(() => {
    dispatchEvent(new Event("pagehide"));
    dispatchEvent(new Event("pagehide"));
  });
  await isKept(one, 4, 3);
  await openLibrary(other, 2);
  const details = (await listed(other)).join("\n");
  assert.match(details, /2 moves/);
  assert.match(details, /3 moves/);
});

test("who only looks at a game does not change it", async (t) => {
  const [one, other] = await gameBesideLibrary(await openContext(t, browser), await staticSite(t));
  const [before] = await entries(one);
  await other.find("[data-library-open]").click();
  await other.hasStones(1);
  await other.action("previous").click();
  await other.hasStones(0);
  await other.page.reload();
  await other.ready();
  await other.hasStones(0);
  await one.page.reload();
  await one.hasStones(1);
  // Longer than the page waits before it saves.
  await one.page.waitForTimeout(1000);
  assert.deepEqual(await entries(one), [before]);
  // It is still one game when it goes on.
  await one.play("e5", "black");
  await isKept(one, 4, 2);
  assert.equal((await entries(one)).length, 1);
});

test("games of a version without a library are taken over", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.page.evaluate(() => {
    const tree = [null, "d4", "c3", "e5"].map((move, id) => ({ id, parent: id ? id - 1 : null, move }));
    const stored = { side: 4, swap: false, setup: {}, seats: "both", level: 1, names: {}, tree, current: 3, head: 3 };
    localStorage["malecon.game.1-1"] = JSON.stringify({ ...stored, savedAt: 1 });
    localStorage.removeItem("malecon.adopted");
  });
  await game.page.reload();
  await game.ready();
  await openLibrary(game, 1);
  assert.match((await listed(game))[0], /side 4, 3 moves/);
});

test("a full disk is told of, and the game goes on", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 4, play: "both" });
  const devtools = await game.page.context().newCDPSession(game.page);
  const { origin } = new URL(game.page.url());
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await game.play("d4", "white");
  await game.find("[data-toast]", { hasText: /no room for more games/ }).waitFor();
  await game.play("c3", "black");
});

test("where there is no room for the game of the tab, the library has it after a reload", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 4, play: "both" });
  await game.play("d4", "white");
  await isKept(game, 4, 1);
  await game.page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (...entry) {
      if (this === localStorage) throw new DOMException("full", "QuotaExceededError");
      setItem.apply(this, entry);
    };
  });
  await game.play("c3", "black");
  await game.play("e5", "white");
  await isKept(game, 4, 3);
  // The address is that of the position before: of the last move, only the library knows.
  await game.action("previous").click();
  await game.hasStones(2);
  await game.page.reload();
  await game.ready();
  await game.find("[data-moves] [data-node]").nth(2).waitFor();
  assert.equal((await entries(game)).length, 1);
});

test("what another tab plays and learns shows up at once", async (t) => {
  const context = await openContext(t, browser);
  const url = await staticSite(t);
  const [one, other] = [await GamePage.open(context, url), await GamePage.open(context, url)];
  await openLibrary(other, 0);
  await one.newGame({ side: 4, play: "both" });
  await one.play("d4", "white");
  await other.find("[data-library-open]", { hasText: "side 4, 1 move" }).waitFor();
  await one.play("c3", "black");
  await other.find("[data-library-open]", { hasText: "side 4, 2 moves" }).waitFor();
  await hasGames(other, 1);
});

test("a backup brings games with their reviews and exercises to another browser", async (t) => {
  const url = await staticSite(t);
  const game = await GamePage.open(await openContext(t, browser, { settings: { playerName: "Ben" } }), url);
  const moves = "a1 f6 a2 e6 a3 g6 i6 d5 i8 f4 a4 f5 a5".split(" ");
  await game.paste(`(;FF[4]SZ[5]PW[Ann]PB[Ben]${moves.map((move, i) => `;${"WB"[i % 2]}[${move}]`).join("")})`);
  await game.hasStones(13);
  await game.find('[data-action="review"].small').click();
  await game.find("[data-review-files]:visible").waitFor();
  await isKept(game, 5, 13);
  await game.find("[data-findings] button").first().waitFor();
  await openLibrary(game, 1);
  const backup = async () => {
    const [download] = await Promise.all([
      game.page.waitForEvent("download"),
      game.find('[data-library-action="backup"]').click(),
    ]);
    return readFileSync(await download.path());
  };
  const buffer = await backup();
  const other = await GamePage.open(await openContext(t, browser), url);
  await openLibrary(other, 0);
  const files = other.find("[data-library-files]");
  const cut = { name: "backup.json", mimeType: "application/json", buffer: buffer.subarray(0, buffer.length - 20) };
  await files.setInputFiles(cut);
  await other.find("[data-toast]", { hasText: "backup.json: this backup is damaged" }).waitFor();
  await files.setInputFiles({ name: "backup.json", mimeType: "application/json", buffer });
  await other.find("[data-toast]", { hasText: /1 game and \d+ exercises? were restored\./ }).waitFor();
  await other.find("[data-library-open]").click();
  await other.hasStones(13);
  await other.find("[data-findings] button").first().waitFor();
  await other.action("puzzles").click();
  await other.find("[data-puzzle-title]:visible").waitFor();
  await other.find('[data-puzzle-filter="source"]').selectOption("mine");
  await other.find("[data-puzzle-title]", { hasText: "A mistake of a game" }).waitFor();
  // What was written on the game since comes, too, beside what is there.
  await game.find("[data-library-open]").click();
  await game.action("annotate").click();
  await game.find("[data-comment]").fill("A second thought");
  await openLibrary(game, 1);
  const later = { name: "backup.json", mimeType: "application/json", buffer: await backup() };
  await other.page.goto(`${url}#games`);
  await files.setInputFiles(later);
  await other.find("[data-toast]", { hasText: /1 game and/ }).waitFor();
  await hasGames(other, 2);
  await files.setInputFiles(later);
  await other.find("[data-toast]", { hasText: /0 games and/ }).waitFor();
});

test("a game that was played here keeps its result in a backup", async (t) => {
  const url = await staticSite(t);
  const game = await GamePage.open(await openContext(t, browser), url);
  await game.newGame({ side: 4, play: "both" });
  const moves = ["a1", "c3", "a2", "d4", "a3", "e5", "a4"];
  for (const [i, move] of moves.entries()) await game.play(move, i % 2 === 0 ? "white" : "black");
  await game.result(/white won by bridge/i);
  await openLibrary(game, 1);
  const [download] = await Promise.all([
    game.page.waitForEvent("download"),
    game.find('[data-library-action="backup"]').click(),
  ]);
  const buffer = readFileSync(await download.path());
  const other = await GamePage.open(await openContext(t, browser), url);
  await openLibrary(other, 0);
  await other.find("[data-library-files]").setInputFiles({ name: "b.json", mimeType: "application/json", buffer });
  await hasGames(other, 1);
  assert.match((await listed(other))[0], /side 4, 7 moves, White won by bridge/);
});

test("a new game that is reloaded before its first move is the new game", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 5, play: "both" });
  await game.play("e5", "white");
  await isKept(game, 5, 1);
  await game.newGame({ side: 5, play: "both" });
  await game.hasStones(0);
  await game.page.reload();
  await game.hasStones(0);
  assert.deepEqual(await game.moves(), []);
  await game.play("f6", "white");
  await isKept(game, 5, 1);
  await openLibrary(game, 2);
});

test("the browser's Back leads from a screen to the game as it has become", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  await game.newGame({ side: 6, play: "white", level: 1 });
  await game.vertex("e5").click();
  await game.action("puzzles").click();
  await game.find("[data-puzzle-title]:visible").waitFor();
  await isKept(game, 6, 2);
  await game.page.goBack();
  await game.find("main.app:visible [data-moves]").waitFor();
  await game.hasStones(2);
  await game.find('[data-board][data-to-move="white"][data-can-play="true"]').waitFor();
});

test("backups are known by what is in them wherever files are opened, also several", async (t) => {
  const context = await openContext(t, browser);
  const game = await GamePage.open(context, await staticSite(t));
  const backup = (id, moves) => {
    const tree = [null, ...moves].map((move, id) => ({ id, parent: id ? id - 1 : null, move }));
    const end = moves.length;
    const stored = {
      id,
      side: 4,
      swap: false,
      setup: {},
      seats: "both",
      level: 1,
      names: {},
      tree,
      current: end,
      head: end,
    };
    return JSON.stringify({
      format: "malecon-backup",
      version: 1,
      games: [{ game: stored }],
      exercises: [],
      cards: [],
    });
  };
  const file = (name, text) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });
  const says = (text) => game.find("[data-toast]", { hasText: text }).waitFor();
  await openLibrary(game, 0);
  const several = [file("old.bak", backup("1-1", ["d4"])), file("older.txt", backup("1-2", ["d4", "c3"]))];
  await game.find("[data-library-files]").setInputFiles([...several, file("club.sgf", "(;FF[4]SZ[5];W[e5])")]);
  await says("2 games and 0 exercises were restored. 1 game added.");
  await hasGames(game, 3);
  // Chosen in the dialog, pasted there, and dropped on the page.
  await game.action("open").click();
  await game.find("[data-file]").setInputFiles(file("third.bin", backup("1-3", ["d4", "c3", "e5"])));
  await hasGames(game, 4);
  await game.find('[data-library-action="close"]').click();
  await game.paste(backup("1-4", ["d4", "c3", "e5", "c5"]));
  await hasGames(game, 5);
  await game.find('[data-library-action="close"]').click();
  const dropped = backup("1-5", ["d4", "c3", "e5", "c5", "d3"]);
  await game.page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "fifth"));
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  }, dropped);
  await hasGames(game, 6);
  // Where only proofs are opened, the user is told where it belongs.
  await game.action("proof").click();
  await game.find("[data-proof-file]").setInputFiles(file("sixth.json", backup("1-6", ["a1"])));
  await says("sixth.json is a backup. Take it back in “Your games”: “Add files…”.");
});

test("a game without players has the name of its record, and is found by it", async (t) => {
  const game = await GamePage.open(await openContext(t, browser), await staticSite(t));
  const record = (facts, move) => `(;FF[4]SZ[4]${facts};W[${move}])`;
  const games = [record("GN[lg-1060981]", "d4"), record("GN[Final]PW[Ann]PB[Ben]", "c3"), record("", "e5")];
  await openLibrary(game, 0);
  const buffer = Buffer.from(games.join("\n"));
  await game.find("[data-library-files]").setInputFiles({ name: "games.sgf", mimeType: "text/plain", buffer });
  await hasGames(game, 3);
  const titles = async () => (await listed(game)).map((text) => text.split("\n")[0]).sort();
  assert.deepEqual(await titles(), ["Ann – Ben", "games 3", "lg-1060981"]);
  await game.find("[data-library-search]").fill("final");
  await game.find("[data-library-summary]", { hasText: /^1 of 3 games/ }).waitFor();
  assert.deepEqual(await titles(), ["Ann – Ben"]);
});
