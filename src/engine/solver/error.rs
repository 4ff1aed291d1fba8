//! Why there is no solver.

use std::fmt;

use crate::game::{Geometry, Shape};

use super::bitboard::MAX_CELLS;

/// Why there is no solver for a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolverError {
    /// Boards of this shape are too large: see [`has_solver`](super::has_solver).
    TooLarge(Shape),
    /// There is not even enough memory for the smallest table.
    NoMemory,
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::TooLarge(shape) => {
                write!(f, "{} is too large for the solver ", shape.title())?;
                if shape.regular_side().is_some() {
                    return f.write_str("(expected side 2 to 6)");
                }
                let board = Geometry::with_shape(*shape);
                let (letters, numbers) = (board.letters(), board.numbers());
                write!(f, "(expected at most {MAX_CELLS} pairs of a letter and a number; it has {letters} × {numbers})")
            }
            SolverError::NoMemory => f.write_str("there is not enough memory for the solver"),
        }
    }
}

impl std::error::Error for SolverError {}
