//! The engine, from random games to the session that every front end uses. Each module uses only those above it:
//!
//! | module | what it holds |
//! |---|---|
//! | [`playout`] | random games from a position to its end |
//! | [`solver`] | exact solving of positions on small boards, and writing proofs |
//! | [`search`] | the tree search, and the clock |
//! | [`inspect`] | what can be said of a position without a search |
//! | [`frames`] | virtual connections, frames, and who is ahead in the race between them |
//! | [`reasons`] | why a move is good, in a sentence and a picture |
//! | [`session`] | the engine as one typed value: game, clocks, options, searches |

pub mod frames;
pub mod inspect;
pub mod playout;
pub mod reasons;
pub mod search;
pub mod session;
pub mod solver;
