//! Exact values of positions on small boards, and proofs of them.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use malecon::base::files::{Interruptible, Replacement, in_file};
use malecon::base::sync::StopFlag;
use malecon::engine::session::{PlayedGame, SolveError};
use malecon::engine::solver::{Budget, SolveOutcome, Solver as Engine, Sources, prove, solve as solve_game};
use malecon::game::{Color, Game, Geometry, Move, Vertex};
use malecon::network::Network;
use malecon::proof::{self, Checked, ProofError, Root, Summary};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::interrupt::{interruptible, take_or_interrupt, take_until};
use crate::moves::{NOTATION, any_board, at_least, color, show, value_error, vertex};
use crate::position::Position;
use crate::session::duration;

/// Megabytes that no machine has. Who asks for more gets these.
const MOST_MEMORY: u64 = 1 << 24;

/// Threads, or solvers, that no machine needs. Who asks for more gets these.
const MOST_THREADS: u64 = 256;

/// A solver for one board. Its table keeps what it has found, for this and later positions: solving a position again
/// with more nodes continues the work.
///
/// `side` is the side length of the board, up to 6, or a string with the lengths of a hexagon, such as `"4-4-5"`.
/// `memory` are the megabytes of the table, which takes them as it fills, and `threads` work together; the number of
/// positions visited then differs from run to run. Unless it is `guided` by a network, it needs about three times as
/// long. Other threads of Python run while it solves and proves, and Ctrl-C ends that. Raises `ValueError` if the board
/// is too large, or if a number makes no sense.
#[pyclass(module = "malecon", frozen)]
pub struct Solver {
    engine: Mutex<Engine>,
    board: &'static Geometry,
}

/// How a solver works.
struct Settings {
    memory: i64,
    threads: i64,
    guided: bool,
}

impl Settings {
    /// The bytes of the table.
    fn bytes(&self) -> PyResult<usize> {
        Ok((at_least(1, "memory", self.memory)?.min(MOST_MEMORY) as usize) << 20)
    }
}

impl Solver {
    fn on(board: &'static Geometry, settings: &Settings) -> PyResult<Solver> {
        Ok(Solver::several_on(board, 1, settings)?.swap_remove(0))
    }

    fn several_on(board: &'static Geometry, count: usize, settings: &Settings) -> PyResult<Vec<Solver>> {
        let threads = at_least(1, "threads", settings.threads)?.min(MOST_THREADS) as usize;
        let engines = Engine::several(board, settings.bytes()?, count, threads).map_err(value_error)?;
        let solver = |engine: Engine| {
            let engine = if settings.guided { engine.guided_by(&*Network::builtin_solver()) } else { engine };
            Solver { engine: Mutex::new(engine), board }
        };
        Ok(engines.into_iter().map(solver).collect())
    }

    /// The engine, for this thread of Python. A panic may have left part of the table unwritten, but each of its entries
    /// is whole.
    fn engine(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Engine>> {
        take_or_interrupt(py, &self.engine)
    }

    /// The engine, for work that this flag ends; `None` if the flag ends the wait for it.
    fn engine_until(&self, stop: &StopFlag) -> Option<MutexGuard<'_, Engine>> {
        let mut engine = take_until(stop, &self.engine)?;
        engine.stop_on(stop);
        Some(engine)
    }

