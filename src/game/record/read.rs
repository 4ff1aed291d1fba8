//! Reading records: which format a text has.

use crate::base::encoding;
use crate::game::Notation;

use super::text::visible;
use super::{Format, Record, RecordError, TextPosition, json, list, position, sgf, words};

/// What is known about a text before it is read. The content decides the rest.
#[derive(Clone, Copy, Debug)]
pub struct Hints {
    /// The format.
    pub format: Option<Format>,
    /// Whose names the vertices have in lists of moves and JSON, and in SGF without a sign of its own. The default is
    /// HavannahGui's.
    pub names: Option<Notation>,
    /// The side length of the board for a list of moves that does not name one.
    pub side: Option<usize>,
    /// Whether all lines of a list of moves that does not name its board are one game.
    pub is_one_game: bool,
    /// The most nodes, variations and values of SGF, or moves of other formats, that the text may have in all. Each
    /// takes up to 500 bytes of memory. The default is [`MAX_PARTS`].
    pub most_parts: usize,
}

/// The most nodes, variations and values of a text that is read without any other limit: some 10,000 games.
pub const MAX_PARTS: usize = 2_000_000;

impl Default for Hints {
    fn default() -> Hints {
        Hints { format: None, names: None, side: None, is_one_game: false, most_parts: MAX_PARTS }
    }
}

/// Reads the games of a file, at least one. Without a format, the content decides.
///
/// Text is decoded as [`encoding`](crate::base::encoding) says, in the character set of the property `CA` if there is
/// one.
///
/// # Errors
/// If one of the games is malformed or has an illegal move, even in a variation; see [`read_each`].
pub fn read(bytes: &[u8], format: Option<Format>) -> Result<Vec<Record>, RecordError> {
    read_each(bytes, Hints { format, ..Hints::default() })?.into_iter().collect()
}

/// Like [`read`], but a game that is malformed or has an illegal move is an error in its own place, among the others.
///
/// # Errors
/// If this is not a record of a game at all, or if it has too many parts.
pub fn read_each(bytes: &[u8], hints: Hints) -> Result<Vec<Result<Record, RecordError>>, RecordError> {
    let no_record = |what: String| TextPosition { line: 1, column: 1 }.error(what);
    let text = encoding::decode_as(bytes, charset(bytes))
        .map_err(|what| no_record(format!("not a record of a game: {what}")))?;
    let text = visible(&text);
    if let Some(what) = something_else(&text) {
        return Err(no_record(what));
    }
    let first = text.chars().find(|c| !c.is_whitespace());
    let games = match (hints.format, first) {
        (Some(Format::JsonLines), _) | (None, Some('{' | '[')) => json::read(&text, &hints)?,
        (Some(Format::Moves), _) => list::read(&text, &hints)?,
        (Some(Format::Position), _) => position::read(&text, &hints)?,
        (Some(_), _) => sgf::read(&text, &hints)?,
        (None, _) if begins_sgf(&text) => sgf::read(&text, &hints)?,
        // A list may begin with `(1)`.
        (None, Some('(')) if words::leading_number(&text).is_none() => sgf::read(&text, &hints)?,
        (None, _) if position::is_likely(&text) => position::read(&text, &hints)?,
        (None, _) => list::read(&text, &hints)?,
    };
    if games.is_empty() { Err(no_record("no game found".into())) } else { Ok(games) }
}

/// Whether a game in SGF begins somewhere: `(;`, perhaps with space between.
fn begins_sgf(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| text[at + 1..].trim_start().starts_with(';'))
}

/// The value of the first property `CA` of a record in SGF. Its letters are ASCII in all character sets that SGF can be
/// written in.
fn charset(bytes: &[u8]) -> Option<&str> {
    let is_start = |at: &usize| bytes[*at] == b'(' && bytes[at + 1..].trim_ascii_start().starts_with(b";");
    let mut left = &bytes[(0..bytes.len()).find(is_start)?..];
    while let Some(opening) = left.iter().position(|&byte| byte == b'[') {
        let value = &left[opening + 1..];
        let length = value_length(value)?;
        let before = left[..opening].trim_ascii_end();
        if before.strip_suffix(b"CA").is_some_and(|before| !before.last().is_some_and(u8::is_ascii_uppercase)) {
            return std::str::from_utf8(&value[..length]).ok();
        }
        left = &value[length..];
    }
    None
}

/// The length of a value until the bracket that closes it. In some character sets, the second byte of a letter may be
/// that of a backslash, which then escapes nothing.
fn value_length(value: &[u8]) -> Option<usize> {
    let is_escape = |at: usize| value[at] == b'\\' && (at == 0 || value[at - 1].is_ascii());
    let mut at = 0;
    while *value.get(at)? != b']' {
        at += if is_escape(at) { 2 } else { 1 };
    }
    Some(at)
}

/// What to say about a text that is clearly not a record.
fn something_else(text: &str) -> Option<String> {
    let text = text.trim();
    let is_link = ["http://", "https://", "www.", "littlegolem.net/"].iter().any(|start| text.starts_with(start));
    if is_link && !text.contains(char::is_whitespace) {
        return Some(
            "this is a link, not a record: save the game from that page as a file (SGF, or Little Golem's .hgf), and \
             open the file"
                .into(),
        );
    }
    text.starts_with('<').then(|| {
        "not a record of a game: this is a page in HTML or XML (a browser may have saved the page around the record, or a \
         page that asks for a login)"
            .into()
    })
}
