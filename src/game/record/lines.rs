//! Formats with one game per line: `games.jsonl` and lists of moves.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::game::{Color, Geometry, Move, Notation};

use super::{GameResult, How, Place, Property, Record, RecordError, one_line};

/// A line of `games.jsonl`. The other keys that matches write are ignored.
#[derive(Serialize, Deserialize)]
struct Line {
    side: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    white: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    black: Option<String>,
    moves: Vec<String>,
    #[serde(default)]
    winner: Option<String>,
    /// A string, or a list of structures.
    #[serde(default)]
    by: Value,
    /// Whether there was a swap, for collections that omit it from the moves. The colours of the moves then simply
    /// alternate, and the first stone stays white.
    #[serde(default, skip_serializing)]
    swapped: bool,
    #[serde(default, skip_serializing)]
    id: Option<String>,
}

/// Reads one JSON object per line.
pub(super) fn read_json(text: &str) -> Result<Vec<Record>, RecordError> {
    let mut records = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim().is_empty() {
            continue;
        }
        let parsed: Line = serde_json::from_str(content)
            .map_err(|error| Place { line, column: error.column().max(1) }.error(without_place(&error)))?;
        let record = parsed.record().map_err(|(number, reason)| {
            let column = number.and_then(|number| column_of_move(content, number)).unwrap_or(1);
            Place { line, column }.error(reason)
        })?;
        records.push(record);
    }
    if records.is_empty() { Err(Place { line: 1, column: 1 }.error("no game found")) } else { Ok(records) }
}

/// The error message without its position, which would be relative to the line.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The column of a move, given its number from 1.
fn column_of_move(line: &str, number: usize) -> Option<usize> {
    let list = line.find("\"moves\"").map(|key| key + "\"moves\"".len())?;
    let quotes = line[list..].match_indices('"');
    let (offset, _) = quotes.step_by(2).nth(number.checked_sub(1)?)?;
    Some(line[..list + offset].chars().count() + 1)
}

impl Line {
    /// Converts the line to a record. An error consists of a reason and, if a move is to blame, the number of that
    /// move.
    fn record(self) -> Result<Record, (Option<usize>, String)> {
        let board = Geometry::with_side(self.side).map_err(|error| (None, error.to_string()))?;
        let moves: Vec<String> = self.moves.iter().map(|word| one_line(word)).collect();
        let mut words: Vec<&str> = moves.iter().map(String::as_str).collect();
        let drops_swap = self.swapped && !words.contains(&"swap") && !words.is_empty();
        if drops_swap {
            words.insert(1, "swap");
        }
        let own_number = |number: usize| if drops_swap && number > 1 { number - 1 } else { number };
        let mut record =
            Record::of_words(board, &words).map_err(|(number, reason)| (Some(own_number(number)), reason))?;
        record.players = [self.white, self.black].map(|name| name.as_deref().map(one_line));
        record.nodes[0].properties.extend(self.id.as_deref().map(|id| Property::new("GN", &one_line(id))));
        let winner = match self.winner.as_deref().map(one_line).as_deref() {
            None => return Ok(record),
            Some("draw") => None,
            Some(name) => {
                let color: Color = name
                    .parse()
                    .map_err(|_| (None, format!("invalid winner '{name}' (expected white, black or draw)")))?;
                Some(if drops_swap { !color } else { color })
            }
        };
        record.stated = Some(GameResult { winner, how: how(&self.by) });
        Ok(record)
    }
}

/// The meaning of `by`: structures, a full board, a resignation, or a fault in a match.
fn how(by: &Value) -> How {
    let is_structure = |name: &str| matches!(name, "bridge" | "fork" | "ring");
    match by.as_str() {
        None | Some("full board") => How::Board,
        Some(names) if names.split('+').all(is_structure) => How::Board,
        Some("resign") => How::Resignation,
        Some(fault) if fault.contains("time") || fault == "silence" => How::Time,
        Some(_) => How::Forfeit,
    }
}

