//! Stones on the board, and the structures they complete, found as they are placed (paper, section 7, and rings
//! *online*, which the paper's section 8 did without).
//!
//! # Rings online, in constant time
//!
//! Let a stone be placed at *v*, and walk around its six neighbours. Own stones among them fall into *runs*, maximal
//! sequences in circular order; the neighbours of one run are connected with each other, as consecutive neighbours
//! are adjacent. A position without a ring before the stone has one after it iff
//!
//! 1. two different runs already belong to the same chain, or
//! 2. an own neighbour of *v* has six own neighbours (*v* is on the rim of a *filled hexagon*).
//!
//! *If 1, then a ring:* a path in the chain from one run to the other, closed through *v*, is a loop. It parts the
//! circle around *v* into two arcs, each of which holds a gap (a place without an own stone), else the runs would be
//! one. One arc lies inside the loop. What is inside a loop of vertices is on the board and not on its rim, so the
//! inner arc's gap is a vertex of the board that no path of other vertices joins to the rim: it is captured.
//! *If 2, then a ring:* the six stones around the middle one capture it.
//! *If a ring, then 1 or 2:* take a loop of own stones around as few vertices as possible; *v* is on it, or there was a
//! ring before. It passes through *v* by two neighbours. If they are of different runs, 1 holds. If of one run, the
//! loop could go along the run instead of through *v* and would capture the same, but for the run's vertices between
//! the two; it would be a ring without *v*, unless those were all it captured: so all captured vertices are own stones
//! next to *v*. Each neighbour of a captured stone is captured or on the loop, so is own: 2 holds.
//!
//! Constant time, up to the two or three finds in the disjoint sets. The test suite compares this detector with the
//! offline one of [`super::ring`] and with the literal definition.

use super::chains::Chains;
use super::color::Color;
use super::geometry::{Cell, Geometry, Vertex};
use super::neighbourhood::{Neighbourhood, Neighbourhoods};
use super::structure::{Structures, WINNING};

/// Which structures placing a stone looks for, as a constant: each level includes the ones before.
pub mod checks {
    /// None: only the stone is placed.
    pub const NOTHING: u8 = 0;
    /// Bridges and forks.
    pub const BRIDGE_FORK: u8 = 1;
    /// Bridges, forks and rings.
    pub const ALL: u8 = 2;
}

/// The chain that a stone would make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    /// The corners and sides that it would hold, as in [`Geometry::rim`].
    pub rim: u16,
    /// The greatest number of them that one of the chains holds which the stone would join.
    pub most: u8,
    /// Whether the stone would close a ring.
    pub ring: bool,
    roots: [Cell; 3],
    count: u8,
}

impl Joined {
    /// The roots of the chains that the stone would join.
    #[inline]
    pub fn roots(&self) -> &[Cell] {
        &self.roots[..self.count as usize]
    }

    /// The structures that the stone would complete.
    #[inline]
    pub fn structures(self) -> Structures {
        let structures = WINNING[self.rim as usize & 4095];
        if self.ring { structures | Structures::RING } else { structures }
    }
}

/// For each set of directions, those not in it whose two neighbours in circular order are.
static BETWEEN: [u8; 64] = {
    let mut table = [0; 64];
    let mut set: usize = 0;
    while set < 64 {
        let (before, after) = (set << 1 | set >> 5, set >> 1 | set << 5);
        table[set] = (before & after & !set & 63) as u8;
        set += 1;
    }
    table
};

/// The stones on a board and their chains. Stones are added and never taken away: to go back, keep a copy.
///
/// ```
/// use malecon::board::{Color, Geometry, Position, Structures};
/// let board = Geometry::of(2)?;
/// let mut position = Position::new(board);
/// let [a1, a2] = [board.vertex_at(0, 0).unwrap(), board.vertex_at(0, 1).unwrap()];
/// assert_eq!(position.place(Color::White, a1), Structures::NONE);
/// assert_eq!(position.completes(Color::White, a2), Structures::BRIDGE);
/// assert_eq!(position.place(Color::White, a2), Structures::BRIDGE);
/// # Ok::<(), malecon::board::SideError>(())
/// ```
#[derive(Clone)]
pub struct Position {
    geometry: &'static Geometry,
    neighbourhoods: Neighbourhoods,
    chains: Chains,
}

