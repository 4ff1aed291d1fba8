//! A search that runs beside Python: what `malecon.Thinking` is made of.

use std::mem::{forget, replace};
use std::process::id;
use std::sync::{Arc, Mutex, PoisonError};

use malecon::base::sync::StopFlag;
use malecon::engine::session::{Analysis, Event, Thinking};
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
    state: Mutex<State>,
    evaluator: Option<Arc<Callable>>,
    /// The process in which the search runs.
    process: u32,
}

enum State {
    /// The search, and what says that the evaluator is in use.
    Running { thinking: Thinking, _user: Arc<()> },
    /// What it has found at the end.
    Ended(PyResult<Arc<Analysis>>),
}

impl RunningSearch {
    pub fn new(
        board: &'static Geometry,
        thinking: Thinking,
        evaluator: Option<Arc<Callable>>,
        user: Arc<()>,
    ) -> RunningSearch {
        let stop = thinking.stop_flag();
        let state = Mutex::new(State::Running { thinking, _user: user });
        RunningSearch { board, stop, state, evaluator, process: id() }
    }
}

impl Drop for RunningSearch {
    /// Waits for the end of the search, whose evaluator may have to run for that.
    #[expect(clippy::mem_forget, reason = "after a fork there is no thread to wait for, and the session stays in use")]
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let state = replace(state, State::Ended(Err(PyRuntimeError::new_err("the search was dropped"))));
        if self.process != id() {
            forget(state);
            return;
        }
        Python::try_attach(|py| py.detach(|| drop(state)));
    }
}

#[pymethods]
impl RunningSearch {
    /// Asks the search to end. It does within a few milliseconds.
    fn stop(&self) {
        self.stop.stop();
    }

    /// Waits for what the search has found next, and returns it and whether it is the last; the last one again after
    /// the end. Raises `RuntimeError` if the search failed, or what the evaluator raised.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, bool)> {
        if self.process != id() {
            return Err(PyRuntimeError::new_err("the search runs in the process from which this one was forked"));
        }
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if let State::Running { thinking, .. } = &mut *state {
            let mut event = None;
            let waited = interruptible(py, |_| event = thinking.next_event());
            let progress = match event {
                Some(Event::Progress(analysis)) => Some(analysis),
                // The search gives this once, also to a call that an exception ends.
                Some(Event::Finished(found)) => {
                    let raised = self.evaluator.as_ref().and_then(|evaluator| evaluator.take_error());
                    let found = found.map_err(|error| PyRuntimeError::new_err(error.to_string()));
                    *state = State::Ended(raised.map_or(found, Err));
                    None
                }
                None => None,
            };
            waited?;
            if let Some(analysis) = progress {
                return Ok((analysis_object(py, self.board, &analysis)?, false));
            }
        }
        match &*state {
            State::Ended(Ok(analysis)) => Ok((analysis_object(py, self.board, analysis)?, true)),
            State::Ended(Err(error)) => Err(error.clone_ref(py)),
            State::Running { .. } => unreachable!("only the last event ends the search"),
        }
    }
}
