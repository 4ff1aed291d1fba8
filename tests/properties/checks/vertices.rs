//! Names of vertices: a text names a vertex if and only if it is the vertex's name, up to case and zeros in front of
//! the number.

use std::collections::HashMap;

use malecon::game::{Geometry, MAX_SIDE, MIN_SIDE, Notation};

use super::model::{Dialect, Model};

/// The first byte picks the side length, the second the notation. The rest is the text.
pub fn check(input: &[u8]) {
    let [side, notation, text @ ..] = input else { return };
    let board = Geometry::with_side(MIN_SIDE + usize::from(*side) % (MAX_SIDE - MIN_SIDE + 1)).unwrap();
    let (notation, dialect) = [
        (Notation::HavannahGui, Dialect::HavannahGui),
        (Notation::GoGui, Dialect::GoGui),
        (Notation::LittleGolem, Dialect::LittleGolem),
    ][usize::from(*notation) % 3];
    let text = String::from_utf8_lossy(text);
    let found = notation.parse(board, &text);
    let expected = normal_form(&text).and_then(|name| names(board.side(), dialect).remove(&name));
    assert_eq!(found.as_ref().ok().map(|&v| board.coordinates(v)), expected, "{text:?} on side {}", board.side());
    match found {
        Ok(v) => assert_eq!(notation.parse(board, &notation.name(board, v)), Ok(v)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The name in lower case without zeros in front of the number; `None` if it is not a letter and a number.
fn normal_form(text: &str) -> Option<String> {
    let (letter, number) = text.split_at_checked(1)?;
    let is_name = letter.bytes().all(|b| b.is_ascii_alphabetic()) && number.bytes().all(|b| b.is_ascii_digit());
    is_name.then(|| letter.to_ascii_lowercase() + number.trim_start_matches('0'))
}

/// The letter and number index of each vertex, by the model's name in lower case.
fn names(side: usize, dialect: Dialect) -> HashMap<String, (usize, usize)> {
    let model = Model::new(side, false);
    let last = side as i32 - 1;
    let coordinates = |&(x, y, _): &(i32, i32, i32)| ((x + last) as usize, (last - y) as usize);
    let entry = |(point, coordinates)| (model.name(dialect, point).to_ascii_lowercase(), coordinates);
    model.board.points().iter().map(coordinates).enumerate().map(entry).collect()
}
