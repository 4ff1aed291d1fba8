//! A meeting of the threads of a search: all but one wait while that one does what needs the tree for itself.

use std::sync::{Condvar, Mutex};

/// Where the threads meet.
pub(crate) struct Rendezvous {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    working: usize,
    waiting: usize,
    held: u64,
}

impl Rendezvous {
    /// For so many threads.
    pub fn of(threads: usize) -> Rendezvous {
        Rendezvous { state: Mutex::new(State { working: threads, waiting: 0, held: 0 }), changed: Condvar::new() }
    }

    /// Waits until every thread that has not left attends; the last to come runs `business`.
    pub fn attend(&self, business: impl FnOnce()) {
        let mut state = self.lock();
        let held = state.held;
        state.waiting += 1;
        while state.held == held {
            if state.waiting == state.working {
                business();
                state.waiting = 0;
                state.held += 1;
                self.changed.notify_all();
                return;
            }
            state = self.changed.wait(state).expect("no thread panics in a meeting");
        }
    }

    /// Tells that this thread will attend no more.
    pub fn leave(&self) {
        self.lock().working -= 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics in a meeting")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn one_thread_acts_while_the_others_wait_also_when_some_leave() {
        let threads = 4;
        let (meeting, busy, meetings) = (Rendezvous::of(threads), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (meeting, busy, meetings) = (&meeting, &busy, &meetings);
                scope.spawn(move || {
                    // Thread `k` attends 100 k meetings: each is held by those that have not left.
                    for _ in 0..100 * thread {
                        meeting.attend(|| {
                            assert_eq!(busy.fetch_add(1, SeqCst), 0);
                            meetings.fetch_add(1, SeqCst);
                            busy.fetch_sub(1, SeqCst);
                        });
                        assert_eq!(busy.load(SeqCst), 0);
                    }
                    meeting.leave();
                });
            }
        });
        assert_eq!(meetings.into_inner(), 300);
    }
}
