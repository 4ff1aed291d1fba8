//! Playouts: random play from a position to the end of the game.
//!
//! The default search plays uniform playouts with bridge replies: each move is equally likely, except that a player who
//! has a two-bridge answers an intrusion into it. Rings are found online, like bridges and forks, and end the playout.
//!
//! What the paper does differently, and only the presets and options that follow the paper use, is in [`paper`].
//!
//! | module | contents | used by |
//! |---|---|---|
//! | `uniform` | each move is equally likely: the paper's *random* playouts | preset `plain`, `inspect`, `bench` |
//! | `bridge_reply` | uniform playouts with bridge replies | presets `default` and `rave` |
//! | `empty_vertices` | the vertices that playouts draw their moves from | all of these |
//! | `ending` | how a playout ended | all playouts |
//! | [`paper`] | sections 4, 5, 6 and 8: AMAF weights, horizon, weighted moves, offline rings | preset `paper`, `bench` |

mod bridge_reply;
mod empty_vertices;
mod ending;
pub mod paper;
mod uniform;

pub(crate) use bridge_reply::play_unweighted;
pub(crate) use empty_vertices::{EmptyVertex, EmptyVertices, MAX_EMPTY};
pub use ending::Ending;
pub(crate) use uniform::{fill_board, play_uniform};
