//! Loading and saving the game of a session.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::files::{self, MAX_RECORDS, replace};
use crate::game::record::{self, Format, GameResult, Hints, How, Record, RecordError};
use crate::game::{Color, Move};

use super::{Analysis, MoveError, PlayedGame, Session};

/// The name of this engine in records.
const ENGINE_NAME: &str = concat!("Malecon ", env!("CARGO_PKG_VERSION"));

/// What the engine thought about a move that it played.
#[derive(Clone, Debug)]
pub(super) struct MoveNote {
    /// How many moves were played before it.
    ply: usize,
    color: Color,
    played: Move,
    analysis: Arc<Analysis>,
}

impl MoveNote {
    fn comment(&self) -> String {
        let report = &self.analysis.report;
        let color = self.color;
        match report.verdict.and_then(|verdict| verdict.winner(color)) {
            Some(winner) => format!("{winner} is proven to win"),
            None => {
                format!("{color} wins {:.1} %, {} simulations", 100.0 * self.analysis.chance(), report.simulations)
            }
        }
    }
}

/// Why a game was not loaded. Nothing has changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read, is too large, or is a directory, a pipe or a device.
    Unreadable(PathBuf, std::io::Error),
    /// The file holds no legal games.
    Malformed(PathBuf, RecordError),
    /// The file holds no game at all.
    NoGame(PathBuf),
    /// The game has no move of this number.
    NoSuchMove {
        /// The number that was asked for.
        number: usize,
        /// The largest number that the game allows.
        last: usize,
    },
    /// A move of the record is illegal.
    Illegal(MoveError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Unreadable(path, error) => write!(f, "cannot load {}: {error}", path.display()),
            LoadError::Malformed(path, error) => write!(f, "cannot load {}:{error}", path.display()),
            LoadError::NoGame(path) => write!(f, "cannot load {}: there is no game in it", path.display()),
            LoadError::NoSuchMove { number, last } => {
                write!(f, "the game has no move {number} (expected 1..{last})")
            }
            LoadError::Illegal(error) => write!(f, "illegal move in the record: {error}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// The format of a file by its extension; `None` if the extension says nothing.
fn format_of_name(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "hgf" => Some(Format::Hgf),
        "jsonl" => Some(Format::JsonLines),
        _ => None,
    }
}

impl Session {
    /// Takes over the first game of a file: its main line to the end, or the position before the move with the number
    /// `before`, from 1.
    ///
    /// # Errors
    /// If the file cannot be read or holds no legal game, or if there is no such move; nothing has changed then.
    pub fn load_file(&mut self, path: &Path, before: Option<usize>) -> Result<(), LoadError> {
        let unreadable = |error| LoadError::Unreadable(path.to_owned(), error);
        let bytes = files::read(path, MAX_RECORDS).map_err(unreadable)?;
        let malformed = |error| LoadError::Malformed(path.to_owned(), error);
        let games = record::read_each(&bytes, Hints::default()).map_err(malformed)?;
        let record = games.into_iter().next().ok_or_else(|| LoadError::NoGame(path.to_owned()))?.map_err(malformed)?;
        if let Some(note) = &record.note {
            log::warn!("{}: {note}", path.display());
        }
        self.load(record, before)
    }

    /// Takes over a recorded game: its main line to the end, or the position before the move with the number `before`,
    /// from 1. Variations and comments are kept and saved again.
    ///
    /// # Errors
    /// If there is no such move; nothing has changed then.
    pub fn load(&mut self, record: Record, before: Option<usize>) -> Result<(), LoadError> {
        let moves = match before {
            None => record.moves().into_iter().chain(record.resignation()).collect(),
            Some(number) => record.moves_before(number).ok_or_else(|| {
                let last = record.play_count() + 1;
                LoadError::NoSuchMove { number, last }
            })?,
        };
        // A recorded swap stands whether or not the pie rule is on now.
        let mut game = PlayedGame::new(record.board(), true);
        for &(color, m) in &moves {
            game.play(color, m).map_err(LoadError::Illegal)?;
        }
        let count = before.map_or(record.play_count(), |number| number - 1);
        let (there, _) = record.after(count).expect("the record has these moves");
        game.begin_like(&there);
        game.allow_swap(self.options.session.swap);
        self.new_game(record.board());
        self.game = game;
        self.loaded = Some(record);
        Ok(())
    }

    /// Writes the game to a file: in Little Golem's format if the name of the file ends with `.hgf`, as JSON if it ends
    /// with `.jsonl`, else in the format `otherwise`. Variations of the file that the game was loaded from are kept.
    ///
    /// # Errors
    /// If the file cannot be written, in which case it has its old content, or is a pipe or a device. If the sides of the
    /// board differ, and the format cannot say so.
    pub fn save_file(&self, path: &Path, otherwise: Format) -> std::io::Result<()> {
        files::check_regular(path)?;
        let format = format_of_name(path).unwrap_or(otherwise);
        if format != Format::Position && self.game.geometry().shape().regular_side().is_none() {
            let reason = "records are of boards with six equal sides (as one line, the position can be of any board)";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, reason));
        }
        replace(path, record::write(&[self.record()], format).as_bytes())
    }

    /// The game as a record, within the tree of variations of the record that it was loaded from. With the option
    /// `annotate`, the engine's own moves have its chance of winning and its simulations as comments.
    #[must_use]
    pub fn record(&self) -> Record {
        let all = self.game.moves();
        let moves: Vec<_> = all.iter().copied().filter(|(_, m)| !matches!(m, Move::Pass | Move::Resign)).collect();
        let fresh = || Record::with_handicap(self.game.geometry(), &moves[..self.game.set_up()]);
        let mut record = self.loaded.clone().unwrap_or_else(fresh);
        let path = record.follow(&moves).unwrap_or_else(|| {
            record = fresh();
            record.follow(&moves).expect("every game continues an empty record")
        });
        record.stated = self.stated_result();
        if let Some(loser) = self.game.resigned()
            && record.moves().len() > moves.len()
        {
            // What the record has after this stays as a variation.
            record.follow(&[&moves[..], &[(loser, Move::Resign)]].concat());
        }
        for note in self.notes.iter().filter(|note| note.ply < path.len()) {
            if all[note.ply] != (note.color, note.played) {
                continue;
            }
            record.players[note.color.index()].get_or_insert_with(|| ENGINE_NAME.into());
            if self.options.session.annotate {
                record.node_mut(path[note.ply]).add_comment(&note.comment());
            }
        }
        record
    }

    /// The result of the game. While the game goes on and follows the record it was loaded from, the result of that
    /// record.
    fn stated_result(&self) -> Option<GameResult> {
        if let Some(winner) = self.game.result() {
            let how = if self.game.resigned().is_some() { How::Resignation } else { How::Board };
            return Some(GameResult { winner, how });
        }
        let loaded = self.loaded.as_ref()?;
        let all = loaded.moves();
        let now = self.game.moves();
        let was_taken_back = all == now && loaded.resignation().is_some();
        loaded.stated.filter(|_| all.starts_with(&now) && !was_taken_back)
    }

    /// Keeps what the last search found about the move that was just played.
    pub(super) fn note_move(&mut self, color: Color, played: Move) {
        let Some(analysis) = self.last_analysis() else { return };
        let ply = self.game.len() - 1;
        self.forget_notes_from(ply);
        self.notes.push(MoveNote { ply, color, played, analysis });
    }

    /// Whether the last move is the engine's own.
    pub(super) fn has_just_moved(&self) -> bool {
        self.notes.last().is_some_and(|note| note.ply + 1 == self.game.len())
    }

    /// Forgets the notes about moves at this ply and later.
    pub(super) fn forget_notes_from(&mut self, ply: usize) {
        self.notes.retain(|note| note.ply < ply);
    }
}
