// Reviews a whole game of side 8 at a second a position, as its players do: over the WebSocket of `malecon serve`, on
// its page, and on the static site. A part of `.ci/nightly review`, because it takes six minutes.
//
// GAMES names a file with games, one JSON object a line with `side` and `moves`: the first of side 8 with 63 moves is
// taken in place of the one below.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGINES, NativeServer, openContext, useBrowser } from "./harness.js";
import { GamePage } from "./page.js";

/** A game of Malecon against itself at a low level. */
const OWN = {
  side: 8,
  moves: (
    "h13 m8 i15 o9 g14 n7 f12 l6 e11 d9 g11 o8 n9 k5 i4 j5 i12 i5 j14 g12 g13 h12 h15 i14 i13 j15 k13 h4 " +
    "l13 n14 m13 n13 m12 n12 k11 j11 j10 i10 h11 f11 m11 n11 l10 k10 k9 j9 i9 h9 j8 i8 d10 o10 l11 k12 " +
    "f10 e10 k14 j12 n10 o11 n15 o15"
  ).split(" "),
};

const games = (process.env.GAMES ? readFileSync(process.env.GAMES, "utf8").trim().split("\n") : []).map(JSON.parse);
const { side, moves } = games.find(({ side, moves }) => side === 8 && moves.length === 63) ?? OWN;
const SECONDS = 1;
/** What the engine says of each position and then of each move. */
const TURNS = [...moves.keys(), moves.length];
const WHOLE = [
  ...TURNS.map(String),
  ...TURNS.slice(0, -1)
    .reverse()
    .map((turn) => `${turn} checked`),
];

const browser = useBrowser();

/** A partial answer of a review in a word, or null if it is something else. */
const word = ({ partial, turn, move }) => (partial && turn !== undefined ? `${turn}${move ? " checked" : ""}` : null);

test("over a WebSocket", { timeout: 600_000 }, async (t) => {
  const { url } = await NativeServer.start(t);
  const allowed = (text) => text.includes("favicon.ico");
  const page = await (await openContext(t, browser, { allowed, areReviewsFixed: false })).newPage();
  await page.goto(new URL("icon.svg", url).href);
  const query = { id: "r", action: "review", side, moves, seconds: SECONDS };
  const { heard, last } = await page.evaluate(
    (query) =>
      new Promise((resolve, reject) => {
        const address = new URL("/api", location.href);
        address.protocol = "ws:";
        const [socket, heard] = [new WebSocket(address), []];
        socket.onopen = () => socket.send(JSON.stringify(query));
        socket.onclose = ({ code }) => reject(new Error(`closed with ${code} after ${heard.length} answers`));
        socket.onmessage = ({ data }) => {
          const answer = JSON.parse(data);
          if (answer.partial) heard.push(answer);
          else resolve({ heard, last: answer });
        };
      }),
    query,
  );
  assert.deepEqual(heard.map(word), WHOLE);
  assert.equal(last.positions.length, moves.length + 1);
});

for (const [engine, site] of Object.entries(ENGINES)) {
  test(`on the page (${engine})`, { timeout: 900_000 }, async (t) => {
    const context = await openContext(t, browser, { settings: { reviewSeconds: SECONDS } });
    const heard = [];
    context.on("page", (page) =>
      page.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => heard.push(word(JSON.parse(payload)))),
      ),
    );
    const game = await GamePage.open(context, await site(t));
    await game.paste(`# side ${side}\n${moves.join(" ")}`);
    await game.hasStones(moves.length);
    await game.find('[data-action="review"].small').click();
    let furthest = 0;
    while (await game.find("[data-review-progress]:visible").count()) {
      const progress = Number(await game.find("[data-review-progress]").evaluate(({ value }) => value));
      assert.ok(progress >= furthest, `the progress fell from ${furthest} to ${progress}`);
      furthest = progress;
      await game.page.waitForTimeout(1000);
    }
    await game.find("[data-findings] button").first().waitFor();
    if (engine === "native") assert.deepEqual(heard.filter(Boolean), WHOLE);
  });
}
