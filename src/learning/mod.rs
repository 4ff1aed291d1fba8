//! How the weights of [`crate::knowledge`]'s network are learned: from games that the engine plays against itself
//! ([`play_game`]), by gradient descent ([`fit`]). Played with the new weights, the next games are better ones to learn
//! from (Silver et al., *Mastering the game of Go without human knowledge*, 2017; this differs in that a few playouts are
//! played beside).

mod descent;
mod layers;
mod lesson;

pub use descent::{Fit, Losses, fit};
pub use lesson::{Lesson, LessonError, Plan, Searched, Sides, play_game};
