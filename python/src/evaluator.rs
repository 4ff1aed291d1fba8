//! A function of the user's in place of the network: it judges the positions of a search, many in one call.
//!
//! Each thread of the search has at most one position to judge. It waits until the others wait too, or until it has
//! waited long enough for them; one of the threads then calls the function with all positions that wait.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use malecon::base::sync::{lock, wait};
use malecon::engine::session::PlayedGame;
use malecon::game::{Color, Game, Geometry};
use malecon::network::features::{COUNT, extract};
use malecon::network::{Backend, Evaluation, Evaluator, Input};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::batch::{feature_array, push_features};
use crate::moves;
use crate::position::Position;

/// How long a position waits for those of the other threads: they may be busy with something else for long.
const PATIENCE: Duration = Duration::from_millis(2);

thread_local! {
    /// Whether this thread is in a call of an evaluator.
    static IS_CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller is an evaluator. It must not wait for the search that waits for it.
pub fn is_calling() -> bool {
    IS_CALLING.get()
}

/// A position to judge, as the function sees it.
struct Request {
    /// The features of each vertex.
    features: Vec<u128>,
    /// For each vertex: 1 for a stone of the player to move, -1 for one of the opponent.
    stones: Vec<i8>,
    color: Color,
}

impl Request {
    fn new(input: &Input<'_>) -> Request {
        let stone = |v| match input.position.stone(v) {
            None => 0,
            Some(color) if color == input.color => 1,
            Some(_) => -1,
        };
        let stones = input.position.geometry().vertices().map(stone).collect();
        Request { features: extract(input), stones, color: input.color }
    }
}

/// Where the judgement of a position is put.
type Answer = Arc<Mutex<Option<Box<Evaluation>>>>;

/// What the threads share.
struct State {
    /// How many threads may have a position to judge.
    members: usize,
    waiting: Vec<(Request, Answer)>,
    /// Whether a thread is in a call.
    is_called: bool,
    /// The number of the newest search.
    search: u64,
    /// What the function raised, by the number of the search, which has to end.
    errors: HashMap<u64, PyErr>,
}

/// The function.
pub struct Callable {
    /// `None` once the garbage collector has cleared it.
    function: Mutex<Option<Py<PyAny>>>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Callable {
    pub fn new(function: Py<PyAny>) -> Arc<Callable> {
        let state = State { members: 0, waiting: Vec::new(), is_called: false, search: 0, errors: HashMap::new() };
        Arc::new(Callable { function: Mutex::new(Some(function)), state: Mutex::new(state), changed: Condvar::new() })
    }

    /// The same function, for searches of another session.
    pub fn another(&self, py: Python<'_>) -> Arc<Callable> {
        let function = lock(&self.function).as_ref().map(|function| function.clone_ref(py));
        Callable::new(function.unwrap_or_else(|| py.None()))
    }

    /// Shows the function to the garbage collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        lock(&self.function).as_ref().map_or(Ok(()), |function| visit.call(function))
    }

    /// Drops the function, which was garbage.
    pub fn clear(&self) {
        let function = lock(&self.function).take();
        drop(function);
    }

    /// Begins a search: positions that evaluators of other ones judged are not its own. No other one may run.
    pub fn begin_search(self: &Arc<Callable>) -> Asking {
        let mut state = lock(&self.state);
        state.search += 1;
        Asking { callable: Arc::clone(self), search: state.search }
    }

    /// Calls the function with the positions that wait, all of this search. The state is unlocked meanwhile.
    fn call<'a>(
        &'a self,
        board: &'static Geometry,
        search: u64,
        mut state: MutexGuard<'a, State>,
    ) -> MutexGuard<'a, State> {
        let (requests, answers): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiting).into_iter().unzip();
        state.is_called = true;
        drop(state);
        IS_CALLING.set(true);
        let found = Python::attach(|py| self.call_attached(py, board, requests));
        IS_CALLING.set(false);
        let mut state = lock(&self.state);
        state.is_called = false;
        match found {
            Ok(found) => {
                for (answer, evaluation) in answers.into_iter().zip(found) {
                    *lock(&answer) = Some(Box::new(evaluation));
                }
            }
            Err(error) => {
                state.errors.entry(search).or_insert(error);
            }
        }
        self.changed.notify_all();
        state
    }

    fn call_attached(
        &self,
        py: Python<'_>,
        board: &'static Geometry,
        requests: Vec<Request>,
    ) -> PyResult<Vec<Evaluation>> {
        let (count, vertices) = (requests.len(), board.vertex_count());
        let batch = Bound::new(py, Batch { board, requests })?;
        let function = lock(&self.function).as_ref().map(|function| function.clone_ref(py));
        let function = function.ok_or_else(|| PyRuntimeError::new_err("the evaluator has been garbage-collected"))?;
        let returned = function.bind(py).call1((&batch,))?;
        let (policy, value) = read_pair(&returned)?;
        let policy = array::<2>(&policy, "policy", [count, vertices])?;
        let value = array::<1>(&value, "value", [count])?;
        let (policy, value) = (policy.as_slice()?, value.as_slice()?);
        let requests = &batch.get().requests;
        let mut found = Vec::with_capacity(count);
        for ((request, logits), &value) in requests.iter().zip(policy.chunks(vertices)).zip(value) {
            if !(0.0..=1.0).contains(&value) {
                return Err(wrong(format!("the evaluator returned the value {value} (expected 0 to 1)")));
            }
            let is_wrong = |(&logit, &stone): (&f32, &i8)| stone == 0 && !logit.is_finite();
            if logits.iter().zip(&request.stones).any(is_wrong) {
                return Err(wrong("the evaluator returned a policy with a logit that is not finite".into()));
            }
            let mut evaluation = Evaluation { value, ..Evaluation::default() };
            evaluation.policy[..vertices].copy_from_slice(logits);
            found.push(evaluation);
        }
        Ok(found)
    }
}

fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}

fn read_pair<'py>(returned: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let pair = returned.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
    let pair = pair.ok_or_else(|| wrong("the evaluator has to return a pair: policy, value".into()))?;
    Ok((pair.get_item(0)?, pair.get_item(1)?))
}

/// What the function returned as an array of 32-bit floats, without gaps between them.
fn array<'py, const N: usize>(
    returned: &Bound<'py, PyAny>,
    name: &str,
    shape: [usize; N],
) -> PyResult<PyReadonlyArray<'py, f32, numpy::ndarray::Dim<[usize; N]>>>
where
    numpy::ndarray::Dim<[usize; N]>: numpy::ndarray::Dimension,
{
    let py = returned.py();
    let kind = PyDict::new(py);
    kind.set_item("dtype", "float32")?;
    let array = py.import("numpy")?.call_method("ascontiguousarray", (returned,), Some(&kind))?;
    let found: Vec<usize> = array.getattr("shape")?.extract()?;
    if found != shape {
        return Err(wrong(format!("the evaluator returned a {name} of shape {found:?} (expected {shape:?})")));
    }
    array.extract()
}

/// A search that asks the function, for its caller. Dropping it forgets what the function raised in it.
pub struct Asking {
    callable: Arc<Callable>,
    search: u64,
}

impl Asking {
    /// What the function raised in the search, if it did.
    pub fn take_error(&self) -> Option<PyErr> {
        lock(&self.callable.state).errors.remove(&self.search)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        drop(self.take_error());
    }
}

/// The function as the engine uses it.
pub struct CallableBackend(pub Arc<Callable>);

impl Backend for CallableBackend {
    fn evaluator(&self, geometry: &'static Geometry) -> Box<dyn Evaluator> {
        let mut state = lock(&self.0.state);
        state.members += 1;
        Box::new(CallableEvaluator { callable: Arc::clone(&self.0), board: geometry, search: state.search })
    }
}

/// The part of one thread in one search.
struct CallableEvaluator {
    callable: Arc<Callable>,
    board: &'static Geometry,
    search: u64,
}

impl Drop for CallableEvaluator {
    fn drop(&mut self) {
        lock(&self.callable.state).members -= 1;
        // The others no longer wait for this one.
        self.callable.changed.notify_all();
    }
}

impl Evaluator for CallableEvaluator {
    /// Judges the position as it is: the symmetry of the input is left to the function.
    ///
    /// # Panics
    /// If the function raises an exception in this thread, which [`Asking::take_error`] returns.
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        let (request, answer) = (Request::new(input), Answer::default());
        let callable = &*self.callable;
        let mut state = lock(&callable.state);
        state.waiting.push((request, Arc::clone(&answer)));
        let mut is_patient = true;
        loop {
            if let Some(found) = lock(&answer).take() {
                return *evaluation = *found;
            }
            if state.errors.contains_key(&self.search) {
                // The thread that made the call ends the search.
                return *evaluation = Evaluation::default();
            }
            if state.is_called {
                state = wait(&callable.changed, state);
            } else if is_patient && state.waiting.len() < state.members {
                let waited = callable.changed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
                is_patient = !waited.1.timed_out();
                state = waited.0;
            } else {
                state = callable.call(self.board, self.search, state);
                if state.errors.contains_key(&self.search) {
                    state.waiting.clear();
                    drop(state);
                    // No panic of this program: its hook is not called.
                    resume_unwind(Box::new("the evaluator failed"));
                }
            }
        }
    }
}

/// The positions that an evaluator judges in one call, all on one board. `Session(evaluator=...)` makes them.
#[pyclass(module = "malecon", frozen)]
pub struct Batch {
    board: &'static Geometry,
    requests: Vec<Request>,
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.requests.len()
    }

    /// The side length of the board.
    #[getter]
    fn side(&self) -> usize {
        self.board.side()
    }

    /// The players to move.
    #[getter]
    fn to_move(&self) -> Vec<&'static str> {
        self.requests.iter().map(|request| moves::color(request.color)).collect()
    }

    /// The stones: an array of positions by vertices, 1 for the player to move, -1 for the opponent, 0 for none.
    #[getter]
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let stones: Vec<i8> = self.requests.iter().flat_map(|request| request.stones.iter().copied()).collect();
        stones.into_pyarray(py).reshape([self.requests.len(), self.board.vertex_count()])
    }

    /// What the network would see: an array of positions by vertices by 127, as `malecon.features`.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let mut numbers = Vec::with_capacity(self.requests.len() * self.board.vertex_count() * COUNT);
        self.requests.iter().for_each(|request| push_features(&request.features, &mut numbers));
        feature_array(py, numbers, self.board)
    }

    /// The positions, with all their stones as set up.
    fn positions(&self) -> Vec<Position> {
        self.requests.iter().map(|request| Position::from_game(game(self.board, request))).collect()
    }
}

/// A game that begins in a position to judge. Nobody has won there, so any order of the stones will do.
fn game(board: &'static Geometry, request: &Request) -> PlayedGame {
    let mut game = Game::new(board);
    for (v, &stone) in board.vertices().zip(&request.stones).filter(|(_, stone)| **stone != 0) {
        let color = if stone > 0 { request.color } else { !request.color };
        game.place(color, v).expect("nobody has won yet");
    }
    game.begin_with(request.color);
    PlayedGame::from(game)
}
