//! Positions without the moves that led to them: a position string on each line.

use crate::game::{Color, Game};

use super::syntax::Property;
use super::text::Budget;
use super::{Hints, Record, RecordError, TextPosition};

/// The value of the property `RU` for a game with the pie rule.
pub(super) const SWAP_RULE: &str = "swap";

impl Record {
    /// Creates a record without moves that begins in the present position of a game, with its stones as set up.
    pub fn from_position(game: &Game) -> Record {
        let mut record = Record::new(game.geometry());
        let root = &mut record.nodes[0];
        root.stones = game.stones().collect();
        if game.stone_count() > 0 || game.to_move() != Color::White {
            let turn = if game.to_move() == Color::White { "W" } else { "B" };
            root.properties.push(Property::new("PL", turn));
        }
        if game.may_still_swap() {
            root.properties.push(Property::new("RU", SWAP_RULE));
        }
        record
    }
}

/// The text of each line before a comment, with its number, without empty ones.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let contents = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    (1..).zip(contents).filter(|(_, line)| !line.is_empty())
}

/// Whether a text begins like a position: with rows that slashes separate.
pub(super) fn is_likely(text: &str) -> bool {
    let first = lines(text).next().and_then(|(_, line)| line.split_whitespace().next()).unwrap_or_default();
    first.contains('/') && first.bytes().all(|byte| byte.is_ascii_digit() || b"wb/".contains(&byte))
}

/// Reads one position per line. Text after `#` is a comment.
pub(super) fn read(text: &str, hints: &Hints) -> Result<Vec<Result<Record, RecordError>>, RecordError> {
    let mut budget = Budget::new(hints.most_parts);
    let mut games = Vec::new();
    for (line, content) in lines(text) {
        let place = TextPosition { line, column: 1 };
        let game = Game::from_position(content);
        budget.take(1 + game.as_ref().map_or(0, Game::stone_count), place)?;
        games.push(game.map(|game| Record::from_position(&game)).map_err(|error| place.error(error.to_string())));
    }
    Ok(games)
}

/// Formats the position at the end of a game as a line.
pub(super) fn write(record: &Record) -> String {
    let mut game = record.game();
    game.allow_swap(record.has_pie_rule());
    game.position_string() + "\n"
}
