//! Moves, colours and boards as Python writes them: strings with HavannahGui's names of vertices.

use std::fmt::Display;

use malecon::engine::session::PlayedGame;
use malecon::game::{Color, Geometry, MAX_SIDE, Move, Notation, ParseShapeError, Vertex};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyString};

pub const NOTATION: Notation = Notation::HavannahGui;

/// An error of the library as Python's `ValueError`, with its one-line message.
pub fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The board of this side length.
pub fn board(side: i64) -> PyResult<&'static Geometry> {
    let side_error = || PyValueError::new_err(format!("invalid side length {side} (expected 2 to {MAX_SIDE})"));
    let side = usize::try_from(side).map_err(|_| side_error())?;
    Geometry::with_side(side).map_err(value_error)
}

/// A board as Python names it: by its side length, or as a string with the three lengths of a hexagon: `"4-4-5"`.
pub fn any_board(argument: &Bound<'_, PyAny>) -> PyResult<&'static Geometry> {
    match argument.cast::<PyString>() {
        Ok(shape) => {
            shape.to_str()?.parse().map(Geometry::with_shape).map_err(|error: ParseShapeError| value_error(error))
        }
        Err(_) => board(argument.extract::<i64>()?),
    }
}

/// The name of a vertex. On regular boards, names are made once for each side length.
fn name<'py>(py: Python<'py>, board: &Geometry, v: Vertex) -> Bound<'py, PyString> {
    static NAMES: [PyOnceLock<Vec<Py<PyString>>>; MAX_SIDE + 1] = [const { PyOnceLock::new() }; MAX_SIDE + 1];
    let new = |v| PyString::intern(py, &NOTATION.name(board, v));
    match board.shape().regular_side() {
        Some(side) => {
            let names = NAMES[side].get_or_init(py, || board.vertices().map(|v| new(v).unbind()).collect());
            names[v.index()].bind(py).clone()
        }
        None => new(v),
    }
}

/// A move as a string.
pub fn show<'py>(py: Python<'py>, board: &Geometry, m: Move) -> Bound<'py, PyString> {
    match m {
        Move::Place(v) => name(py, board, v),
        _ => PyString::intern(py, &m.show(board, NOTATION)),
    }
}

/// The index of a stone or of a swap, which comes after the vertices.
pub fn index(board: &Geometry, m: Move) -> usize {
    match m {
        Move::Place(v) => v.index(),
        _ => board.vertex_count(),
    }
}

/// A move in a game and who plays it: the player to move, unless a colour stands in front of a name.
pub fn read(argument: &Bound<'_, PyAny>, game: &PlayedGame) -> PyResult<(Color, Move)> {
    let (turn, board) = (game.to_move(), game.geometry());
    if let Ok(word) = argument.cast::<PyString>() {
        return Move::read_in_turn(word.to_str()?, turn, board, NOTATION).map_err(value_error);
    }
    let Ok(index) = argument.extract::<i64>() else {
        let kind = argument.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a move is a string or the index of a vertex, not {kind}")));
    };
    let count = board.vertex_count();
    let m = match usize::try_from(index) {
        Ok(index) if index == count => Some(Move::Swap),
        Ok(index) => board.vertex(index).map(Move::Place),
        Err(_) => None,
    };
    let error = || {
        let swap = if game.board().swap_allowed() { format!(", {count} for swap") } else { String::new() };
        PyIndexError::new_err(format!("there is no move {index} (expected 0 to {} for vertices{swap})", count - 1))
    };
    Ok((turn, m.ok_or_else(error)?))
}

/// The items of an argument that is a string of names, separated by spaces, or an iterable of moves.
pub fn items<'py>(argument: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    match argument.cast::<PyString>() {
        Ok(words) => words.call_method0("split")?.try_iter(),
        Err(_) => argument.try_iter(),
    }
}

/// The vertex with this name.
pub fn vertex(name: &str, board: &Geometry) -> PyResult<Vertex> {
    NOTATION.parse(board, name).map_err(value_error)
}

/// A colour as a string.
pub fn color(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// A whole number that has to be at least `least`.
pub fn at_least(least: u64, name: &str, value: i64) -> PyResult<u64> {
    let error = || PyValueError::new_err(format!("invalid {name} {value} (expected at least {least})"));
    u64::try_from(value).ok().filter(|&value| value >= least).ok_or_else(error)
}
