//! Analysis of positions without a search, for people to look at.
//!
//! | module | what it computes |
//! |---|---|
//! | [`chains`] | the chains, and the corners and sides that they hold |
//! | [`connection`] | for each vertex, how many stones a bridge or fork through it needs |
//! | [`missing`] | for each structure, the fewest stones that complete it |
//! | [`playouts`] | for each vertex, who owns it at the end of playouts, and how much that decides the game |
//! | [`prediction`] | the policy and the value of the neural network |
//! | [`threats`] | the vertices on which a player wins at once |

pub mod chains;
pub mod connection;
pub mod missing;
pub mod playouts;
pub mod prediction;
pub mod threats;
