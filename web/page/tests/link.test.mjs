import assert from "node:assert/strict";
import test from "node:test";
import { fragmentIn, fromFragment, toFragment } from "../js/game/link.js";

test("a link holds all of a position", () => {
  const positions = [
    { side: 4, swap: false, setup: { white: [], black: [], first: "white" }, moves: [] },
    {
      side: 6,
      swap: true,
      setup: { white: [], black: [], first: "white" },
      moves: ["c3", "swap", "d4", "white:resign"],
    },
    { side: 10, swap: false, setup: { white: ["a1", "s19"], black: ["j10"], first: "black" }, moves: ["c3"] },
  ];
  for (const position of positions) {
    assert.deepEqual(fromFragment(`#${toFragment(position)}`), { ...position, shared: null });
  }
});

test("a link with a swap has the pie rule, and capital letters do not matter", () => {
  assert.deepEqual(fromFragment("side=5&moves=C3,SWAP").moves, ["c3", "swap"]);
  assert.equal(fromFragment("side=5&moves=c3,swap").swap, true);
});

test("a fragment without a side is no link", () => {
  for (const fragment of ["", "#", "#board", "#moves=a1"]) assert.equal(fromFragment(fragment), null);
});

test("a wrong link says what is wrong", () => {
  assert.throws(() => fromFragment("side=99"), /side 99\. Boards have sides from 2 to 13\./);
  assert.throws(() => fromFragment("side=x"), /side x/);
  assert.throws(() => fromFragment("side=4&moves=a1,h9"), /h9/);
  assert.throws(() => fromFragment("side=4&white=z1"), /z1/);
  assert.throws(() => fromFragment("side=4&moves=<b>"), /<b>/);
  for (const setup of ["white=a1&black=a1", "white=a1,b2,A1", "black=a1,a1"]) {
    assert.throws(() => fromFragment(`side=5&${setup}`), /^Error: The link puts two stones on a1\.$/, setup);
  }
});

test("a link may name any board of the engine", () => {
  for (const side of [2, 13]) assert.equal(fromFragment(`side=${side}`).side, side);
  for (const side of [1, 14]) assert.throws(() => fromFragment(`side=${side}`));
});

test("a pasted link to a position is recognized", () => {
  assert.equal(fragmentIn(" http://127.0.0.1:8642/#side=4&moves=d4,c3\n"), "#side=4&moves=d4,c3");
  for (const text of ["# side 4\nd4 c3", "(;SZ[4])", "https://example.org/#top", "http://a/#side=4 d4"]) {
    assert.equal(fragmentIn(text), null, text);
  }
});
