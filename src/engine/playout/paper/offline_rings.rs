//! Rings found after the playout (paper, section 8).

use crate::engine::playout::{EmptyVertex, Ending};
use crate::game::{Color, Position, RingFinder, Structures, Vertex};
use crate::option_enum;

option_enum! {
    /// When rings are looked for.
    pub enum Rings {
        /// After the playout, as in the paper. A ring does not end the playout; a bridge or a fork does.
        Offline = "offline",
        /// With every move, so that a ring ends the playout.
        Online = "online",
    }
}

/// Decides whether a ring won a playout before the bridge, the fork or the horizon that ended it.
pub(crate) struct OfflineRings {
    finder: RingFinder,
    /// The stones at the root, followed by the moves played since.
    stones: Vec<(Color, Vertex)>,
    root_stones: usize,
}

impl OfflineRings {
    /// Working space for playouts from `root` and from positions that follow it.
    pub fn new(root: &Position) -> OfflineRings {
        let geometry = root.geometry();
        let mut stones = Vec::with_capacity(geometry.vertex_count());
        stones.extend(root.stones());
        OfflineRings { finder: RingFinder::new(geometry), root_stones: stones.len(), stones }
    }

    /// The ending of a playout if rings count, too. `ending` is its first bridge or fork, or a draw. The structure that
    /// was completed first wins; a ring and another structure completed by the same move both count.
    ///
    /// The moves `taken` lead from the root, where `first` is to move, to the start of the playout. `playout` has all
    /// moves of the playout, including those after its ending. There must be no ring before the playout.
    pub fn settle(&mut self, first: Color, taken: &[EmptyVertex], playout: &[EmptyVertex], ending: Ending) -> Ending {
        let mut color = !first;
        let moves = taken.iter().chain(playout).map(|played| {
            color = !color;
            (color, played.vertex)
        });
        self.stones.truncate(self.root_stones);
        self.stones.extend(moves);
        let before = self.root_stones + taken.len();
        let finder = &mut self.finder;
        let rings = Color::ALL.map(|color| finder.earliest_of(self.stones.iter().copied(), color));
        let earliest = Color::ALL.into_iter().zip(rings).filter_map(|(color, at)| Some((at?, color))).min();
        let Some((at, winner)) = earliest else { return ending };
        debug_assert!(at >= before, "there was a ring before the playout");
        let length = at - before + 1;
        let others = match ending.winner {
            Some(_) if ending.length < length => return ending,
            Some(_) if ending.length == length => ending.structures,
            _ => Structures::NONE,
        };
        Ending { length, winner: Some(winner), structures: others | Structures::RING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::playout::paper::{InitialWeights, SamplerKind, WeightedPlayouts, Weighting, until};
    use crate::engine::playout::{EmptyVertices, MAX_EMPTY, play_uniform};
    use crate::game::{Geometry, MAX_SIDE, MIN_SIDE, checks};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The ending of the same moves if rings are looked for with every move.
    fn online(position: &Position, first: Color, moves: &[EmptyVertex]) -> Ending {
        let mut position = position.clone();
        let mut color = first;
        for (i, played) in moves.iter().enumerate() {
            let structures = position.place(color, played.vertex);
            if !structures.is_empty() {
                return Ending { length: i + 1, winner: Some(color), structures };
            }
            color = !color;
        }
        Ending { length: moves.len(), winner: None, structures: Structures::NONE }
    }

    /// On every side length, from the empty board and from positions with a few stones, with uniform and with weighted
    /// playouts: winner, length and structures are the same whichever way rings are found.
    #[test]
    fn offline_and_online_detection_end_playouts_alike() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
        let mut by_ring = 0;
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::with_side(side).unwrap();
            let root = Position::new(geometry);
            let mut rings = OfflineRings::new(&root);
            let mut moves: Vec<EmptyVertex> = Vec::with_capacity(MAX_EMPTY);
            for game in 0..180 {
                let sampler = [SamplerKind::BlockSums, SamplerKind::SumTree][game % 2];
                let initial_weights = [InitialWeights::Center, InitialWeights::Uniform][game / 2 % 2];
                let first = Color::ALL[game / 4 % 2];
                let (mut empty, mut position, mut color) = (EmptyVertices::new(&root), root.clone(), first);
                for _ in 0..rng.random_range(0..geometry.vertex_count() / 3) {
                    let v = empty.left()[rng.random_range(0..empty.left().len())].vertex;
                    if position.completes(color, v).is_empty() {
                        position.place(color, empty.take(v).vertex);
                        color = !color;
                    }
                }
                let before = position.clone();
                let ending = if game % 3 == 0 {
                    moves.clear();
                    moves.extend_from_slice(empty.left());
                    play_uniform::<{ checks::BRIDGE_FORK }>(&mut position, &mut moves, color, &mut rng)
                } else {
                    let weighting = Weighting { initial_weights, locality: 3, sampler };
                    let mut weighted = WeightedPlayouts::new(&root, weighting);
                    weighted.load(&position, empty.taken(), |_| 0.5);
                    weighted.play::<{ checks::BRIDGE_FORK }, { until::FIRST_WIN }>(
                        &mut position,
                        &mut moves,
                        color,
                        usize::MAX,
                        &mut rng,
                    )
                };
                let played = &moves[..ending.length];
                let settled = rings.settle(first, empty.taken(), played, ending);
                assert_eq!(settled, online(&before, color, played));
                by_ring += settled.structures.contains(Structures::RING) as usize;
            }
        }
        assert!(by_ring > 300, "only {by_ring} playouts were won by a ring");
    }
}