impl Position {
    /// The empty board.
    pub fn new(geometry: &'static Geometry) -> Position {
        Position { geometry, neighbourhoods: Neighbourhoods::new(geometry), chains: Chains::new(geometry) }
    }

    /// The board's tables.
    #[inline(always)]
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// Becomes equal to `other`, a position of the same board, without allocating.
    ///
    /// # Panics
    /// If the boards differ.
    #[inline]
    pub fn copy_from(&mut self, other: &Position) {
        assert_eq!(self.geometry.side(), other.geometry.side(), "positions of different boards");
        let cells = self.geometry.cell_count();
        self.neighbourhoods.copy_from(&other.neighbourhoods, cells);
        self.chains.copy_from(&other.chains, cells);
    }

    /// The stones on and around a vertex's cell.
    #[inline(always)]
    pub(crate) fn neighbourhood(&self, cell: Cell) -> Neighbourhood {
        self.neighbourhoods.at(cell)
    }

    /// Whose stone stands on `v`.
    #[inline]
    pub fn stone(&self, v: Vertex) -> Option<Color> {
        let here = self.neighbourhoods.at(self.geometry.cell(v));
        Color::ALL.into_iter().find(|&color| here.holds(color))
    }

    /// Whether no stone stands on `v`.
    #[inline]
    pub fn is_empty(&self, v: Vertex) -> bool {
        self.neighbourhoods.at(self.geometry.cell(v)).is_empty()
    }

