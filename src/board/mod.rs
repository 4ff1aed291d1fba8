//! The game (paper, sections 2, 7 and 8): the board graph, chains, structures, positions, games in progress.

mod chains;
mod color;
mod diagram;
mod game;
mod geometry;
mod neighbourhood;
mod notation;
mod pair_threats;
mod position;
mod ring;
mod structure;
mod winning;

pub use color::{Color, ParseColorError};
pub use diagram::Diagram;
#[cfg(test)]
pub(crate) use game::tests::game;
pub use game::{Action, Game, Outcome, PlayError, UndoError};
pub(crate) use geometry::Cell;
pub use geometry::{Geometry, MAX_SIDE, MAX_VERTICES, MIN_SIDE, SideError, Vertex};
pub use notation::{Notation, ParseVertexError};
pub(crate) use pair_threats::{Candidate, Pairs};
pub use position::{Position, checks};
pub use ring::{NEVER, RingFinder};
pub use structure::Structures;
