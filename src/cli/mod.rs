//! The sub-commands: each module has the arguments of one and runs it.

pub mod arena;
pub mod bench;
pub mod gtp;
pub mod learn;
pub mod play;
pub mod regress;
pub mod sgf;
mod terminal;
