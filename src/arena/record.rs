//! Records of games: lines of `games.jsonl`, SGF files, and the directory that holds those of one match.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::board::{Color, Geometry};
use crate::record::{Format, GameResult, How, Property, Record, Winner, write};

use super::process::FaultKind;
use super::referee::{Ending, Played};

/// A fault as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// The name of the engine.
    pub engine: String,
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, in words.
    pub detail: String,
}

/// A game as a line of `games.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The side length.
    pub side: usize,
    /// The name of white's engine.
    pub white: String,
    /// The name of black's engine.
    pub black: String,
    /// Vertices in the order of play, the opening's first, and `swap`; white plays the first and the colours alternate.
    pub moves: Vec<String>,
    /// Who won.
    pub winner: Winner,
    /// How the game ended: structures joined by `+`, `full board`, `resign`, or the kind of a fault.
    pub by: String,
    /// The opening's vertices, with which `moves` begins.
    pub opening: Vec<String>,
    /// The time of each of `moves` in seconds, 0 for the opening's.
    pub seconds: Vec<f64>,
    /// The number of the game in the match, from 0: of the two games of a pair the first is even.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<usize>,
    /// The time of a last answer that did not become a move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seconds: Option<f64>,
    /// What the loser did wrong, if the game ended so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultRecord>,
}

impl GameRecord {
    /// The record of a game between engines of these names.
    pub fn new(side: usize, players: [&str; 2], opening: usize, game: usize, played: Played) -> GameRecord {
        let Played { moves, seconds, last_seconds, ending, .. } = played;
        let round = |seconds: f64| (seconds * 1e6).round() / 1e6;
        let fault = match &ending {
            Ending::Fault(color, fault) => Some(FaultRecord {
                engine: players[color.index()].to_owned(),
                kind: fault.kind,
                detail: fault.detail.clone(),
            }),
            _ => None,
        };
        GameRecord {
            side,
            white: players[0].to_owned(),
            black: players[1].to_owned(),
            opening: moves[..opening.min(moves.len())].to_vec(),
            moves,
            winner: ending.winner().into(),
            by: ending.by(),
            seconds: seconds.into_iter().map(round).collect(),
            game: Some(game),
            last_seconds: last_seconds.map(round),
            fault,
        }
    }

    /// The name of a colour's engine.
    pub fn player(&self, color: Color) -> &str {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// The times that an engine took, in seconds: its moves', and its last answer's where that became no move.
    pub fn times(&self, color: Color) -> impl Iterator<Item = f64> + '_ {
        let own = move |ply: usize| ply % 2 == color.index();
        let opening = self.opening.len();
        let moves = self.seconds.iter().enumerate().skip(opening).filter(move |&(ply, _)| own(ply)).map(|(_, &s)| s);
        moves.chain(self.last_seconds.filter(|_| own(self.moves.len())))
    }

    /// The game as SGF as HavannahGui reads it, with the opening and what went wrong in the comment.
    ///
    /// # Errors
    /// If the moves are not those of a game.
    pub fn sgf(&self) -> Result<String, String> {
        let board = Geometry::of(self.side).map_err(|e| e.to_string())?;
        let moves: Vec<&str> = self.moves.iter().map(String::as_str).collect();
        let mut record =
            Record::of_words(board, &moves).map_err(|(number, reason)| format!("move {number}: {reason}"))?;
        record.players = [Some(self.white.clone()), Some(self.black.clone())];
        record.stated = Some(self.result());
        record.node_mut(0).properties.push(Property::new("GC", &self.comment()));
        Ok(write(&[record], Format::Sgf))
    }

    fn comment(&self) -> String {
        let mut comment = format!("{} by {}", self.winner_name(), self.by);
        if !self.opening.is_empty() {
            comment += &format!("; opening {}", self.opening.join(" "));
        }
        if let Some(fault) = &self.fault {
            comment += &format!("; {}: {}", fault.engine, fault.detail);
        }
        comment
    }

    /// The winner, and how if not on the board: resignation, time, another fault.
    fn result(&self) -> GameResult {
        let how = match &self.fault {
            Some(fault) if matches!(fault.kind, FaultKind::TimeForfeit | FaultKind::Silence) => How::Time,
            Some(_) => How::Forfeit,
            None if self.by == "resign" => How::Resignation,
            None => How::Board,
        };
        GameResult { winner: self.winner.color(), how }
    }