    /// The game of a position that can be solved.
    fn game<'a>(&self, position: &'a Position) -> PyResult<&'a Game> {
        let game = position.game().board();
        if position.game().is_over() {
            return Err(value_error(SolveError::GameOver));
        }
        if game.geometry() != self.board {
            let [own, other] = [self.board, game.geometry()].map(|board| board.shape().title());
            return Err(value_error(format!("the position is on {other}, and the solver is for {own}")));
        }
        Ok(game)
    }

    fn solution(&self, py: Python<'_>, outcome: SolveOutcome) -> PyResult<Py<PyAny>> {
        let name = |v: Vertex| show(py, self.board, Move::Place(v));
        let estimate = outcome.estimate;
        let solution = py.import("malecon.results")?.getattr("Solution")?.call1((
            outcome.value.map(|value| value.to_string()),
            outcome.best.map(name),
            outcome.nodes,
            outcome.time.as_secs_f64(),
            estimate.map(|estimate| color(estimate.player)),
            estimate.map(|estimate| estimate.proof),
            estimate.map(|estimate| estimate.disproof),
            PyList::new(py, outcome.order.iter().map(|&v| name(v)))?,
        ))?;
        Ok(solution.unbind())
    }

    /// The claims in an iterable of pairs: a position, and who wins it.
    fn claims(&self, pairs: &Bound<'_, PyAny>) -> PyResult<Vec<Root>> {
        let claim = |pair: Bound<'_, PyAny>| {
            let (position, winner): (PyRef<'_, Position>, String) = pair.extract()?;
            let winner: Color = winner.parse().map_err(value_error)?;
            Ok(Root::new(self.game(&position)?, winner).expect("the game goes on"))
        };
        pairs.try_iter()?.map(|pair| claim(pair?)).collect()
    }

    /// The winning moves in an iterable of pairs: a position, and a vertex.
    fn winning_moves(&self, pairs: &Bound<'_, PyAny>) -> PyResult<Vec<(Root, Vertex)>> {
        let winning = |pair: Bound<'_, PyAny>| {
            let (position, name): (PyRef<'_, Position>, String) = pair.extract()?;
            let game = self.game(&position)?;
            let root = Root::new(game, game.to_move()).expect("the game goes on");
            Ok((root, vertex(&name, self.board)?))
        };
        pairs.try_iter()?.map(|pair| winning(pair?)).collect()
    }
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(
        signature = (side, *, memory = 1024, threads = 1, guided = true),
        text_signature = "(side, *, memory=1024, threads=1, guided=True)"
    )]
    fn new(side: &Bound<'_, PyAny>, memory: i64, threads: i64, guided: bool) -> PyResult<Solver> {
        Solver::on(any_board(side)?, &Settings { memory, threads, guided })
    }

    /// So many solvers for one board that share a table: while they work, each in a thread of Python of its own, they use
    /// what the others have found. The arguments are those of `Solver`: `memory` is that of the one table, and `threads` is
    /// how many work in each solver. There are 256 at most, even if `count` is greater.
    #[staticmethod]
    #[pyo3(
        signature = (side, count, *, memory = 1024, threads = 1, guided = true),
        text_signature = "(side, count, *, memory=1024, threads=1, guided=True)"
    )]
    fn several(side: &Bound<'_, PyAny>, count: i64, memory: i64, threads: i64, guided: bool) -> PyResult<Vec<Solver>> {
        let count = at_least(1, "count", count)?.min(MOST_THREADS) as usize;
        Solver::several_on(any_board(side)?, count, &Settings { memory, threads, guided })
    }

    /// Finds out who wins a position if both players play perfectly, or how far the solver came within these limits,
    /// without the swap of the pie rule. It may visit `nodes` positions, and take so many `seconds`.
    ///
    /// Raises `ValueError` if the game is over, or on another board.
    #[pyo3(signature = (position, *, nodes = None, seconds = None))]
    fn solve(
        &self,
        py: Python<'_>,
        position: &Position,
        nodes: Option<i64>,
        seconds: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let game = self.game(position)?;
        let nodes = nodes.map(|nodes| at_least(1, "nodes", nodes)).transpose()?;
        let budget = Budget { time: seconds.map(duration).transpose()?, nodes };
        let outcome = interruptible(py, |stop| {
            let mut engine = self.engine_until(stop)?;
            Some(solve_game(&mut engine, game, &budget, &mut |_| !stop.is_stopped()))
        })?;
        self.solution(py, outcome.expect("the wait was not interrupted"))
    }

    /// Tells the solver from which position those follow that it will be asked about. Where this one has symmetries, images
    /// of each other are then searched only once. `solve` and `prove` do this with their positions, unless those follow from
    /// the last root. So it is of use to solvers that share a table and work on parts of one tree: with different roots, they
    /// might not find what the others have found. It changes no value.
    ///
    /// Raises `ValueError` if the game is over, or on another board.
    fn set_root(&self, py: Python<'_>, position: &Position) -> PyResult<()> {
        let root = self.game(position)?.position();
        self.engine(py)?.set_root(root);
        Ok(())
    }

    /// The moves of a position in the order in which the solver's network would try them; empty without a network. With each
    /// comes its weight, from 1 for the first to 12: the solver multiplies the effort that a move seems to need by it.
    fn order(&self, py: Python<'_>, position: &Position) -> PyResult<Vec<(String, f32)>> {
        let game = self.game(position)?;
        let order = self.engine(py)?.order_moves(game.position(), game.to_move());
        Ok(order.into_iter().map(|(v, weight)| (NOTATION.name(self.board, v), weight)).collect())
    }

    /// Writes a proof that the positions are won by these players: `claims` are pairs of a position and a colour. The file
    /// appears when the proof is complete. `docs/proof-format.md` describes it.
    ///
    /// The winner's moves come from `moves`, pairs of a position and a vertex with which the player to move wins; then from
    /// `known`, the files of other proofs; then from the solver, whose table has most of them if it has solved the
    /// positions. Raises `ValueError` if a claim is wrong, a given move does not win, or another proof is refused, and
    /// `OSError` if a file cannot be written.
    #[pyo3(signature = (file, claims, *, moves = None, known = None))]
    #[pyo3(text_signature = "($self, file, claims, *, moves=(), known=())")]
    fn prove(
        &self,
        py: Python<'_>,
        file: PathBuf,
        claims: &Bound<'_, PyAny>,
        moves: Option<&Bound<'_, PyAny>>,
        known: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let roots = self.claims(claims)?;
        let known = known.map(|files| files.try_iter()).transpose()?.into_iter().flatten();
        let known = known.map(|file| file?.extract()).collect::<PyResult<Vec<PathBuf>>>()?;
        let moves = moves.map_or_else(|| Ok(Vec::new()), |moves| self.winning_moves(moves))?;
        let mut output = Replacement::new(&file).map_err(os_error(&file))?;
        let written = interruptible(py, |stop| {
            let engine = &mut *self.engine_until(stop).ok_or(ProofError::Stopped)?;
            let sources = Sources { moves, known, ..Sources::new(engine) };
            prove(BufWriter::new(&mut output), &roots, sources, &mut |_| !stop.is_stopped())
        })?;
        let written = written.map_err(|error| match error {
            ProofError::Unreadable(error) => os_error(&file)(error),
            // It names the proof that is refused.
            error => value_error(error),
        })?;
        output.finish().map_err(os_error(&file))?;
        to_proof(py, &roots, written.summary, written.bytes, &written.longest_games)
    }

    /// How many positions the solver has visited in all calls.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.engine(py)?.nodes())
    }

    /// Forgets what was found, so that the solver behaves like a new one. A table that other solvers share is left as it
    /// is.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.engine(py)?.clear();
        Ok(())
    }
}

