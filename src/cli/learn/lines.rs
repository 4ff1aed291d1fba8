//! Files that grow by a line of JSON with each game or position, and survive an interruption.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use malecon::base::sync::on_threads;
use malecon::workshop::arena::record::{SavedGames, read_games};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{at, bar};

/// Opens a file for more lines, and reads those that it has. Without `resume` it must have none. No other process may
/// have opened it so. `unit` says what the lines are.
pub fn open_lines<T: DeserializeOwned>(path: &Path, resume: bool, unit: &str) -> Result<(File, SavedGames<T>), String> {
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(at(path))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(format!("{}: another process is writing to this file", path.display()));
    }
    let saved = read_games::<T>(path)?;
    if !saved.games.is_empty() && !resume {
        let (path, count) = (path.display(), saved.games.len());
        return Err(format!("{path} already has {count} {unit} (use --resume to continue, or another file)"));
    }
    Ok((file, saved))
}

/// Adds a line for each of these jobs, several of which are done at the same time.
pub fn write_lines<J: Sync, T: Serialize>(
    path: &Path,
    file: File,
    jobs: &[J],
    threads: u16,
    unit: &str,
    done: impl Fn(&J) -> T + Sync,
) -> Result<(), String> {
    let bar = bar(jobs.len() as u64, unit);
    let (next, lines) = (AtomicUsize::new(0), Lines(Mutex::new(Some(file))));
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
            let line = serde_json::to_string(&done(job)).expect("a line is plain data") + "\n";
            if !lines.add(&line).map_err(at(path))? {
                break;
            }
            bar.inc(1);
        }
        Ok::<(), String>(())
    };
    on_threads(0..threads, |_| work()).into_iter().collect::<Result<(), _>>()?;
    bar.finish_and_clear();
    Ok(())
}

/// A file that several threads add lines to, until a line cannot be written.
struct Lines(Mutex<Option<File>>);

impl Lines {
    /// Adds a line, which ends with a line feed. After an error nothing more is added. Returns whether the line was
    /// added.
    fn add(&self, line: &str) -> io::Result<bool> {
        let mut file = self.0.lock().expect("no thread panics");
        let written = file.as_mut().map(|file| append(file, line));
        if let Some(Err(error)) = written {
            *file = None;
            return Err(error);
        }
        Ok(written.is_some())
    }
}

/// Adds a line to a file. If there is no room for all of it, the file is cut back to what it was.
fn append(file: &mut File, line: &str) -> io::Result<()> {
    let before = file.metadata()?;
    // One write, so that a line is whole unless the process dies within it.
    file.write_all(line.as_bytes()).inspect_err(|_| {
        if before.is_file() {
            // If this fails, too, --resume drops the part of a line.
            let _ = file.set_len(before.len());
        }
    })
}
