// The tree of a game: the main line and its variations. A node is the position after its move.

import { WHITE, other, splitMove } from "./stones.js";

/** Properties of a record that are kept in another form: moves, stones, names, the board, the result. */
const OWN_PROPERTIES = ["AB", "AE", "AP", "AW", "B", "C", "CA", "FF", "PB", "PL", "PW", "RE", "SZ", "W"];

export class GameTree {
  constructor() {
    this.nextId = 0;
    this.nodes = new Map();
    this.root = this.#create(null, null);
  }

  #create(parent, move) {
    const node = { id: this.nextId++, parent, move, children: [], ...extras({}) };
    this.nodes.set(node.id, node);
    return node;
  }

  /** The child of `parent` with this move. It is appended as the last variation if there is none yet. */
  play(parent, move) {
    const known = parent.children.find((child) => child.move === move);
    if (known) return known;
    const node = this.#create(parent, move);
    parent.children.push(node);
    return node;
  }

  /** Plays moves one after the other from `from`, and returns the last node. */
  playAll(moves, from = this.root) {
    return moves.reduce((node, move) => this.play(node, move), from);
  }

  /** The nodes from the first move to `node`, without the root. */
  path(node) {
    const path = [];
    for (let n = node; n.parent; n = n.parent) path.unshift(n);
    return path;
  }

  /** The nodes from the root to `node`: all positions of the line that it ends. */
  positions(node) {
    return [this.root, ...this.path(node)];
  }

  /** The moves that lead to `node`. */
  moves(node) {
    return this.path(node).map((n) => n.move);
  }

  /** The end of the line that goes on from `node` by first children. */
  tip(node = this.root) {
    let tip = node;
    while (tip.children.length) tip = tip.children[0];
    return tip;
  }

  /** The main line, without the root. */
  mainLine() {
    return this.path(this.tip());
  }

  isOnMainLine(node) {
    return !node.parent || (node.parent.children[0] === node && this.isOnMainLine(node.parent));
  }

  /** Whether `node` is `ancestor` or comes after it. */
  isBelow(node, ancestor) {
    for (let n = node; n; n = n.parent) if (n === ancestor) return true;
    return false;
  }

  /** Makes the line through `node` the main line. */
  promote(node) {
    for (let n = node; n.parent; n = n.parent) {
      const siblings = n.parent.children;
      siblings.splice(siblings.indexOf(n), 1);
      siblings.unshift(n);
    }
  }

  /** Removes `node` and all that follows, and returns its parent. The root cannot be removed. */
  remove(node) {
    if (!node.parent) throw new Error("the root cannot be removed");
    const siblings = node.parent.children;
    siblings.splice(siblings.indexOf(node), 1);
    const forget = [node];
    while (forget.length) {
      const n = forget.pop();
      this.nodes.delete(n.id);
      forget.push(...n.children);
    }
    return node.parent;
  }

  /** The node that these moves lead to, or null if the tree does not have them. */
  find(moves) {
    let node = this.root;
    for (const move of moves) {
      node = node.children.find((child) => child.move === move);
      if (!node) return null;
    }
    return node;
  }

  /** A flat list of plain objects, parents before children and siblings in order. */
  toJSON() {
    const list = [];
    const stack = [this.root];
    while (stack.length) {
      const n = stack.pop();
      list.push({
        id: n.id,
        parent: n.parent?.id ?? null,
        move: n.move,
        ...(n.comment && { comment: n.comment }),
        ...(n.properties && { properties: n.properties }),
        ...(n.evaluation && { evaluation: n.evaluation }),
        ...(n.mistake && { mistake: n.mistake }),
        ...(n.assessment && { assessment: n.assessment }),
        ...(n.isChecked && { isChecked: true }),
        ...(n.seconds && { seconds: n.seconds }),
        ...(n.draft && { draft: n.draft }),
        ...(n.findings && { findings: n.findings }),
        ...(n.result && { result: n.result }),
        ...(n.clock && { clock: n.clock }),
        ...(n.isOwn && { isOwn: true }),
        ...(n.isTakenBack && { isTakenBack: true }),
        ...(n.isPlayed && { isPlayed: true }),
        ...(n.isAdded && { isAdded: true }),
      });
      stack.push(...n.children.toReversed());
    }
    return list;
  }

  /** The tree of a list from `toJSON`. */
  static fromJSON(list) {
    const tree = new GameTree();
    const byId = new Map([[list[0].id, tree.root]]);
    Object.assign(tree.root, extras(list[0]));
    for (const entry of list.slice(1)) {
      const node = tree.#create(byId.get(entry.parent), entry.move);
      Object.assign(node, extras(entry));
      node.parent.children.push(node);
      byId.set(entry.id, node);
    }
    tree.byStoredId = byId;
    return tree;
  }

  /**
   * The tree of a recorded game: a flat list of {move, color, comment, children: indices}, the root first.
   * `first` is the colour that begins. Lines that put stones on the board after the start are left out, because the
   * engine takes set-up stones only before the first move.
   */
  static fromRecord(list, first = WHITE) {
    const tree = new GameTree();
    const stack = [{ index: 0, parent: tree.root, turn: first }];
    while (stack.length) {
      const { index, parent, turn } = stack.pop();
      const entry = list[index];
      if (index > 0 && (entry.white?.length || entry.black?.length)) continue;
      const color = entry.color ?? turn;
      const node = entry.move ? tree.play(parent, color === turn ? entry.move : `${color}:${entry.move}`) : parent;
      if (entry.comment) node.comment = [node.comment, entry.comment].filter(Boolean).join("\n");
      const properties = Object.entries(entry.properties ?? {}).filter(([name]) => !OWN_PROPERTIES.includes(name));
      if (properties.length) node.properties = { ...node.properties, ...Object.fromEntries(properties) };
      const next = entry.move ? other(color) : turn;
      for (const child of entry.children.toReversed()) stack.push({ index: child, parent: node, turn: next });
    }
    return tree;
  }

  /** The flat list of `fromRecord`. `setup` is put into its root. The line to `tip`, if it is given, comes first. */
  toRecord(setup, tip = null) {
    const line = new Set(tip ? this.path(tip) : []);
    const list = [];
    const stack = [{ node: this.root, turn: setup.first ?? WHITE, parent: null }];
    while (stack.length) {
      const { node, turn, parent } = stack.pop();
      const entry = {
        children: [],
        ...(node.comment && { comment: node.comment }),
        ...(node.properties && { properties: node.properties }),
      };
      if (!parent) Object.assign(entry, setupEntry(setup, entry.properties));
      let next = turn;
      if (node.move) {
        const { color, action } = splitMove(node.move);
        Object.assign(entry, { move: action, color: color ?? turn });
        next = other(entry.color);
      }
      parent?.children.push(list.length);
      list.push(entry);
      const children = node.children.toSorted((a, b) => line.has(b) - line.has(a));
      for (const child of children.toReversed()) stack.push({ node: child, turn: next, parent: entry });
    }
    return list;
  }
}

/** What the root of a record says of set-up stones: they, and who is to move. */
function setupEntry({ white = [], black = [], first = WHITE }, properties) {
  const isPlain = white.length + black.length === 0 && first === WHITE;
  return { white, black, ...(!isPlain && { properties: { ...properties, PL: [first === WHITE ? "W" : "B"] } }) };
}

/**
 * What else is kept with a position: the comment, what the engine found (`assessment` is a review's whole answer about
 * the position, `isChecked` whether the review has judged the move that led there, `seconds` how long it has searched,
 * and `draft` the same fields of another review that is not complete), the review of the line that ends there, how the
 * game ended there, the clocks, and whether its move was played here (not read from a record), has been taken back, was
 * played in a game against the engine, or was only added from one of the engine's lines.
 */
const EXTRAS = {
  comment: "",
  properties: null,
  evaluation: null,
  mistake: null,
  assessment: null,
  isChecked: false,
  seconds: null,
  draft: null,
  findings: null,
  result: null,
  clock: null,
  isOwn: false,
  isTakenBack: false,
  isPlayed: false,
  isAdded: false,
};

function extras(entry) {
  return Object.fromEntries(Object.entries(EXTRAS).map(([name, none]) => [name, entry[name] ?? none]));
}
