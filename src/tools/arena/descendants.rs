//! Killing everything that an engine has started, even processes that left its process group.
//!
//! Every engine gets an environment variable with a unique value, its *mark*, which all its descendants inherit. On
//! Linux, `/proc` shows the environment of each process, so marked processes can be found wherever they are. On other
//! systems, only the engine's process group is killed.

#[cfg(target_os = "linux")]
mod linux;

use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{io, process};

/// The environment variable that holds an engine's mark.
pub(super) const VARIABLE: &str = "MALECON_MATCH_ENGINE";

/// The common beginning of the marks of all engines that this process starts. No other process uses the same.
pub fn match_mark() -> &'static str {
    static MARK: LazyLock<String> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{}-{}", process::id(), now.as_nanos())
    });
    &MARK
}

/// A mark for one engine.
pub(super) fn engine_mark() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("{}-{}", match_mark(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Kills all processes with this mark, or with a mark that extends it. Does nothing on systems other than Linux.
pub(super) fn kill_marked(mark: &str) {
    #[cfg(target_os = "linux")]
    linux::kill_marked(mark);
    #[cfg(not(target_os = "linux"))]
    let _ = mark;
}

/// A process that waits until the match has ended, and then kills all engines that it has left behind, even if the
/// match was killed by a signal that it could not handle.
#[derive(Debug)]
#[must_use = "it stops watching when it is dropped"]
pub struct Watchdog(Child);

impl Watchdog {
    /// Starts a watchdog. `command` has to run [`watch`] with the [`match_mark`] of this process.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn start(mut command: Command) -> io::Result<Watchdog> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A Ctrl-C in the terminal must not reach the watchdog.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(Watchdog)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Waiting closes its stdin first, which makes it finish.
        let _ = self.0.wait();
    }
}

/// Waits until stdin ends, which happens when the match ends for any reason. Then kills all processes with this mark.
pub fn watch(mark: &str) {
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    kill_marked(mark);
}
