//! Work whose results are lines of a file.

use std::sync::Mutex;

use malecon::base::lines::LineFile;
use malecon::base::sync::{lock, on_threads};
use malecon::engine::search::SearchError;
use serde::Serialize;

use crate::cli::bar::Bar;

/// Does these jobs, several at a time, and adds the lines of each to the file, until a job fails or a line cannot be written. The bar
/// shows `count` jobs of this unit.
pub fn write_lines<J: Send, T: Serialize, L: IntoIterator<Item = T>>(
    file: LineFile,
    jobs: impl Iterator<Item = J> + Send,
    (count, unit): (u64, &str),
    threads: u16,
    done: impl Fn(J) -> Result<L, SearchError> + Sync,
) -> Result<(), String> {
    let bar = Bar::new(count, unit);
    let jobs = Mutex::new(jobs);
    let file = Mutex::new(Some(file));
    let work = || {
        loop {
            let Some(job) = lock(&jobs).next() else { return Ok(()) };
            let lines = done(job).map_err(|error| error.to_string());
            let mut file = lock(&file);
            // A thread that fails removes the file for all.
            let Some(open) = file.as_mut() else { return Ok(()) };
            let added = lines.and_then(|lines| lines.into_iter().try_for_each(|line| open.add(&line)));
            added.inspect_err(|_| *file = None)?;
            bar.inc(1);
        }
    };
    on_threads(0..threads, |_| work()).into_iter().collect()
}
