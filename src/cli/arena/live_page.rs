//! The page of a match, written anew while the match runs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use malecon::base::files::{in_file, replace};
use malecon::tools::arena::page::page;
use malecon::tools::arena::record::GameRecord;
use malecon::tools::arena::report::MatchReport;

/// The least time between two writings.
const EVERY: Duration = Duration::from_secs(5);
/// Between two writings there is at least this many times the time that one takes.
const SHARE: u32 = 50;

/// A page and its games.
pub struct LivePage {
    path: PathBuf,
    games: Vec<GameRecord>,
    /// The numbers of games after which a run of the match ended.
    ends: Vec<usize>,
    next: Instant,
}

impl LivePage {
    /// The page at this path, with these games so far, all of one run.
    pub fn new(path: PathBuf, games: Vec<GameRecord>) -> LivePage {
        LivePage::of_runs(path, games, Vec::new())
    }

    /// The page at this path, with the games of several runs of the match, which ended after these numbers of games.
    pub fn of_runs(path: PathBuf, games: Vec<GameRecord>, ends: Vec<usize>) -> LivePage {
        LivePage { path, games, ends, next: Instant::now() }
    }

    /// Adds a finished game.
    pub fn add(&mut self, game: &GameRecord) {
        self.games.push(game.clone());
    }

    /// Whether it is time to write it again.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Returns a one-line message if it cannot be written. The next attempt then comes no sooner than after a success.
    pub fn write(&mut self, report: &MatchReport, is_running: bool) -> Result<(), String> {
        let start = Instant::now();
        let written = replace(&self.path, page(report, &self.games, &self.ends, is_running).as_bytes());
        self.next = Instant::now() + EVERY.max(SHARE * start.elapsed());
        written.map_err(in_file(&self.path))
    }
}
