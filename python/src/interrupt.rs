//! Long calls that let other threads of Python run, and that Ctrl-C ends.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::scope;
use std::time::Duration;

use malecon::base::sync::{StopFlag, start_scoped_thread};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

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
