//! Random positions that differ.

use std::collections::HashSet;

use super::color::Color;
use super::geometry::{Geometry, Vertex};
use super::position::Position;

/// Tells which of the positions drawn at random are to be kept: those that nobody has won and that are no images of
/// earlier ones.
#[derive(Debug)]
pub(crate) struct Distinct {
    geometry: &'static Geometry,
    kept: HashSet<[Vec<Vertex>; 2]>,
    /// The draws since the last one that was kept.
    misses: usize,
}

impl Distinct {
    /// Nothing has been drawn yet.
    pub fn new(geometry: &'static Geometry) -> Distinct {
        Distinct { geometry, kept: HashSet::new(), misses: 0 }
    }

    /// Whether the position after these stones of alternating colours, white's first, is kept.
    ///
    /// # Panics
    /// If two of the stones are on one vertex.
    pub fn keep(&mut self, stones: &[Vertex]) -> bool {
        let is_kept = self.is_undecided(stones) && self.kept.insert(self.geometry.canonical(stones));
        self.misses = if is_kept { 0 } else { self.misses + 1 };
        is_kept
    }

    /// Whether so many draws in a row were not kept that few other positions are left, if any.
    pub fn is_exhausted(&self) -> bool {
        self.misses > 20_000 + 50 * self.kept.len()
    }

    fn is_undecided(&self, stones: &[Vertex]) -> bool {
        let mut position = Position::new(self.geometry);
        (0..).zip(stones).all(|(i, &v)| position.place(Color::ALL[i % 2], v).is_empty())
    }
}
