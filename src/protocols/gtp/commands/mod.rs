//! The commands, by subject. Each module has a table of its commands and the functions that carry them out.

pub mod analysis;
pub mod game;
pub mod gogui;
pub mod handicap;
pub mod records;
