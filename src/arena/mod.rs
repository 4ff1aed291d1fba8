//! Matches between engines: an impartial referee, and what the results say.
//!
//! [`runner`] plays the games of a [`schedule`] from [`openings`]: each is led by the [`referee`], which talks to
//! engines as [`process`]es. Games become [`record`]s, records are counted by the [`tally`], [`statistics`] says what
//! the counts mean, and the [`report`] puts it all into a table or JSON.

pub mod openings;
pub mod process;
pub mod record;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod statistics;
pub mod tally;
