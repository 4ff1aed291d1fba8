//! Knowledge of good moves and positions, learned from the engine's own games (by [`crate::training`]): a small
//! convolutional network, whose weights are compiled in.
//!
//! | module | what is in it |
//! |---|---|
//! | `features` | what the network sees of a position |
//! | `network` | its layers and weights, and what it says |
//! | `convolution`, `grid` | its arithmetic, and where vertices lie in it |
//!
//! What it says guides [`crate::search`].

mod convolution;
mod evaluator;
mod features;
mod grid;
mod network;

pub(crate) use convolution::CHANNELS;
pub use evaluator::{Backend, Evaluation, Evaluator, Input, SYMMETRIES};
pub use features::{FEATURES, features};
pub(crate) use grid::{Grid, TAPS};
pub use network::Network;
pub(crate) use network::{BLOCKS, Row, rows, unpack};
