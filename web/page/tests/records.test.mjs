import assert from "node:assert/strict";
import test from "node:test";

import { textOf } from "../js/engine/records.js";

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
