//! Threads that work on one proof together.
//!
//! All threads search from the same root and share the table. They are kept apart as in SPDFPN (Pawlewicz & Hayward,
//! *Scalable parallel DFPN search*, 2013): a move that other threads work on counts as harder than it is, so that a
//! thread turns to the next best move if that is not much worse.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::table::ProofNumbers;

/// The number of marks.
const MARKS: usize = 1 << 15;

/// What the threads of a search tell each other.
pub(super) struct Team {
    /// Keys of positions in whose subtrees threads are, each at an index that is a part of the key. One position is
    /// known for each index: the last one entered, until any thread leaves it. Some are missed, which costs only time.
    busy: Box<[AtomicU64]>,
    /// Whether all threads must end, because one has proven the root or has panicked.
    is_done: AtomicBool,
    /// The root's proof numbers, and the cell of the winning move if there is one.
    result: Mutex<Option<(ProofNumbers, usize)>>,
}

impl Team {
    /// A team without results.
    pub fn new() -> Team {
        let busy = (0..MARKS).map(|_| AtomicU64::new(0)).collect();
        Team { busy, is_done: AtomicBool::new(false), result: Mutex::new(None) }
    }

    /// Takes part in the search until the member is dropped.
    pub fn member(&self) -> Member<'_> {
        Member(self)
    }

    fn mark(&self, key: u64) -> &AtomicU64 {
        // The last bits of a key select the bucket of the table; these are others.
        &self.busy[(key >> 48) as usize % MARKS]
    }

    /// A thread enters the subtree of a position.
    pub fn enter(&self, key: u64) {
        self.mark(key).store(key, Relaxed);
    }

    /// The thread leaves it again.
    pub fn leave(&self, key: u64) {
        let mark = self.mark(key);
        if mark.load(Relaxed) == key {
            mark.store(0, Relaxed);
        }
    }

    /// What is added to the proof number `delta` of a position if another thread is in its subtree.
    pub fn detour(&self, key: u64, delta: u32) -> u32 {
        if self.mark(key).load(Relaxed) == key { delta / 8 + 1 } else { 0 }
    }

    /// Records that the root is proven, and the cell of its winning move. The first result counts.
    pub fn finish(&self, numbers: ProofNumbers, winning: usize) {
        let mut result = self.result.lock().expect("no thread panics with the lock");
        result.get_or_insert((numbers, winning));
        self.is_done.store(true, Relaxed);
    }

    /// Whether all threads must end.
    pub fn is_done(&self) -> bool {
        self.is_done.load(Relaxed)
    }

    /// The result that [`Team::finish`] recorded, if there is one.
    pub fn result(self) -> Option<(ProofNumbers, usize)> {
        self.result.into_inner().expect("no thread panics with the lock")
    }
}

/// A thread at work. If it panics, the others end.
pub(super) struct Member<'a>(&'a Team);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_done.store(true, Relaxed);
        }
    }
}
