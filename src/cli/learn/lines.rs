//! Work whose results are lines of a file.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use malecon::base::lines::LineFile;
use malecon::base::sync::{lock, on_threads};
use serde::Serialize;

use super::bar;

/// Adds the lines of each of these jobs, several of which are done at the same time, until a line cannot be written.
pub fn write_lines<J: Sync, T: Serialize, L: IntoIterator<Item = T>>(
    file: LineFile,
    jobs: &[J],
    threads: u16,
    unit: &str,
    done: impl Fn(&J) -> L + Sync,
) -> Result<(), String> {
    let bar = bar(jobs.len() as u64, unit);
    let (next, file) = (AtomicUsize::new(0), Mutex::new(Some(file)));
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
            let lines = done(job);
            let mut file = lock(&file);
            // After an error of another thread there is no file any more.
            let Some(open) = file.as_mut() else { break };
            lines.into_iter().try_for_each(|line| open.add(&line)).inspect_err(|_| *file = None)?;
            bar.inc(1);
        }
        Ok::<(), String>(())
    };
    on_threads(0..threads, |_| work()).into_iter().collect::<Result<(), _>>()?;
    bar.finish_and_clear();
    Ok(())
}
