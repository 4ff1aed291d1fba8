//! Monte Carlo tree search (paper, section 3).

mod clock;
mod report;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Game, Vertex};
use crate::options;

pub use clock::{Clock, TimeControl};
pub use report::{MoveReport, Report, Verdict};

options! {
    /// The tunables of the search.
    pub struct Options {
        threads: usize = 1, in 1..=256, "threads that search together on one tree";
    }
}

/// When a search ends: at the first limit that is reached. Without any limit it runs until it is stopped.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// So many playouts, those found in the kept tree not counted.
    pub playouts: Option<u64>,
    /// So much time.
    pub time: Option<Duration>,
}

/// A searcher: the tree it keeps between moves, its random numbers and its options. Takes no memory worth the name and
/// starts no thread before its first search.
pub struct Searcher {
    options: Options,
    rng: Xoshiro256PlusPlus,
}

impl Searcher {
    /// A searcher with an empty tree.
    pub fn new(options: Options, seed: u64) -> Searcher {
        Searcher { options, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// The present options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes options; the tree is dropped where it would not fit them.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {}

    /// Thinks about the position of a game that is not over, for the player to move, until a limit is reached or
    /// `stop` becomes true.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(&mut self, game: &Game, limits: &Limits, stop: &AtomicBool) -> Report {
        let _ = (limits, stop);
        assert!(game.outcome().is_none(), "a finished game has no move to search");
        let start = Instant::now();
        let empty: Vec<Vertex> = game.position().empty_vertices().collect();
        let best = empty[self.rng.random_range(0..empty.len())];
        Report {
            best,
            win_rate: 0.5,
            verdict: None,
            pv: vec![best],
            playouts: 0,
            elapsed: start.elapsed(),
            moves: vec![],
        }
    }
}
