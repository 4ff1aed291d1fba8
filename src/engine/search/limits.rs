//! When a search ends.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::base::time::Instant;

/// When a search ends: at the first limit that is reached. Without a limit it runs until it is stopped.
///
/// ```
/// use std::time::Duration;
/// use malecon::{Limits, Session};
///
/// let limits = Limits { simulations: Some(50), ..Limits::with_time(Duration::from_secs(10)) };
/// let analysis = Session::on_side(4)?.search().limits(limits).run()?;
/// assert!(analysis.report.simulations <= 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Simulations of this search; those in the kept tree do not count.
    pub simulations: Option<u64>,
    /// The soft limit: the usual time to think, where time saved now can be used later. The search ends before it if
    /// its choice can no longer change, and goes on after it, up to the hard limit, while the choice is close.
    pub soft: Option<Duration>,
    /// The hard limit: the most time to think.
    pub hard: Option<Duration>,
}

impl Limits {
    /// A limit of simulations alone.
    #[must_use]
    pub fn with_simulations(simulations: u64) -> Limits {
        Limits { simulations: Some(simulations), ..Limits::default() }
    }

    /// A hard limit of time alone.
    #[must_use]
    pub fn with_time(time: Duration) -> Limits {
        Limits { hard: Some(time), ..Limits::default() }
    }

    /// The usual time to think: the soft limit if there is one, else the hard one.
    #[must_use]
    pub fn usual_time(&self) -> Option<Duration> {
        self.soft.or(self.hard)
    }
}

/// When a search has to end: when its time is up, or when its stop flag is raised. A long simulation checks this, and
/// ends early. All threads check it all the time, so it has cache lines of its own.
#[repr(align(128))]
pub(crate) struct Deadline<'a> {
    /// `None` without a time limit.
    end: Option<Instant>,
    stop: &'a AtomicBool,
    /// Whether a thread has found that it has passed.
    was_seen: AtomicBool,
}

impl<'a> Deadline<'a> {
    /// The deadline of a search that began at `start`.
    pub fn new(start: Instant, limits: &Limits, stop: &'a AtomicBool) -> Deadline<'a> {
        let end = limits.hard.and_then(|time| start.checked_add(time));
        Deadline { end, stop, was_seen: AtomicBool::new(false) }
    }

    /// A deadline that never passes.
    pub fn never() -> &'static Deadline<'static> {
        static STOP: AtomicBool = AtomicBool::new(false);
        static NEVER: Deadline<'_> = Deadline { end: None, stop: &STOP, was_seen: AtomicBool::new(false) };
        &NEVER
    }

    /// The end of the time.
    pub fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Whether the time is up or the search was stopped. Looks at the clock.
    pub fn has_passed(&self) -> bool {
        let passed = self.stop.load(Relaxed) || self.end.is_some_and(|end| Instant::now() >= end);
        if passed {
            self.was_seen.store(true, Relaxed);
        }
        passed
    }

    /// Whether [`Deadline::has_passed`] has returned true in any thread. Does not look at the clock.
    pub fn was_seen(&self) -> bool {
        self.was_seen.load(Relaxed)
    }
}
