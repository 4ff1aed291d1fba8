//! How the weights of [`crate::nn`]'s network are learned: from games that the engine plays against itself
//! ([`play_game`]), by gradient descent ([`fit`]). Played with the new weights, the next games are better ones to learn
//! from (Silver et al., *Mastering the game of Go without human network*, 2017; this differs in that a few playouts are
//! played beside).

mod fit;
mod layers;
mod selfplay;

pub use fit::{Fit, Losses, fit};
pub use selfplay::{Plan, SearchedPosition, SelfPlayError, SelfPlayGame, Sides, play_game};
