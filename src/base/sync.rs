//! A flag that stops searches, threads that the system may refuse, and mutexes that stay usable after a panic.
//!
//! A thread that panics while it holds a mutex poisons it. Here poison is ignored, so that a panic affects only the
//! work of its own thread. Therefore the guarded data must be valid wherever its holder can panic.

use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, JoinHandle, Scope, ScopedJoinHandle};

use super::memory::can_allocate;

/// A flag by which any thread can stop a search. Clones share one flag.
///
/// ```
/// use malecon::{Session, StopFlag};
///
/// let stop = StopFlag::new();
/// let mut session = Session::on_side(8)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| stop.stop());
///     // Without a limit, only the flag ends the search.
///     session.search().limits(Default::default()).stop(&stop).run()
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// Raises the flag: stops all searches that it was given to, and those that it will be given to.
    pub fn stop(&self) {
        self.0.store(true, Relaxed);
    }

    /// Lowers the flag, so that it can be used for another search.
    pub fn reset(&self) {
        self.0.store(false, Relaxed);
    }

    /// Whether the flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// The flag in the form that the search reads.
    pub(crate) fn as_atomic(&self) -> &AtomicBool {
        &self.0
    }
}

/// An upper bound on the memory in bytes that starting a thread takes: its stack, a second one for the handler of
/// overflows, and what else the standard library allocates. If the library cannot allocate it, the program ends.
pub(crate) const START_MEMORY: usize = 1 << 22;

/// Whether there is memory for another thread.
fn check_memory() -> io::Result<()> {
    if can_allocate(START_MEMORY) { Ok(()) } else { Err(refused(&io::ErrorKind::OutOfMemory.into())) }
}

/// Starts a thread.
///
/// # Errors
/// If the system has no thread left, or no memory for one. The message says so.
pub fn start_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    check_memory()?;
    Builder::new().name(name.into()).spawn(work).map_err(|error| refused(&error))
}

/// Like [`start_thread`], but within a scope.
///
/// # Errors
/// The same as for [`start_thread`].
pub fn start_scoped_thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    check_memory()?;
    Builder::new().name(name.into()).spawn_scoped(scope, work).map_err(|error| refused(&error))
}

/// Does each piece of work on a thread of its own, or on the calling thread if the system has none left. Returns the
/// results in the order of the pieces. Panics are propagated.
pub fn on_threads<I: Copy + Send, T: Send>(
    pieces: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let start = |piece| (piece, start_scoped_thread(scope, "worker", move || work(piece)));
        let started: Vec<_> = pieces.into_iter().map(start).collect();
        let result = |(piece, thread): (I, io::Result<ScopedJoinHandle<'_, T>>)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(piece),
        };
        started.into_iter().map(result).collect()
    })
}

/// Does the work for each job on this many threads, each of which takes the next job when it has finished one. Returns
/// the results in the order of the jobs. Panics are propagated.
pub fn parallel_map<J: Sync, T: Send>(jobs: &[J], threads: usize, work: impl Fn(&J) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work_in_turn = |_| {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Relaxed);
            let Some(job) = jobs.get(i) else { return done };
            done.push((i, work(job)));
        }
    };
    let mut done: Vec<_> = on_threads(0..threads, work_in_turn).into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(i, _)| i);
    done.into_iter().map(|(_, result)| result).collect()
}

fn refused(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("not enough memory or threads: {error}"))
}

/// Locks a mutex, whether or not it is poisoned.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Releases the lock, waits until `condvar` is notified, and locks again, whether or not the mutex is poisoned.
pub fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        assert_eq!(on_threads(0..9, |i| i * i), (0..9).map(|i| i * i).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_with_the_lock_leaves_the_value_accessible() {
        let mutex = Mutex::new(1);
        thread::scope(|scope| {
            let work = || {
                *lock(&mutex) = 2;
                let _guard = lock(&mutex);
                panic!("poisons the mutex");
            };
            assert!(scope.spawn(work).join().is_err());
        });
        assert!(mutex.is_poisoned());
        assert_eq!(*lock(&mutex), 2);
    }
}
