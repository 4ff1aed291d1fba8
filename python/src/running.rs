//! A search that runs beside Python: what `malecon.Thinking` is made of.

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
    /// `None` only while this is dropped.
    thinking: Mutex<Option<Thinking>>,
    evaluator: Option<Arc<Callable>>,
    /// Says that the evaluator is in use.
    _user: Arc<()>,
}

impl RunningSearch {
    pub fn new(
        board: &'static Geometry,
        thinking: Thinking,
        evaluator: Option<Arc<Callable>>,
        user: Arc<()>,
    ) -> RunningSearch {
        let stop = thinking.stop_flag();
        RunningSearch { board, stop, thinking: Mutex::new(Some(thinking)), evaluator, _user: user }
    }
}

impl Drop for RunningSearch {
    /// Waits for the end of the search, whose evaluator may have to run for that.
    fn drop(&mut self) {
        let thinking = self.thinking.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        Python::try_attach(|py| py.detach(|| drop(thinking)));
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
        let mut thinking = self.thinking.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Some(thinking) = &mut *thinking else { return Ok(None) };
        let (analysis, is_last) = match interruptible(py, |_| thinking.next_event())? {
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
