//! The chains of a position.

use std::collections::BTreeMap;

use crate::game::{Color, Position, Vertex};

/// A chain: a maximal set of connected stones of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The colour of the stones.
    pub color: Color,
    /// The stones, in vertex order.
    pub stones: Vec<Vertex>,
    /// The corners and sides that the chain holds, as in [`Geometry::rim`](crate::game::Geometry::rim).
    pub rim: u16,
}

impl Chain {
    /// The number of corners that the chain holds. Two make a bridge.
    #[must_use]
    pub fn corners(&self) -> u32 {
        (self.rim & 0x3f).count_ones()
    }

    /// The number of sides that the chain holds. Three make a fork. Corners belong to no side.
    #[must_use]
    pub fn sides(&self) -> u32 {
        (self.rim >> 6).count_ones()
    }
}

/// The chains of a position, ordered by their first stones.
///
/// ```
/// use malecon::engine::inspect::chains::chains;
/// use malecon::game::{Color, Geometry, Notation, Position};
/// let board = Geometry::with_side(4)?;
/// let mut position = Position::new(board);
/// for name in ["a1", "b1", "d4"] {
///     position.place(Color::White, Notation::HavannahGui.parse(board, name)?);
/// }
/// let chains = chains(&position);
/// let held: Vec<_> = chains.iter().map(|c| (c.stones.len(), c.corners(), c.sides())).collect();
/// assert_eq!(held, [(2, 1, 1), (1, 0, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn chains(position: &Position) -> Vec<Chain> {
    let mut by_representative: BTreeMap<Vertex, Chain> = BTreeMap::new();
    for (color, v) in position.stones() {
        let (representative, rim) = position.chain(v);
        let chain = by_representative.entry(representative);
        chain.or_insert_with(|| Chain { color, stones: Vec::new(), rim }).stones.push(v);
    }
    let mut chains: Vec<Chain> = by_representative.into_values().collect();
    chains.sort_unstable_by_key(|chain| chain.stones[0]);
    chains
}
