//! Lists of moves: one game on each line.

use crate::game::{Color, Geometry, MAX_SIDE, MIN_SIDE, Move, Notation};

use super::names::{Written, in_fitting_names};
use super::text::{Budget, quoted};
use super::words::{Word, leading_number, words};
use super::{GameResult, Hints, How, InvalidRecord, Record, RecordError, TextPosition};

/// The comment that stands for a game without moves.
const NO_MOVES: &str = "no moves";

impl Record {
    /// Creates a record from moves as the GTP command `playgame` takes them: vertices, `swap` and `resign`, with the
    /// prefix `white:` or `black:` where colours do not alternate.
    ///
    /// # Errors
    /// The first invalid move, by its number.
    pub fn from_words(board: &'static Geometry, words: &[&str]) -> Result<Record, InvalidRecord> {
        let words: Vec<Word<'_>> = words.iter().map(|&text| Word { text, color: None }).collect();
        from_list(board, &words, Notation::HavannahGui)
    }
}

/// The record of these moves, the vertices in one notation.
fn from_list(board: &'static Geometry, words: &[Word<'_>], notation: Notation) -> Result<Record, InvalidRecord> {
    let mut turn = Color::White;
    let mut moves = Vec::new();
    let mut loser = None;
    for (number, word) in (1..).zip(words) {
        if loser.is_some() {
            return Err(InvalidRecord::new(number, format!("'{}' after a resignation", quoted(word.text))));
        }
        let read = word.read(turn, board, notation);
        let (color, m) = read.map_err(|error| InvalidRecord::new(number, error.to_string()))?;
        match m {
            Move::Resign => loser = Some(color),
            _ => moves.push((color, m)),
        }
        turn = !color;
    }
    let illegal =
        |InvalidRecord { at, reason }| InvalidRecord::new(at, format!("illegal move {}: {reason}", words[at - 1].text));
    let mut record = Record::from_moves(board, &moves).map_err(illegal)?;
    record.stated = loser.map(|loser| GameResult { winner: Some(!loser), how: How::Resignation });
    Ok(record)
}

