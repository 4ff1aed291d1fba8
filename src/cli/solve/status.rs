//! A line on stderr about the work in progress, if stderr is a terminal.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use malecon::engine::solver::{ProofProgress, SolveProgress};

use crate::cli::terminal::may_overwrite;

/// How often the line is written.
const EVERY: Duration = Duration::from_secs(1);

/// The line.
pub struct Status {
    is_shown: bool,
    /// What is worked on, if there is more than one thing.
    title: String,
    written: Instant,
}

impl Status {
    /// A line that is shown if stderr is a terminal, unless `quiet`.
    pub fn new(quiet: bool) -> Status {
        Status { is_shown: !quiet && may_overwrite(), title: String::new(), written: Instant::now() }
    }

    /// Names what is worked on.
    pub fn set_title(&mut self, title: String) {
        self.title = title;
    }

    /// Shows the progress of the solver, once a second.
    pub fn solving(&mut self, progress: &SolveProgress) {
        let seconds = progress.time.as_secs_f64();
        let rate = progress.nodes as f64 / seconds.max(1e-6);
        self.update(|| format!("{} nodes, {seconds:.0} s, {rate:.0} nodes/s", progress.nodes));
    }

    /// Shows the progress of a proof, once a second.
    pub fn proving(&mut self, progress: &ProofProgress) {
        self.update(|| format!("proof: {} moves", progress.moves));
    }

    fn update(&mut self, text: impl FnOnce() -> String) {
        if self.is_shown && self.written.elapsed() >= EVERY {
            self.note(&text());
        }
    }

    /// Shows a text at once.
    pub fn note(&mut self, text: &str) {
        if self.is_shown {
            self.written = Instant::now();
            let title = if self.title.is_empty() { "" } else { &format!("{}: ", self.title) };
            let _ = write!(io::stderr(), "\r\x1b[K{title}{text}");
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// The most memory that the program has used so far, in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}
