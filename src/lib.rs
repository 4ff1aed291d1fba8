//! Malecon, an engine for the board game Havannah: the game whole and exact, fast playouts, Monte Carlo tree search,
//! and a front end that speaks the Go Text Protocol.
//!
//! The engine realises Könnecke & Waldmann, *Efficient Playouts for the Havannah Abstract Board Game*. The modules
//! follow the paper's sections:
//!
//! | section | module |
//! |---|---|
//! | 2 The game | [`board`] |
//! | 3 Monte Carlo game tree search | [`search`] |
//! | 4 Weighted all moves as first | [`playout::AmafWeight`] |
//! | 5 The playout horizon | [`playout::Horizon`] |
//! | 6 Move selection during playouts | [`playout::sampler`], [`playout::Weighting`] |
//! | 7, 8 Recognition of bridges, forks and rings | [`board::Position`], [`board::RingFinder`] |
//! | 9 Measurements | [`bench`](mod@bench) |

pub mod analysis;
#[cfg(feature = "match")]
pub mod arena;
pub mod bench;
pub mod board;
pub mod gtp;
pub mod nn;
pub mod options;
pub mod playout;
pub mod record;
pub mod search;
pub mod session;
pub mod solver;
mod time;
pub mod training;
