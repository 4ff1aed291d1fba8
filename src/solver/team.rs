//! Threads that work on one proof together.
//!
//! All threads search from the same root and share the table. They are kept apart as in SPDFPN (Pawlewicz & Hayward,
//! *Scalable parallel DFPN search*, 2013): a move that other threads work on counts as harder than it is, so that a thread
//! turns to the next best move if that is not much worse.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};

use super::table::ProofNumbers;

/// The number of counters. Positions that share one disturb each other's order of moves, and nothing else.
const COUNTERS: usize = 1 << 16;

/// What the threads of a search know of each other.
pub(super) struct Team {
    /// How many threads are in the subtree of a position, by a part of its key.
    busy: Box<[AtomicU16]>,
    /// Whether a thread has settled the root.
    is_done: AtomicBool,
    /// The root's proof numbers, and the cell of the winning move if there is one.
    result: Mutex<Option<(ProofNumbers, usize)>>,
}

impl Team {
    /// A team that has not begun.
    pub fn new() -> Team {
        let busy = (0..COUNTERS).map(|_| AtomicU16::new(0)).collect();
        Team { busy, is_done: AtomicBool::new(false), result: Mutex::new(None) }
    }

    fn counter(&self, key: u64) -> &AtomicU16 {
        // The last bits of the key select the bucket of the table, so neighbours would be frequent there.
        &self.busy[(key >> 48) as usize % COUNTERS]
    }

    /// A thread enters the subtree of a position.
    pub fn enter(&self, key: u64) {
        self.counter(key).fetch_add(1, Relaxed);
    }

    /// The thread leaves it again.
    pub fn leave(&self, key: u64) {
        self.counter(key).fetch_sub(1, Relaxed);
    }

    /// What is added to the proof number `delta` of a position for the threads that are in its subtree.
    pub fn detour(&self, key: u64, delta: u32) -> u32 {
        match self.counter(key).load(Relaxed) {
            0 => 0,
            threads => (delta / 8 + 1).saturating_mul(threads.into()),
        }
    }

    /// Records that the root is proven, and the cell of its winning move. The first result counts.
    pub fn finish(&self, numbers: ProofNumbers, winning: usize) {
        let mut result = self.result.lock().expect("no thread panics with the lock");
        result.get_or_insert((numbers, winning));
        self.is_done.store(true, Relaxed);
    }

    /// Whether a thread has settled the root.
    pub fn is_done(&self) -> bool {
        self.is_done.load(Relaxed)
    }

    /// What [`Team::finish`] has recorded.
    pub fn result(self) -> Option<(ProofNumbers, usize)> {
        self.result.into_inner().expect("no thread panics with the lock")
    }
}
