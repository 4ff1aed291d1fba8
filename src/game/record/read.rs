//! Reading records: which format a text has, and whose names of vertices.

use crate::base::encoding;
use crate::base::text::shortened;
use crate::game::{Move, Notation};

use super::{Format, Place, Record, RecordError, json, list, sgf};

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

/// How many parts of a text may still be read. A text may consist of many parts of a single byte, each of which takes
/// hundreds of bytes in memory.
pub(super) struct Budget {
    most: usize,
    left: Option<usize>,
}

impl Budget {
    pub fn new(most: usize) -> Budget {
        Budget { most, left: Some(most) }
    }

    /// Takes this many parts, which are at this place.
    pub fn take(&mut self, count: usize, place: Place) -> Result<(), RecordError> {
        self.left = self.left.and_then(|left| left.checked_sub(count));
        if self.is_spent() { Err(self.error(place)) } else { Ok(()) }
    }

    /// Whether more was taken than there was.
    pub fn is_spent(&self) -> bool {
        self.left.is_none()
    }

    pub fn error(&self, place: Place) -> RecordError {
        place.error(format!("too much for one text: more than {} nodes and values or moves", self.most))
    }
}

/// Reads the games of a file, at least one. Without a format, the content decides.
///
/// Text is decoded as [`encoding`](crate::base::encoding) says, in the character set of the property `CA` if there is one.
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
    let no_record = |what: String| Place { line: 1, column: 1 }.error(what);
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
        (Some(_), _) => sgf::read(&text, &hints)?,
        (None, _) if begins_sgf(&text) || first == Some('(') => sgf::read(&text, &hints)?,
        (None, _) => list::read(&text, &hints)?,
    };
    if games.is_empty() { Err(no_record("no game found".into())) } else { Ok(games) }
}

/// Whether a game in SGF begins somewhere: `(;`, perhaps with space between.
fn begins_sgf(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| text[at + 1..].trim_start().starts_with(';'))
}

/// The value of the property `CA`. Its letters are ASCII in all character sets that SGF can be written in.
fn charset(bytes: &[u8]) -> Option<&str> {
    let start = bytes.windows(3).position(|window| window == b"CA[")? + 3;
    let length = bytes[start..].iter().take(40).position(|&byte| byte == b']')?;
    std::str::from_utf8(&bytes[start..start + length]).ok()
}

/// What to say about a text that is clearly something else than a record.
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

/// A text with pictures in the place of control characters, so that a record cannot steer the terminal that it is shown
/// on. Line ends and tabs stay; other white space becomes spaces.
fn visible(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') { c } else { picture_of(c) }).collect()
}

/// Like [`visible`], in one line.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(picture_of).collect()
}

/// A text as quoted in an error message.
pub(super) fn quoted(text: &str) -> String {
    shortened(&one_line(text), 60)
}

/// The picture of a control character, or a space for one that is white space.
fn picture_of(c: char) -> char {
    match c {
        _ if !c.is_control() => c,
        _ if c.is_whitespace() => ' ',
        '\0'..' ' => char::from_u32(0x2400 + u32::from(c)).expect("the pictures of control characters are here"),
        '\x7f' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Notations of letters and numbers, and whose they are.
const NAMED: [(Notation, &str); 3] =
    [(Notation::HavannahGui, "HavannahGui's"), (Notation::LittleGolem, "Little Golem's"), (Notation::GoGui, "GoGui's")];

fn owner(notation: Notation) -> &'static str {
    NAMED.iter().find(|(other, _)| *other == notation).map_or("GoGui's", |(_, owner)| owner)
}

/// How the vertices of a game are written.
pub(super) struct Written {
    /// Whether all letters are capitals, as on Little Golem and in GoGui.
    pub in_capitals: bool,
    /// How many of them are not on the board in the usual notation.
    pub off_board: usize,
}

impl Written {
    /// Looks at the names of vertices among these words.
    pub fn of<'a>(words: impl Iterator<Item = &'a str>, is_on_board: impl Fn(&str) -> bool) -> Written {
        let mut written = Written { in_capitals: true, off_board: 0 };
        let mut count = 0;
        for word in words.filter(|word| Notation::is_letter_and_number(word)) {
            count += 1;
            written.in_capitals &= word.starts_with(|c: char| c.is_ascii_uppercase());
            written.off_board += usize::from(!is_on_board(word));
        }
        written.in_capitals &= count > 0;
        written
    }

    /// Whether other names that fit are no coincidence. A single vertex in small letters that is off the board may be a
    /// slip.
    pub fn points_elsewhere(&self) -> bool {
        self.off_board > 1 || (self.off_board == 1 && self.in_capitals)
    }
}

/// Reads a game whose vertices have the names of `usual`. If these do not fit but those of exactly one of `others` do,
/// and `may_guess` is set, the game has those. An error that other names would not have says whose they are.
pub(super) fn in_fitting_names<E>(
    usual: Notation,
    others: &[Notation],
    may_guess: bool,
    read: impl Fn(Notation) -> Result<Record, E>,
    hinted: impl Fn(E, &str) -> E,
) -> Result<Record, E> {
    let error = match read(usual) {
        Ok(record) => return Ok(record),
        Err(error) => error,
    };
    let mut fits: Vec<(Notation, Record)> = Vec::new();
    for &notation in others {
        if let Ok(record) = read(notation)
            && fits.iter().all(|(_, known)| known.moves() != record.moves())
        {
            fits.push((notation, record));
        }
    }
    match fits.len() {
        0 => Err(error),
        1 if may_guess => {
            let (notation, mut record) = fits.remove(0);
            record.note = Some(format!("the vertices have {} names, which alone fit the board", owner(notation)));
            Ok(record)
        }
        _ => {
            let owners: Vec<&str> = fits.iter().map(|&(notation, _)| owner(notation)).collect();
            Err(hinted(error, &format!(" ({} names would fit)", owners.join(" and "))))
        }
    }
}

/// What to say about a game whose vertices could also have other names, which nothing in the file decides.
pub(super) fn doubt(record: &Record, other: &Record, notation: Notation) -> Option<String> {
    let stones = |record: &Record| -> Vec<Move> { record.moves().into_iter().map(|(_, m)| m).collect() };
    (stones(record) != stones(other)).then(|| {
        format!(
            "nothing says whose names the vertices have: they were read as {}, and {} would fit as well",
            owner(Notation::HavannahGui),
            owner(notation)
        )
    })
}
