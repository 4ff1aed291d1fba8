//! Rings of a playout, found after it (paper, section 8).

use super::{EmptyVertex, Ending};
use crate::board::{Color, Position, RingFinder, Structures, Vertex};
use crate::option_enum;

option_enum! {
    /// When rings are looked for.
    pub enum Rings {
        /// After the playout, which goes on until a bridge or a fork: the paper's way.
        Offline = "offline",
        /// With every move, so that a ring ends the playout: see [`crate::board::Position`].
        Online = "online",
    }
}

/// Finds out whether a playout that was ended by a bridge, a fork or the horizon had been won by a ring before.
pub(crate) struct OfflineRings {
    finder: RingFinder,
    /// The stones of the root, then those of the line of play.
    stones: Vec<(Color, Vertex)>,
    root_stones: usize,
}

impl OfflineRings {
    /// For playouts from `root` and from positions that follow it.
    pub fn new(root: &Position) -> OfflineRings {
        let geometry = root.geometry();
        let mut stones = Vec::with_capacity(geometry.vertex_count());
        stones.extend(geometry.vertices().filter_map(|v| Some((root.stone(v)?, v))));
        OfflineRings { finder: RingFinder::new(geometry), root_stones: stones.len(), stones }
    }

    /// The ending of a playout with rings, given the one without: the earlier of the two counts, and if they fall on
    /// the same move, it completed both structures.
    ///
    /// From the root, `first` moving first, the moves `taken` led to where the playout began, and the moves of
    /// `playout` are those it made, also after its ending if it went on. No ring may be complete before it.
    pub fn settle(&mut self, first: Color, taken: &[EmptyVertex], playout: &[EmptyVertex], ending: Ending) -> Ending {
        let mut color = !first;
        let line = taken.iter().chain(playout).map(|spot| {
            color = !color;
            (color, spot.vertex)
        });
        self.stones.truncate(self.root_stones);
        self.stones.extend(line);
        let before = self.root_stones + taken.len();
        let finder = &mut self.finder;
        let rings = Color::ALL.map(|color| finder.earliest_of(self.stones.iter().copied(), color));
        let earliest = Color::ALL.into_iter().zip(rings).filter_map(|(color, at)| Some((at?, color))).min();
        let Some((at, winner)) = earliest else { return ending };
        debug_assert!(at >= before, "a ring was complete before the playout");
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
    use crate::board::{Geometry, MAX_SIDE, MIN_SIDE, checks};
    use crate::playout::{EmptyVertices, InitialWeights, MAX_EMPTY, SamplerKind, Weighted, Weighting, uniform, until};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The ending of the same moves where rings are looked for with every move.
    fn online(position: &Position, first: Color, moves: &[EmptyVertex]) -> Ending {
        let (mut position, mut color) = (position.clone(), first);
        for (i, spot) in moves.iter().enumerate() {
            let structures = position.place(color, spot.vertex);
            if !structures.is_empty() {
                return Ending { length: i + 1, winner: Some(color), structures };
            }
            color = !color;
        }
        Ending { length: moves.len(), winner: None, structures: Structures::NONE }
    }

    /// From the empty board, and after moves that have not ended the game, on every side, with uniform and with weighted
    /// playouts: the same moves have the same winner, length and structures whichever way rings are found.
    #[test]
    fn rings_offline_and_online_end_playouts_alike() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
        let mut by_ring = 0;
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            let root = Position::new(geometry);
            let mut rings = OfflineRings::new(&root);
            let mut moves: Vec<EmptyVertex> = Vec::with_capacity(MAX_EMPTY);
            for game in 0..180 {
                let sampler = [SamplerKind::BlockSums, SamplerKind::SumTree][game % 2];
                let start = [InitialWeights::Center, InitialWeights::Uniform][game / 2 % 2];
                let first = Color::ALL[game / 4 % 2];
                let (mut spots, mut position, mut color) = (EmptyVertices::of(&root), root.clone(), first);
                for _ in 0..rng.random_range(0..geometry.vertex_count() / 3) {
                    let spot = spots.left()[rng.random_range(0..spots.left().len())];
                    if position.completes(color, spot.vertex).is_empty() {
                        position.place(color, spots.take(spot.vertex).vertex);
                        color = !color;
                    }
                }
                let before = position.clone();
                let ending = if game % 3 == 0 {
                    moves.clear();
                    moves.extend_from_slice(spots.left());
                    uniform::<{ checks::BRIDGE_FORK }>(&mut position, &mut moves, color, &mut rng)
                } else {
                    let mut weighted = Weighted::new(&root, Weighting { start, locality: 3, sampler });
                    weighted.load(&position, spots.taken(), |_| 0.5);
                    let (limit, all) = (usize::MAX, &mut moves);
                    weighted.play::<{ checks::BRIDGE_FORK }, { until::FIRST_WIN }>(
                        &mut position,
                        all,
                        color,
                        limit,
                        &mut rng,
                    )
                };
                let played = &moves[..ending.length];
                let settled = rings.settle(first, spots.taken(), played, ending);
                assert_eq!(settled, online(&before, color, played));
                by_ring += settled.structures.contains(Structures::RING) as usize;
            }
        }
        assert!(by_ring > 300, "rings hardly ever decided: {by_ring} times");
    }
}
