//! Matches between engines.
//!
//! The [`runner`] plays the games of a [`schedule`] from a list of [`openings`]. The [`referee`] conducts each game and
//! talks to the engines, which run as child [`process`]es (a [`transcript`] keeps what is said); [`descendants`] kills
//! the processes that they leave behind. A finished game becomes a [`record`] with its [`provenance`]; the [`tally`]
//! counts records, [`statistics`] turns the counts into Elo differences and [`ratings`] rates all engines on one scale,
//! and the [`report`] prints a table or JSON, or becomes a [`page`].

pub mod descendants;
pub mod openings;
pub mod page;
pub mod process;
pub mod provenance;
pub mod ratings;
pub mod record;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod statistics;
pub mod tally;
pub mod transcript;
