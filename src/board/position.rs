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

use super::chains::{Chains, Root};
use super::color::Color;
use super::geometry::{Geometry, Vertex};
use super::stones::{Runs, Stones, fills_hexagon};
use super::structure::{Structures, WINNING};

/// Which structures [`Position::place_checked`] looks for, as a constant: each level includes the ones before.
pub mod checks {
    /// None: only the stone is placed.
    pub const NOTHING: u8 = 0;
    /// Bridges and forks.
    pub const BRIDGE_FORK: u8 = 1;
    /// Bridges, forks and rings.
    pub const ALL: u8 = 2;
}

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
    stones: [Stones; 2],
    chains: Chains,
}

impl Position {
    /// The empty board.
    pub fn new(geometry: &'static Geometry) -> Position {
        Position { geometry, stones: [Stones::EMPTY; 2], chains: Chains::new(geometry) }
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
        self.stones = other.stones;
        self.chains.copy_from(&other.chains, self.geometry.vertex_count());
    }

    /// Whose stone stands on `v`.
    #[inline(always)]
    pub fn stone(&self, v: Vertex) -> Option<Color> {
        let cell = self.geometry.cell(v);
        Color::ALL.into_iter().find(|c| self.stones[c.index()].has(cell))
    }

    /// Whether no stone stands on `v`.
    #[inline(always)]
    pub fn is_empty(&self, v: Vertex) -> bool {
        let cell = self.geometry.cell(v);
        !self.stones[0].has(cell) & !self.stones[1].has(cell)
    }

    /// The empty vertices, in order.
    pub fn empty_vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        self.geometry.vertices().filter(|&v| self.is_empty(v))
    }

    /// Places a stone on `v`, which must be empty, and returns the structures that it completes.
    ///
    /// In a position that had a winning structure before, every stone added to that structure's chain reports its
    /// bridges and forks again.
    #[inline(always)]
    pub fn place(&mut self, color: Color, v: Vertex) -> Structures {
        self.place_checked::<{ checks::ALL }>(color, v)
    }

    /// [`Position::place`], looking only for the structures that `CHECKS` (of [`checks`]) names.
    #[inline(always)]
    pub fn place_checked<const CHECKS: u8>(&mut self, color: Color, v: Vertex) -> Structures {
        let geometry = self.geometry;
        let cell = geometry.cell(v);
        let stones = &mut self.stones[color.index()];
        if CHECKS == checks::NOTHING {
            stones.set(cell);
            return Structures::NONE;
        }
        debug_assert!(!stones.has(cell), "{v:?} is occupied");
        let runs = Runs::of(stones.pattern(cell));
        stones.set(cell);

        // A run that does not exist is represented by the new stone itself, a chain of one.
        let around = geometry.adjacent(v);
        let first = self.chains.find(around[runs.direction(0)] as usize);
        let second = self.chains.find(around[runs.direction(1)] as usize);
        let mut ring = runs.two() & (first == second);
        let mut joined = self.chains.unite(v.index(), first, second);
        if runs.three() {
            let third = self.chains.find(around[runs.direction(2)] as usize);
            ring |= third == joined;
            joined = self.chains.unite(v.index(), joined, third);
        }
        let mut structures = WINNING[joined.mask() as usize & 4095];
        if CHECKS == checks::ALL {
            ring |= runs.inside() != 0 && fills_hexagon(geometry, &self.stones[color.index()], v, runs.inside());
            if ring {
                structures |= Structures::RING;
            }
        }
        structures
    }

    /// The structures that a stone on the empty vertex `v` would complete.
    #[inline]
    pub fn completes(&self, color: Color, v: Vertex) -> Structures {
        let geometry = self.geometry;
        let stones = &self.stones[color.index()];
        let runs = Runs::of(stones.pattern(geometry.cell(v)));
        let around = geometry.adjacent(v);
        let root = |k| self.chains.root(around[runs.direction(k)] as usize);
        let (first, second, third) = (root(0), root(1), root(2));
        let mask = geometry.rim(v) | first.mask() | second.mask() | third.mask();
        let ring = (runs.two() && first == second)
            || (runs.three() && (third == first || third == second))
            || fills_hexagon(geometry, stones, v, runs.inside());
        let structures = WINNING[mask as usize & 4095];
        if ring { structures | Structures::RING } else { structures }
    }

    /// The chain of the stone on `v`: its name, which holds until the next stone, and its corners and sides as in
    /// [`Geometry::rim`]. For an empty vertex, itself.
    #[inline]
    pub fn chain(&self, v: Vertex) -> (Vertex, u16) {
        let root: Root = self.chains.root(v.index());
        (root.vertex(), root.mask())
    }
}
