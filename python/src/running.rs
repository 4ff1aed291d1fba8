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
use crate::evaluator::Asking;
use crate::interrupt::interruptible;

/// A search that runs beside its caller. If it is dropped, it stops.
#[pyclass(module = "malecon._engine", frozen)]
pub struct RunningSearch {
    board: &'static Geometry,
    stop: StopFlag,
    state: Mutex<State>,
    /// The process in which the search runs.
    process: u32,
}

enum State {
    /// The search, its part in the use of the evaluator, and what says that the evaluator is in use.
    Running { thinking: Thinking, asking: Option<Asking>, _user: Arc<()> },
    /// What it has found at the end.
    Ended(Result<Arc<Analysis>, Failure>),
}

/// Why a search failed.
struct Failure {
    /// Raised once: an exception that is raised again keeps what called it alive.
    error: Option<PyErr>,
    /// Raised from then on.
    message: String,
}

impl RunningSearch {
    pub fn new(board: &'static Geometry, thinking: Thinking, asking: Option<Asking>, user: Arc<()>) -> RunningSearch {
        let stop = thinking.stop_flag();
        RunningSearch {
            board,
            stop,
            state: Mutex::new(State::Running { thinking, asking, _user: user }),
            process: id(),
        }
    }
}

impl Drop for RunningSearch {
    /// Waits for the end of the search, whose evaluator may have to run for that.
    #[expect(clippy::mem_forget, reason = "after a fork there is no thread to wait for, and the session stays in use")]
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let state = replace(state, State::Ended(Err(Failure { error: None, message: String::new() })));
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
    /// the end. Raises what the evaluator raised, once, and `RuntimeError` if the search failed otherwise, or from then
    /// on.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, bool)> {
        if self.process != id() {
            return Err(PyRuntimeError::new_err("the search runs in the process from which this one was forked"));
        }
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if let State::Running { thinking, asking, .. } = &mut *state {
            let mut event = None;
            let waited = interruptible(py, |_| event = thinking.next_event());
            let progress = match event {
                Some(Event::Progress(analysis)) => Some(analysis),
                // The search gives this only once, so it is kept even if Ctrl-C ends this call.
                Some(Event::Finished(found)) => {
                    let raised = asking.as_ref().and_then(Asking::take_error);
                    let found = match (raised, found) {
                        (Some(error), _) => Err(Failure { message: error.to_string(), error: Some(error) }),
                        (None, found) => found.map_err(|error| Failure { message: error.to_string(), error: None }),
                    };
                    *state = State::Ended(found);
                    None
                }
                None => None,
            };
            waited?;
            if let Some(analysis) = progress {
                return Ok((analysis_object(py, self.board, &analysis)?, false));
            }
        }
        match &mut *state {
            State::Ended(Ok(analysis)) => Ok((analysis_object(py, self.board, analysis)?, true)),
            State::Ended(Err(Failure { error, message })) => {
                Err(error.take().unwrap_or_else(|| PyRuntimeError::new_err(message.clone())))
            }
            State::Running { .. } => unreachable!("only the last event ends the search"),
        }
    }
}
