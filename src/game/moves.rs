//! Moves, which read and write themselves as words.

use std::fmt;

use super::color::{Color, ParseColorError};
use super::geometry::{Geometry, Vertex};
use super::notation::{Notation, ParseVertexError};

/// A move of a game. A word such as `e5` means a move only together with a board and a [`Notation`].
///
/// ```
/// use malecon::game::{Geometry, Move, Notation};
/// let board = Geometry::with_side(5)?;
/// let corner = Move::read("J9", board, Notation::GoGui)?;
/// assert_eq!(corner.show(board, Notation::HavannahGui), "i9");
/// assert_eq!(Move::read("Swap", board, Notation::GoGui)?, Move::Swap);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Places a stone.
    Place(Vertex),
    /// Swaps by the pie rule: the first stone changes its colour.
    Swap,
    /// Passes, which only some programs do, and only after the end of the game.
    Pass,
    /// Resigns.
    Resign,
}

impl Move {
    /// The move that a word stands for: the name of a vertex, `swap`, `pass` or `resign`, in upper or lower case.
    ///
    /// # Errors
    /// If the word is none of these.
    pub fn read(word: &str, board: &Geometry, notation: Notation) -> Result<Move, ParseVertexError> {
        let keywords = [Move::Swap, Move::Pass, Move::Resign];
        let found = keywords.into_iter().find(|m| m.keyword().eq_ignore_ascii_case(word));
        found.map_or_else(|| notation.parse(board, word).map(Move::Place), Ok)
    }

    /// The word for this move, as [`Move::read`] takes it.
    ///
    /// # Panics
    /// If it places a stone on a vertex that this board lacks.
    #[must_use]
    pub fn show(self, board: &Geometry, notation: Notation) -> String {
        match self {
            Move::Place(v) => notation.name(board, v),
            _ => self.keyword().to_owned(),
        }
    }

    /// The word for a move without a vertex; empty for a stone.
    fn keyword(self) -> &'static str {
        match self {
            Move::Place(_) => "",
            Move::Swap => "swap",
            Move::Pass => "pass",
            Move::Resign => "resign",
        }
    }

    /// Reads a move and the player who makes it: `turn`, unless a colour stands in front of the word, as in `black:e5`.
    ///
    /// # Errors
    /// If [`Move::read`] refuses the word, or there is no such colour.
    pub fn read_in_turn(
        word: &str,
        turn: Color,
        board: &Geometry,
        notation: Notation,
    ) -> Result<(Color, Move), ParseMoveError> {
        let (color, word) = match word.split_once(':') {
            Some((color, word)) => (color.parse().map_err(ParseMoveError::Color)?, word),
            None => (turn, word),
        };
        let m = Move::read(word, board, notation).map_err(ParseMoveError::Vertex)?;
        Ok((color, m))
    }

    /// The words for moves, as [`Move::read_in_turn`] takes them. It is the turn of `first`; a move out of turn has its
    /// colour in front.
    ///
    /// # Panics
    /// If there is a stone on a vertex that this board lacks.
    #[must_use]
    pub fn show_in_turn(
        moves: impl IntoIterator<Item = (Color, Move)>,
        first: Color,
        board: &Geometry,
        notation: Notation,
    ) -> Vec<String> {
        let mut turn = first;
        let word = |(color, m): (Color, Move)| {
            let is_in_turn = color == turn;
            turn = !color;
            let word = m.show(board, notation);
            if is_in_turn { word } else { format!("{color}:{word}") }
        };
        moves.into_iter().map(word).collect()
    }
}

/// The text is not a move of either player.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseMoveError {
    /// The text before the colon is not a colour.
    Color(ParseColorError),
    /// The word is neither a vertex of the board nor `swap`, `pass` or `resign`.
    Vertex(ParseVertexError),
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseMoveError::Color(error) => error.fmt(f),
            ParseMoveError::Vertex(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ParseMoveError {}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    const NOTATION: Notation = Notation::HavannahGui;

    fn board() -> &'static Geometry {
        Geometry::with_side(4).unwrap()
    }

    #[test]
    fn every_move_is_read_as_it_is_shown_in_either_case() {
        for notation in Notation::ALL {
            for m in board().vertices().map(Move::Place).chain([Move::Swap, Move::Pass, Move::Resign]) {
                let word = m.show(board(), notation);
                assert_eq!(Move::read(&word, board(), notation), Ok(m), "{word}");
                assert_eq!(Move::read(&word.to_uppercase(), board(), notation), Ok(m), "{word}");
            }
        }
    }

    #[test]
    fn a_move_out_of_turn_has_its_colour_in_front() {
        let d4 = Move::read("d4", board(), NOTATION).unwrap();
        let moves = [(White, d4), (White, Move::Swap), (Black, d4), (Black, Move::Pass), (Black, Move::Resign)];
        let words = Move::show_in_turn(moves, White, board(), NOTATION);
        assert_eq!(words, ["d4", "white:swap", "d4", "black:pass", "black:resign"]);
        let mut turn = White;
        for (word, expected) in words.iter().zip(moves) {
            let played = Move::read_in_turn(word, turn, board(), NOTATION).unwrap();
            assert_eq!(played, expected);
            turn = !played.0;
        }
        assert_eq!(Move::read_in_turn("W:D4", Black, board(), NOTATION), Ok((White, d4)));
    }

    #[test]
    fn errors_name_the_word_or_the_colour() {
        let error = |word| Move::read_in_turn(word, White, board(), NOTATION).unwrap_err().to_string();
        assert_eq!(error("z9"), "vertex z9 is not on the board of side 4");
        assert_eq!(error("swaps"), "invalid vertex 'swaps' (expected a letter and a number, such as a1)");
        assert_eq!(error("green:d4"), "invalid colour 'green' (expected white, black, w or b)");
        assert!(error("white:black:d4").contains("'black:d4'"));
        assert!(error("").contains("''"));
    }
}
