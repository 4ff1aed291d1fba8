//! The outlines of boards.

use std::fmt;
use std::str::FromStr;

use crate::base::error::message_error;

use super::geometry::{MAX_SIDE, MIN_SIDE, SideError};

/// The outline of a board: a hexagon in which opposite sides have the same length.
///
/// Havannah is played on regular hexagons. The solver also accepts boards between these, such as 4-4-5 with 44
/// vertices; side 4 has 37 vertices, and side 5 has 61.
///
/// ```
/// use malecon::game::{Geometry, Shape};
/// let shape: Shape = "4-4-5".parse()?;
/// assert_eq!(shape.sides(), [4, 4, 5]);
/// assert_eq!(Geometry::with_shape(shape).vertex_count(), 44);
/// assert_eq!(shape.to_string(), "4-4-5");
/// assert_eq!(Shape::regular(6)?.to_string(), "6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The three lengths in ascending order.
    sides: [usize; 3],
}

impl Shape {
    /// The regular hexagon with this side length.
    ///
    /// # Errors
    /// If `side` is not in [`MIN_SIDE`]`..=`[`MAX_SIDE`].
    pub fn regular(side: usize) -> Result<Shape, SideError> {
        Shape::new([side; 3])
    }

    /// The hexagon with sides of these lengths. Their order does not matter, because boards with the same three lengths
    /// are images of each other.
    ///
    /// # Errors
    /// If a length is not in [`MIN_SIDE`]`..=`[`MAX_SIDE`].
    pub fn new(mut sides: [usize; 3]) -> Result<Shape, SideError> {
        sides.sort_unstable();
        match sides.into_iter().find(|side| !(MIN_SIDE..=MAX_SIDE).contains(side)) {
            Some(side) => Err(SideError(side)),
            None => Ok(Shape { sides }),
        }
    }

    /// The lengths of the sides in ascending order. Around the board, this sequence occurs twice.
    pub fn sides(self) -> [usize; 3] {
        self.sides
    }

    /// The side length, if the hexagon is regular.
    pub fn regular_side(self) -> Option<usize> {
        let [first, _, last] = self.sides;
        (first == last).then_some(first)
    }

    /// What a board of this shape is called in a sentence: `side 5`, or `board 4-4-5`.
    pub fn title(self) -> String {
        match self.regular_side() {
            Some(side) => format!("side {side}"),
            None => format!("board {self}"),
        }
    }

    /// The number of vertices.
    pub fn vertex_count(self) -> usize {
        let [a, b, c] = self.sides;
        a * b + b * c + c * a - (a + b + c) + 1
    }

    /// The number of letters.
    pub(super) fn letters(self) -> usize {
        self.sides[1] + self.sides[2] - 1
    }

    /// The number of numbers.
    pub(super) fn numbers(self) -> usize {
        self.sides[0] + self.sides[2] - 1
    }

    /// Whether the vertex with these letter and number indices is on the board.
    pub(super) fn contains(self, letter: usize, number: usize) -> bool {
        letter < self.letters()
            && number < self.numbers()
            && letter < number + self.sides[1]
            && number < letter + self.sides[0]
    }
}

impl fmt::Display for Shape {
    /// `5` for the regular hexagon with side length 5, and else all lengths: `4-4-5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.sides;
        match self.regular_side() {
            Some(side) => write!(f, "{side}"),
            None => write!(f, "{a}-{b}-{c}"),
        }
    }
}

message_error! {
    /// This text is not the outline of a board.
    pub struct ParseShapeError;
}

impl FromStr for Shape {
    type Err = ParseShapeError;

    /// Three lengths, such as `4-4-5`, or one for a regular hexagon.
    fn from_str(text: &str) -> Result<Shape, ParseShapeError> {
        let error = || {
            let expected = format!("three side lengths from {MIN_SIDE} to {MAX_SIDE}, such as 4-4-5");
            ParseShapeError::from(format!("invalid board '{text}' (expected {expected})"))
        };
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let length = |word: &str| if is_number(word) { word.parse().map_err(|_| error()) } else { Err(error()) };
        let lengths: Vec<usize> = text.split('-').map(length).collect::<Result<_, _>>()?;
        let sides = match lengths[..] {
            [side] => [side; 3],
            [a, b, c] => [a, b, c],
            _ => return Err(error()),
        };
        Shape::new(sides).map_err(|_| error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_written() {
        for (text, sides, name) in [("4-4-5", [4, 4, 5], "4-4-5"), ("5-4-4", [4, 4, 5], "4-4-5"), ("7", [7; 3], "7")] {
            let shape: Shape = text.parse().unwrap();
            assert_eq!((shape.sides(), shape.to_string().as_str()), (sides, name));
            assert!(shape.title().ends_with(name));
        }
        assert_eq!("5-5-5".parse::<Shape>().unwrap().regular_side(), Some(5));
        assert_eq!("4-5-5".parse::<Shape>().unwrap().regular_side(), None);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "4-", "4-5", "4-4-5-5", "1-4-4", "4-4-14", "a", "4-4-x", "+4-4-5", "99999999999999999999", "4 4 5"]
        {
            let message = text.parse::<Shape>().unwrap_err().to_string();
            assert!(message.contains(&format!("'{text}'")) && message.contains("4-4-5"), "{message}");
        }
    }
}
