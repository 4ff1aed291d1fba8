//! The playouts that are measured: those of the paper's section 9, and the engine's own.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Color, Geometry, Position, Vertex, checks};
use crate::playout::{
    EmptyVertex, EmptyVertices, Ending, InitialWeights, MAX_EMPTY, OfflineRings, Rings, SamplerKind, Weighted,
    Weighting, fill, uniform, until,
};

/// What a playout does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Random, until the board is full; no structure is looked for.
    Full,
    /// Random, until the board is full, with bridges and forks.
    FullBridgeFork,
    /// Random, until the board is full, with bridges, forks and rings.
    FullAll,
    /// Weighted, until the board is full, with bridges, forks and rings.
    WeightedFull,
    /// Weighted, until a bridge or a fork, with rings: one that comes before decides who won, but does not end it.
    WeightedUntilWin,
    /// Random, until the first bridge, fork or ring: what a search plays by default.
    UntilFirstWin,
}

/// Playouts of one kind from the empty board, one after another, white moving first.
///
/// Weighted playouts start with unit weight on the centre, and the neighbours of move number *n* get the weight *n*³, as
/// in the paper's measurements.
pub struct Playouts {
    kind: Kind,
    empty: Position,
    position: Position,
    /// The moves of the last playout; of an unweighted one then the vertices left.
    spots: Vec<EmptyVertex>,
    played: usize,
    weighted: Weighted,
    offline: Option<OfflineRings>,
    rng: Xoshiro256PlusPlus,
}

impl Playouts {
    /// Playouts with a sampler for the weighted ones and a way to look for rings.
    pub fn new(geometry: &'static Geometry, kind: Kind, sampler: SamplerKind, rings: Rings, seed: u64) -> Playouts {
        let empty = Position::new(geometry);
        let mut spots = Vec::with_capacity(MAX_EMPTY);
        spots.extend_from_slice(EmptyVertices::of(&empty).left());
        Playouts {
            kind,
            position: empty.clone(),
            spots,
            played: 0,
            weighted: Weighted::new(&empty, Weighting { start: InitialWeights::Center, locality: 3, sampler }),
            offline: (rings == Rings::Offline).then(|| OfflineRings::new(&empty)),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            empty,
        }
    }

    /// Plays the next playout. The ending is that of the first win also where the playout went on.
    #[inline]
    pub fn play(&mut self) -> Ending {
        self.position.copy_from(&self.empty);
        match (self.kind, self.offline.is_some()) {
            (Kind::Full, _) => self.fill::<{ checks::NOTHING }>(),
            (Kind::FullBridgeFork, _) => self.fill::<{ checks::BRIDGE_FORK }>(),
            (Kind::FullAll, false) => self.fill::<{ checks::ALL }>(),
            (Kind::FullAll, true) => {
                let ending = self.fill::<{ checks::BRIDGE_FORK }>();
                self.settle(ending)
            }
            (Kind::WeightedFull, false) => self.play_weighted::<{ checks::ALL }, { until::FULL }>(),
            (Kind::WeightedUntilWin, false) => self.play_weighted::<{ checks::ALL }, { until::BRIDGE_FORK }>(),
            (Kind::WeightedFull, true) => {
                let ending = self.play_weighted::<{ checks::BRIDGE_FORK }, { until::FULL }>();
                self.settle(ending)
            }
            (Kind::WeightedUntilWin, true) => {
                let ending = self.play_weighted::<{ checks::BRIDGE_FORK }, { until::BRIDGE_FORK }>();
                self.settle(ending)
            }
            (Kind::UntilFirstWin, _) => {
                let (position, spots) = (&mut self.position, &mut self.spots);
                let ending = uniform::<{ checks::ALL }>(position, spots, Color::White, &mut self.rng);
                self.played = ending.length;
                ending
            }
        }
    }

    /// The moves of the last playout.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.spots[..self.played].iter().map(|spot| spot.vertex)
    }

    fn fill<const CHECKS: u8>(&mut self) -> Ending {
        self.played = self.spots.len();
        fill::<CHECKS>(&mut self.position, &mut self.spots, Color::White, &mut self.rng)
    }

    fn play_weighted<const CHECKS: u8, const UNTIL: u8>(&mut self) -> Ending {
        let (position, spots) = (&mut self.position, &mut self.spots);
        self.weighted.load(position, &[], |_| 0.5);
        let ending = self.weighted.play::<CHECKS, UNTIL>(position, spots, Color::White, usize::MAX, &mut self.rng);
        self.played = self.spots.len();
        ending
    }

    fn settle(&mut self, ending: Ending) -> Ending {
        let rings = self.offline.as_mut().expect("rings are looked for offline");
        rings.settle(Color::White, &[], &self.spots[..self.played], ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{MAX_SIDE, MIN_SIDE};

    /// The same seed plays the same moves, however rings are found; so it has the same winner and length, also where the
    /// playout goes on after its ending.
    #[test]
    fn rings_offline_and_online_decide_alike_in_every_kind_of_playout() {
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            for kind in [Kind::FullAll, Kind::WeightedFull, Kind::WeightedUntilWin] {
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
