//! A barrier for the threads of a search: one thread acts while all others wait.

use std::sync::{Condvar, Mutex, MutexGuard};

/// The barrier. Unlike [`std::sync::Barrier`] it lets threads leave for good.
pub(crate) struct Rendezvous {
    state: Mutex<State>,
    changed: Condvar,
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
    pub fn of(threads: usize) -> Rendezvous {
        Rendezvous { state: Mutex::new(State { members: threads, waiting: 0, meetings: 0 }), changed: Condvar::new() }
    }

    /// Waits until every thread that has not left is here. The last one to arrive runs `action`, then all go on.
    pub fn meet(&self, action: impl FnOnce()) {
        let mut state = self.lock();
        let meeting = state.meetings;
        state.waiting += 1;
        while state.meetings == meeting {
            if state.waiting == state.members {
                action();
                state.waiting = 0;
                state.meetings += 1;
                self.changed.notify_all();
                return;
            }
            state = self.changed.wait(state).expect("no thread panics while it holds the lock");
        }
    }

    /// Leaves: the other threads no longer wait for this one.
    pub fn leave(&self) {
        self.lock().members -= 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn one_thread_acts_while_the_others_wait_even_when_some_have_left() {
        let threads = 4;
        let (rendezvous, busy, actions) = (Rendezvous::of(threads), AtomicUsize::new(0), AtomicUsize::new(0));
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
}
