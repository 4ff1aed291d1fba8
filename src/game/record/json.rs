//! Games as JSON objects, as in the `games.jsonl` of matches or on Abstract Play.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::game::Notation;

use super::abstract_play::Report;
use super::list::{shown, stones_and_swap};
use super::object::GameObject;
use super::text::Budget;
use super::{Hints, Record, RecordError, TextPosition};

/// The longest object of a game, in bytes.
const LONGEST_GAME: usize = 4 << 20;

/// Reads JSON objects, one game each: on lines of their own, over several lines, or in an array.
pub(super) fn read(text: &str, hints: &Hints) -> Result<Vec<Result<Record, RecordError>>, RecordError> {
    let mut budget = Budget::new(hints.most_parts);
    let mut reader = Reader { text, at: 0, place: TextPosition { line: 1, column: 1 } };
    let mut games = Vec::new();
    while let Some(start) = reader.next_value() {
        let game = reader.value().and_then(|value| read_game(value, start, hints.names));
        budget.take(game.as_ref().map_or(1, Record::node_count), start)?;
        if game.is_err() {
            reader.skip_to_line_after(start);
        }
        games.push(game);
    }
    Ok(games)
}

/// Finds the objects in a text, and keeps track of the place.
struct Reader<'a> {
    text: &'a str,
    /// The position in bytes, and the same in lines and columns.
    at: usize,
    place: TextPosition,
}

impl<'a> Reader<'a> {
    fn advance(&mut self, to: usize) {
        self.place = self.place.after(&self.text[self.at..to]);
        self.at = to;
    }

    /// Goes to the next value, past what separates the elements of an array, and the byte-order marks of files that were
    /// joined.
    fn next_value(&mut self) -> Option<TextPosition> {
        let rest = &self.text[self.at..];
        let value = rest.find(|c: char| !c.is_whitespace() && !matches!(c, '[' | ']' | ',' | '\u{feff}'))?;
        self.advance(self.at + value);
        Some(self.place)
    }

    /// The text of the value that begins here, and goes to its end.
    fn value(&mut self) -> Result<&'a str, RecordError> {
        let rest = &self.text[self.at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                let length = values.byte_offset();
                if length > LONGEST_GAME {
                    return Err(self.place.error(format!("longer than {} MB", LONGEST_GAME >> 20)));
                }
                self.advance(self.at + length);
                Ok(&rest[..length])
            }
            Some(Err(error)) => Err(place_in(self.place, &error).error(without_place(&error))),
            None => Err(self.place.error("expected an object")),
        }
    }

    /// After an error in a value, goes to the next line that begins with an object.
    fn skip_to_line_after(&mut self, start: TextPosition) {
        if self.place != start {
            return;
        }
        let rest = &self.text[self.at..];
        let mut lines = rest.match_indices('\n').map(|(end, _)| end + 1);
        let next = lines.find(|&line| rest[line..].trim_start_matches([' ', '\t', ',', '[']).starts_with('{'));
        self.advance(next.map_or(self.text.len(), |next| self.at + next));
    }
}

/// The place of an error in a value that begins at `start`.
fn place_in(start: TextPosition, error: &serde_json::Error) -> TextPosition {
    match error.line() {
        0 | 1 => TextPosition { line: start.line, column: (start.column + error.column()).saturating_sub(1).max(1) },
        line => TextPosition { line: start.line + line - 1, column: error.column().max(1) },
    }
}

/// Reads the object of a game, which begins at `start`.
fn read_game(value: &str, start: TextPosition, names: Option<Notation>) -> Result<Record, RecordError> {
    let game = match serde_json::from_str::<GameObject>(value) {
        Ok(game) => game,
        Err(error) => match serde_json::from_str::<Report>(value) {
            Ok(report) => GameObject::try_from(report).map_err(|reason| start.error(reason))?,
            Err(_) => return Err(place_in(start, &error).error(without_place(&error))),
        },
    };
    game.into_record(names).map_err(|(number, reason)| {
        let offset = number.and_then(|number| offset_of_move(value, number));
        offset.map_or(start, |offset| start.after(&value[..offset])).error(reason)
    })
}

/// The error message without its position, which would be relative to the object.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The position of a move, given its number from 1.
fn offset_of_move(value: &str, number: usize) -> Option<usize> {
    let list = value.find("\"moves\"").map(|key| key + "\"moves\"".len())?;
    let quotes = value[list..].match_indices('"');
    let (offset, _) = quotes.step_by(2).nth(number.checked_sub(1)?)?;
    Some(list + offset)
}

/// Formats a game as a line of JSON.
pub(super) fn write(record: &Record) -> String {
    let [white, black] = record.players.clone();
    let winner = record.result().map(|result| result.winner.map_or_else(|| "draw".into(), |color| color.to_string()));
    let side = record.board.side();
    let moves = shown(record, stones_and_swap(record));
    let by = record.by().map_or(Value::Null, Value::String);
    let id = record.name().filter(|name| !name.is_empty());
    let game = GameObject { side, white, black, moves, winner, by, swapped: false, id, names: None };
    serde_json::to_string(&game).expect("a game is plain data") + "\n"
}
