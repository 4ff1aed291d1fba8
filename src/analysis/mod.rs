//! What can be told of a position without a tree: pictures for people, drawn by GoGui's analysis commands.
//!
//! | module | what it tells |
//! |---|---|
//! | [`chains`] | the chains, with the corners and sides that they hold |
//! | [`connection`] | how many stones each vertex is away from a bridge or a fork |
//! | [`playouts`] | who ends up with each vertex in playouts, and how much that decides |
//! | [`policy`] | how likely each move is as a playout's next one |
//! | [`prediction`] | how likely each move is, as learned from games |
//! | [`threats`] | the vertices on which a colour wins at once |

pub mod chains;
pub mod connection;
pub mod playouts;
pub mod policy;
pub mod prediction;
pub mod threats;
