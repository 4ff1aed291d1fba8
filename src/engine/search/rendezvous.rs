//! A barrier for the threads of a search: one thread acts while all others wait.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::base::sync::{lock, wait};

/// The barrier. Unlike [`std::sync::Barrier`] it lets threads leave for good.
pub(crate) struct Rendezvous {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether a thread has panicked.
    is_broken: AtomicBool,
}

struct State {
    /// Threads that have not left.
    members: usize,
    waiting: usize,
    /// How many meetings have taken place.
    meetings: u64,
}

impl Rendezvous {
    /// A barrier for this many threads.
    pub fn new(threads: usize) -> Rendezvous {
        let state = State { members: threads, waiting: 0, meetings: 0 };
        Rendezvous { state: Mutex::new(state), changed: Condvar::new(), is_broken: AtomicBool::new(false) }
    }

    /// Makes the calling thread a member. It leaves when the value is dropped: at the end of its work, or in a panic.
    pub fn member(&self) -> Member<'_> {
        Member(self)
    }

    /// Whether a member has panicked. The others should end their work: there are no more meetings.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Relaxed)
    }

    /// Waits until every thread that has not left is here. The last one to arrive runs `action`, then all go on.
    /// Returns at once if a member has panicked.
    pub fn meet(&self, action: impl FnOnce()) {
        let mut state = self.lock();
        let meeting = state.meetings;
        state.waiting += 1;
        while state.meetings == meeting && !self.is_broken() {
            if state.waiting == state.members {
                state.waiting = 0;
                action();
                state.meetings += 1;
                self.changed.notify_all();
                return;
            }
            state = wait(&self.changed, state);
        }
    }

    /// Leaves: the other threads no longer wait for this one.
    pub fn leave(&self) {
        self.lock().members -= 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // After a panic in a meeting nothing but `is_broken` counts.
        lock(&self.state)
    }
}

/// The membership of one thread.
pub(crate) struct Member<'a>(&'a Rendezvous);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Under the lock, so that no thread misses it on its way to wait.
            let _state = self.0.lock();
            self.0.is_broken.store(true, Relaxed);
        }
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn one_thread_acts_while_the_others_wait_even_when_some_have_left() {
        let threads = 4;
        let (rendezvous, busy, actions) = (Rendezvous::new(threads), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (rendezvous, busy, actions) = (&rendezvous, &busy, &actions);
                scope.spawn(move || {
                    // Thread `k` comes to 100 k meetings, of those that have not left.
                    for _ in 0..100 * thread {
                        rendezvous.meet(|| {
                            assert_eq!(busy.fetch_add(1, SeqCst), 0);
                            actions.fetch_add(1, SeqCst);
                            busy.fetch_sub(1, SeqCst);
                        });
                        assert_eq!(busy.load(SeqCst), 0);
                    }
                    rendezvous.leave();
                });
            }
        });
        assert_eq!(actions.into_inner(), 300);
    }

    /// A thread that panics, in its own work or in a meeting, leaves the others free to end.
    #[test]
    fn no_thread_waits_for_one_that_has_panicked() {
        for in_meeting in [false, true] {
            let rendezvous = Rendezvous::new(3);
            let work = |panics: bool| {
                let _member = rendezvous.member();
                while !rendezvous.is_broken() {
                    assert!(!panics || in_meeting, "injected");
                    rendezvous.meet(|| assert!(!in_meeting, "injected"));
                }
            };
            let panicked = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3).map(|i| scope.spawn(move || work(i == 1))).collect();
                threads.into_iter().filter_map(|thread| thread.join().err()).count()
            });
            assert_eq!(panicked, 1);
        }
    }
}
