// The puzzles of the first visit, in their order, on a board of side 4. White, the user, is to move.
//
// The texts of a lesson have keys with its `name`; they may speak of `stone`. `wins` are the vertices where the next white
// stone wins. In a puzzle of two moves, `first` is the only stone after which there are several of them: Black takes the
// first of `wins`, and any other one still wins.

export const LESSON_SIDE = 4;

const words = (text) => text.split(" ");

export const LESSONS = [
  {
    name: "bridge",
    white: words("a4 b4 c5 e6 f7 g7"),
    black: words("d6 d4 e5 c4 f5 b2"),
    wins: ["d5"],
  },
  {
    name: "fork",
    white: words("a3 b3 c3 e4 f4 g5 d5 d6 e7"),
    black: words("c4 b4 e5 d3 c5 e6 f6 c2 e2"),
    wins: ["d4"],
  },
  {
    name: "ring",
    stone: "c4",
    white: words("b3 c3 c5 b4 d5"),
    black: words("c4 e5 c2 b2 d6"),
    wins: ["d4"],
  },
  {
    name: "two-ways",
    white: words("a4 b4 c4 d5 g7"),
    black: words("e5 c3 d3 b2 d6"),
    first: "e6",
    wins: ["f6", "f7"],
  },
  {
    name: "two-threats",
    white: words("a4 b4 c5 d5 d4 c1 d1"),
    black: words("d3 c4 e5 e4 b2 d6 f6"),
    first: "c3",
    wins: ["b3", "c2"],
  },
];
