//! Sets of positions to solve: all openings of a few stones, and random positions.

use std::collections::HashSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::{Color, Distinct, Geometry, Position, Vertex};

/// All positions after `stones` alternating stones from the empty board in which nobody has won, up to symmetry, each
/// as the moves that lead to it. Of a position's images and orders of moves, the first in vertex order is taken.
#[must_use]
pub fn positions_after(geometry: &'static Geometry, stones: usize) -> Vec<Vec<Vertex>> {
    let mut positions = vec![Vec::new()];
    for n in 0..stones {
        let color = Color::ALL[n % 2];
        let mut seen = HashSet::new();
        let mut longer = Vec::new();
        for moves in positions {
            let position = position_after(geometry, &moves);
            for v in position.empty_vertices().filter(|&v| position.completes(color, v).is_empty()) {
                let moves = [&moves[..], &[v]].concat();
                if seen.insert(geometry.canonical(&moves)) {
                    longer.push(moves);
                }
            }
        }
        positions = longer;
    }
    positions
}

/// Positions after `stones` random stones of alternating colours, white's first, in which nobody has won, each as the
/// moves that lead to it. No two of them are images of each other. The same seed gives the same positions. The iterator
/// ends when few others are left, if any: when many draws in a row gave none.
///
/// # Panics
/// If the board has fewer vertices.
pub fn random_positions(geometry: &'static Geometry, stones: usize, seed: u64) -> impl Iterator<Item = Vec<Vertex>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let all: Vec<Vertex> = geometry.vertices().collect();
    assert!(stones <= all.len(), "there are too few vertices");
    let mut draw = move || {
        let mut moves = all.clone();
        moves.shuffle(&mut rng);
        moves.truncate(stones);
        moves
    };
    let mut distinct = Distinct::new(geometry);
    std::iter::from_fn(move || {
        while !distinct.is_exhausted() {
            let moves = draw();
            if distinct.keep(&moves) {
                return Some(moves);
            }
        }
        None
    })
}

/// The position after these stones of alternating colours, white's first.
///
/// # Panics
/// If two of the stones are on one vertex.
#[must_use]
pub fn position_after(geometry: &'static Geometry, moves: &[Vertex]) -> Position {
    let mut position = Position::new(geometry);
    for (i, &v) in moves.iter().enumerate() {
        position.place(Color::ALL[i % 2], v);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(side: usize, stones: usize) -> usize {
        positions_after(Geometry::with_side(side).unwrap(), stones).len()
    }

    /// The numbers of the literature.
    #[test]
    fn openings_are_counted_up_to_symmetry() {
        assert_eq!([3, 4, 5].map(|side| count(side, 1)), [4, 6, 9]);
        assert_eq!([3, 4, 5].map(|side| count(side, 2)), [35, 123, 328]);
        assert_eq!((count(4, 0), count(4, 3)), (1, 2010));
    }

    #[test]
    fn random_positions_differ_and_can_be_made_again() {
        let geometry = Geometry::with_side(3).unwrap();
        let positions = |seed| random_positions(geometry, 6, seed).take(50).collect::<Vec<_>>();
        assert_ne!(positions(1), positions(2));
        let positions = positions(1);
        assert!(random_positions(geometry, 6, 1).zip(&positions).all(|(again, first)| again == *first));
        assert_eq!(positions.iter().collect::<std::collections::HashSet<_>>().len(), 50);
        assert!(positions.iter().all(|moves| moves.len() == 6));
    }

    /// As many as there are up to symmetry, and then no more.
    #[test]
    fn random_positions_are_no_images_of_each_other() {
        let geometry = Geometry::with_side(3).unwrap();
        for stones in 0..3 {
            assert_eq!(random_positions(geometry, stones, 1).count(), count(3, stones), "{stones} stones");
        }
    }
}
