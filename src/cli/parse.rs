//! Values of options that several commands have.

use std::time::Duration;

use malecon::base::options::OptionValue;
use malecon::game::{MAX_SIDE, MIN_SIDE};

/// The side length of a board.
pub fn side(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(side) if (MIN_SIDE..=MAX_SIDE).contains(&side) => Ok(side),
        _ => Err(format!("expected a side length from {MIN_SIDE} to {MAX_SIDE}")),
    }
}

/// One of several words.
pub fn word<T: OptionValue<Range = ()>>(text: &str) -> Result<T, String> {
    T::read(text, &()).ok_or_else(|| {
        let words = T::kind(&()).to_string();
        let (others, last) = words.rsplit_once('|').expect("a choice has several words");
        format!("expected {} or {last}", others.replace('|', ", "))
    })
}

/// A number of seconds, at least 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    match time.as_secs() {
        0..1_000_000_000 => Ok(time),
        _ => Err("the time is too long (expected less than 1000000000 seconds)".into()),
    }
}

/// A number of seconds above 0.
pub fn positive_seconds(text: &str) -> Result<Duration, String> {
    seconds(text).and_then(|time| if time.is_zero() { Err("the time must be greater than 0".into()) } else { Ok(time) })
}
