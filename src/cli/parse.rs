//! Values of options that several commands have.

use std::fmt::Display;
use std::str::FromStr;
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

/// A whole number from `least` to `most`.
pub fn whole<T: Number>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("expected a whole number from {least} to {most}")),
    }
}

/// A whole number of at least `least`.
pub fn at_least<T: Number>(least: T) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| match text.parse() {
        Ok(number) if number >= least => Ok(number),
        Err(_) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("the number is too large (expected less than {})", 1_u128 << (8 * size_of::<T>())))
        }
        _ => Err(format!("expected a whole number of at least {least}")),
    }
}

/// What [`whole`] and [`at_least`] read: `u8` to `u64`, and `usize`.
pub trait Number: FromStr + PartialOrd + Display + Copy {}

impl<T: FromStr + PartialOrd + Display + Copy> Number for T {}

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
    time(text, Duration::ZERO)
        .ok_or_else(|| format!("expected a number of seconds, at least 0 and below {MOST_SECONDS}"))
}

/// A number of seconds above 0.
pub fn positive_seconds(text: &str) -> Result<Duration, String> {
    let least = Duration::from_nanos(1);
    time(text, least).ok_or_else(|| format!("expected a number of seconds above 0 and below {MOST_SECONDS}"))
}

/// Times are shorter than this many seconds.
const MOST_SECONDS: u32 = 1_000_000_000;

fn time(text: &str, least: Duration) -> Option<Duration> {
    let time = Duration::try_from_secs_f64(text.parse().ok()?).ok()?;
    (time >= least && time < Duration::from_secs(MOST_SECONDS.into())).then_some(time)
}
