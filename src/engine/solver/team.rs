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

/// The fewest and the most positions that a thread takes at a time from those that the team may visit.
pub(super) const LEAST_TAKEN: u64 = 64;
const MOST_TAKEN: u64 = 1024;

/// What the threads of a search tell each other.
pub(super) struct Team {
    /// Keys of positions in whose subtrees threads are, each at an index that is a part of the key. One position is
    /// known for each index: the last one entered, until any thread leaves it. Some are missed, which costs only time.
    busy: Box<[AtomicU64]>,
    /// The number of threads.
    threads: u64,
    budget: Budget,
    /// Whether all threads must end, because one has proven the root or has panicked.
    is_done: AtomicBool,
    /// The root's proof numbers, and the cell of the winning move if there is one.
    result: Mutex<Option<(ProofNumbers, usize)>>,
}

/// How many positions the team may still visit, apart from those that threads have taken. Often written, so it has cache
/// lines of its own.
#[repr(align(128))]
struct Budget(AtomicU64);

impl Team {
    /// A team without results, of this many threads, which may visit this many positions together.
    pub fn new(threads: usize, nodes: u64) -> Team {
        Team {
            busy: (0..MARKS).map(|_| AtomicU64::new(0)).collect(),
            threads: threads as u64,
            budget: Budget(AtomicU64::new(nodes)),
            is_done: AtomicBool::new(false),
            result: Mutex::new(None),
        }
    }

    /// Takes some of the positions that the team may visit for one thread, and returns how many: 0 if there are none.
    ///
    /// Threads take positions as they need them, because some are faster than others. Towards the end they take few at
    /// a time, so that all end at about the same time. If each thread takes once, each gets some: the team must have
    /// more than [`LEAST_TAKEN`] positions for each thread but one.
    pub fn take(&self) -> u64 {
        let share = |left: u64| (left / (2 * self.threads)).clamp(LEAST_TAKEN, MOST_TAKEN).min(left);
        share(self.budget.0.update(Relaxed, Relaxed, |left| left - share(left)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::on_threads;

    #[test]
    fn threads_take_all_positions_and_no_more() {
        let take_all = |team: &Team| std::iter::repeat_with(|| team.take()).take_while(|&taken| taken > 0).sum::<u64>();
        for nodes in [0, 1, 64, 500, 100_000] {
            let team = Team::new(4, nodes);
            assert_eq!(on_threads(0..4, |_| take_all(&team)).iter().sum::<u64>(), nodes);
        }
    }

    #[test]
    fn each_thread_gets_positions_and_the_last_are_few() {
        for (threads, nodes) in [(2, 65), (16, 961), (16, 5000), (16, 1 << 20)] {
            let team = Team::new(threads, nodes);
            let first: Vec<u64> = (0..threads).map(|_| team.take()).collect();
            assert!(first.iter().all(|&taken| (1..=MOST_TAKEN).contains(&taken)), "{first:?}");
            let rest: Vec<u64> = std::iter::repeat_with(|| team.take()).take_while(|&taken| taken > 0).collect();
            assert!(rest.iter().rev().take(threads).all(|&taken| taken <= LEAST_TAKEN), "{rest:?}");
        }
    }
}
