//! A number that changes when the engine's behaviour changes.

use crate::engine::playout::paper::{Rings, SamplerKind};
use crate::engine::search::{Limits, Preset, SearchError, SearchOptions, Searcher};
use crate::game::{Game, Geometry, MAX_SIDE, MIN_SIDE};

use super::{PlayoutKind, Playouts};

/// What [`signature`] returns: the number of this version, after the last intended change of the engine's behaviour.
pub const SIGNATURE: u64 = 13601645916633227775;

/// A hash of what the engine does: the moves and endings of playouts of every kind, and the results of searches with
/// every preset, all from fixed seeds.
///
/// It stays the same as long as the engine behaves the same. A change that is meant to affect only the speed must not
/// change it.
///
/// # Errors
/// If a search fails.
pub fn signature() -> Result<u64, SearchError> {
    let mut hash = Hash::default();
    for side in MIN_SIDE..=MAX_SIDE {
        let geometry = Geometry::with_side(side).expect("a valid side length");
        for sampler in [SamplerKind::BlockSums, SamplerKind::SumTree] {
            for rings in [Rings::Offline, Rings::Online] {
                KINDS.into_iter().for_each(|kind| hash.playouts(geometry, kind, sampler, rings));
            }
        }
    }
    for side in [4, 6, 8] {
        let geometry = Geometry::with_side(side).expect("a valid side length");
        for preset in [Preset::Default, Preset::Rave, Preset::Paper, Preset::Plain] {
            hash.search(geometry, preset)?;
        }
    }
    Ok(hash.0)
}

const KINDS: [PlayoutKind; 6] = [
    PlayoutKind::Full,
    PlayoutKind::FullBridgeFork,
    PlayoutKind::FullAll,
    PlayoutKind::WeightedFull,
    PlayoutKind::WeightedUntilWin,
    PlayoutKind::UntilFirstWin,
];

/// FNV-1a on 64-bit words instead of bytes.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn playouts(&mut self, geometry: &'static Geometry, kind: PlayoutKind, sampler: SamplerKind, rings: Rings) {
        let mut playouts = Playouts::new(geometry, kind, sampler, rings, 7);
        for _ in 0..10 {
            let ending = playouts.play();
            playouts.moves().for_each(|v| self.add(v.index() as u64));
            self.add(ending.length as u64);
            self.add(ending.winner.map_or(0, |color| 1 + color.index() as u64));
            self.add(ending.structures.0 as u64);
        }
    }

    fn search(&mut self, geometry: &'static Geometry, preset: Preset) -> Result<(), SearchError> {
        let limits = Limits::with_simulations(2000);
        // Positions of side 4 that are in the table of winning moves would not be searched.
        let options = SearchOptions { solved_positions: false, ..SearchOptions::preset(preset) };
        let mut searcher = Searcher::new(options, 7);
        let mut game = Game::new(geometry);
        for _ in 0..3 {
            let report = searcher.search(&game, &limits, &false.into())?;
            for m in &report.moves {
                self.add(m.visits);
                self.add(m.win_rate.unwrap_or(0.5).to_bits());
                self.add(m.rave.map_or(0, f64::to_bits));
            }
            self.add(report.best.index() as u64);
            game.play(report.best).expect("the best move is legal");
        }
        Ok(())
    }
}
