import assert from "node:assert/strict";
import test from "node:test";

import { Game } from "../js/game/game.js";
import { playersOf, storedToKeep, textOf } from "../js/engine/records.js";
import { Study } from "../js/engine/study.js";

test("bytes are read in the character set that the record names", () => {
  const record = (name, ...bytes) => {
    const ascii = (text) => [...text].map((c) => c.charCodeAt(0));
    return new Uint8Array([...ascii(`(;SZ[4]${name === null ? "" : `CA[${name}]`}PB[`), ...bytes, ...ascii("])")]);
  };
  const player = (...record_) => /PB\[(.*)\]/.exec(textOf(record(...record_)))[1];
  assert.equal(player(null, 0x41), "A");
  assert.equal(player(null, 0xc3, 0xa9), "é");
  assert.equal(player("UTF-8", 0xc3, 0xa9), "é");
  assert.equal(player("ISO-8859-1", 0xc3, 0xa9), "é");
  assert.equal(player("ISO-8859-1", 0xe9), "é");
  assert.equal(player(null, 0xe9), "é");
  assert.equal(player("windows-1250", 0xb3), "ł");
  assert.equal(player("cp1250", 0xb3), "ł");
  assert.equal(player("ISO8859_2", 0xb3), "ł");
  assert.equal(player("Shift_JIS", 0x83, 0x5d), "ゾ");
  assert.equal(player("GB2312", 0xc4, 0xa3), "模");
  assert.equal(player("unheard-of", 0xe9), "é");
});

test("what is no text, and Unicode with a mark, is left to the engine", () => {
  for (const bytes of [
    [0xff, 0xfe, 0x28, 0],
    [0x1f, 0x8b, 8, 0],
    [0x28, 0, 0x3b, 0],
    [0xef, 0xbb, 0xbf, 0x28],
  ]) {
    assert.equal(textOf(new Uint8Array(bytes)), null);
  }
});

test("a loss on time after moves were taken back remains the result", () => {
  const game = new Game({ side: 4, seats: "both", clock: { main: 1000, increment: 0 } });
  for (const move of ["a1", "b2", "c3"]) game.play(move);
  game.undo();
  game.loseOnTime("white");
  const { facts } = storedToKeep(JSON.parse(JSON.stringify(game)));
  assert.deepEqual(facts.result, { winner: "black", by: ["time"] });
});

test("during an attempt the players are those of the game", () => {
  const game = new Game({ side: 4, seats: "white", level: 3 });
  for (const move of ["a1", "b2", "c3"]) game.play(move);
  const study = new Study(game);
  const before = playersOf(study);
  study.open({ node: game.tree.mainLine()[1], number: 2, mover: "black", played: "b2", better: "e5", line: ["e5"] });
  study.try();
  assert.equal(game.seats, "black");
  assert.deepEqual(playersOf(study), before);
});
