//! `malecon.Session`.

use std::ops::{Deref, DerefMut};
use std::process::id;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{ThreadId, current};
use std::time::Duration;

use malecon::base::options::{OptionInfo, OptionKind};
use malecon::base::sync::{StopFlag, lock};
use malecon::engine::search::Limits;
use malecon::engine::session::{self as engine, EngineOptions, PlayedGame};
use malecon::game::Game;
use malecon::game::record::{Format, write};
use malecon::review::{self, json};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::analysis::analysis_object;
use crate::evaluator::{Asking, Callable, CallableBackend, is_calling};
use crate::interrupt::{interruptible, take_or_interrupt};
use crate::moves::{self, NOTATION, at_least, value_error};
use crate::position::{self, Position, on_regular_board};
use crate::running::RunningSearch;

/// A game and the engine that thinks about it.
///
/// A search lets other threads run, and Ctrl-C ends it with `KeyboardInterrupt` and without a move. Threads may share a
/// session: the second one waits until the first is done. `think` starts a search beside the caller.
///
/// `Session(side, **options)` is a new game on the board of this side length, with options by their names, such as
/// `seed=1`, `level=3`, `threads=2`, `swap=True`, `network="file"`; `docs/gtp.md` lists all. With a seed, one thread
/// and limits of simulations, the same calls return the same. Raises `ValueError` if there is no such board, option or
/// value.
///
/// `evaluator` is a function that judges positions in place of the network. It takes a `Batch` of n positions and returns
/// a pair of arrays: the policy, n by vertices, as logits (those of occupied vertices do not matter), and the value, n
/// chances of winning of the players to move, from 0 to 1. With `threads=16`, it gets up to 16 positions in one call. An
/// exception ends the search and is raised there. The function can use no session.
#[pyclass(module = "malecon", frozen)]
pub struct Session {
    session: Mutex<engine::Session>,
    /// The thread that has the session.
    owner: Mutex<Option<ThreadId>>,
    /// The game as it was when a thread last gave the session back. It can be read while another thread searches.
    game: Mutex<PlayedGame>,
    /// The function that judges positions in place of the network.
    evaluator: Option<Arc<Callable>>,
    /// The session and its searches beside Python, which all need the function.
    users: Arc<()>,
    /// The process in which the session was made.
    process: u32,
}

/// A session while one thread has it.
struct Locked<'a> {
    session: MutexGuard<'a, engine::Session>,
    owner: &'a Mutex<Option<ThreadId>>,
    game: &'a Mutex<PlayedGame>,
}

impl Deref for Locked<'_> {
    type Target = engine::Session;

    fn deref(&self) -> &engine::Session {
        &self.session
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut engine::Session {
        &mut self.session
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        *lock(self.game) = self.session.game().clone();
        *lock(self.owner) = None;
    }
}