/// The record of these moves. If nothing says whose names the vertices have, they are HavannahGui's, unless only
/// another program's fit.
pub(super) fn record(
    board: &'static Geometry,
    words: &[Word<'_>],
    names: Option<Notation>,
) -> Result<Record, InvalidRecord> {
    if let Some(notation) = names {
        return from_list(board, words, notation);
    }
    let usual = Notation::HavannahGui;
    let texts = words.iter().map(|word| word.text);
    let written = Written::from_words(texts, |text| usual.parse(board, text).is_ok());
    let others = if written.off_board > 0 { &[Notation::LittleGolem, Notation::GoGui][..] } else { &[] };
    in_fitting_names(
        usual,
        others,
        written.points_elsewhere(),
        |notation| from_list(board, words, notation),
        |InvalidRecord { at, reason }, hint| InvalidRecord::new(at, reason + hint),
    )
}

/// Reads one list of moves per line. Text after `#` is a comment; the comment `# side N` sets the side length, `# names
/// DIALECT` says whose names the vertices have, and the comment `# no moves` is a game. A line that begins with the
/// number of a move other than the first continues the line above.
///
/// Lines are joined if the hints say that a text without the line `# side N` is one game.
pub(super) fn read(text: &str, hints: &Hints) -> Result<Vec<Result<Record, RecordError>>, RecordError> {
    let mut reader = Reader { board: None, names: hints.names, games: Vec::new(), open: Vec::new() };
    let comments = text.lines().filter_map(|line| Some(line.split_once('#')?.1));
    let names_board = comments.filter_map(side_of).next().is_some();
    if let Some(side) = hints.side {
        let board = Geometry::with_side(side);
        reader.board = Some(board.map_err(|error| TextPosition { line: 1, column: 1 }.error(error.to_string()))?);
    }
    let mut budget = Budget::new(hints.most_parts);
    for (number, content) in (1..).zip(text.lines()) {
        // A mark may stand where files were joined.
        let content = content.trim_start_matches('\u{feff}');
        let pieces = content.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        budget.take(pieces.filter(|piece| !piece.is_empty()).count(), TextPosition { line: number, column: 1 })?;
        let (list, comment) = content.split_once('#').unwrap_or((content, ""));
        reader.comment(number, comment.trim())?;
        let continues = (hints.is_one_game && !names_board) || leading_number(list).is_some_and(|first| first > 1);
        if !continues || comment.trim() == NO_MOVES {
            reader.close()?;
        }
        if comment.trim() == NO_MOVES && list.trim().is_empty() {
            let board = reader.board.ok_or_else(|| missing_side(TextPosition { line: number, column: 1 }, ""))?;
            reader.games.push(Ok(Record::new(board)));
        }
        if !list.trim().is_empty() {
            reader.open.push((number, list));
        }
    }
    reader.close()?;
    Ok(reader.games)
}

/// The side length in a comment, if it names one.
fn side_of(comment: &str) -> Option<&str> {
    comment.trim().strip_prefix("side ").map(str::trim)
}

struct Reader<'a> {
    board: Option<&'static Geometry>,
    names: Option<Notation>,
    games: Vec<Result<Record, RecordError>>,
    /// The lines of the game that is being read, with their numbers.
    open: Vec<(usize, &'a str)>,
}

impl Reader<'_> {
    fn comment(&mut self, line: usize, comment: &str) -> Result<(), RecordError> {
        let place = TextPosition { line, column: 1 };
        if let Some(side) = side_of(comment) {
            self.close()?;
            let side: usize = side
                .parse()
                .map_err(|_| place.error(format!("invalid side length '{side}' (expected {MIN_SIDE}..{MAX_SIDE})")))?;
            self.board = Some(Geometry::with_side(side).map_err(|error| place.error(error.to_string()))?);
        }
        if let Some(names) = comment.strip_prefix("names ") {
            self.close()?;
            let expected = || format!("invalid names '{names}' (expected {})", Notation::DIALECTS);
            self.names = Some(Notation::from_dialect(names.trim()).ok_or_else(|| place.error(expected()))?);
        }
        Ok(())
    }

    /// Reads the game of the open lines, if there are moves on them.
    fn close(&mut self) -> Result<(), RecordError> {
        let lines = std::mem::take(&mut self.open);
        let text: String = lines.iter().map(|(_, list)| format!("{list}\n")).collect();
        let list = words(&text);
        let Some(first) = list.first() else { return Ok(()) };
        // Empty lines and comments may be between the lines.
        let place_of = |word: &Word<'_>| {
            let before = &text[..word.text.as_ptr() as usize - text.as_ptr() as usize];
            let TextPosition { line, column } = TextPosition { line: 0, column: 1 }.after(before);
            TextPosition { line: lines[line].0, column }
        };
        let board = self.board.ok_or_else(|| missing_side(place_of(first), first.text))?;
        let record = record(board, &list, self.names);
        self.games.push(record.map_err(|error| place_of(&list[error.at - 1]).error(error.reason)));
        Ok(())
    }
}

/// The error for a text without `# side N`, which may not be a list of moves at all.
fn missing_side(place: TextPosition, first: &str) -> RecordError {
    let is_move =
        Notation::is_letter_and_number(first) || ["", "swap", "resign"].contains(&&*first.to_ascii_lowercase());
    if is_move {
        return place.error("the side length is missing (expected a line such as '# side 8' before the moves)");
    }
    let seen: String = first.chars().take(20).collect();
    place.error(format!("not a record of a game: expected SGF, JSON or a list of moves, but found '{seen}'"))
}

/// The stones and the swap of the main line.
pub(super) fn stones_and_swap(record: &Record) -> Vec<(Color, Move)> {
    record.moves().into_iter().filter(|(_, m)| matches!(m, Move::Place(_) | Move::Swap)).collect()
}

/// Moves as `playgame` takes them.
pub(super) fn shown(record: &Record, moves: Vec<(Color, Move)>) -> Vec<String> {
    Move::show_in_turn(moves, Color::White, record.board, Notation::HavannahGui)
}

/// Formats games as lists of moves.
pub(super) fn write(records: &[Record]) -> String {
    let mut text = String::new();
    let mut side = None;
    for record in records {
        if side.replace(record.board.side()) != Some(record.board.side()) {
            text += &format!("# side {}\n", record.board.side());
        }
        let mut moves = stones_and_swap(record);
        moves.extend(record.resignation());
        match shown(record, moves) {
            words if words.is_empty() => text += &format!("# {NO_MOVES}"),
            words => text += &words.join(" "),
        }
        text.push('\n');
    }
    text
}
