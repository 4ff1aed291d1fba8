//! A search that runs beside Python: what `malecon.Thinking` is made of.

use std::sync::{Mutex, PoisonError};

use malecon::base::sync::StopFlag;
use malecon::engine::session::{Event, Thinking};
use malecon::game::Geometry;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::interrupt::interruptible;
use crate::session::analysis_object;

/// A search that runs beside its caller. If it is dropped, it stops.
#[pyclass(module = "malecon._engine", frozen)]
pub struct RunningSearch {
    board: &'static Geometry,
    stop: StopFlag,
    thinking: Mutex<Thinking>,
}

impl RunningSearch {
    pub fn new(board: &'static Geometry, thinking: Thinking) -> RunningSearch {
        RunningSearch { board, stop: thinking.stop_flag(), thinking: Mutex::new(thinking) }
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
        let thinking = &mut *thinking;
        let (analysis, is_last) = match interruptible(py, |_| thinking.next_event())? {
            None => return Ok(None),
            Some(Event::Progress(analysis)) => (analysis, false),
            Some(Event::Finished(found)) => (found.map_err(|error| PyRuntimeError::new_err(error.to_string()))?, true),
        };
        Ok(Some((analysis_object(py, self.board, &analysis)?, is_last)))
    }
}
