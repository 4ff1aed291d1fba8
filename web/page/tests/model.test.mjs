// What the model makes of a game: its main line, its clocks, who has played it, and what the engine is asked first.

import assert from "node:assert/strict";
import test from "node:test";
import { playerNames } from "../js/engine/records.js";
import { Emitter } from "../js/game/emitter.js";
import { haveSameMoves } from "../js/game/facts.js";
import { Model } from "../js/model.js";

class Settings extends Emitter {
  constructor(values = {}) {
    super();
    this.values = { side: 4, play: "white", level: 1, analysisSeconds: 60, overlay: "visits", ...values };
  }

  get(name) {
    return this.values[name] ?? null;
  }
}

/** An engine that knows the rules as far as that a game ends with the move g7, which White wins; it never moves. */
class Client extends Emitter {
  state = "ready";
  asked = [];
  about = {};

  ask(query) {
    const request = { query: typeof query === "function" ? query() : query, isCancelled: false };
    this.asked.push(request);
    const { moves, want } = request.query;
    const over = moves?.at(-1) === "g7";
    const to_move = moves?.length % 2 ? "black" : "white";
    const position = { over, winner: over ? "white" : null, by: over ? ["fork"] : [], winning: [], legal: [], to_move };
    const isAboutRules = want?.length === 1 && want[0] === "position";
    return {
      answer: isAboutRules ? Promise.resolve({ position }) : new Promise(() => {}),
      cancel: () => (request.isCancelled = true),
    };
  }
}

/** A model of a game with these seats, in which these moves are played, each after its position is known. */
async function modelOf(seats, moves, options = {}) {
  const client = new Client();
  const model = new Model(client, new Settings(options.settings), new Emitter());
  model.game.start({ side: 4, seats, level: 1, ...options });
  await playAll(model, moves);
  return { client, model, game: model.game };
}

async function playAll(model, moves) {
  for (const move of moves) {
    model.game.play(move, model.game.head);
    await known(model);
  }
}

/** Waits until the rules have been asked about the head and have answered. */
async function known(model) {
  for (let i = 0; i < 5; i++) {
    model.positions.at(model.game.head);
    await Promise.resolve();
  }
}

const mainLine = ({ tree }) => tree.moves(tree.tip()).join(" ");

test("moves that are taken back are no longer the game", async () => {
  const { model, game } = await modelOf("white", ["a1", "b2", "c3", "d4"]);
  game.undo();
  await playAll(model, ["e5", "f6"]);
  assert.equal(mainLine(game), "a1 b2 e5 f6");
  assert.ok(game.tree.find(["a1", "b2", "c3", "d4"]), "they are a variation");
  game.undo();
  game.redo();
  assert.deepEqual(game.tree.moves(game.head), ["a1", "b2", "e5", "f6"], "what was taken back last comes again");
});

test("two people at one board take back moves, too", async () => {
  const { model, game } = await modelOf("both", ["a1", "b2", "c3"]);
  game.undo();
  await playAll(model, ["e5", "f6"]);
  assert.equal(mainLine(game), "a1 b2 e5 f6");
  game.undo();
  game.undo();
  game.redo();
  game.redo();
  assert.deepEqual(game.tree.moves(game.head), ["a1", "b2", "e5", "f6"]);
  // Looking back takes nothing back, and what comes again was not taken back.
  game.show(game.tree.find(["a1"]));
  await playAll(model, ["g5"]);
  assert.equal(mainLine(game), "a1 b2 e5 f6");
  game.undo();
  game.redo();
  assert.deepEqual(game.tree.moves(game.head), ["a1", "g5"]);
});

test("a reload changes nothing about what was played and taken back", async () => {
  const { model, game } = await modelOf("both", ["a1", "b2", "c3"]);
  game.restore(JSON.parse(JSON.stringify(game)));
  game.undo();
  game.restore(JSON.parse(JSON.stringify(game)));
  await known(model);
  await playAll(model, ["e5", "f6"]);
  assert.equal(mainLine(game), "a1 b2 e5 f6");
});

test("moves from which the game goes on are no longer taken back", async () => {
  const { model, game } = await modelOf("both", ["a1", "b2", "c3"], { clock: { main: 60_000, increment: 0 } });
  game.undo();
  game.show(game.tree.find(["a1", "b2", "c3"]));
  await playAll(model, ["d4"]);
  game.show(game.tree.find(["a1", "b2"]));
  await known(model);
  assert.equal(model.goesOn(), false);
  await playAll(model, ["e5"]);
  assert.equal(mainLine(game), "a1 b2 c3 d4");
});

test("no clock runs for who looks back at earlier positions", async () => {
  const { model, game } = await modelOf("both", ["a1", "b2", "c3"], { clock: { main: 60_000, increment: 0 } });
  game.show(game.tree.find(["a1"]));
  await known(model);
  assert.equal(model.goesOn(), false);
  game.show(game.tree.tip());
  assert.ok(model.goesOn());
  game.undo();
  await known(model);
  assert.ok(model.goesOn());
  game.show(game.tree.find(["a1"]));
  await playAll(model, ["e5"]);
  assert.ok(model.goesOn());
});

