//! The playouts to measure: those of the paper's section 9, and the engine's own.

use std::fmt;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::playout::paper::{
    InitialWeights, OfflineRings, Rings, SamplerKind, WeightedPlayouts, Weighting, until,
};
use crate::engine::playout::{EmptyVertex, EmptyVertices, Ending, MAX_EMPTY, fill_board, play_uniform};
use crate::game::{Color, Geometry, Position, Vertex, checks};

/// A kind of playout. *Random* is the paper's word for uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutKind {
    /// Random, until the board is full, without looking for structures.
    Full,
    /// Random, until the board is full, looking for bridges and forks.
    FullBridgeFork,
    /// Random, until the board is full, looking for bridges, forks and rings.
    FullAll,
    /// Weighted, until the board is full, looking for bridges, forks and rings.
    WeightedFull,
    /// Weighted, until the first bridge or fork. A ring before that decides who wins, but does not end the playout.
    WeightedUntilWin,
    /// Random, until the first bridge, fork or ring: the playouts of the search with the preset `plain`.
    UntilFirstWin,
}

/// Playouts of one kind, one after another, all from the empty board with white to move.
///
/// Weighted playouts have the weights of the paper's measurements (section 9): they start with unit weight on the
/// centre, and after move number *n* the neighbours of its vertex get the weight *n*³.
pub struct Playouts {
    kind: PlayoutKind,
    empty_board: Position,
    position: Position,
    /// The moves of the last playout. In a uniform one, the vertices left follow.
    moves: Vec<EmptyVertex>,
    /// The number of moves of the last playout.
    played: usize,
    weighted: WeightedPlayouts,
    offline: Option<OfflineRings>,
    rng: Xoshiro256PlusPlus,
}

impl fmt::Debug for Playouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Playouts { kind, moves, played, .. } = self;
        f.debug_struct("Playouts").field("kind", kind).field("moves", &&moves[..*played]).finish_non_exhaustive()
    }
}

impl Playouts {
    /// Prepares playouts of this kind. Weighted ones draw their moves from `sampler`; `rings` is when to look for
    /// rings. The same seed gives the same playouts.
    pub fn new(
        geometry: &'static Geometry,
        kind: PlayoutKind,
        sampler: SamplerKind,
        rings: Rings,
        seed: u64,
    ) -> Playouts {
        let empty_board = Position::new(geometry);
        let mut moves = Vec::with_capacity(MAX_EMPTY);
        moves.extend_from_slice(EmptyVertices::new(&empty_board).left());
        let weighting = Weighting { initial_weights: InitialWeights::Center, locality: 3, sampler };
        Playouts {
            kind,
            position: empty_board.clone(),
            moves,
            played: 0,
            weighted: WeightedPlayouts::new(&empty_board, weighting),
            offline: (rings == Rings::Offline).then(|| OfflineRings::new(&empty_board)),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            empty_board,
        }
    }

    /// Plays the next playout. Returns the ending of the first win, even if the playout went on.
    #[inline]
    pub fn play(&mut self) -> Ending {
        self.position.copy_from(&self.empty_board);
        match (self.kind, self.offline.is_some()) {
            (PlayoutKind::Full, _) => self.fill::<{ checks::NOTHING }>(),
            (PlayoutKind::FullBridgeFork, _) => self.fill::<{ checks::BRIDGE_FORK }>(),
            (PlayoutKind::FullAll, false) => self.fill::<{ checks::ALL }>(),
            (PlayoutKind::FullAll, true) => {
                let ending = self.fill::<{ checks::BRIDGE_FORK }>();
                self.settle(ending)
            }
            (PlayoutKind::WeightedFull, false) => self.play_weighted::<{ checks::ALL }, { until::FULL }>(),
            (PlayoutKind::WeightedUntilWin, false) => self.play_weighted::<{ checks::ALL }, { until::BRIDGE_FORK }>(),
            (PlayoutKind::WeightedFull, true) => {
                let ending = self.play_weighted::<{ checks::BRIDGE_FORK }, { until::FULL }>();
                self.settle(ending)
            }
            (PlayoutKind::WeightedUntilWin, true) => {
                let ending = self.play_weighted::<{ checks::BRIDGE_FORK }, { until::BRIDGE_FORK }>();
                self.settle(ending)
            }
            (PlayoutKind::UntilFirstWin, _) => {
                let position = &mut self.position;
                let moves = &mut self.moves;
                let ending = play_uniform::<{ checks::ALL }>(position, moves, Color::White, &mut self.rng);
                self.played = ending.length;
                ending
            }
        }
    }

    /// The moves of the last playout, in order, including those after its first win.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.moves[..self.played].iter().map(|played| played.vertex)
    }

    fn fill<const CHECKS: u8>(&mut self) -> Ending {
        self.played = self.moves.len();
        fill_board::<CHECKS>(&mut self.position, &mut self.moves, Color::White, &mut self.rng)
    }

    fn play_weighted<const CHECKS: u8, const UNTIL: u8>(&mut self) -> Ending {
        let position = &mut self.position;
        let moves = &mut self.moves;
        self.weighted.load(position, &[], |_| 0.5);
        let ending = self.weighted.play::<CHECKS, UNTIL>(position, moves, Color::White, usize::MAX, &mut self.rng);
        self.played = self.moves.len();
        ending
    }

    /// The ending of the last playout with rings taken into account.
    fn settle(&mut self, ending: Ending) -> Ending {
        let rings = self.offline.as_mut().expect("rings are looked for offline");
        rings.settle(Color::White, &[], &self.moves[..self.played], ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MAX_SIDE, MIN_SIDE};

    /// The same seed plays the same moves whichever way rings are found, so the endings have to be the same, too.
    #[test]
    fn offline_and_online_ring_detection_agree_in_every_kind_of_playout() {
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::with_side(side).unwrap();
            for kind in [PlayoutKind::FullAll, PlayoutKind::WeightedFull, PlayoutKind::WeightedUntilWin] {
                for sampler in [SamplerKind::BlockSums, SamplerKind::SumTree] {
                    let [mut offline, mut online] =
                        [Rings::Offline, Rings::Online].map(|rings| Playouts::new(geometry, kind, sampler, rings, 5));
                    for _ in 0..50 {
                        assert_eq!(offline.play(), online.play(), "{kind:?} {sampler:?} on side {side}");
                        assert!(offline.moves().eq(online.moves()));
                    }
                }
            }
        }
    }
}
