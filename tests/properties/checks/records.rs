//! Records of games: what is read is legal by the oracle's rules, and reads the same when it is written in any format.

use malecon::game::record::{Format, Record, read, write};
use malecon::game::{Color, Geometry, Move};

use super::model::{Model, Play};

const FORMATS: [Format; 5] = [Format::Sgf, Format::GoGui, Format::Hgf, Format::JsonLines, Format::Moves];

/// The format is found out from the text, unless the first byte picks one.
pub fn check_sgf(input: &[u8]) {
    match input {
        [b'1', text @ ..] => check(text, Some(Format::Sgf)),
        [b'2', text @ ..] => check(text, Some(Format::GoGui)),
        text => check(text, None),
    }
}

/// The input is Little Golem's.
pub fn check_hgf(input: &[u8]) {
    check(input, Some(Format::Hgf));
}

/// The input is JSON lines or, if it begins with a `#`, lists of moves.
pub fn check_json_lines(input: &[u8]) {
    let format = if input.first() == Some(&b'#') { Format::Moves } else { Format::JsonLines };
    check(input, Some(format));
}

fn check(text: &[u8], format: Option<Format>) {
    let records = match read(text, format) {
        Ok(records) => records,
        Err(error) => {
            assert!(!error.reason.is_empty() && error.place.line > 0, "{error}");
            return assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    };
    assert!(!records.is_empty());
    let is_shown = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    assert!(!write(&records, Format::Sgf).contains(is_shown), "a control character");
    assert!(
        records.iter().flat_map(|record| record.players.iter().flatten()).all(|name| !name.contains(char::is_control))
    );
    for record in records.iter().take(3) {
        check_legality(record);
    }
    for format in FORMATS {
        check_round_trip(&records, format);
    }
}

/// Plays the main line by the oracle's rules.
fn check_legality(record: &Record) {
    let board = record.board();
    let mut model = Model::new(board.side(), true);
    for (color, m) in record.moves() {
        let play = match m {
            Move::Place(v) => Play::Place(point(&model, board, v)),
            Move::Swap => Play::Swap,
            // These do not change the board, and a record may go on after a resignation.
            Move::Pass | Move::Resign => continue,
        };
        assert!(model.play(color.index(), play), "{color} {m:?}");
    }
    let outcome = record.game().outcome();
    assert_eq!(outcome.map(|outcome| outcome.winner().map(Color::index)), model.result());
}

fn point(model: &Model, board: &Geometry, v: malecon::game::Vertex) -> usize {
    let (letter, number) = board.coordinates(v);
    let last = board.side() as i32 - 1;
    let (x, y) = (letter as i32 - last, last - number as i32);
    model.board.index_of((x, y, -x - y)).expect("the vertex is on the board")
}

/// Moves as all formats keep them: a resignation at the end is part of the result, and passes have no effect.
fn moves(record: &Record) -> Vec<(Color, Move)> {
    record.moves().into_iter().filter(|(_, m)| matches!(m, Move::Place(_) | Move::Swap)).collect()
}

fn check_round_trip(records: &[Record], format: Format) {
    let text = write(records, format);
    let again = read(text.as_bytes(), Some(format)).unwrap_or_else(|error| panic!("{format:?}: {error}\n{text}"));
    assert_eq!(again.len(), records.len(), "{format:?}\n{text}");
    for (before, after) in records.iter().zip(&again) {
        assert_eq!(before.board().side(), after.board().side(), "{format:?}\n{text}");
        assert_eq!(moves(before), moves(after), "{format:?}\n{text}");
        if format != Format::Moves {
            assert_eq!(before.result().map(|r| r.winner), after.result().map(|r| r.winner), "{format:?}\n{text}");
        }
    }
    assert_eq!(write(&again, format), text, "{format:?}");
    // Little Golem's style is known by two properties of the root, which a record may have with other values.
    let is_named = |record: &Record| record.node(0).properties.iter().any(|p| matches!(p.name.as_str(), "SO" | "RU"));
    if format == Format::Hgf && records.iter().any(is_named) {
        return;
    }
    let recognized = read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{format:?}: {error}\n{text}"));
    for (before, after) in records.iter().zip(&recognized) {
        assert_eq!((before.board().side(), moves(before)), (after.board().side(), moves(after)), "{format:?}\n{text}");
    }
}
