//! Playouts (paper, sections 4 to 6 and 9): from a position to the end of the game by moves chosen at random.

mod amaf;
mod bridge_reply;
mod empty_vertices;
mod horizon;
mod rings;
pub mod sampler;
mod uniform;
mod weighted;

pub use amaf::AmafWeight;
pub(crate) use amaf::AmafWeights;
#[cfg(test)]
pub(crate) use bridge_reply::with_bridge_replies;
pub(crate) use bridge_reply::{find_bridge_reply, unweighted};
pub(crate) use empty_vertices::{EmptyVertex, EmptyVertices, MAX_EMPTY};
pub use horizon::{Horizon, Schedule};
pub(crate) use rings::OfflineRings;
pub use rings::Rings;
pub(crate) use uniform::{fill, uniform};
pub use weighted::{InitialWeights, SamplerKind, Weighting};
pub(crate) use weighted::{Weighted, until};

use crate::board::{Color, Structures};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How many moves were played.
    pub length: usize,
    /// Who won, or `None` for a draw, and where a playout was stopped before its end.
    pub winner: Option<Color>,
    /// What the winner completed with the last move.
    pub structures: Structures,
}
