// The puzzles of the first visit, in their order, on a board of side 4. White, the user, is to move.
//
// `wins` are the vertices where the next white stone wins. In a puzzle of two moves, `first` is the only stone after
// which there are several of them: Black takes the first of `wins`, and any other one still wins.

export const LESSON_SIDE = 4;

const words = (text) => text.split(" ");

export const LESSONS = [
  {
    title: "Close a bridge",
    task:
      "Two players take turns placing stones, which never move. One way to win is a bridge: a chain that joins two of " +
      "the six corners. You are White, and one stone is missing: tap its cell.",
    hint: "Look for the gap between the left corner and the one at the upper right.",
    praise: "A bridge: your chain joins two corners, and you win.",
    white: words("a4 b4 c5 e6 f7 g7"),
    black: words("d6 d4 e5 c4 f5 b2"),
    wins: ["d5"],
  },
  {
    title: "Close a fork",
    task: "A fork joins three of the six sides. Corners belong to no side. Which stone joins all three chains?",
    hint: "Your chains reach three sides. They meet in the middle.",
    praise: "A fork: three sides are joined, and you win.",
    white: words("a3 b3 c3 e4 f4 g5 d5 d6 e7"),
    black: words("c4 b4 e5 d3 c5 e6 f6 c2 e2"),
    wins: ["d4"],
  },
  {
    title: "Close a ring",
    task:
      "A ring goes around at least one cell. It does not matter whether a stone is inside. One stone is missing: close " +
      "the ring.",
    hint: "Your stones go nearly all the way around the black stone on c4.",
    praise: "A ring: it goes around a cell, and you win.",
    white: words("b3 c3 c5 b4 d5"),
    black: words("c4 e5 c2 b2 d6"),
    wins: ["d4"],
  },
  {
    title: "Two ways to connect",
    task: "Now in two moves: place a stone that can be joined to the corner in two ways. Black can only block one.",
    hint: "Your stone should touch your chain and leave two free cells between itself and the upper right corner.",
    next: "Black blocks one way. Take the other one.",
    praise: "Two stones with two free cells between them are as good as joined.",
    white: words("a4 b4 c4 d5 g7"),
    black: words("e5 c3 d3 b2 d6"),
    first: "e6",
    wins: ["f6", "f7"],
  },
  {
    title: "Two threats at once",
    task: "Find the stone that threatens two different wins. Black can stop only one of them.",
    hint: "One threat is a ring, the other one a bridge to the corner at the bottom.",
    next: "Black stops one threat. Carry out the other one.",
    praise: "Two threats with one stone win most games of Havannah.",
    white: words("a4 b4 c5 d5 d4 c1 d1"),
    black: words("d3 c4 e5 e4 b2 d6 f6"),
    first: "c3",
    wins: ["b3", "c2"],
  },
];
