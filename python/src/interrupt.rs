//! Long calls that let other threads of Python run, and that Ctrl-C ends.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::{scope, sleep};
use std::time::Duration;

use malecon::base::sync::{StopFlag, start_scoped_thread};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long a thread waits before it looks again whether another one still has something.
const BUSY: Duration = Duration::from_millis(2);

/// What a mutex guards, once no other thread has it. `wait` lets some time pass; an error of it ends the wait.
fn take<T, E>(mutex: &Mutex<T>, mut wait: impl FnMut() -> Result<(), E>) -> Result<MutexGuard<'_, T>, E> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(error)) => return Ok(error.into_inner()),
            Err(TryLockError::WouldBlock) => wait()?,
        }
    }
}

/// What a mutex guards, once no other thread has it, for this thread of Python.
///
/// # Errors
/// What the handler of a signal raised, such as `KeyboardInterrupt`, which ends the wait.
pub fn take_or_interrupt<'a, T>(py: Python<'_>, mutex: &'a Mutex<T>) -> PyResult<MutexGuard<'a, T>> {
    take(mutex, || {
        py.check_signals()?;
        py.detach(|| sleep(BUSY));
        Ok(())
    })
}

/// What a mutex guards, once no other thread has it, for the work of [`interruptible`]; `None` once the flag is raised.
pub fn take_until<'a, T>(stop: &StopFlag, mutex: &'a Mutex<T>) -> Option<MutexGuard<'a, T>> {
    let wait = || {
        sleep(BUSY);
        if stop.is_stopped() { Err(()) } else { Ok(()) }
    };
    take(mutex, wait).ok()
}

/// Runs `work` on another thread, while this one waits without holding the interpreter's lock. A signal raises the
/// flag, which `work` has to obey; what it returns is dropped then.
///
/// # Errors
/// What the signal's handler raised, such as `KeyboardInterrupt`; or that the system has no thread left.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce(&StopFlag) -> T + Send) -> PyResult<T> {
    let found = py.detach(|| {
        let stop = StopFlag::new();
        scope(|scope| {
            // The worker drops its end when it is done, or panics.
            let (finished, waiting) = channel::<()>();
            let flag = stop.clone();
            let work = move || {
                let _finished = finished;
                work(&flag)
            };
            let worker = start_scoped_thread(scope, "search", work)
                .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let mut interruption = Ok(());
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(PATIENCE) {
                if interruption.is_ok() {
                    interruption = Python::attach(|py| py.check_signals());
                    if interruption.is_err() {
                        stop.stop();
                    }
                }
            }
            let found = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            interruption.map(|()| found)
        })
    })?;
    // The signal may have come too late for the loop.
    py.check_signals()?;
    Ok(found)
}
