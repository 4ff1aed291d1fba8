//! Threads that work on one proof together.
//!
//! All threads search from the same root and share the table. They are kept apart as in SPDFPN (Pawlewicz & Hayward,
//! *Scalable parallel DFPN search*, 2013): a move that other threads work on counts as harder than it is, the more the
//! more threads there are, so that a thread turns to the next best move if that is not much worse.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::table::{INFINITE, ProofNumbers};

/// The number of marks.
const MARKS: usize = 1 << 15;

/// The bits of a mark that count threads. The others are those of the position's key.
const COUNT: u64 = 0xff;

/// The fewest and the most positions that a thread takes at a time from those that the team may visit.
pub(super) const LEAST_TAKEN: u64 = 64;
const MOST_TAKEN: u64 = 1024;

/// What the threads of a search tell each other.
pub(super) struct Team {
    /// Keys of positions in whose subtrees threads are, each at an index that is a part of the key, with the number of
    /// these threads in place of the last bits. One position is known for each index: the last one entered, until all
    /// threads that have entered it since have left it. Some threads are missed, which costs only time.
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
        self.mark(key).update(Relaxed, Relaxed, |mark| match threads_below(mark, key) {
            COUNT => mark,
            threads => key & !COUNT | (threads + 1),
        });
    }

    /// The thread leaves it again.
    pub fn leave(&self, key: u64) {
        let less = |mark| match threads_below(mark, key) {
            0 => None,
            1 => Some(0),
            _ => Some(mark - 1),
        };
        // It fails if another position has taken the mark.
        let _ = self.mark(key).try_update(Relaxed, Relaxed, less);
    }

    /// What is added to the proof number `delta` of a position that other threads work below: more for each of them.
    pub fn detour(&self, key: u64, delta: u32) -> u32 {
        match threads_below(self.mark(key).load(Relaxed), key) {
            0 => 0,
            threads => (delta / 8 + 1).saturating_mul(threads as u32).min(INFINITE),
        }
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

/// The number of threads in the subtree of the position with this key, if the mark is about it, and 0 otherwise.
fn threads_below(mark: u64, key: u64) -> u64 {
    if mark & !COUNT == key & !COUNT { mark & COUNT } else { 0 }
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
    fn each_thread_below_a_position_adds_to_the_detour() {
        let team = Team::new(2, 0);
        let (key, same_mark) = (5 << 48 | 0x1234, 5 << 48 | 0x5678);
        let detours = || [key, same_mark].map(|key| team.detour(key, 800));
        assert_eq!(detours(), [0, 0]);
        team.enter(key);
        assert_eq!(detours(), [101, 0]);
        team.enter(key);
        assert_eq!(detours(), [202, 0]);
        team.leave(key);
        assert_eq!(detours(), [101, 0]);
        // Another position takes the mark.
        team.enter(same_mark);
        assert_eq!(detours(), [0, 101]);
        team.leave(key);
        assert_eq!(detours(), [0, 101]);
        team.leave(same_mark);
        assert_eq!(detours(), [0, 0]);
        team.leave(same_mark);
        assert_eq!(detours(), [0, 0]);
    }

    #[test]
    fn the_threads_below_a_position_are_counted_up_to_a_limit() {
        let team = Team::new(2, 0);
        let (key, next_key) = (7 << 48 | 0x1200, 7 << 48 | 0x1300);
        for _ in 0..300 {
            team.enter(key);
        }
        assert_eq!([key, next_key].map(|key| team.detour(key, 0)), [255, 0]);
        assert_eq!(team.detour(key, INFINITE - 1), INFINITE);
        for _ in 0..300 {
            team.leave(key);
        }
        assert_eq!([key, next_key].map(|key| team.detour(key, 0)), [0, 0]);
    }

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
