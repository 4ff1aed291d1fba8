//! A line on stderr about the work in progress, if stderr is a terminal.

use std::time::{Duration, Instant};

use malecon::engine::solver::{ProofProgress, SolveProgress};

use crate::cli::bar::Bar;

/// How often the line is written.
const EVERY: Duration = Duration::from_secs(1);

/// The line.
pub struct Status {
    bar: Bar,
    /// What is worked on, if there is more than one thing.
    title: String,
    written: Instant,
}

impl Status {
    /// A line that is shown if stderr is a terminal, unless `quiet`.
    pub fn new(quiet: bool) -> Status {
        let bar = if quiet { Bar::hidden() } else { Bar::without_length() };
        Status { bar, title: String::new(), written: Instant::now() }
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
        if self.written.elapsed() >= EVERY {
            self.note(&text());
        }
    }

    /// Shows a text at once.
    pub fn note(&mut self, text: &str) {
        self.written = Instant::now();
        let title = if self.title.is_empty() { "" } else { &format!("{}: ", self.title) };
        self.bar.set_message(&format!("{title}{text}"));
        self.bar.tick();
    }

    /// Removes the line, until the next text.
    pub fn clear(&self) {
        self.bar.set_message("");
    }
}

/// The most memory that the program has used so far, in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}