/// Finds out who wins a position if both players play perfectly, or how far the solver came within these limits,
/// without the swap of the pie rule.
///
/// `nodes` are the positions that it may visit, `seconds` the time it may take, `memory` the megabytes of its table, and
/// `threads` work together; the number of positions visited then differs from run to run. Unless it is `guided` by a
/// network, it needs about three times as long. Other threads of Python run meanwhile, and Ctrl-C ends it. Raises
/// `ValueError` if the game is over, if the board is larger than side 6, or if a limit makes no sense. A `Solver` keeps
/// what it has found for further positions.
#[pyfunction]
#[pyo3(signature = (position, *, nodes = None, seconds = None, memory = 1024, threads = 1, guided = true))]
pub fn solve(
    py: Python<'_>,
    position: &Position,
    nodes: Option<i64>,
    seconds: Option<f64>,
    memory: i64,
    threads: i64,
    guided: bool,
) -> PyResult<Py<PyAny>> {
    let solver = Solver::on(position.game().geometry(), &Settings { memory, threads, guided })?;
    solver.solve(py, position, nodes, seconds)
}

/// Checks the file of a proof with the rules of the game alone, and returns what it proves. Other threads of Python run
/// meanwhile, and Ctrl-C ends it. Raises `ValueError` if the proof is refused, and `OSError` if the file cannot be
/// read.
#[pyfunction]
pub fn check_proof(py: Python<'_>, file: PathBuf) -> PyResult<Py<PyAny>> {
    let opened = File::open(&file).map_err(os_error(&file))?;
    let checked = interruptible(py, |stop| {
        let proceed = || !stop.is_stopped();
        proof::check(BufReader::new(Interruptible { file: opened, proceed }))
    })?;
    let checked = checked.map_err(|error| match error {
        ProofError::Unreadable(error) => os_error(&file)(error),
        error => value_error(in_file(&file)(error)),
    })?;
    let Checked { roots, summary, bytes, longest_games, .. } = checked;
    to_proof(py, &roots, summary, bytes, &longest_games)
}

/// What a proof proves, as a `malecon.Proof`.
fn to_proof(
    py: Python<'_>,
    roots: &[Root],
    summary: Summary,
    bytes: u64,
    games: &[Vec<Vertex>],
) -> PyResult<Py<PyAny>> {
    let claim = |root: &Root| (Position::from_game(PlayedGame::from(root.game())), color(root.winner()));
    let claims: Vec<_> = roots.iter().map(claim).collect();
    let names = |(root, game): (&Root, &Vec<Vertex>)| {
        let board = root.position().geometry();
        let names = game.iter().map(|&v| show(py, board, Move::Place(v)).unbind());
        names.collect::<Vec<_>>()
    };
    let games: Vec<_> = roots.iter().zip(games).map(names).collect();
    let proof = py.import("malecon.results")?.getattr("Proof")?;
    Ok(proof.call1((claims, summary.positions, summary.moves, bytes, games))?.unbind())
}

/// Turns an error of the system into the exception that Python has for it, such as `FileNotFoundError`.
fn os_error(file: &Path) -> impl Fn(io::Error) -> PyErr {
    move |error| io::Error::new(error.kind(), in_file(file)(error)).into()
}
