//! The stones on a board, and the structures that a new stone completes. Bridges and forks are found *online*, stone by
//! stone (paper, section 7). So are rings, for which section 8 of the paper knows no efficient online algorithm.
//!
//! # Rings online, in constant time
//!
//! Let a player place a stone on *v*. Below, a *stone* is a stone of this player, and any other vertex or a place off
//! the board is a *gap*. The stones among the six neighbours of *v* form *runs*: the longest sequences in circular
//! order. The stones of one run are connected, because consecutive neighbours of *v* are adjacent. If the player had no
//! ring before, the new stone completes one iff
//!
//! 1. two different runs belonged to the same chain already, or
//! 2. a neighbour of *v* is a stone and has six stones around it, including the new one: a *filled hexagon*.
//!
//! *1 implies a ring.* A path in the chain from one run to the other, closed through *v*, is a loop. It divides the
//! circle of neighbours around *v* into two arcs. Each arc has a gap, or the two runs would be one. One of the arcs
//! lies inside the loop. Everything inside a loop is on the board and not on its rim. So the gap in the inner arc is a
//! vertex that no path avoiding the loop connects to the rim: it is captured.
//!
//! *2 implies a ring.* The six stones around the middle of the hexagon capture it.
//!
//! *A ring implies 1 or 2.* Take a loop of stones that captures as few vertices as possible. It passes through *v*, or
//! there would have been a ring before, and it enters and leaves *v* by two neighbours. If these belong to different
//! runs, 1 holds. If they belong to the same run, the loop could follow the run instead of passing through *v*. It
//! would then capture the same vertices except those of the run between the two neighbours, and would have been a ring
//! before, unless those were all that it captured. So all captured vertices are stones next to *v*. Each neighbour of a
//! captured stone is captured or on the loop, and therefore a stone: 2 holds.
//!
//! The time is constant, except for two or three finds in the disjoint-set forest. The tests compare this detector with
//! the offline one ([`RingFinder`](super::RingFinder)) and with the literal definition of a ring.

use std::fmt;

use super::chains::Chains;
use super::color::Color;
use super::geometry::{Cell, Geometry, Vertex};
use super::neighbourhood::{Neighbourhood, Neighbourhoods};
use super::runs::Runs;
use super::structure::{Structures, WINNING};

/// The structures to look for when a stone is placed, as constants for a const generic parameter.
pub mod checks {
    /// None.
    pub const NOTHING: u8 = 0;
    /// Bridges and forks.
    pub const BRIDGE_FORK: u8 = 1;
    /// Bridges, forks and rings.
    pub const ALL: u8 = 2;
}

/// The chain that a new stone would form with the chains next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    /// The corners and sides that the new chain would hold, as in [`Geometry::rim`].
    pub rim: u16,
    /// The most corners and sides that one of the joined chains holds already.
    pub most: u8,
    /// Whether the stone would complete a ring.
    pub ring: bool,
    roots: [Cell; 3],
    count: u8,
}

impl Joined {
    /// The roots of the chains that the stone would join, one for each run of stones next to it.
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

/// For each set of directions, the directions outside it that lie between two of its directions in circular order.
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

/// The stones on a board and their chains.
///
/// Placing a stone finds the bridges and forks that it completes as in the paper's section 7, and rings in the same
/// step, in nearly constant time. Stones cannot be removed; to go back to a position, keep a copy of it.
///
/// ```
/// use malecon::game::{Color, Geometry, Position, Structures};
/// let board = Geometry::with_side(2)?;
/// let mut position = Position::new(board);
/// let [a1, a2] = [board.vertex_at(0, 0).unwrap(), board.vertex_at(0, 1).unwrap()];
/// assert_eq!(position.place(Color::White, a1), Structures::NONE);
/// assert_eq!(position.completes(Color::White, a2), Structures::BRIDGE);
/// assert_eq!(position.place(Color::White, a2), Structures::BRIDGE);
/// # Ok::<(), malecon::game::SideError>(())
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