    /// The empty vertices, in order.
    pub fn empty_vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        self.geometry.vertices().filter(|&v| self.is_empty(v))
    }

    /// Places a stone on `v`, which must be empty, and returns the structures that it completes.
    ///
    /// In a position that had a winning structure before, every stone added to that structure's chain reports its
    /// bridges and forks again.
    #[inline]
    pub fn place(&mut self, color: Color, v: Vertex) -> Structures {
        self.place_checked::<{ checks::ALL }>(color, self.geometry.cell(v))
    }

    /// [`Position::place`] on a cell, looking only for the structures that `CHECKS` (one of the constants of `checks`) names.
    #[inline(always)]
    pub(crate) fn place_checked<const CHECKS: u8>(&mut self, color: Color, cell: Cell) -> Structures {
        let geometry = self.geometry;
        let here = self.neighbourhoods.at(cell);
        debug_assert!(here.is_empty(), "{cell:?} is occupied");
        self.neighbourhoods.set(geometry, color, cell);
        if CHECKS == checks::NOTHING {
            return Structures::NONE;
        }
        // A run that does not exist is represented by the new stone itself, a chain of one.
        let runs = geometry.runs()[here.around(color)];
        let first = self.chains.find(cell.step(runs.offsets[0]));
        let second = self.chains.find(cell.step(runs.offsets[1]));
        let mut ring = (runs.count >= 2) & (first == second);
        let (root, mut mask) = self.chains.unite(cell, first, second);
        if runs.special != 0 {
            if runs.count == 3 {
                let third = self.chains.find(cell.step(runs.offsets[2]));
                ring |= third == root;
                mask = self.chains.unite(cell, root, third).1;
            }
            ring |= CHECKS == checks::ALL && self.fills_hexagon(color, cell, runs.inside());
        }
        let mut structures = WINNING[mask as usize & 4095];
        if CHECKS == checks::ALL && ring {
            structures |= Structures::RING;
        }
        structures
    }

    /// Whether a stone of `color` on `cell` lies on the rim of a hexagon of seven of its stones, whose middle lies in
    /// one of the directions `inside`.
    #[inline]
    fn fills_hexagon(&self, color: Color, cell: Cell, inside: u8) -> bool {
        let mut directions = inside;
        while directions != 0 {
            let direction = directions.trailing_zeros() as usize;
            let middle = self.neighbourhoods.at(cell.step(self.geometry.offsets()[direction]));
            // The stone itself may be placed already or not.
            if middle.around(color) | 1 << ((direction + 3) % 6) == 63 {
                return true;
            }
            directions &= directions - 1;
        }
        false
    }

    /// The structures that a stone on the empty vertex `v` would complete.
    #[inline]
    pub fn completes(&self, color: Color, v: Vertex) -> Structures {
        self.joined(color, v).structures()
    }

    /// The chain that a stone on the empty vertex `v` would make.
    #[inline]
    pub(crate) fn joined(&self, color: Color, v: Vertex) -> Joined {
        let cell = self.geometry.cell(v);
        let runs = self.geometry.runs()[self.neighbourhoods.at(cell).around(color)];
        let mut joined =
            Joined { rim: self.geometry.rim(v), most: 0, ring: false, roots: [cell; 3], count: runs.count };
        if runs.count == 0 {
            return joined;
        }
        for k in 0..runs.count as usize {
            let root = self.chains.root(cell.step(runs.offsets[k]));
            joined.ring |= joined.roots[..k].contains(&root);
            joined.roots[k] = root;
            let rim = self.chains.mask(root);
            joined.rim |= rim;
            joined.most = joined.most.max(rim.count_ones() as u8);
        }
        joined.ring |= self.fills_hexagon(color, cell, runs.inside());
        joined
    }

    /// Where `color` answers the opponent's stone on `cell` when that intrudes into a two-bridge of `color`, or into the
    /// two vertices between a stone and the rim: directions from `cell`, a bit each.
    #[inline(always)]
    pub(crate) fn bridge_answers_at(&self, color: Color, cell: Cell) -> u8 {
        let here = self.neighbourhoods.at(cell);
        let off = self.geometry.off_board(cell);
        BETWEEN[here.around(color) | off] & !(here.around(!color) | off) as u8
    }

    /// As [`Position::bridge_answers_at`], but only where the answer joins what is not joined yet: two chains, or a chain
    /// and a side or corner that it does not hold.
    #[inline(always)]
    pub(crate) fn needed_answers_at(&self, color: Color, cell: Cell) -> u8 {
        let mut answers = self.bridge_answers_at(color, cell);
        let mut needed = 0;
        while answers != 0 {
            let answer = answers.trailing_zeros() as usize;
            answers &= answers - 1;
            needed |= (self.joins_anew(color, cell, answer) as u8) << answer;
        }
        needed
    }

    /// Whether a stone of `color` next to `cell` in direction `d` joins its two common neighbours with `cell`, of which
    /// at least one is a stone of that colour and the other may be off the board, while they are not joined yet.
    fn joins_anew(&self, color: Color, cell: Cell, d: usize) -> bool {
        let around = self.neighbourhoods.at(cell).around(color);
        let offsets = self.geometry.offsets();
        let flanks = [(d + 5) % 6, (d + 1) % 6].map(|flank| (around >> flank & 1 == 1, cell.step(offsets[flank])));
        match flanks {
            [(true, before), (true, after)] => self.chains.root(before) != self.chains.root(after),
            [(true, own), _] | [_, (true, own)] => {
                let rim = self.geometry.vertex_of(cell.step(offsets[d])).map_or(0, |v| self.geometry.rim(v));
                rim & !self.chains.mask(self.chains.root(own)) != 0
            }
            _ => false,
        }
    }

    /// The root of the chain of the stone on `cell`.
    #[inline]
    pub(crate) fn root(&self, cell: Cell) -> Cell {
        self.chains.root(cell)
    }

    /// The chain of the stone on `v`: its name, which holds until the next stone, and its corners and sides as in
    /// [`Geometry::rim`]. For an empty vertex, itself.
    #[inline]
    pub fn chain(&self, v: Vertex) -> (Vertex, u16) {
        let root = self.chains.root(self.geometry.cell(v));
        let name = self.geometry.vertex_of(root).expect("the root of a vertex is a vertex");
        (name, self.chains.mask(root))
    }
}
