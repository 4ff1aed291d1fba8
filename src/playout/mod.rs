//! Playouts (paper, sections 4 to 6 and 9): from a position to the end of the game by moves chosen at random.

mod guided;
pub mod sampler;
mod spots;
mod uniform;

pub(crate) use guided::{Guidance, guided};
pub(crate) use spots::{EmptySpots, MAX_SPOTS, Spot};
pub(crate) use uniform::uniform;

use crate::board::{Color, Structures};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How many moves were played.
    pub length: usize,
    /// Who won, or `None` for a draw.
    pub winner: Option<Color>,
    /// What the winner completed with the last move.
    pub structures: Structures,
}
