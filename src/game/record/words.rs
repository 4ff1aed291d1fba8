//! Lists of moves as people and programs write them: `h8 g7`, `1. h8 2. g7`, `1) h8, g7`, `W h8; B g7`, `black:h8`.

use crate::game::{Color, Geometry, Move, Notation, ParseMoveError};

/// A move in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The move as [`Move::read_in_turn`] takes it.
    pub text: &'a str,
    /// The player, if a colour stands before the move.
    pub color: Option<Color>,
}

impl Word<'_> {
    /// The move, and who plays it: the player `turn`, unless the list names another.
    ///
    /// # Errors
    /// As for [`Move::read_in_turn`].
    pub fn read(&self, turn: Color, board: &Geometry, notation: Notation) -> Result<(Color, Move), ParseMoveError> {
        Move::read_in_turn(self.text, self.color.unwrap_or(turn), board, notation)
    }
}

/// The moves of a list. They are separated by spaces, commas or semicolons. Numbers of moves, colours before moves, and
/// the marks `!` and `?` after moves are understood. What is not a move is left as a word that cannot be read as one.
///
/// ```
/// use malecon::game::Color;
/// use malecon::game::record::words;
/// let texts = |list| words(list).into_iter().map(|word| word.text).collect::<Vec<_>>();
/// assert_eq!(texts("1. h8 2. g7! 3.f6"), ["h8", "g7", "f6"]);
/// assert_eq!(texts("1) h8 swap; 2) c3, d4"), ["h8", "swap", "c3", "d4"]);
/// assert_eq!(words("W h8")[0].color, Some(Color::White));
/// ```
pub fn words(list: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    // A colour that waits for its move, with its text.
    let mut pending: Option<(Color, &str)> = None;
    for piece in list.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')) {
        let piece = without_number(piece, words.len());
        if piece.is_empty() {
            continue;
        }
        let (color, text) = colored(piece);
        match (color, text) {
            (Some(color), "") => {
                // Of two colours in a row, the first has no move.
                words.extend(pending.replace((color, piece)).map(|(_, text)| Word { text, color: None }));
            }
            _ => {
                let waiting = pending.take().map(|(color, _)| color);
                words.push(Word { text: without_marks(text), color: color.or(waiting) });
            }
        }
    }
    words.extend(pending.map(|(_, text)| Word { text, color: None }));
    words
}

/// The number that a list begins with, if it is that of a move: `12.`, `12)`, `(12)`, `12:` or `12` alone.
pub(super) fn leading_number(list: &str) -> Option<usize> {
    let list = list.trim_start().trim_start_matches('(');
    let digits = list.len() - list.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let ends = list[digits..].starts_with(|c: char| AFTER_NUMBER.contains(&c) || c.is_whitespace());
    ends.then(|| list[..digits].parse().ok())?
}

const AFTER_NUMBER: [char; 3] = ['.', ')', ':'];

/// What follows the number of a move. A number alone counts if it is the one of the next move, or of the next pair.
fn without_number(piece: &str, moves: usize) -> &str {
    let inner = piece.strip_prefix('(').unwrap_or(piece);
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.len() {
        length if length == inner.len() => piece.trim_start_matches("..."),
        0 if [moves + 1, moves / 2 + 1].iter().any(|next| inner.parse() == Ok(*next)) => "",
        0 => piece,
        _ if rest.starts_with(AFTER_NUMBER) => rest.trim_start_matches(AFTER_NUMBER),
        _ => piece,
    }
}

/// The colour before a move, and the move: `W`, `white:c3`, `B[c3]`.
fn colored(piece: &str) -> (Option<Color>, &str) {
    if let Ok(color) = piece.trim_end_matches([':', '.']).parse() {
        return (Some(color), "");
    }
    if let Some((color, rest)) = piece.split_once(':')
        && let Ok(color) = color.parse()
    {
        return (Some(color), rest);
    }
    match piece.split_once('[') {
        Some((color, rest)) if rest.ends_with(']') && color.parse::<Color>().is_ok() => {
            (color.parse().ok(), &rest[..rest.len() - 1])
        }
        _ => (None, piece),
    }
}

/// A move without `!`, `?` and a full stop after it.
fn without_marks(text: &str) -> &str {
    let bare = text.trim_end_matches(['!', '?', '.']);
    if bare.is_empty() { text } else { bare }
}