test("a line that was added and not played gives way, and no clock waits for it", async () => {
  const { model, game } = await modelOf("white", ["a1", "b2"], { clock: { main: 60_000, increment: 0 } });
  game.addLine(["c3", "g7"]);
  model.positions.at(game.tree.tip());
  await known(model);
  assert.ok(model.goesOn());
  await playAll(model, ["e5", "f6"]);
  assert.equal(mainLine(game), "a1 b2 e5 f6");
  assert.equal(game.addLine(["f5"]), 1);
  await playAll(model, ["f5", "e4"]);
  game.undo();
  await playAll(model, ["e6", "d3"]);
  assert.equal(mainLine(game), "a1 b2 e5 f6 e6 d3", "an added move that was played is one of the game");
});

test("the result of a game is that of its own players, and stays with its moves", async () => {
  const { game } = await modelOf("white", ["a1", "b2", "g7"]);
  assert.deepEqual(JSON.parse(JSON.stringify(game)).tree.at(-1).result, { winner: "white", by: ["fork"] });
  game.setSeats("black", true);
  assert.equal(game.userColor(), "white");
  game.show(game.tree.find(["a1"]));
  game.setSeats("black", true);
  assert.equal(game.userColor(), "black");
});

test("a loss on time after moves were taken back is the end of the game", async () => {
  const { model, game } = await modelOf("both", ["a1", "b2", "c3"], { clock: { main: 60_000, increment: 0 } });
  game.undo();
  game.loseOnTime("white");
  assert.deepEqual(model.resultAt(game.end()).by, ["time"]);
});

test("lines beside a game that has ended, an attempt or a record are variations", async () => {
  const ended = await modelOf("white", ["a1", "b2", "g7"]);
  ended.game.undo();
  await playAll(ended.model, ["e5", "f6"]);
  assert.equal(mainLine(ended.game), "a1 b2 g7");

  const late = await modelOf("white", ["a1", "b2", "c3", "d4"]);
  late.game.loseOnTime("white");
  late.game.undo();
  await playAll(late.model, ["e5", "f6"]);
  assert.equal(mainLine(late.game), "a1 b2 c3 d4");

  const record = await modelOf("both", ["a1", "b2", "c3", "d4"]);
  record.game.show(record.game.tree.find(["a1", "b2"]));
  record.game.setSeats("white");
  await playAll(record.model, ["e5", "f6"]);
  assert.equal(mainLine(record.game), "a1 b2 c3 d4");

  const tried = await modelOf("white", ["a1", "b2", "c3", "d4"]);
  const node = tried.game.tree.find(["a1", "b2", "c3"]);
  tried.model.study.open({ node, number: 3, mover: "white", played: "c3", better: "e5", line: ["e5"] });
  tried.model.study.try();
  await playAll(tried.model, ["e5", "f6"]);
  assert.equal(mainLine(tried.game), "a1 b2 c3 d4");
});

test("a loss on time stays, and clocks stand still in a game that has ended", async () => {
  const clock = { main: 60_000, increment: 0 };
  for (const end of ["time", "fork"]) {
    const { model, game } = await modelOf("both", ["a1", "b2"], { clock });
    assert.ok(model.goesOn());
    if (end === "time") game.loseOnTime("white");
    else await playAll(model, ["g7"]);
    const [winner, tip] = [end === "time" ? "black" : "white", game.head];
    for (const node of [tip, tip.parent, game.tree.root, tip]) {
      game.show(node);
      await known(model);
      assert.equal(model.goesOn(), false);
      const { winner: named, by } = model.resultAt(game.tree.tip());
      assert.deepEqual([named, by], [winner, [end]]);
    }
  }
});

test("a game keeps its players when the user goes on from it for both colours", async () => {
  const { game } = await modelOf("white", ["a1", "b2", "g7"], { level: 3 });
  const names = playerNames(game);
  assert.match(names.black, /3/);
  game.show(game.tree.find(["a1"]));
  game.setSeats("both", true);
  game.play("c3");
  assert.deepEqual([playerNames(game), game.ownSeats(), game.seats], [names, "white", "both"]);
  assert.equal(JSON.parse(JSON.stringify(game)).playedAs, "white");
  // Whoever goes on from a record against the engine is its player from then on.
  game.start({ side: 4, seats: "both" });
  assert.deepEqual(playerNames(game), {});
  game.setSeats("white", true);
  assert.equal(game.ownSeats(), "white");
});

test("the analysis gives its threads to the engine's own move", async () => {
  const settings = { analysis: true };
  const { client, model, game } = await modelOf("white", [], { settings, level: 10 });
  await known(model);
  model.updateSearches(false);
  const analysis = client.asked.find(({ query }) => query.seconds === 60);
  game.play("a1", game.head);
  await known(model);
  const cancelledAt = [];
  const ask = client.ask.bind(client);
  client.ask = (query) => {
    cancelledAt.push(analysis.isCancelled);
    return ask(query);
  };
  model.updateSearches(false);
  assert.ok(client.asked.at(-1).query.want.includes("choice"));
  assert.deepEqual(cancelledAt, [true], "first it is cancelled, then the move is asked for");
});

test("what was found elsewhere is not shown for another position", async () => {
  const { model, game } = await modelOf("neither", ["a1"]);
  model.analysis.adopt(game.head, { frames: "of a1" });
  await playAll(model, ["b2"]);
  model.analysis.adopt(game.head, { moves: [] });
  assert.deepEqual(model.analysis.latest, { moves: [] });
});

test("games with the same moves are known in any language", () => {
  const key = (...names) => JSON.stringify([4, [], [], ...names, "a1 b2"]);
  assert.ok(haveSameMoves(key("You", "Malecon level 3"), key("Du", "Malecon Stufe 3")));
  assert.ok(!haveSameMoves(key("You", null), JSON.stringify([4, [], [], "You", null, "a1 b3"])));
});
