//! Whose names the vertices of a game have, where nothing says so.

use crate::game::{Move, Notation};

use super::Record;

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
    pub fn from_words<'a>(words: impl Iterator<Item = &'a str>, is_on_board: impl Fn(&str) -> bool) -> Written {
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

    /// Whether names that fit in another notation are probably meant in it. A single lower-case vertex off the board
    /// may be a slip.
    pub fn points_elsewhere(&self) -> bool {
        self.off_board > 1 || (self.off_board == 1 && self.in_capitals)
    }
}

/// Reads a game whose vertices have the names of `usual`. If these do not fit, but those of exactly one of `others` do
/// and `may_guess` is set, the game is read with those. If it fails although the names of another program would fit,
/// the error says which program's.
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

/// What to say about a game whose vertices fit in two notations when nothing in the file decides between them.
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
