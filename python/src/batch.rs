//! Many positions at once: arrays for learning, at the engine's speed.

use malecon::base::sync::parallel_map;
use malecon::game::{Game, Geometry};
use malecon::network::features::{COUNT, extract};
use malecon::network::{Backend, Evaluation, Input, Networks};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::interrupt::interruptible;
use crate::moves::at_least;
use crate::position::Position;

/// Positions that a thread takes at a time, with an evaluator of its own.
const SHARE: usize = 64;

/// Policies and values.
pub type Evaluations<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>);

/// The games of these positions, all on one board.
fn games(positions: &Bound<'_, PyAny>) -> PyResult<Vec<Game>> {
    let mut games: Vec<Game> = Vec::new();
    for position in positions.try_iter()? {
        let position = position?;
        let position = position.cast::<Position>()?.borrow();
        let game = position.game().board();
        if let Some(first) = games.first().filter(|first| first.geometry() != game.geometry()) {
            let (side, other) = (first.geometry().side(), game.geometry().side());
            let message = format!("all positions must be on the same board, but there are sides {side} and {other}");
            return Err(PyValueError::new_err(message));
        }
        if position.game().is_over() {
            let message = format!("position {} is over: there is nothing to predict", games.len());
            return Err(PyValueError::new_err(message));
        }
        games.push(game.clone());
    }
    if games.is_empty() { Err(PyValueError::new_err("there are no positions")) } else { Ok(games) }
}

/// What the network says of many positions at once: an array of positions by vertices, as `Position.policy`, and one of
/// positions, as `Position.value`.
///
/// The positions must be on one board. The work is done by `threads` threads, while other threads of Python run. Raises
/// `ValueError` if there is no position, or one of them is over or on another board.
#[pyfunction]
#[pyo3(signature = (positions, *, threads = 1))]
pub fn evaluate<'py>(py: Python<'py>, positions: &Bound<'py, PyAny>, threads: i64) -> PyResult<Evaluations<'py>> {
    let threads = at_least(1, "threads", threads)? as usize;
    evaluate_games(py, &games(positions)?, threads)
}

/// What the network says of these games, which are on one board and not over.
pub fn evaluate_games<'py>(py: Python<'py>, games: &[Game], threads: usize) -> PyResult<Evaluations<'py>> {
    let board = games[0].geometry();
    let count = board.vertex_count();
    let shares: Vec<&[Game]> = games.chunks(SHARE).collect();
    let evaluated = interruptible(py, |stop| {
        parallel_map(&shares, threads.min(shares.len()), |share| {
            let mut evaluator = Networks::Builtin.evaluator(board);
            let mut evaluation = Evaluation::default();
            let (mut policy, mut value) = (Vec::with_capacity(share.len() * count), Vec::with_capacity(share.len()));
            for game in share.iter().take_while(|_| !stop.is_stopped()) {
                evaluator.evaluate(&Input::new(game), &mut evaluation);
                let probabilities = evaluation.probabilities(game.position().empty_vertices());
                policy.extend_from_slice(&probabilities[..count]);
                value.push(evaluation.value);
            }
            (policy, value)
        })
    })?;
    let (policies, values): (Vec<_>, Vec<_>) = evaluated.into_iter().unzip();
    let policies = policies.concat().into_pyarray(py).reshape([games.len(), count])?;
    Ok((policies, values.concat().into_pyarray(py)))
}

/// What the network sees of many positions at once: an array of positions by vertices by 127, as `Position.features`.
///
/// The positions must be on one board. Raises `ValueError` if there is no position, or one of them is over or on another
/// board.
#[pyfunction]
pub fn features<'py>(py: Python<'py>, positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray3<f32>>> {
    features_of(py, &games(positions)?)
}

/// What the network sees of these games, which are on one board and not over.
pub fn features_of<'py>(py: Python<'py>, games: &[Game]) -> PyResult<Bound<'py, PyArray3<f32>>> {
    let board = games[0].geometry();
    let mut numbers = with_room(games.len() * board.vertex_count() * COUNT)?;
    let numbers = interruptible(py, |stop| {
        for game in games.iter().take_while(|_| !stop.is_stopped()) {
            push_features(&extract(&Input::new(game)), &mut numbers);
        }
        numbers
    })?;
    feature_array(py, numbers, board)
}

/// An empty list with room for so many items. Raises `MemoryError`, where `Vec` would end Python.
pub fn with_room<T>(count: usize) -> PyResult<Vec<T>> {
    let mut list = Vec::new();
    let no_memory = |_| {
        let bytes = count as u128 * size_of::<T>() as u128;
        PyMemoryError::new_err(format!("there is no memory for {count} items, {bytes} bytes"))
    };
    list.try_reserve_exact(count).map_err(no_memory)?;
    Ok(list)
}

/// Appends the features of a position as numbers.
pub fn push_features(bits: &[u128], numbers: &mut Vec<f32>) {
    for bits in bits {
        numbers.extend((0..COUNT).map(|f| (bits >> f & 1) as f32));
    }
}

/// An array of the features of positions.
pub fn feature_array<'py>(py: Python<'py>, numbers: Vec<f32>, board: &Geometry) -> PyResult<Bound<'py, PyArray3<f32>>> {
    let of_position = board.vertex_count() * COUNT;
    let positions = numbers.len() / of_position;
    numbers.into_pyarray(py).reshape([positions, board.vertex_count(), COUNT])
}
