//! Exact values of positions on small boards.

use malecon::engine::session::SolveError;
use malecon::engine::solver::{Budget, Solver, SolverError, solve as solve_game};
use malecon::game::{Move, Vertex};
use malecon::network::Network;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::interrupt::interruptible;
use crate::moves::{at_least, color, show, value_error};
use crate::position::Position;
use crate::session::duration;

/// Megabytes that no machine has. Who asks for more gets these.
const MOST_MEMORY: u64 = 1 << 24;

/// Finds out who wins a position if both players play perfectly, or how far the solver came within these limits,
/// without the swap of the pie rule.
///
/// `nodes` are the positions that it may visit, `seconds` the time it may take, `memory` the megabytes of its table, and
/// `threads` work together; the number of positions visited then differs from run to run. Unless it is `guided` by a
/// network, it needs about three times as long. Other threads of Python run meanwhile, and Ctrl-C ends it. Raises
/// `ValueError` if the game is over, if the board is larger than side 6, or if a limit makes no sense.
#[pyfunction]
#[pyo3(signature = (position, *, nodes = None, seconds = None, memory = 1024, threads = 1, guided = true))]
pub fn solve<'py>(
    py: Python<'py>,
    position: &Position,
    nodes: Option<i64>,
    seconds: Option<f64>,
    memory: i64,
    threads: i64,
    guided: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let game = position.game().board();
    let board = game.geometry();
    if position.game().is_over() {
        return Err(value_error(SolveError::GameOver));
    }
    let nodes = nodes.map(|nodes| at_least(1, "nodes", nodes)).transpose()?;
    let memory = at_least(1, "memory", memory)?.min(MOST_MEMORY) as usize;
    let threads = at_least(1, "threads", threads)?.min(256) as usize;
    let time = seconds.map(duration).transpose()?;
    let budget = Budget { time, nodes };
    let outcome = interruptible(py, |stop| {
        let mut solver = Solver::with_threads(board, memory << 20, threads)?;
        if guided {
            solver = solver.guided_by(&*Network::builtin_solver());
        }
        solver.stop_on(stop);
        Ok(solve_game(&mut solver, game, &budget, &mut |_| !stop.is_stopped()))
    })?
    .map_err(|error: SolverError| value_error(error))?;
    let name = |v: Vertex| show(py, board, Move::Place(v));
    let estimate = outcome.estimate;
    py.import("malecon.results")?.getattr("Solution")?.call1((
        outcome.value.map(|value| value.to_string()),
        outcome.best.map(name),
        outcome.nodes,
        outcome.time.as_secs_f64(),
        estimate.map(|estimate| color(estimate.player)),
        estimate.map(|estimate| estimate.proof),
        estimate.map(|estimate| estimate.disproof),
        PyList::new(py, outcome.order.iter().map(|&v| name(v)))?,
    ))
}
