//! Why there is no solver.

use std::fmt;

use crate::game::Shape;

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
                let title = shape.title();
                write!(
                    f,
                    "{title} is too large for the solver (expected side 2 to 6, or a board with at most 121 pairs of a letter and a number)"
                )
            }
            SolverError::NoMemory => f.write_str("there is not enough memory for the solver"),
        }
    }
}

impl std::error::Error for SolverError {}
