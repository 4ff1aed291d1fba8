//! How a playout ends.

use crate::game::{Color, Structures};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The number of moves up to and including the winning move, or of all moves if nobody won.
    pub length: usize,
    /// The winner, or `None` if the game was drawn or the playout was stopped before its end.
    pub winner: Option<Color>,
    /// The structures that the winner completed with the last move; empty if there is no winner.
    pub structures: Structures,
}
