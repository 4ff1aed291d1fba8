//! The result of a game: who won, and how it was decided.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Color;

/// The winner of a finished game, or a draw; in JSON `"white"`, `"black"` or `"draw"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    /// White won.
    White,
    /// Black won.
    Black,
    /// The game was drawn.
    Draw,
}

impl From<Option<Color>> for Winner {
    /// `None` is a draw.
    fn from(color: Option<Color>) -> Winner {
        match color {
            Some(Color::White) => Winner::White,
            Some(Color::Black) => Winner::Black,
            None => Winner::Draw,
        }
    }
}

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Winner::White => "white",
            Winner::Black => "black",
            Winner::Draw => "draw",
        })
    }
}

impl Winner {
    /// The winning colour, or `None` for a draw.
    pub fn color(self) -> Option<Color> {
        match self {
            Winner::White => Some(Color::White),
            Winner::Black => Some(Color::Black),
            Winner::Draw => None,
        }
    }

    /// What a colour gets: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub fn points(self, color: Color) -> f32 {
        self.color().map_or(0.5, |winner| if winner == color { 1.0 } else { 0.0 })
    }
}

/// How a game was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By the rules, on the board, by a proof of who wins, or in a way the file does not mention.
    Board,
    /// The loser resigned.
    Resignation,
    /// The loser ran out of time.
    Time,
    /// The loser broke the rules or was forfeited.
    Forfeit,
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How the game was decided.
    pub how: How,
}

impl fmt::Display for GameResult {
    /// Formats the result as a value of SGF's `RE`, such as `W+R`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = match self.winner {
            None => return f.write_str("0"),
            Some(Color::White) => "W+",
            Some(Color::Black) => "B+",
        };
        let how = match self.how {
            How::Board => "",
            How::Resignation => "R",
            How::Time => "T",
            How::Forfeit => "F",
        };
        write!(f, "{winner}{how}")
    }
}
