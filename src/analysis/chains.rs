//! The chains of a position.

use std::collections::BTreeMap;

use crate::board::{Color, Position, Vertex};

/// A chain: connected stones of one colour, as many as there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Whose it is.
    pub color: Color,
    /// Its stones, in vertex order.
    pub stones: Vec<Vertex>,
    /// The corners and sides that it holds, as in [`Geometry::rim`](crate::board::Geometry::rim).
    pub rim: u16,
}

impl Chain {
    /// The number of corners that it holds: two make a bridge.
    pub fn corners(&self) -> u32 {
        (self.rim & 0x3f).count_ones()
    }

    /// The number of sides that it holds: three make a fork. Corners belong to no side.
    pub fn sides(&self) -> u32 {
        (self.rim >> 6).count_ones()
    }
}

/// The chains of a position, by their first stone.
///
/// ```
/// use malecon::analysis::chains::chains;
/// use malecon::board::{Color, Geometry, Notation, Position};
/// let board = Geometry::of(4)?;
/// let mut position = Position::new(board);
/// for name in ["a1", "b1", "d4"] {
///     position.place(Color::White, Notation::HavannahGui.parse(board, name)?);
/// }
/// let chains = chains(&position);
/// let held: Vec<_> = chains.iter().map(|c| (c.stones.len(), c.corners(), c.sides())).collect();
/// assert_eq!(held, [(2, 1, 1), (1, 0, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chains(position: &Position) -> Vec<Chain> {
    let mut by_name: BTreeMap<Vertex, Chain> = BTreeMap::new();
    for v in position.geometry().vertices() {
        if let Some(color) = position.stone(v) {
            let (name, rim) = position.chain(v);
            by_name.entry(name).or_insert_with(|| Chain { color, stones: Vec::new(), rim }).stones.push(v);
        }
    }
    let mut chains: Vec<Chain> = by_name.into_values().collect();
    chains.sort_unstable_by_key(|chain| chain.stones[0]);
    chains
}
