//! Searching beside the caller.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::base::sync::{StopFlag, lock, start_thread};
use crate::engine::search::{Limits, SearchError, Searcher};
use crate::game::Color;

use super::failure::panic_message;
use super::searching::Job;
use super::{Analysis, Session};

/// What happens in a search beside the caller.
#[derive(Clone, Debug)]
pub enum Event {
    /// What the search has found so far.
    Progress(Arc<Analysis>),
    /// The search has ended: nothing follows.
    Finished(Result<Arc<Analysis>, SearchError>),
}

/// What a search has found last, until it is read. Each analysis contains everything found so far.
type Newest = Arc<Mutex<Option<Arc<Analysis>>>>;

/// A search that runs beside its caller. It can be sent to another thread. Dropping it stops the search and waits
/// until it has stopped, which takes a few milliseconds.
#[derive(Debug)]
#[must_use = "dropping it stops the search"]
pub struct Thinking {
    stop: StopFlag,
    newest: Newest,
    /// Rings when there is something new, until the search ends.
    bell: Receiver<()>,
    thread: Option<JoinHandle<Result<Arc<Analysis>, SearchError>>>,
}

impl Session {
    /// Starts a search for the next move of a colour beside the caller, within these limits; without any, it runs
    /// until it is stopped. The session can be used meanwhile. Moves do not disturb the search, which stays with the
    /// position in which it began. Another search, a new game and changed search options stop it. This call first
    /// waits until the search before has stopped, which takes a few milliseconds.
    ///
    /// # Errors
    /// If the game is over, or the system has no thread left.
    pub fn think(&mut self, color: Color, limits: &Limits) -> Result<Thinking, SearchError> {
        let job = self.job(color, limits)?;
        self.searcher.stop_running();
        let stop = StopFlag::new();
        *lock(&self.searcher.running) = Some(stop.clone());
        let (ringer, bell) = sync_channel(1);
        let newest = Newest::default();
        let (begun, has_begun) = sync_channel(1);
        let (flag, found) = (stop.clone(), Arc::clone(&newest));
        let work = move || {
            let mut searcher = lock(&job.searcher.searcher);
            // `think` waits for this.
            let _ = begun.send(());
            run_and_report(&job, &mut searcher, &flag, &found, &ringer)
        };
        let thread = start_thread("search", work).map_err(|error| SearchError::Failed(error.to_string()))?;
        // Otherwise the next search could take the searcher first, and this one, already stopped, would have to wait
        // for its end. An error means that the thread has panicked, which `wait` reports.
        let _ = has_begun.recv();
        Ok(Thinking { stop, newest, bell, thread: Some(thread) })
    }

    /// Stops the search beside the caller, if one runs, and waits until it has stopped, which takes a few milliseconds.
    pub fn end_search(&self) {
        drop(self.searcher.lock());
    }
}

fn run_and_report(
    job: &Job,
    searcher: &mut Searcher,
    stop: &StopFlag,
    newest: &Newest,
    ringer: &SyncSender<()>,
) -> Result<Arc<Analysis>, SearchError> {
    let mut observe = |analysis: &Arc<Analysis>| {
        *lock(newest) = Some(Arc::clone(analysis));
        // A reader who is slow has heard an earlier ring only, and gets the newest.
        let _ = ringer.try_send(());
    };
    job.run(searcher, stop, Some(&mut observe))
}

impl Thinking {
    /// Asks the search to stop. It ends within a few milliseconds with what it has found.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// A flag that stops the search, for another thread.
    pub fn stop_flag(&self) -> StopFlag {
        self.stop.clone()
    }

    /// Whether the search has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the next event: the newest, for a reader who is slow. `None` after [`Event::Finished`].
    pub fn next_event(&mut self) -> Option<Event> {
        while self.bell.recv().is_ok() {
            if let Some(event) = self.take_newest() {
                return Some(event);
            }
        }
        self.finish().map(Event::Finished)
    }

    /// The next event if there is one already.
    pub fn try_next_event(&mut self) -> Option<Event> {
        loop {
            match self.bell.try_recv() {
                Ok(()) => {
                    if let Some(event) = self.take_newest() {
                        return Some(event);
                    }
                }
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => return self.finish().map(Event::Finished),
            }
        }
    }

    /// What was found last. `None` if an earlier ring of the bell has brought it.
    fn take_newest(&self) -> Option<Event> {
        lock(&self.newest).take().map(Event::Progress)
    }

    /// Waits until the search has ended and returns what it found.
    ///
    /// # Errors
    /// If the search failed.
    ///
    /// # Panics
    /// If [`Event::Finished`] was already taken.
    pub fn wait(mut self) -> Result<Arc<Analysis>, SearchError> {
        self.finish().expect("the result was not taken yet")
    }

    fn finish(&mut self) -> Option<Result<Arc<Analysis>, SearchError>> {
        let thread = self.thread.take()?;
        Some(thread.join().unwrap_or_else(|panic| Err(SearchError::Failed(panic_message(&*panic)))))
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.stop.stop();
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::TryLockError;

    /// Otherwise the next search could take the searcher first, and this one, stopped, would wait for its end.
    #[test]
    fn a_search_beside_the_caller_has_the_searcher_from_the_beginning() {
        let mut session = Session::on_side(4).unwrap();
        for _ in 0..50 {
            let first = session.think(Color::White, &Limits::default()).unwrap();
            let second = session.think(Color::White, &Limits::default()).unwrap();
            assert!(matches!(session.searcher.searcher.try_lock(), Err(TryLockError::WouldBlock)));
            assert!(first.wait().is_ok());
            second.stop();
            assert!(second.wait().is_ok());
        }
    }
}
