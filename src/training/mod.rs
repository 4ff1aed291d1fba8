//! Training of the network ([`crate::nn`]): games of the engine against itself ([`play_game`]), and gradient descent on what
//! its searches found in them ([`fit`]). The search with the new network plays better games to train the next one on
//! (Silver et al., *Mastering the game of Go without human knowledge*, 2017).
//!
//! | module | contents |
//! |---|---|
//! | `selfplay` | the games |
//! | `fit` | samples and gradient descent |
//! | `export` | samples for a trainer outside of this program |
//! | `pass`, `layers` | the network in floating point, forwards and backwards |
//! | `scale` | scaling of trained weights into the range of fixed-point numbers |
//! | [`balanced`] | balanced openings for matches |
//! | [`openings`] | what each first stone is worth, for the pie rule |
//! | [`yardsticks`] | how well a network predicts games that it was not trained on |

pub mod balanced;
mod export;
mod fit;
mod layers;
pub mod openings;
mod pass;
mod scale;
mod selfplay;
pub mod yardsticks;

pub use export::{EXPORT_VERSION, ExportPlan, Exported, export};
pub use fit::{Fit, FitError, Losses, fit};
pub use selfplay::{Origin, Plan, SearchedPosition, SelfPlayError, SelfPlayGame, Sides, play_game};
