// When to ask something again: the Free Spaced Repetition Scheduler, version 5, with its default weights, for intervals
// of whole days. Ye, J., Su, J. and Cao, Y. (2022), A Stochastic Shortest Path Algorithm for Optimizing Spaced
// Repetition Scheduling, and the open-spaced-repetition project.

/** How an answer went. */
export const AGAIN = 1;
export const HARD = 2;
export const GOOD = 3;

const WEIGHTS = [
  0.40255, 1.18385, 3.173, 15.69105, 7.1949, 0.5345, 1.4604, 0.0046, 1.54575, 0.1192, 1.01925, 1.9395, 0.11, 0.29605,
  2.2698, 0.2315, 2.9898, 0.51655, 0.6621,
];
const DECAY = -0.5;
const FACTOR = 19 / 81;
/** Something is asked again when the probability that it is still known has fallen to this. */
const WANTED = 0.9;
const LONGEST = 36_500;
const DAY = 86_400_000;

const between = (least, value, greatest) => Math.min(greatest, Math.max(least, value));

function firstDifficulty(grade) {
  return WEIGHTS[4] - Math.exp(WEIGHTS[5] * (grade - 1)) + 1;
}

function nextDifficulty(difficulty, grade) {
  const change = -WEIGHTS[6] * (grade - 3);
  const moved = difficulty + (change * (10 - difficulty)) / 9;
  return between(1, WEIGHTS[7] * firstDifficulty(4) + (1 - WEIGHTS[7]) * moved, 10);
}

/** The probability that it is still known after this many days. */
export function retrievability(stability, days) {
  return (1 + (FACTOR * days) / stability) ** DECAY;
}

function afterSuccess(stability, difficulty, recall, grade) {
  const growth =
    Math.exp(WEIGHTS[8]) *
    (11 - difficulty) *
    stability ** -WEIGHTS[9] *
    (Math.exp((1 - recall) * WEIGHTS[10]) - 1) *
    (grade === HARD ? WEIGHTS[15] : 1);
  return stability * (1 + growth);
}

function afterLapse(stability, difficulty, recall) {
  const next =
    WEIGHTS[11] *
    difficulty ** -WEIGHTS[12] *
    ((stability + 1) ** WEIGHTS[13] - 1) *
    Math.exp((1 - recall) * WEIGHTS[14]);
  return Math.min(next, stability);
}

/**
 * The card of something after an answer of this grade at the time `now`, in milliseconds. `card` is the card before, or
 * null if it was never asked. A card is {stability, difficulty, due, last, isRight}.
 */
export function answered(card, grade, now) {
  let [stability, difficulty] = [WEIGHTS[grade - 1], between(1, firstDifficulty(grade), 10)];
  if (card) {
    const days = Math.max(0, Math.floor((now - card.last) / DAY));
    const recall = retrievability(card.stability, days);
    difficulty = nextDifficulty(card.difficulty, grade);
    stability =
      grade === AGAIN
        ? afterLapse(card.stability, card.difficulty, recall)
        : afterSuccess(card.stability, card.difficulty, recall, grade);
  }
  stability = between(0.01, stability, LONGEST);
  const interval = (stability / FACTOR) * (WANTED ** (1 / DECAY) - 1);
  const days = between(1, Math.round(interval), LONGEST);
  return {
    stability,
    difficulty,
    due: now + days * DAY,
    last: now,
    isRight: grade !== AGAIN,
  };
}