impl Session {
    /// The session, once no other thread has it; Ctrl-C ends the wait. An error if this thread has it already, since it
    /// would wait for itself for ever: a signal handler may run during a search, and methods of arguments are Python
    /// code, too.
    fn lock(&self, py: Python<'_>) -> PyResult<Locked<'_>> {
        if *lock(&self.owner) == Some(current().id()) || is_calling() {
            let message = "the session is busy: neither a signal's handler nor an argument's method can use it; and an \
                           evaluator can use no session";
            return Err(PyRuntimeError::new_err(message));
        }
        // After a fork, the threads of searches are not in this process, and never give back what they hold.
        if self.process != id() && (Arc::strong_count(&self.users) > 1 || lock(&self.owner).is_some()) {
            let message = "a search was running in this session when the process was forked: make a new session";
            return Err(PyRuntimeError::new_err(message));
        }
        let session = take_or_interrupt(py, &self.session)?;
        *lock(&self.owner) = Some(current().id());
        Ok(Locked { session, owner: &self.owner, game: &self.game })
    }

    /// Runs a search, after that beside Python has ended. A signal raises the flag.
    ///
    /// # Errors
    /// What the signal's handler or the evaluator raised.
    fn search<T: Send>(
        &self,
        py: Python<'_>,
        session: &mut engine::Session,
        work: impl FnOnce(&mut engine::Session, &StopFlag) -> T + Send,
    ) -> PyResult<(T, Option<Asking>)> {
        let evaluator = self.evaluator.as_ref();
        interruptible(py, |stop| {
            // Its threads ask the same evaluator.
            session.end_search();
            let asking = evaluator.map(Callable::begin_search);
            (work(session, stop), asking)
        })
    }
}

/// What a search has found, unless the evaluator has raised an exception in it.
fn unless_raised<T>((found, asking): (T, Option<Asking>)) -> PyResult<T> {
    asking.and_then(|asking| asking.take_error()).map_or(Ok(found), Err)
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (side = 8, *, evaluator = None, **options))]
    fn new(side: i64, evaluator: Option<Bound<'_, PyAny>>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Session> {
        if let Some(evaluator) = evaluator.as_ref().filter(|evaluator| !evaluator.is_callable()) {
            let message = format!("the evaluator has the type {} (expected a function)", evaluator.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        }
        let board = moves::board(side)?;
        let mut options = with_options(EngineOptions::default(), options)?;
        let evaluator = evaluator.map(|evaluator| Callable::new(evaluator.unbind()));
        if let Some(evaluator) = &evaluator {
            options.network = Arc::new(CallableBackend(Arc::clone(evaluator)));
        }
        let session = engine::Session::new(board, options);
        let game = Mutex::new(session.game().clone());
        Ok(Session {
            session: Mutex::new(session),
            owner: Mutex::new(None),
            game,
            evaluator,
            users: Arc::default(),
            process: id(),
        })
    }

    /// Shows the function to Python's garbage collector: it often refers back to the session. A search that runs beside
    /// Python needs the function, whatever becomes of the session.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.evaluator {
            Some(evaluator) if Arc::strong_count(&self.users) == 1 => evaluator.traverse(&visit),
            _ => Ok(()),
        }
    }

    fn __clear__(&self) {
        if let Some(evaluator) = &self.evaluator {
            evaluator.clear();
        }
    }

    // The game.

    /// A copy of the present position. It can be read while another thread searches.
    #[getter]
    fn position(&self) -> Position {
        Position::from_game(lock(&self.game).clone())
    }

    /// Plays a move, as `Position.play` does.
    fn play(&self, r#move: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut session = self.lock(r#move.py())?;
        let (color, m) = moves::read(r#move, session.game())?;
        session.play_as(color, m).map_err(value_error)
    }

    /// Takes back the last moves. Raises `ValueError` if fewer were played; nothing has changed then.
    #[pyo3(signature = (count = 1))]
    fn undo(&self, py: Python<'_>, count: i64) -> PyResult<()> {
        let count = at_least(0, "count", count)? as usize;
        self.lock(py)?.undo(count).map_err(value_error)
    }

    /// Starts again, on the same board or on another one.
    #[pyo3(signature = (side = None))]
    fn new_game(&self, py: Python<'_>, side: Option<i64>) -> PyResult<()> {
        let session = &mut *self.lock(py)?;
        let board = side.map_or_else(|| Ok(session.game().geometry()), moves::board)?;
        // A search in the background has to stop first, and its evaluator may have to run for that.
        py.detach(|| session.new_game(board));
        Ok(())
    }

    /// Starts a new game in a position, with the moves that led to it: a `Position`, or a position string as
    /// `Position.from_string` reads it. The position says whether there may be a swap; the option `swap` is left as it is.
    fn set_position(&self, position: &Bound<'_, PyAny>) -> PyResult<()> {
        let game = match position.cast::<Position>() {
            Ok(position) => on_regular_board(position.borrow().game())?.clone(),
            Err(_) => PlayedGame::from(Game::from_position(&position.extract::<String>()?).map_err(value_error)?),
        };
        let session = &mut *self.lock(position.py())?;
        position.py().detach(|| session.set_position(game));
        Ok(())
    }

    /// Takes over the first game of a text, as `Position.from_sgf` reads it. A game with the pie rule switches the option
    /// `swap` on.
    fn load(&self, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let record = position::read_record(text)?;
        let has_pie_rule = record.has_pie_rule();
        let session = &mut *self.lock(text.py())?;
        text.py().detach(|| session.load(record, None)).map_err(value_error)?;
        if has_pie_rule {
            let mut options = session.options().clone();
            options.session.swap = true;
            text.py().detach(|| session.set_options(options));
        }
        Ok(())
    }

    /// The game as SGF, with the variations and comments that were loaded. With the option `annotate`, the engine's
    /// own moves have its chance of winning as a comment.
    fn to_sgf(&self, py: Python<'_>) -> PyResult<String> {
        Ok(write(&[self.lock(py)?.record()], Format::Sgf))
    }

    // Options.

    /// The options with their present values.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        for info in self.lock(py)?.options().list() {
            options.set_item(info.name, option_value(py, &info)?)?;
        }
        Ok(options)
    }

    /// Changes options, all or none. Raises `ValueError` for one that is wrong.
    #[pyo3(signature = (**options))]
    fn set_options(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let names: Vec<String> = options.map_or(Ok(Vec::new()), |options| options.keys().extract())?;
        let session = &mut *self.lock(py)?;
        let before = session.options().clone();
        let network = Arc::clone(&before.network);
        let mut changed = with_options(before, options)?;
        // The evaluator judges in place of any network.
        if self.evaluator.is_some() {
            changed.network = network;
        }
        py.detach(|| session.set_all(changed, names.iter().map(String::as_str)));
        Ok(())
    }

    // The engine.

    /// Searches the position until a limit is reached or the result is proven. Without limits, that of the option
    /// `analysis_seconds` counts, and that of `simulations` if it is set. Raises `ValueError` if the game is over.
    #[pyo3(signature = (simulations = None, seconds = None))]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        simulations: Option<i64>,
        seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = &mut *self.lock(py)?;
        let limits = analysis_limits(session, simulations, seconds)?;
        check_goes_on(session)?;
        let (board, color) = (session.game().geometry(), session.game().to_move());
        let found =
            self.search(py, session, |session, stop| session.search().color(color).limits(limits).stop(stop).run());
        let analysis = unless_raised(found?)?.map_err(value_error)?;
        analysis_object(py, board, &analysis)
    }

    /// Starts a search of the position and returns at once: a `Thinking`, which gives what has been found so far, and
    /// stops the search. Limits are those of `analyze`. The session can be used meanwhile, and moves do not disturb the
    /// search, but another search, a new game and changed options of the search stop it. Raises `ValueError` if the game
    /// is over.
    #[pyo3(signature = (simulations = None, seconds = None))]
    fn think<'py>(
        &self,
        py: Python<'py>,
        simulations: Option<i64>,
        seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = &mut *self.lock(py)?;
        let limits = analysis_limits(session, simulations, seconds)?;
        check_goes_on(session)?;
        let (board, color) = (session.game().geometry(), session.game().to_move());
        let (thinking, asking) = self.search(py, session, |session, _| session.think(color, &limits))?;
        py.import("malecon.thinking")?.getattr("Thinking")?.call1((RunningSearch::new(
            board,
            thinking.map_err(value_error)?,
            asking,
            Arc::clone(&self.users),
        ),))
    }

    /// Thinks about a move at the strength of the option `level`, plays it and returns it: a vertex or `"swap"`.
    /// With the option `resign` it may return `"resign"`, which is not played. Without limits, those of the options
    /// `simulations` or `seconds` count. Raises `ValueError` if the game is over.
    #[pyo3(signature = (simulations = None, seconds = None))]
    fn genmove(&self, py: Python<'_>, simulations: Option<i64>, seconds: Option<f64>) -> PyResult<String> {
        let session = &mut *self.lock(py)?;
        let color = session.game().to_move();
        let limits = read_limits(simulations, seconds)?.unwrap_or_else(|| session.limits(color));
        check_goes_on(session)?;
        let choose = |session: &mut engine::Session, stop: &StopFlag| {
            session.search().color(color).limits(limits).stop(stop).choose_move()
        };
        let chosen = unless_raised(self.search(py, session, choose)?)?.map_err(value_error)?;
        session.play_chosen(color, chosen);
        Ok(chosen.show(session.game().geometry(), NOTATION))
    }

    /// Reviews the game: each position is searched, for a second without other limits. A mistake is a move that
    /// lowers the player's chance of winning by at least `mistake`. Returns what `malecon review --to json` writes, as
    /// `docs/review.md` describes it.
    #[pyo3(signature = (simulations = None, seconds = None, *, mistake = 0.1))]
    fn review<'py>(
        &self,
        py: Python<'py>,
        simulations: Option<i64>,
        seconds: Option<f64>,
        mistake: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !(mistake > 0.0 && mistake <= 1.0) {
            return Err(PyValueError::new_err(format!("invalid mistake {mistake} (expected above 0, at most 1)")));
        }
        let (record, mut options) = {
            let session = self.lock(py)?;
            (session.record(), session.options().clone())
        };
        let mut settings = review::Settings { mistake, swap: options.session.swap, ..review::Settings::default() };
        settings.limits = read_limits(simulations, seconds)?.unwrap_or(settings.limits);
        // Of its own, because a search may run beside Python.
        let evaluator = self.evaluator.as_ref().map(|evaluator| evaluator.another(py));
        if let Some(evaluator) = &evaluator {
            options.network = Arc::new(CallableBackend(Arc::clone(evaluator)));
        }
        let asking = evaluator.as_ref().map(Callable::begin_search);
        // Another session, because a review replaces the game.
        let mut reviewer = engine::Session::new(record.board(), options);
        let work = |stop: &_| review::review(&mut reviewer, &record, &settings, stop, &mut |_| ());
        let review = unless_raised((interruptible(py, work)?, asking))?.map_err(value_error)?;
        py.import("json")?.call_method1("loads", (json::value(&review).to_string(),))
    }

    /// The game as `position` has it, also while another thread searches.
    fn __repr__(&self) -> String {
        let game = lock(&self.game);
        let played = position::played(&game).join(" ");
        format!("<malecon.Session side={} moves=\"{played}\">", game.geometry().side())
    }
}

