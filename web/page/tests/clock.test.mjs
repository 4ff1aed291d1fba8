import assert from "node:assert/strict";
import test from "node:test";
import { Clock, formatTime } from "../js/game/clock.js";

function clockAt(main, increment) {
  let time = 0;
  const clock = new Clock({ main, increment }, () => time);
  return { clock, pass: (milliseconds) => (time += milliseconds) };
}

test("only the running clock loses time, and a move adds the increment", () => {
  const { clock, pass } = clockAt(60_000, 2000);
  clock.run("white");
  pass(10_000);
  assert.equal(clock.remaining("white"), 50_000);
  assert.equal(clock.remaining("black"), 60_000);
  clock.moved("white");
  clock.run("black");
  pass(5000);
  assert.equal(clock.remaining("white"), 52_000);
  assert.equal(clock.remaining("black"), 55_000);
});

test("a clock that has run out stays at zero", () => {
  const { clock, pass } = clockAt(1000, 0);
  clock.run("black");
  pass(999);
  assert.equal(clock.isOut("black"), false);
  pass(500);
  assert.equal(clock.isOut("black"), true);
  assert.equal(clock.remaining("black"), 0);
});

test("a paused clock keeps its time", () => {
  const { clock, pass } = clockAt(5000, 0);
  clock.run("white");
  pass(1000);
  clock.run(null);
  pass(10_000);
  assert.equal(clock.remaining("white"), 4000);
});

test("the engine's time is never more than a part of what is left", () => {
  for (const [main, increment] of [
    [300_000, 0],
    [1000, 0],
    [1000, 5000],
    [60_000, 60_000],
  ]) {
    const { clock } = clockAt(main, increment);
    const seconds = clock.engineSeconds("white");
    assert.ok(seconds >= 0.05 && seconds * 1000 <= Math.max(50, 0.4 * main), `${main} ${increment}: ${seconds}`);
  }
});

test("times are written as on a chess clock", () => {
  const texts = { 0: "0:00.0", 50: "0:00.1", 9900: "0:09.9", 9950: "0:10", 61_000: "1:01", 3_600_000: "1:00:00" };
  for (const [milliseconds, text] of Object.entries(texts)) assert.equal(formatTime(Number(milliseconds)), text);
});
