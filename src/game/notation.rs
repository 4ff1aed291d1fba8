//! Vertex names, as HavannahGui, Little Golem, GoGui and its files write them.

use std::fmt;

use super::Shape;
use super::geometry::{Geometry, Vertex};
use crate::base::text::quoted;

/// A way of naming vertices, which reads and writes names.
///
/// ```
/// use malecon::{Geometry, Notation};
///
/// let board = Geometry::with_side(5)?;
/// let corner = Notation::GoGui.parse(board, "J9")?;
/// assert_eq!(Notation::LittleGolem.name(board, corner), "i5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// The letter index as a letter, `i` included, and the number index plus 1, in lower case: `a1`, `i9`.
    #[default]
    HavannahGui,
    /// Like [`Notation::HavannahGui`], but the numbers on each letter's line start at 1.
    LittleGolem,
    /// Like [`Notation::HavannahGui`], but in upper case and without the letter `I`.
    GoGui,
    /// The points of SGF, as in GoGui's files: a letter for the letter index, and one for the row, counted from the
    /// top, such as `hm`. The names that GoGui shows are read, too.
    TwoLetters,
}

/// The text does not name a vertex of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseVertexError {
    text: String,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Form,
    OffBoard { board: Shape },
}

impl fmt::Display for ParseVertexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = quoted(&self.text);
        match self.reason {
            Reason::Form => write!(f, "invalid vertex '{text}' (expected a letter and a number, such as a1)"),
            Reason::OffBoard { board } => match board.regular_side() {
                Some(side) => write!(f, "vertex {text} is not on the board of side {side}"),
                None => write!(f, "vertex {text} is not on board {board}"),
            },
        }
    }
}

impl std::error::Error for ParseVertexError {}

impl Notation {
    /// All notations.
    pub const ALL: [Notation; 4] =
        [Notation::HavannahGui, Notation::LittleGolem, Notation::GoGui, Notation::TwoLetters];

    /// The names that [`Notation::from_dialect`] knows, for messages.
    pub const DIALECTS: &str = "havannahgui, littlegolem or gogui";

    /// The notation of a program, given its name in small letters: `havannahgui`, `littlegolem` or `gogui`.
    pub fn from_dialect(name: &str) -> Option<Notation> {
        match name {
            "havannahgui" => Some(Notation::HavannahGui),
            "littlegolem" => Some(Notation::LittleGolem),
            "gogui" => Some(Notation::GoGui),
            _ => None,
        }
    }

    /// The name of a vertex in this notation.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    ///
    /// ```
    /// use malecon::game::{Geometry, Notation};
    /// let board = Geometry::with_side(5)?;
    /// let corner = board.vertex_at(8, 8).unwrap();
    /// assert_eq!(Notation::HavannahGui.name(board, corner), "i9");
    /// assert_eq!(Notation::LittleGolem.name(board, corner), "i5");
    /// assert_eq!(Notation::GoGui.name(board, corner), "J9");
    /// # Ok::<(), malecon::game::SideError>(())
    /// ```
    #[must_use]
    pub fn name(self, geometry: &Geometry, v: Vertex) -> String {
        let (l, n) = geometry.coordinates(v);
        let lower = |i: usize| (b'a' + i as u8) as char;
        match self {
            Notation::HavannahGui => format!("{}{}", lower(l), n + 1),
            Notation::LittleGolem => format!("{}{}", lower(l), n + 1 - skipped(geometry, l)),
            Notation::GoGui => {
                let l = if l >= 8 { l + 1 } else { l };
                format!("{}{}", lower(l).to_ascii_uppercase(), n + 1)
            }
            Notation::TwoLetters => format!("{}{}", lower(l), lower(geometry.numbers() - 1 - n)),
        }
    }

    /// The names of vertices in this notation.
    ///
    /// # Panics
    /// If one of them is not a vertex of this board.
    #[must_use]
    pub fn names(self, geometry: &Geometry, vertices: &[Vertex]) -> Vec<String> {
        vertices.iter().map(|&v| self.name(geometry, v)).collect()
    }

