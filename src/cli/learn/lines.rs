//! Work whose results are lines of a file.

use std::sync::Mutex;

use malecon::base::lines::LineFile;
use malecon::base::sync::{lock, on_threads};
use serde::Serialize;

use crate::cli::bar::Bar;

/// Does these jobs, several at a time, and adds the lines of each to the file, until one cannot be written. The bar
/// shows `count` jobs of this unit.
pub fn write_lines<J: Send, T: Serialize, L: IntoIterator<Item = T>>(
    file: LineFile,
    jobs: impl Iterator<Item = J> + Send,
    (count, unit): (u64, &str),
    threads: u16,
    done: impl Fn(J) -> L + Sync,
) -> Result<(), String> {
    let bar = Bar::new(count, unit);
    let jobs = Mutex::new(jobs);
    let file = Mutex::new(Some(file));
    let work = || {
        loop {
            let Some(job) = lock(&jobs).next() else { break };
            let lines = done(job);
            let mut file = lock(&file);
            // When a thread fails to write, it removes the file for all.
            let Some(open) = file.as_mut() else { break };
            lines.into_iter().try_for_each(|line| open.add(&line)).inspect_err(|_| *file = None)?;
            bar.inc(1);
        }
        Ok::<(), String>(())
    };
    on_threads(0..threads, |_| work()).into_iter().collect()
}
