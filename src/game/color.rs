//! The two players.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::text::quoted;

/// A player, and the colour of that player's stones. White moves first. In JSON: `"white"` or `"black"`.
///
/// ```
/// use malecon::game::Color;
/// let color: Color = "b".parse()?;
/// assert_eq!((color, !color), (Color::Black, Color::White));
/// assert_eq!(color.to_string(), "black");
/// # Ok::<(), malecon::game::ParseColorError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Color {
    /// The player who moves first.
    #[default]
    White = 0,
    /// The player who moves second.
    Black = 1,
}

impl Color {
    /// Both colours, in the order in which they move.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for white and 1 for black, for tables with one entry per colour.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `w` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Color;

    /// The opponent.
    #[inline(always)]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    /// `white` or `black`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::White => "white",
            Color::Black => "black",
        })
    }
}

/// The text is not the name of a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseColorError(pub String);

impl fmt::Display for ParseColorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid colour '{}' (expected white, black, w or b)", quoted(&self.0))
    }
}

impl std::error::Error for ParseColorError {}

impl FromStr for Color {
    type Err = ParseColorError;

    /// Parses `w`, `b`, `white` or `black`, ignoring case.
    fn from_str(s: &str) -> Result<Color, ParseColorError> {
        match s.to_ascii_lowercase().as_str() {
            "w" | "white" => Ok(Color::White),
            "b" | "black" => Ok(Color::Black),
            _ => Err(ParseColorError(s.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_parsed_in_either_case_and_nothing_else_is() {
        for (text, color) in
            [("w", Color::White), ("BLACK", Color::Black), ("White", Color::White), ("B", Color::Black)]
        {
            assert_eq!(text.parse(), Ok(color));
        }
        assert!("red".parse::<Color>().unwrap_err().to_string().contains("'red'"));
        assert!("".parse::<Color>().is_err());
        assert_eq!(!Color::White, Color::Black);
        assert_eq!(Color::Black.to_string(), "black");
    }
}
