// The scheduler of the exercises beside the library of the project that invented it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Rating, createEmptyCard, fsrs, generatorParameters } from "ts-fsrs";
import { answered } from "../page/js/game/fsrs.js";

const DAY = 86_400_000;
const WEIGHTS = [
  0.40255, 1.18385, 3.173, 15.69105, 7.1949, 0.5345, 1.4604, 0.0046, 1.54575, 0.1192, 1.01925, 1.9395, 0.11, 0.29605,
  2.2698, 0.2315, 2.9898, 0.51655, 0.6621,
];

test("intervals are those of ts-fsrs", () => {
  const scheduler = fsrs(
    generatorParameters({ w: WEIGHTS, enable_fuzz: false, enable_short_term: false, request_retention: 0.9 }),
  );
  let seed = 7;
  const random = (count) => (seed = (seed * 48271) % 2147483647) % count;
  let longest = 0;
  for (let round = 0; round < 200; round++) {
    let now = Date.UTC(2026, 0, 1);
    let [card, theirs] = [null, createEmptyCard(new Date(now))];
    for (let i = 0; i < 12; i++) {
      const grade = [Rating.Again, Rating.Hard, Rating.Good, Rating.Good][random(4)];
      card = answered(card, grade, now);
      theirs = scheduler.next(theirs, new Date(now), grade).card;
      assert.ok(Math.abs(card.stability - theirs.stability) < 1e-4 * theirs.stability, `round ${round}, answer ${i}`);
      assert.ok(Math.abs(card.difficulty - theirs.difficulty) < 1e-4);
      // Its own choice of days also keeps apart what the other grades would have got.
      assert.equal((card.due - now) / DAY, scheduler.next_interval(card.stability, 0));
      longest = Math.max(longest, theirs.scheduled_days);
      now += (theirs.scheduled_days + random(3)) * DAY;
    }
  }
  assert.ok(longest > 300);
});
