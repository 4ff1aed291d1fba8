//! The clock: how long to think about a move.

use std::time::Duration;

/// A time control as GTP's `time_settings` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Time for the whole game before byo-yomi begins.
    pub main: Duration,
    /// Time of one byo-yomi period.
    pub byo_yomi: Duration,
    /// Stones to be played in a byo-yomi period; 0 with a byo-yomi time of more than 0 means no time limit.
    pub stones: u32,
}

/// The clocks of both players.
#[derive(Clone, Debug)]
pub struct Clock {}