    /// The board graph.
    #[inline(always)]
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// Copies another position on the same board, without allocating.
    ///
    /// # Panics
    /// If the boards differ.
    #[inline]
    pub fn copy_from(&mut self, other: &Position) {
        assert_eq!(self.geometry, other.geometry, "the positions are on different boards");
        let cells = self.geometry.cell_count();
        self.neighbourhoods.copy_from(&other.neighbourhoods, cells);
        self.chains.copy_from(&other.chains, cells);
    }

    /// The stones on and around a vertex's cell.
    #[inline(always)]
    pub(crate) fn neighbourhood(&self, cell: Cell) -> Neighbourhood {
        self.neighbourhoods.at(cell)
    }

    /// The colour of the stone on `v`, or `None` if `v` is empty.
    #[inline]
    pub fn stone(&self, v: Vertex) -> Option<Color> {
        let here = self.neighbourhoods.at(self.geometry.cell(v));
        Color::ALL.into_iter().find(|&color| here.holds(color))
    }

    /// Whether there is no stone on `v`.
    #[inline]
    pub fn is_empty(&self, v: Vertex) -> bool {
        self.neighbourhoods.at(self.geometry.cell(v)).is_empty()
    }

    /// The empty vertices, in vertex order.
    pub fn empty_vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        self.geometry.vertices().filter(|&v| self.is_empty(v))
    }

    /// The stones, in vertex order.
    pub fn stones(&self) -> impl Iterator<Item = (Color, Vertex)> + '_ {
        self.geometry.vertices().filter_map(|v| Some((self.stone(v)?, v)))
    }

    /// Places a stone on `v`, which must be empty, and returns the structures that it completes.
    ///
    /// If the player had a structure before, a later stone of the same chain may report it again or not.
    ///
    /// # Panics
    /// If the vertex is occupied.
    #[inline]
    pub fn place(&mut self, color: Color, v: Vertex) -> Structures {
        assert!(self.is_empty(v), "the vertex is occupied");
        self.place_checked::<{ checks::ALL }>(color, self.geometry.cell(v))
    }

    /// Like [`Position::place`], but on the cell of a vertex, and looks only for the structures in `CHECKS`, a constant
    /// of [`checks`].
    #[inline(always)]
    pub(crate) fn place_checked<const CHECKS: u8>(&mut self, color: Color, cell: Cell) -> Structures {
        if CHECKS == checks::NOTHING {
            self.put(color, cell);
            return Structures::NONE;
        }
        let runs = self.append(color, cell);
        if runs.joins() { self.join::<CHECKS>(color, cell, runs, std::iter::empty()) } else { Structures::NONE }
    }

    /// Puts a stone on the cell of a vertex, which must be empty, and leaves the chains as they are. Returns the
    /// pattern of stones of its colour around it.
    #[inline(always)]
    pub(crate) fn put(&mut self, color: Color, cell: Cell) -> u8 {
        let here = self.neighbourhoods.at(cell);
        debug_assert!(here.is_empty(), "{cell:?} is occupied");
        // SAFETY: callers pass the cells of vertices of this board: `Geometry::cell` makes no others, and panics for a
        // vertex that the board does not have.
        unsafe { self.neighbourhoods.set(self.geometry, color, cell) };
        here.pattern(color)
    }

    /// Places a stone on the cell of a vertex, which must be empty, and adds it to one of the chains next to it.
    /// Returns the runs of stones of its colour around it. If they say so ([`Runs::joins`]), [`Position::join`] must
    /// follow, before or after other stones have been appended.
    #[inline(always)]
    pub(crate) fn append(&mut self, color: Color, cell: Cell) -> Runs {
        let pattern = self.put(color, cell);
        // The offset of a missing run is 0: the stone stays a chain of its own.
        let runs = self.geometry.runs()[pattern as usize];
        self.chains.append(cell, cell.step(runs.first()));
        runs
    }

    /// Joins all chains next to a stone that has been appended, with what [`Position::append`] has returned. Returns
    /// the structures in `CHECKS` that the stone completes. Stones must be joined in the order in which they were
    /// appended; `later` are those appended after this one.
    #[inline(always)]
    pub(crate) fn join<const CHECKS: u8>(
        &mut self,
        color: Color,
        cell: Cell,
        runs: Runs,
        later: impl Iterator<Item = Cell> + Clone,
    ) -> Structures {
        // The stone has been added to the first chain. The offset of a missing run is 0: the stone itself. Stones
        // appended later do not matter: each hangs on one chain.
        let first = self.chains.find(cell);
        let second = self.chains.find(cell.step(runs.second()));
        let mut ring = (runs.count() >= 2) & (first == second);
        // No chain has the stone as its root, so its mask is still its own corner or side.
        let (root, mut mask) = self.chains.unite(first, second, self.chains.mask(cell));
        let middle = self.neighbourhoods.at(cell.step(runs.third_or_middle()));
        if runs.is_special() | (CHECKS == checks::ALL && middle.around(color) == 63) {
            let (other_ring, other_mask) = self.join_special::<CHECKS>(color, cell, runs, root, later);
            ring |= other_ring;
            mask |= other_mask;
        }
        let mut structures = WINNING[mask as usize & 4095];
        if CHECKS == checks::ALL && ring {
            structures |= Structures::RING;
        }
        structures
    }

    /// The rare part of [`Position::join`]: joins a third chain to the chain of `root`, and looks for filled hexagons.
    /// Returns whether there is a ring, and the third chain's corners and sides.
    #[cold]
    #[inline(never)]
    fn join_special<const CHECKS: u8>(
        &mut self,
        color: Color,
        cell: Cell,
        runs: Runs,
        root: Cell,
        later: impl Iterator<Item = Cell> + Clone,
    ) -> (bool, u16) {
        let hexagon = CHECKS == checks::ALL && self.fills_hexagon(color, cell, runs.inside(), later);
        if runs.count() < 3 {
            return (hexagon, 0);
        }
        let third = self.chains.find(cell.step(runs.third_or_middle()));
        (hexagon | (third == root), self.chains.unite(root, third, 0).1)
    }

    /// Whether a stone of `color` on `cell` completes a hexagon of seven stones whose middle lies in one of the
    /// directions `inside`. Stones on the cells `later` do not count.
    #[inline]
    fn fills_hexagon(&self, color: Color, cell: Cell, inside: u8, later: impl Iterator<Item = Cell> + Clone) -> bool {
        let offsets = self.geometry.offsets();
        let mut directions = inside;
        while directions != 0 {
            let direction = directions.trailing_zeros() as usize;
            let middle = cell.step(offsets[direction]);
            // The bit of the stone on `cell`, which may have been placed or not.
            let around = self.neighbourhoods.at(middle).around(color) | 1 << ((direction + 3) % 6);
            let is_around = |cell: Cell| offsets.iter().any(|&offset| middle.step(offset) == cell);
            if around == 63 && !later.clone().any(is_around) {
                return true;
            }
            directions &= directions - 1;
        }
        false
    }

    /// The structures that a stone of `color` on the empty vertex `v` would complete.
    #[inline]
    pub fn completes(&self, color: Color, v: Vertex) -> Structures {
        self.joined(color, v).structures()
    }

    /// The chain that a stone of `color` on the empty vertex `v` would form.
    #[inline]
    pub(crate) fn joined(&self, color: Color, v: Vertex) -> Joined {
        let cell = self.geometry.cell(v);
        let runs = self.geometry.runs()[self.neighbourhoods.at(cell).around(color)];
        let mut joined =
            Joined { rim: self.geometry.rim(v), most: 0, ring: false, roots: [cell; 3], count: runs.count() as u8 };
        if runs.count() == 0 {
            return joined;
        }
        for (k, offset) in runs.offsets().enumerate() {
            let root = self.chains.root(cell.step(offset));
            joined.ring |= joined.roots[..k].contains(&root);
            joined.roots[k] = root;
            let rim = self.chains.mask(root);
            joined.rim |= rim;
            joined.most = joined.most.max(rim.count_ones() as u8);
        }
        joined.ring |= self.fills_hexagon(color, cell, runs.inside(), std::iter::empty());
        joined
    }

    /// The replies of `color` if the opponent's stone on `cell` intrudes into a two-bridge of `color`, or into the
    /// two-vertex carrier between a stone of `color` and the rim. They are directions from `cell`, as a mask.
    #[inline(always)]
    fn bridge_replies(&self, color: Color, cell: Cell) -> u8 {
        let here = self.neighbourhoods.at(cell);
        let off = self.geometry.off_board(cell);
        BETWEEN[here.around(color) | off] & !(here.around(!color) | off) as u8
    }

    /// The bridge replies that make a new connection: between two different chains, or between a chain and a side or
    /// corner that it does not hold yet.
    #[inline(always)]
    pub(crate) fn needed_bridge_replies(&self, color: Color, cell: Cell) -> u8 {
        let mut replies = self.bridge_replies(color, cell);
        let mut needed = 0;
        while replies != 0 {
            let reply = replies.trailing_zeros() as usize;
            replies &= replies - 1;
            needed |= (self.reply_connects(color, cell, reply) as u8) << reply;
        }
        needed
    }

    /// Whether a stone of `color` on the neighbour of `cell` in direction `d` makes a new connection. `cell` and this
    /// neighbour have two common neighbours: two stones of `color`, or one if the other is off the board.
    #[inline]
    fn reply_connects(&self, color: Color, cell: Cell, d: usize) -> bool {
        let around = self.neighbourhoods.at(cell).around(color);
        let offsets = self.geometry.offsets();
        let flanks = [(d + 5) % 6, (d + 1) % 6].map(|flank| (around >> flank & 1 == 1, cell.step(offsets[flank])));
        match flanks {
            [(true, before), (true, after)] => self.chains.root(before) != self.chains.root(after),
            [(true, stone), _] | [_, (true, stone)] => {
                let rim = self.geometry.vertex_of(cell.step(offsets[d])).map_or(0, |v| self.geometry.rim(v));
                rim & !self.chains.mask(self.chains.root(stone)) != 0
            }
            _ => false,
        }
    }

    /// The root of the chain that the stone on `cell` belongs to.
    #[inline]
    pub(crate) fn root(&self, cell: Cell) -> Cell {
        self.chains.root(cell)
    }

    /// The corners and sides that the chain of this root holds, as in [`Geometry::rim`].
    #[inline]
    pub(crate) fn rim_of_chain(&self, root: Cell) -> u16 {
        self.chains.mask(root)
    }

    /// The chain of the stone on `v`: one of its vertices, which represents the whole chain until the next stone is
    /// placed, and the corners and sides that the chain holds, as in [`Geometry::rim`]. An empty vertex is a chain of
    /// one.
    #[inline]
    pub fn chain(&self, v: Vertex) -> (Vertex, u16) {
        let root = self.chains.root(self.geometry.cell(v));
        let representative = self.geometry.vertex_of(root).expect("a root is a vertex");
        (representative, self.chains.mask(root))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stones = |color| move |&v: &Vertex| self.stone(v) == Some(color);
        let [white, black] = Color::ALL.map(|color| self.geometry.vertices().filter(stones(color)).collect::<Vec<_>>());
        f.debug_struct("Position")
            .field("geometry", self.geometry)
            .field("white", &white)
            .field("black", &black)
            .finish()
    }
}
