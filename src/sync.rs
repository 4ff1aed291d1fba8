//! Mutexes that stay usable after a panic.
//!
//! A thread that panics while it holds a mutex poisons it. Here the poison is ignored, so that a panic costs no more than
//! the work of its own thread. What the mutex guards must therefore be valid wherever its holder can panic.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
    use std::thread;

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
