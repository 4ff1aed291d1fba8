//! Training of the network ([`crate::nn`]): games of the engine against itself ([`play_game`]), and gradient descent on what
//! its searches found in them ([`fit`]). The search with the new network plays better games to train the next one on
//! (Silver et al., *Mastering the game of Go without human knowledge*, 2017).
//!
//! | module | contents |
//! |---|---|
//! | `selfplay` | the games |
//! | `fit` | samples and gradient descent |
//! | `pass`, `layers` | the network in floating point, forwards and backwards |
//! | `scale` | scaling of trained weights into the range of fixed-point numbers |

mod fit;
mod layers;
mod pass;
mod scale;
mod selfplay;

pub use fit::{Fit, FitError, Losses, fit};
pub use selfplay::{Plan, SearchedPosition, SelfPlayError, SelfPlayGame, Sides, play_game};
