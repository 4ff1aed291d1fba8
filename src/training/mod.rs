//! What training of the network ([`crate::nn`]) needs of the engine: games against itself ([`play_game`]), and samples of
//! what its searches found in them ([`export`]). The trainer, in `training/`, is written in Python. The search with the new
//! network plays better games to train the next one on (Silver et al., *Mastering the game of Go without human knowledge*,
//! 2017).
//!
//! | module | contents |
//! |---|---|
//! | `selfplay` | the games |
//! | `export` | samples for the trainer |
//! | [`balanced`] | balanced openings for matches |
//! | [`openings`] | what each first stone is worth, for the pie rule |
//! | [`yardsticks`] | how well a network predicts games that it was not trained on |

pub mod balanced;
mod export;
pub mod openings;
mod selfplay;
pub mod yardsticks;

pub use export::{EXPORT_VERSION, ExportPlan, Exported, export};
pub use selfplay::{Origin, Plan, SearchedPosition, SelfPlayError, SelfPlayGame, Sides, play_game};
