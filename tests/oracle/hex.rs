//! Hex.

use super::point_set::PointSet;
use super::strong_positional::{Adjacency, Patterns, StrongPositionalGame};

/// `Hex_game(size)`. The text requires `size < 1`, but sizes are ≥ 1.
#[derive(Clone, Debug)]
pub struct Hex {
    size: usize,
    adjacency: Adjacency,
}

impl Hex {
    /// The game on a board of size × size points.
    pub fn new(size: usize) -> Hex {
        assert!(size >= 1);
        let point = |i: usize| ((i % size) as i32, (i / size) as i32);
        // `Hex_neighbours`.
        let are_neighbours = |p, q| {
            let ((x1, y1), (x2, y2)) = (point(p), point(q));
            (x1 - x2).pow(2) + (y1 - y2).pow(2) - (x1 - x2) * (y1 - y2) == 1
        };
        Hex { size, adjacency: Adjacency::new(size * size, are_neighbours) }
    }

    /// The index of the point (x, y).
    pub fn point(&self, x: usize, y: usize) -> usize {
        assert!(x < self.size && y < self.size);
        x + y * self.size
    }

    /// Whether a group is a pattern of this player. The first player connects y = 0 with y = size − 1, the second x = 0
    /// with x = size − 1.
    fn connects(&self, player: usize, group: PointSet) -> bool {
        let touches = |line: usize| {
            (0..self.size).any(|k| group.has(if player == 0 { self.point(k, line) } else { self.point(line, k) }))
        };
        touches(0) && touches(self.size - 1)
    }

    /// The game as a list of patterns, found in the power set of the points. The game is `maximal`, so the patterns are
    /// all groups that connect.
    pub fn patterns(&self) -> Patterns {
        let connecting = |player| self.adjacency.groups().filter(|&group| self.connects(player, group)).collect();
        Patterns { points: self.size * self.size, winning: [connecting(0), connecting(1)] }
    }
}

impl StrongPositionalGame for Hex {
    fn point_count(&self) -> usize {
        self.size * self.size
    }

    fn is_winning(&self, player: usize, position: PointSet) -> bool {
        self.adjacency.chains(position).into_iter().any(|chain| self.connects(player, chain))
    }
}