    fn winner_name(&self) -> &'static str {
        match self.winner {
            Winner::White => "white",
            Winner::Black => "black",
            Winner::Draw => "draw",
        }
    }
}

/// Reads games, one a line. What a kill left of a last line, without its end, is left out; the length in bytes of
/// what was read comes too.
///
/// # Errors
/// A line that names the file, the line in it, and the reason.
pub fn read_games(path: &Path) -> Result<(Vec<GameRecord>, u64), String> {
    let text = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let length = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut games = Vec::new();
    for (number, line) in text[..length].split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let game: GameRecord = serde_json::from_slice(line)
            .map_err(|e| format!("{}, line {}: not the record of a game: {e}", path.display(), number + 1))?;
        games.push(game);
    }
    Ok((games, length as u64))
}

/// The directory with the records of a match: `match.json` with its settings, `games.jsonl`, and an SGF file a game.
pub struct Archive {
    directory: PathBuf,
    games: File,
}

impl Archive {
    /// Opens a directory for a match with these settings, and returns the games that it holds already: none, unless
    /// the match is to be resumed.
    ///
    /// # Errors
    /// A line that says why not: it holds a match that is not to be resumed, or one with other settings; another
    /// process is at it; it cannot be read or written.
    pub fn open(
        directory: &Path,
        settings: &serde_json::Value,
        resume: bool,
    ) -> Result<(Archive, Vec<GameRecord>), String> {
        let error = |path: &Path, e: io::Error| format!("{}: {e}", path.display());
        fs::create_dir_all(directory).map_err(|e| error(directory, e))?;
        let path = directory.join("games.jsonl");
        let settings_path = directory.join("match.json");
        let games = OpenOptions::new().create(true).append(true).open(&path).map_err(|e| error(&path, e))?;
        if let Err(fs::TryLockError::WouldBlock) = games.try_lock() {
            return Err(format!("another match is writing to {}", directory.display()));
        }
        let (played, length) = read_games(&path)?;
        if !played.is_empty() && !resume {
            let directory = directory.display();
            return Err(format!("{directory} holds {} games already: --resume goes on with them", played.len()));
        }
        if !played.is_empty() {
            let text = fs::read_to_string(&settings_path).map_err(|e| error(&settings_path, e))?;
            compare_settings(&settings_path, &text, settings)?;
        }
        games.set_len(length).map_err(|e| error(&path, e))?;
        let text = serde_json::to_string_pretty(settings).expect("settings are JSON") + "\n";
        replace(&settings_path, text.as_bytes()).map_err(|e| error(&settings_path, e))?;
        Ok((Archive { directory: directory.to_owned(), games }, played))
    }

    /// Keeps a finished game: its SGF file first, then its line in a single write, so that a game with a line is whole.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), String> {
        let path = self.directory.join(format!("game-{:06}.sgf", record.game.unwrap_or_default() + 1));
        fs::write(&path, record.sgf()?).map_err(|e| format!("{}: {e}", path.display()))?;
        let line = serde_json::to_string(record).expect("a record is JSON") + "\n";
        let written = self.games.write_all(line.as_bytes()).and_then(|()| self.games.flush());
        written.map_err(|e| format!("{}: {e}", self.directory.join("games.jsonl").display()))
    }
}

/// Checks that the settings of a match to be resumed are those that it was begun with.
fn compare_settings(path: &Path, text: &str, settings: &serde_json::Value) -> Result<(), String> {
    let before: serde_json::Value =
        serde_json::from_str(text).map_err(|e| format!("{}: not the settings of a match: {e}", path.display()))?;
    let empty = serde_json::Map::new();
    let (before, now) = (before.as_object().unwrap_or(&empty), settings.as_object().unwrap_or(&empty));
    let null = serde_json::Value::Null;
    for name in before.keys().chain(now.keys()) {
        let (before, now) = (before.get(name).unwrap_or(&null), now.get(name).unwrap_or(&null));
        if before != now {
            return Err(format!(
                "this is not the match that {} was begun with: {name} was {before} and is {now} now",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Writes a file so that it is there whole or as it was before.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, content)?;
    fs::rename(&new, path)
}
