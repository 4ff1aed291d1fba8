//! The end of a search, for what may take long between two simulations.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::driver::Limits;
use crate::time::Instant;

/// The last moment of a search, and its stop flag.
pub(crate) struct Deadline<'a> {
    /// `None` without a time limit.
    end: Option<Instant>,
    stop: &'a AtomicBool,
    /// Whether a thread has seen it pass.
    was_seen: AtomicBool,
}

impl<'a> Deadline<'a> {
    /// The deadline of a search that began at `start`.
    pub fn new(start: Instant, limits: &Limits, stop: &'a AtomicBool) -> Deadline<'a> {
        let time = limits.longest.or(limits.time);
        Deadline { end: time.and_then(|time| start.checked_add(time)), stop, was_seen: AtomicBool::new(false) }
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

    /// Whether [`Deadline::has_passed`] has returned true, in any thread. Costs nothing.
    pub fn was_seen(&self) -> bool {
        self.was_seen.load(Relaxed)
    }
}
