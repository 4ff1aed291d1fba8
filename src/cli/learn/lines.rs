//! Work whose results are lines of a file.

use std::sync::{Mutex, PoisonError};

use malecon::base::lines::LineFile;
use malecon::base::sync::{lock, on_threads};
use malecon::engine::search::SearchError;
use serde::Serialize;

use crate::cli::bar::Bar;

/// Runs the jobs on several threads, and appends the lines that each returns to the file. Ends when a job fails or a
/// line cannot be written. The bar counts the jobs.
pub fn write_lines<J: Send, T: Serialize, L: IntoIterator<Item = T>>(
    file: LineFile,
    jobs: impl Iterator<Item = J> + Send,
    bar: Bar,
    threads: u16,
    done: impl Fn(J) -> Result<L, SearchError> + Sync,
) -> Result<(), String> {
    let jobs = Mutex::new(jobs);
    let file = Mutex::new(Some(file));
    let work = || {
        loop {
            let Some(job) = lock(&jobs).next() else { return Ok(()) };
            let lines = done(job).map_err(|error| error.to_string());
            let mut file = lock(&file);
            // A thread that fails takes the file away from all.
            let Some(open) = file.as_mut() else { return Ok(()) };
            let added = lines.and_then(|lines| Ok(lines.into_iter().try_for_each(|line| open.add(&line))?));
            added.inspect_err(|_| *file = None)?;
            bar.inc(1);
        }
    };
    on_threads(0..threads, |_| work()).into_iter().collect::<Result<(), String>>()?;
    let file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(file.map_or(Ok(()), LineFile::close)?)
}
