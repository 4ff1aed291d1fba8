//! Groups: what two-bridges hold together.
//!
//! A *group* is a set of chains of one colour that two-bridges connect. It also holds the sides to which it has a
//! two-bridge: a stone one step from a side, with two empty vertices of the side next to it. Two-bridges that share a
//! vertex may not both hold; the network has to judge that itself.

use crate::game::{Cell, Color, MAX_CELLS, Position};

/// The groups of both players.
pub(super) struct Groups {
    /// From the root of a chain towards that of its group.
    parents: [u16; MAX_CELLS],
    /// For the root of a group, the corners and sides that it holds.
    held: [u16; MAX_CELLS],
    /// For each cell, two bits that say which players have a two-bridge over it, and above them two that say whose
    /// stone here would save a two-bridge.
    marks: [u8; MAX_CELLS],
}

impl Groups {
    /// Working space for any board.
    pub fn new() -> Groups {
        Groups { parents: [0; MAX_CELLS], held: [0; MAX_CELLS], marks: [0; MAX_CELLS] }
    }

    /// Finds the groups of a position.
    pub fn find(&mut self, position: &Position) {
        let geometry = position.geometry();
        self.marks[..geometry.cell_count()].fill(0);
        for v in geometry.vertices() {
            let root = position.root(geometry.cell(v));
            self.parents[root.index()] = root.0;
            self.held[root.index()] = position.rim_of_chain(root);
        }
        for v in geometry.vertices() {
            if let Some(color) = position.stone(v) {
                let cell = geometry.cell(v);
                self.add_two_bridges(position, color, cell);
                self.mark_replies(position, !color, cell);
            }
        }
    }

    /// Unites the group of the stone on `cell` with the chains and sides to which it has two-bridges.
    fn add_two_bridges(&mut self, position: &Position, color: Color, cell: Cell) {
        let geometry = position.geometry();
        let here = position.neighbourhood(cell);
        let taken = here.around(Color::White) | here.around(Color::Black) | geometry.off_board(cell);
        let empty = !taken & 63;
        // Directions in which, as in the next direction, the neighbour is empty.
        let mut left = empty & (empty >> 1 | empty << 5);
        while left != 0 {
            let d = left.trailing_zeros() as usize;
            left &= left - 1;
            let carrier = [d, (d + 1) % 6].map(|d| cell.step(geometry.offsets()[d]));
            let end = carrier[0].step(geometry.offsets()[(d + 1) % 6]);
            if position.neighbourhood(end).holds(color) {
                self.unite(position.root(cell), position.root(end));
            } else {
                let [a, b] = carrier.map(|cell| geometry.vertex_of(cell).map_or(0, |v| geometry.rim(v)));
                if a & b == 0 || geometry.vertex_of(end).is_some() {
                    continue;
                }
                let root = self.root(position.root(cell).0);
                self.held[root as usize] |= a & b;
            }
            carrier.iter().for_each(|cell| self.marks[cell.index()] |= 1 << color.index());
        }
    }

    /// Marks the vertices on which `color` saves a two-bridge that the opponent's stone on `cell` intruded on.
    fn mark_replies(&mut self, position: &Position, color: Color, cell: Cell) {
        let mut left = position.needed_bridge_replies(color, cell);
        while left != 0 {
            let reply = cell.step(position.geometry().offsets()[left.trailing_zeros() as usize]);
            left &= left - 1;
            self.marks[reply.index()] |= 4 << color.index();
        }
    }

    /// The root of the group of a chain.
    pub fn root(&self, mut root: u16) -> u16 {
        while self.parents[root as usize] != root {
            root = self.parents[root as usize];
        }
        root
    }

    fn unite(&mut self, a: Cell, b: Cell) {
        let (a, b) = (self.root(a.0), self.root(b.0));
        let (low, high) = (a.min(b), a.max(b));
        self.parents[low as usize] = high;
        self.held[high as usize] |= self.held[low as usize];
    }

    /// The corners and sides that a group holds.
    #[inline]
    pub fn held_by(&self, root: u16) -> u16 {
        self.held[root as usize]
    }

    /// The corners and sides that the group of a chain holds.
    #[inline]
    pub fn held(&self, root: Cell) -> u16 {
        self.held[self.root(root.0) as usize]
    }

    /// Whether a two-bridge of this player needs the empty cell.
    #[inline]
    pub fn is_carrier(&self, color: Color, cell: Cell) -> bool {
        self.marks[cell.index()] >> color.index() & 1 == 1
    }

    /// Whether this player saves a two-bridge, which the opponent intruded on, by a stone on the empty cell.
    #[inline]
    pub fn is_reply(&self, color: Color, cell: Cell) -> bool {
        self.marks[cell.index()] >> (2 + color.index()) & 1 == 1
    }
}
