//! Tools to measure and improve engines.
//!
//! | module | contents |
//! |---|---|
//! | [`bench`](mod@bench) | what `malecon bench` measures |
//! | `arena` | matches between engines (feature `match`) |
//! | `learn` | games of the engine against itself, samples for the trainer, metrics (not in WebAssembly) |
//! | [`puzzles`] | positions with one winning move, from games |

#[cfg(feature = "match")]
pub mod arena;
pub mod bench;
#[cfg(not(target_family = "wasm"))]
pub mod learn;
pub mod puzzles;
