//! The game of Havannah: board graph (paper, section 2), stones and chains (section 7), rings (section 8), whole games.
//!
//! | item | what it is |
//! |---|---|
//! | [`Geometry`], [`Vertex`] | the board graph H_s and its vertices |
//! | [`Shape`] | the outline of a board; only the solver uses hexagons that are not regular |
//! | [`Position`] | the stones on a board, their chains, and the structures that a stone completes |
//! | [`Structures`] | a set of winning structures: bridge, fork, ring |
//! | [`RingFinder`] | the paper's offline search for rings |
//! | [`Game`] | a position with its history, whose turn it is, and the result |
//! | [`Game::position_string`], [`Game::from_position`] | a position as one line of text |
//! | [`Move`] | a move, which reads and writes itself as a word |
//! | [`Notation`], [`Diagram`] | vertex names and boards as text |
//! | [`Picture`], [`Mark`] | boards as vector graphics |
//! | [`record`] | records of games in files |
//!
//! The *rim* of the board is its outermost line: the six corners and the vertices of the six sides.

mod chains;
mod color;
mod diagram;
mod distinct;
#[expect(clippy::module_inception, reason = "the file of the type `Game`")]
mod game;
mod geometry;
mod moves;
mod neighbourhood;
mod notation;
mod pair_threats;
mod picture;
mod position;
mod position_string;
pub mod record;
mod ring;
mod runs;
mod shape;
mod structure;
mod tex;
mod winning;

pub use color::{Color, ParseColorError};
pub use diagram::Diagram;
pub(crate) use distinct::Distinct;
#[cfg(test)]
pub(crate) use game::tests::game;
pub use game::{Game, Outcome, PlayError, UndoError};
pub(crate) use geometry::{Cell, MAX_CELLS};
pub use geometry::{Geometry, MAX_SIDE, MAX_VERTICES, MIN_SIDE, SideError, Vertex};
pub use moves::{Move, ParseMoveError};
pub use notation::{Notation, ParseVertexError};
pub use pair_threats::Lookahead;
pub(crate) use pair_threats::{Candidate, Pairs};
pub use picture::{Mark, Picture};
pub use position::{Position, checks};
pub use position_string::ParsePositionError;
pub(crate) use position_string::completing_last;
pub use ring::RingFinder;
pub(crate) use runs::Runs;
pub use shape::{ParseShapeError, Shape};
pub use structure::Structures;