/// Refuses a game that is over, also by resignation.
fn check_goes_on(session: &engine::Session) -> PyResult<()> {
    if session.game().is_over() { Err(value_error(engine::SearchError::GameOver)) } else { Ok(()) }
}

/// Options with some of them changed.
fn with_options(mut options: EngineOptions, changes: Option<&Bound<'_, PyDict>>) -> PyResult<EngineOptions> {
    let mut values = Vec::new();
    for (name, value) in changes.into_iter().flatten() {
        let text = match value.cast::<PyBool>() {
            Ok(value) => value.is_true().to_string(),
            Err(_) => value.str()?.to_string(),
        };
        values.push((name.extract::<String>()?, text));
    }
    values.sort_by_key(|(name, _)| EngineOptions::turn(name));
    values.iter().try_for_each(|(name, text)| options.set(name, text)).map_err(value_error)?;
    Ok(options)
}

/// The value of an option as a `bool`, an `int`, a `float` or a `str`.
fn option_value(py: Python<'_>, info: &OptionInfo) -> PyResult<Py<PyAny>> {
    let text = &info.value;
    match info.kind {
        OptionKind::Bool => (text == "true").into_py_any(py),
        OptionKind::Real { .. } => text.parse::<f64>().map_err(value_error)?.into_py_any(py),
        // A seed is a number or a word.
        OptionKind::Integer { .. } | OptionKind::Text { .. } if text.parse::<u64>().is_ok() => {
            text.parse::<u64>().map_err(value_error)?.into_py_any(py)
        }
        _ => text.into_py_any(py),
    }
}

/// The limits of a search; `None` if neither is given.
fn read_limits(simulations: Option<i64>, seconds: Option<f64>) -> PyResult<Option<Limits>> {
    let simulations = simulations.map(|simulations| at_least(1, "simulations", simulations)).transpose()?;
    let time = seconds.map(duration).transpose()?;
    let is_limited = simulations.is_some() || time.is_some();
    Ok(is_limited.then_some(Limits { simulations, soft: None, hard: time }))
}

/// A time in seconds, which must be above 0.
pub fn duration(seconds: f64) -> PyResult<Duration> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(PyValueError::new_err(format!("invalid seconds {seconds} (expected a number above 0)"))),
    }
}

/// The limits of an analysis: those that are given, else those of the session's options.
fn analysis_limits(session: &engine::Session, simulations: Option<i64>, seconds: Option<f64>) -> PyResult<Limits> {
    Ok(read_limits(simulations, seconds)?.unwrap_or_else(|| session.analysis_limits()))
}
