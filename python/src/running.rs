//! A search that runs beside Python: what `malecon.Thinking` is made of.

use std::mem::forget;
use std::process::id;
use std::sync::{Arc, Mutex, PoisonError};

use malecon::base::sync::StopFlag;
use malecon::engine::session::{Event, Thinking};
use malecon::game::Geometry;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::analysis::analysis_object;
use crate::evaluator::Callable;
use crate::interrupt::interruptible;

/// A search that runs beside its caller. If it is dropped, it stops.
#[pyclass(module = "malecon._engine", frozen)]
pub struct RunningSearch {
    board: &'static Geometry,
    stop: StopFlag,
    /// The search, and what says that the evaluator is in use, until the last event is taken.
    running: Mutex<Option<(Thinking, Arc<()>)>>,
    evaluator: Option<Arc<Callable>>,
    /// The process in which the search runs.
    process: u32,
}

impl RunningSearch {
    pub fn new(
        board: &'static Geometry,
        thinking: Thinking,
        evaluator: Option<Arc<Callable>>,
        user: Arc<()>,
    ) -> RunningSearch {
        let stop = thinking.stop_flag();
        RunningSearch { board, stop, running: Mutex::new(Some((thinking, user))), evaluator, process: id() }
    }
}

impl Drop for RunningSearch {
    /// Waits for the end of the search, whose evaluator may have to run for that.
    #[expect(clippy::mem_forget, reason = "after a fork there is no thread to wait for, and the session stays in use")]
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if self.process != id() {
            forget(running);
            return;
        }
        Python::try_attach(|py| py.detach(|| drop(running)));
    }
}

#[pymethods]
impl RunningSearch {
    /// Asks the search to end. It does within a few milliseconds.
    fn stop(&self) {
        self.stop.stop();
    }

    /// Waits for what the search has found next, and returns it and whether it is the last. `None` after the last.
    /// Raises `RuntimeError` if the search failed.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, bool)>> {
        if self.process != id() {
            return Err(PyRuntimeError::new_err("the search runs in the process from which this one was forked"));
        }
        let mut running = self.running.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Some((thinking, _)) = &mut *running else { return Ok(None) };
        let event = interruptible(py, |_| thinking.next_event())?;
        if !matches!(event, Some(Event::Progress(_))) {
            *running = None;
        }
        let (analysis, is_last) = match event {
            None => return Ok(None),
            Some(Event::Progress(analysis)) => (analysis, false),
            Some(Event::Finished(found)) => {
                self.evaluator.as_ref().and_then(|evaluator| evaluator.take_error()).map_or(Ok(()), Err)?;
                (found.map_err(|error| PyRuntimeError::new_err(error.to_string()))?, true)
            }
        };
        Ok(Some((analysis_object(py, self.board, &analysis)?, is_last)))
    }
}
