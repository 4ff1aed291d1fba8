//! Vertex names: the dialects of HavannahGui, Little Golem and GoGui.

use std::fmt;

use super::geometry::{Geometry, Vertex};

/// A way to name vertices by a letter and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// The letter index as a letter (`i` included), the number index plus 1: `a1`, `i9`. Lower case.
    #[default]
    HavannahGui,
    /// The letter as above; the numbers of each letter's line start at 1. Lower case.
    LittleGolem,
    /// As [`Notation::HavannahGui`], with `I` left out of the letters. Upper case.
    GoGui,
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
    OffBoard { side: usize },
}

impl fmt::Display for ParseVertexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Form => write!(f, "'{}' is not a vertex: a letter and a number such as a1 are wanted", self.text),
            Reason::OffBoard { side } => write!(f, "vertex {} is not on the board of side {side}", self.text),
        }
    }
}

impl std::error::Error for ParseVertexError {}

impl Notation {
    /// The name of a vertex.
    ///
    /// ```
    /// use malecon::board::{Geometry, Notation};
    /// let board = Geometry::of(5)?;
    /// let corner = board.vertex_at(8, 8).unwrap();
    /// assert_eq!(Notation::HavannahGui.name(board, corner), "i9");
    /// assert_eq!(Notation::LittleGolem.name(board, corner), "i5");
    /// assert_eq!(Notation::GoGui.name(board, corner), "J9");
    /// # Ok::<(), malecon::board::SideError>(())
    /// ```
    pub fn name(self, geometry: &Geometry, v: Vertex) -> String {
        let (l, n) = geometry.coordinates(v);
        match self {
            Notation::HavannahGui => format!("{}{}", (b'a' + l as u8) as char, n + 1),
            Notation::LittleGolem => format!("{}{}", (b'a' + l as u8) as char, n + 1 - skipped(geometry, l)),
            Notation::GoGui => {
                let l = if l >= 8 { l + 1 } else { l };
                let letter = |i: usize| (b'A' + i as u8) as char;
                format!("{}{}", letter(l), n + 1)
            }
        }
    }

    /// The vertex of this name, in either case.
    ///
    /// # Errors
    /// If the text has not the form of a name, or names a vertex that is not on the board.
    pub fn parse(self, geometry: &Geometry, text: &str) -> Result<Vertex, ParseVertexError> {
        let error = |reason| ParseVertexError { text: text.to_owned(), reason };
        let off_board = || error(Reason::OffBoard { side: geometry.side() });
        let mut chars = text.chars();
        let letter = chars.next().filter(char::is_ascii_alphabetic).ok_or_else(|| error(Reason::Form))?;
        let digits = chars.as_str();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error(Reason::Form));
        }
        let number: usize = digits.parse().map_err(|_| off_board())?;
        let l = (letter.to_ascii_lowercase() as u8 - b'a') as usize;
        let (l, skip) = match self {
            Notation::HavannahGui => (l, 0),
            Notation::LittleGolem => (l, skipped(geometry, l)),
            Notation::GoGui if l == 8 => return Err(off_board()),
            Notation::GoGui => (if l > 8 { l - 1 } else { l }, 0),
        };
        let n = (number + skip).checked_sub(1).ok_or_else(off_board)?;
        if number == 0 { Err(off_board()) } else { geometry.vertex_at(l, n).ok_or_else(off_board) }
    }
}

/// How many numbers the line of this letter lacks at its start.
fn skipped(geometry: &Geometry, l: usize) -> usize {
    (l + 1).saturating_sub(geometry.side())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{MAX_SIDE, MIN_SIDE};
    use std::collections::BTreeSet;

    const ALL: [Notation; 3] = [Notation::HavannahGui, Notation::LittleGolem, Notation::GoGui];

    #[test]
    fn names_are_read_back_in_either_case_and_are_distinct() {
        for side in MIN_SIDE..=MAX_SIDE {
            let board = Geometry::of(side).unwrap();
            for notation in ALL {
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
    fn lines_start_at_one_on_little_golem() {
        let board = Geometry::of(8).unwrap();
        for (letter, number, name) in [(7, 0, "h1"), (8, 1, "i1"), (14, 7, "o1"), (14, 14, "o8")] {
            let v = board.vertex_at(letter, number).unwrap();
            assert_eq!(Notation::LittleGolem.name(board, v), name);
        }
    }

    #[test]
    fn what_is_no_vertex_is_refused_with_its_text() {
        let board = Geometry::of(4).unwrap();
        for text in ["", "a", "1", "a0", "a5", "h1", "a-1", "a1x", "aa1", "é1", "a99999999999999999999", "a 1", "+1"] {
            for notation in ALL {
                let error = notation.parse(board, text).unwrap_err();
                assert!(error.to_string().contains(text), "{error}");
            }
        }
        assert!(Notation::GoGui.parse(Geometry::of(8).unwrap(), "I5").is_err());
    }
}
