// What happens in a game when the engine answers with an error.

import assert from "node:assert/strict";
import test from "node:test";
import { Analysis } from "../js/engine/analysis.js";
import { QueryError } from "../js/engine/engine-client.js";
import { Opponent } from "../js/engine/opponent.js";
import { Positions } from "../js/engine/positions.js";
import { Game } from "../js/game/game.js";

/** An engine that refuses a query with each of these fields, one after the other, and then answers. */
function engine(...fields) {
  const client = {
    asked: 0,
    ask() {
      client.asked++;
      const field = fields.shift();
      const error = field !== undefined && new QueryError({ error: "no answer", field });
      const answer = { position: { legal: ["a1"], over: false }, choice: { move: "d4" } };
      return { answer: error ? Promise.reject(error) : Promise.resolve(answer), cancel() {} };
    },
  };
  return client;
}

/** Waits until all that waits for no time has happened. */
const settled = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** More than the longest time until something is tried again, or until a move appears. */
const LONG = 10_000;

function positionsOf(client) {
  const game = new Game({ side: 4, seats: "white" });
  const positions = new Positions(client, game);
  const heard = [];
  for (const event of ["known", "illegal", "failed", "retry"]) {
    positions.on(event, () => {
      heard.push(event);
      positions.at(game.head);
    });
  }
  return { game, positions, heard };
}

test("a position that the engine could not tell is asked for again, until it is known", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = engine(null, null);
  const { game, positions, heard } = positionsOf(client);
  for (const events of [["failed"], ["failed", "retry", "failed"]]) {
    assert.equal(positions.at(game.head), null);
    await settled();
    assert.deepEqual([heard, client.asked], [events, heard.filter((event) => event === "failed").length]);
    t.mock.timers.tick(LONG);
    await settled();
  }
  assert.deepEqual(heard, ["failed", "retry", "failed", "retry", "known"]);
  assert.ok(positions.at(game.head).legal.has("a1"));
  assert.equal(client.asked, 3);
});

test("a position that is wrong is asked for once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const [field, event] of [
    ["black", "failed"],
    ["moves", "illegal"],
  ]) {
    const client = engine(field);
    const { game, positions, heard } = positionsOf(client);
    positions.at(game.head);
    await settled();
    t.mock.timers.tick(LONG);
    await settled();
    assert.deepEqual([heard, client.asked], [[event], 1]);
    // Another game may be asked about.
    positions.clear();
    positions.at(game.head);
    await settled();
    assert.deepEqual(heard, [event, "known"]);
  }
});

function opponentOf(client) {
  const game = new Game({ side: 4, seats: "white", level: 1 });
  const opponent = new Opponent(client, game, { get: () => 1 });
  const failures = [];
  const update = () => opponent.update({ to_move: game.toMoveAt(game.head), over: false });
  opponent.on("failed", ({ message }) => failures.push(message));
  opponent.on("thinking", update);
  return { game, update, failures };
}

test("the engine is asked again for a move that it could not make", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = engine(null, null);
  const { game, update, failures } = opponentOf(client);
  game.play("a1");
  update();
  await settled();
  assert.deepEqual([failures.length, client.asked], [1, 1]);
  for (let i = 0; i < 3; i++) {
    t.mock.timers.tick(LONG);
    await settled();
  }
  assert.deepEqual([failures.length, client.asked], [2, 3]);
  assert.deepEqual(game.tree.moves(game.head), ["a1", "d4"]);
});

test("the engine is asked at once when the move before its failure is played again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = engine("side");
  const { game, update } = opponentOf(client);
  game.play("a1");
  update();
  await settled();
  t.mock.timers.tick(LONG);
  await settled();
  assert.equal(client.asked, 1, "what is wrong with a query remains wrong");
  game.undo();
  update();
  game.play("a1");
  update();
  assert.equal(client.asked, 2);
});

function analysisOf(client) {
  const game = new Game({ side: 4, seats: "both" });
  const analysis = new Analysis(client, game, { get: (name) => (name === "overlay" ? "visits" : 1) });
  const failures = [];
  const update = () => analysis.update(true);
  analysis.on("change", () => {
    if (analysis.failure) failures.push(analysis.failure.message);
    update();
  });
  return { game, analysis, update, failures };
}

test("live analysis says why it failed, and begins again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = engine(null, null);
  const { analysis, update, failures } = analysisOf(client);
  update();
  for (const asked of [1, 2]) {
    await settled();
    assert.deepEqual([failures.length, client.asked, analysis.isRunning], [asked, asked, false]);
    t.mock.timers.tick(LONG);
  }
  await settled();
  assert.deepEqual([failures, client.asked], [["no answer", "no answer"], 3]);
  assert.deepEqual([analysis.failure, analysis.latest.choice.move], [null, "d4"]);
});

test("live analysis of a position that is wrong fails once, and goes on elsewhere", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = engine("black");
  const { game, analysis, update, failures } = analysisOf(client);
  update();
  await settled();
  t.mock.timers.tick(LONG);
  await settled();
  assert.deepEqual([failures.length, client.asked], [1, 1]);
  game.play("a1");
  update();
  await settled();
  assert.deepEqual([analysis.failure, analysis.latest.choice.move], [null, "d4"]);
});