impl Record {
    /// Creates a record from moves as the GTP command `playgame` takes them: vertices, `swap` and `resign`, with the
    /// prefix `white:` or `black:` where colours do not alternate.
    ///
    /// # Errors
    /// Returns the number of the first invalid move, from 1, and the reason.
    pub fn of_words(board: &'static Geometry, words: &[&str]) -> Result<Record, (usize, String)> {
        let mut turn = Color::White;
        let mut moves = Vec::new();
        let mut loser = None;
        for (number, word) in (1..).zip(words) {
            if loser.is_some() {
                return Err((number, format!("'{word}' after a resignation")));
            }
            let (color, m) = Move::read_in_turn(word, turn, board, Notation::HavannahGui)
                .map_err(|error| (number, error.to_string()))?;
            match m {
                Move::Resign => loser = Some(color),
                _ => moves.push((color, m)),
            }
            turn = !color;
        }
        let illegal =
            |(number, reason): (usize, String)| (number, format!("illegal move {}: {reason}", words[number - 1]));
        let mut record = Record::of_moves(board, &moves).map_err(illegal)?;
        record.stated = loser.map(|loser| GameResult { winner: Some(!loser), how: How::Resignation });
        Ok(record)
    }
}

/// The stones and the swap of the main line.
fn stones_and_swap(record: &Record) -> Vec<(Color, Move)> {
    record.moves().into_iter().filter(|(_, m)| matches!(m, Move::Place(_) | Move::Swap)).collect()
}

/// Moves as `playgame` takes them.
fn words(record: &Record, moves: Vec<(Color, Move)>) -> Vec<String> {
    Move::show_in_turn(moves, Color::White, record.board, Notation::HavannahGui)
}

/// Formats a game as a line of JSON.
pub(super) fn write_json(record: &Record) -> String {
    let [white, black] = record.players.clone();
    let winner = record.result().map(|result| result.winner.map_or_else(|| "draw".into(), |color| color.to_string()));
    let (side, moves) = (record.board.side(), words(record, stones_and_swap(record)));
    let by = record.by().map_or(Value::Null, Value::String);
    let line = Line { side, white, black, moves, winner, by, swapped: false, id: None };
    serde_json::to_string(&line).expect("a line can be serialized") + "\n"
}

/// The comment that stands for a game without moves.
const NO_MOVES: &str = "no moves";

/// Reads one list of moves per line. Text after `#` is a comment; the comment `# side N` sets the side length, and the
/// comment `# no moves` is a game.
pub(super) fn read_moves(text: &str) -> Result<Vec<Record>, RecordError> {
    let mut board = None;
    let mut records = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let place = |column| Place { line, column };
        let (list, comment) = content.split_once('#').unwrap_or((content, ""));
        if let Some(side) = comment.trim().strip_prefix("side ") {
            let side: usize =
                side.trim().parse().map_err(|_| place(1).error(format!("invalid side length '{side}'")))?;
            board = Some(Geometry::with_side(side).map_err(|error| place(1).error(error.to_string()))?);
        }
        let words: Vec<&str> =
            list.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
        if words.is_empty() && comment.trim() != NO_MOVES {
            continue;
        }
        let column = |word: &str| list[..word.as_ptr() as usize - list.as_ptr() as usize].chars().count() + 1;
        let board = board.ok_or_else(|| {
            place(words.first().map_or(1, |first| column(first)))
                .error("the side length is missing (expected a line such as '# side 8' before the moves)")
        })?;
        let record = Record::of_words(board, &words);
        records.push(record.map_err(|(number, reason)| place(column(words[number - 1])).error(reason))?);
    }
    if records.is_empty() { Err(Place { line: 1, column: 1 }.error("no game found")) } else { Ok(records) }
}

/// Formats games as lists of moves.
pub(super) fn write_moves(records: &[Record]) -> String {
    let mut text = String::new();
    let mut side = None;
    for record in records {
        if side.replace(record.board.side()) != Some(record.board.side()) {
            text += &format!("# side {}\n", record.board.side());
        }
        let mut moves = stones_and_swap(record);
        moves.extend(record.resignation());
        match words(record, moves) {
            words if words.is_empty() => text += &format!("# {NO_MOVES}"),
            words => text += &words.join(" "),
        }
        text.push('\n');
    }
    text
}