    /// Whether a text has the form of a name: a letter and a number. There need not be such a vertex.
    pub fn is_letter_and_number(text: &str) -> bool {
        let number = text.strip_prefix(|c: char| c.is_ascii_alphabetic());
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    }

    /// The vertex with this name, ignoring case.
    ///
    /// # Errors
    /// If the text does not have the form of a name, or that vertex is not on the board.
    pub fn parse(self, geometry: &Geometry, text: &str) -> Result<Vertex, ParseVertexError> {
        let error = |reason| ParseVertexError { text: text.to_owned(), reason };
        let off_board = || error(Reason::OffBoard { board: geometry.shape() });
        let index = |letter: u8| (letter.to_ascii_lowercase() - b'a') as usize;
        if let (Notation::TwoLetters, &[l, row]) = (self, text.as_bytes())
            && l.is_ascii_alphabetic()
            && row.is_ascii_alphabetic()
        {
            let n = (geometry.numbers() - 1).checked_sub(index(row));
            return n.and_then(|n| geometry.vertex_at(index(l), n)).ok_or_else(off_board);
        }
        if !Notation::is_letter_and_number(text) {
            return Err(error(Reason::Form));
        }
        let (letter, digits) = text.split_at(1);
        let number: usize = digits.parse().map_err(|_| off_board())?;
        let l = index(letter.as_bytes()[0]);
        let (l, skip) = match self {
            Notation::HavannahGui => (l, 0),
            Notation::LittleGolem => (l, skipped(geometry, l)),
            Notation::GoGui | Notation::TwoLetters if l == 8 => return Err(off_board()),
            Notation::GoGui | Notation::TwoLetters => (if l > 8 { l - 1 } else { l }, 0),
        };
        let n = number.checked_sub(1).and_then(|n| n.checked_add(skip)).ok_or_else(off_board)?;
        geometry.vertex_at(l, n).ok_or_else(off_board)
    }
}

/// The number of vertices that the line of this letter lacks at its start, compared to the rhombus around the board.
fn skipped(geometry: &Geometry, l: usize) -> usize {
    (l + 1).saturating_sub(geometry.shape().sides()[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MAX_SIDE, MIN_SIDE};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_are_parsed_in_either_case() {
        for side in MIN_SIDE..=MAX_SIDE {
            let board = Geometry::with_side(side).unwrap();
            for notation in Notation::ALL {
                let names: BTreeSet<String> = board.vertices().map(|v| notation.name(board, v)).collect();
                assert_eq!(names.len(), board.vertex_count());
                for v in board.vertices() {
                    let name = notation.name(board, v);
                    assert_eq!(notation.parse(board, &name.to_uppercase()), Ok(v));
                    assert_eq!(notation.parse(board, &name.to_lowercase()), Ok(v));
                }
            }
        }
    }

    #[test]
    fn a_name_is_a_letter_and_a_number() {
        assert!(["a1", "H12", "z99"].into_iter().all(Notation::is_letter_and_number));
        let others = ["", "a", "1", "ab1", "a1b", "undo", "\u{e9}1", "a-1"];
        assert!(!others.into_iter().any(Notation::is_letter_and_number));
    }

    #[test]
    fn on_little_golem_every_line_starts_at_one() {
        let board = Geometry::with_side(8).unwrap();
        for (letter, number, name) in [(7, 0, "h1"), (8, 1, "i1"), (14, 7, "o1"), (14, 14, "o8")] {
            let v = board.vertex_at(letter, number).unwrap();
            assert_eq!(Notation::LittleGolem.name(board, v), name);
        }
    }

    #[test]
    fn errors_name_the_text_that_is_not_a_vertex() {
        let board = Geometry::with_side(4).unwrap();
        for text in
            ["", "a", "1", "a0", "a5", "h1", "hd", "a-1", "a1x", "aa1", "é1", "a99999999999999999999", "a 1", "+1"]
        {
            for notation in Notation::ALL {
                let error = notation.parse(board, text).unwrap_err();
                assert!(error.to_string().contains(text), "{error}");
            }
        }
        assert!(Notation::GoGui.parse(Geometry::with_side(8).unwrap(), "I5").is_err());
    }
}
