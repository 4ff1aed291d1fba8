//! The records of a match: `games.jsonl`, SGF files, and the directory that holds them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::files::{in_file, replace};
use crate::base::lines::{Line, LineFile};
use crate::base::text::shortened;
use crate::game::record::{Format, GameResult, How, Property, Record, Winner, write};
use crate::game::{Color, Geometry};
use crate::tools::ToolError;

use super::process::FaultKind;
use super::provenance::Provenance;
use super::referee::{FinishedGame, GameEnding};

/// The name of the file with a line for each game.
pub const GAMES: &str = "games.jsonl";

/// A fault in the record of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// The name of the engine at fault.
    pub engine: String,
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened.
    pub detail: String,
}

/// A game as a line of `games.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The side length.
    #[serde(deserialize_with = "read_side")]
    pub side: usize,
    /// The name of white's engine.
    pub white: String,
    /// The name of black's engine.
    pub black: String,
    /// The moves, beginning with the opening: vertices, and `swap`. White moves first and the colours alternate.
    pub moves: Vec<String>,
    /// Who won.
    pub winner: Winner,
    /// How the game ended: structures joined by `+`, `full board`, `resign`, `solved`, or the kind of a fault.
    pub by: String,
    /// The vertices of the opening, with which `moves` begins.
    pub opening: Vec<String>,
    /// The time of each of `moves`, in seconds; 0 for moves of the opening.
    pub seconds: Vec<f64>,
    /// The number of the game in the match, from 0. The first game of a pair has an even number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<usize>,
    /// The time of a final answer that was not played, such as `resign`, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seconds: Option<f64>,
    /// The loser's fault, if one ended the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultRecord>,
    /// When and where it was played, and by which programs.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Line for GameRecord {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":"];
    const UNIT: &'static str = "game";
    const WRITER: &'static str = "malecon match";
}

fn read_side<'de, D: Deserializer<'de>>(input: D) -> Result<usize, D::Error> {
    let side = usize::deserialize(input)?;
    Geometry::with_side(side).map(|_| side).map_err(D::Error::custom)
}

impl GameRecord {
    /// Creates the record of game number `game`, between engines of these names (white first). `opening` is the number
    /// of moves in the opening.
    pub fn new(
        side: usize,
        players: [&str; 2],
        opening: usize,
        game: usize,
        played: FinishedGame,
        provenance: Provenance,
    ) -> GameRecord {
        let FinishedGame { moves, seconds, last_seconds, ending, .. } = played;
        let round = |seconds: f64| (seconds * 1e6).round() / 1e6;
        let fault = match &ending {
            GameEnding::Fault(color, fault) => Some(FaultRecord {
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
            provenance,
        }
    }

    /// The name of the engine that played a colour.
    pub fn player(&self, color: Color) -> &str {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// The times of a colour's answers to `genmove`, in seconds: its moves, and a final answer that was not played.
    pub fn times(&self, color: Color) -> impl Iterator<Item = f64> + '_ {
        self.timed_moves().filter(move |(ply, _)| ply % 2 == color.index()).map(|(_, seconds)| seconds)
    }

    /// The engines' answers to `genmove`, including a last one that was not played: for each, the number of moves
    /// before it, and its time in seconds. White answers after an even number of moves.
    pub fn timed_moves(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let moves = self.seconds.iter().copied().enumerate().skip(self.opening.len());
        moves.chain(self.last_seconds.map(|seconds| (self.moves.len(), seconds)))
    }

    /// The game as SGF in HavannahGui's style. The game comment names the opening, the programs, and the fault, if any.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn sgf(&self) -> Result<String, ToolError> {
        let board = Geometry::with_side(self.side).map_err(|e| e.to_string())?;
        let moves: Vec<&str> = self.moves.iter().map(String::as_str).collect();
        let mut record = Record::from_words(board, &moves).map_err(|error| format!("move {}: {error}", error.at))?;
        record.players = [Some(self.white.clone()), Some(self.black.clone())];
        record.stated = Some(self.result());
        let Provenance { date, host, .. } = &self.provenance;
        // SGF has dates without a time.
        let day = date.as_ref().and_then(|date| date.split('T').next());
        let known = [("DT", day), ("PC", host.as_deref())].into_iter().filter_map(|(name, text)| Some((name, text?)));
        let properties =
            known.chain([("GC", &*self.comment())]).map(|(name, text)| Property::new(name, text)).collect();
        record.node_mut(0).properties = properties;
        Ok(write(&[record], Format::Sgf))
    }

    fn comment(&self) -> String {
        let mut comment = format!("{} by {}", self.winner, self.by);
        if !self.opening.is_empty() {
            comment += &format!("; opening {}", self.opening.join(" "));
        }
        if let Some([white, black]) = &self.provenance.programs {
            comment += &format!("; programs {white}, {black}");
        }
        if let Some(fault) = &self.fault {
            comment += &format!("; {}: {}", fault.engine, fault.detail);
        }
        comment
    }

    /// The result with its reason: on the board, by resignation, on time, or by another fault.
    fn result(&self) -> GameResult {
        let how = match &self.fault {
            Some(fault) if matches!(fault.kind, FaultKind::TimeForfeit | FaultKind::Silence) => How::Time,
            Some(_) => How::Forfeit,
            None if self.by == "resign" => How::Resignation,
            None => How::Board,
        };
        GameResult { winner: self.winner.color(), how }
    }
}

/// The directory of a match. It holds `match.json` (the settings), `games.jsonl`, and one SGF file per game.
#[derive(Debug)]
pub struct Archive {
    directory: PathBuf,
    games: LineFile,
}

impl Archive {
    /// Opens or creates the directory of a match with these settings. Returns the games that it already holds; there
    /// are none unless the match is resumed.
    ///
    /// # Errors
    /// Returns a one-line message if the directory holds games but `resume` is false, if it holds a match with other
    /// settings, if another process is writing to it, or if it cannot be read or written.
    pub fn open(
        directory: &Path,
        settings: &serde_json::Value,
        resume: bool,
    ) -> Result<(Archive, Vec<GameRecord>), ToolError> {
        fs::create_dir_all(directory).map_err(in_file(directory))?;
        let settings_path = directory.join("match.json");
        let (games, played) = LineFile::open(&directory.join(GAMES), resume)?;
        if !played.is_empty() {
            let text = fs::read_to_string(&settings_path).map_err(in_file(&settings_path))?;
            compare_settings(&settings_path, &text, settings)?;
        }
        let text = serde_json::to_string_pretty(settings).expect("settings are JSON") + "\n";
        replace(&settings_path, text.as_bytes()).map_err(in_file(&settings_path))?;
        Ok((Archive { directory: directory.to_owned(), games }, played))
    }

    /// Saves a finished game: first the SGF file and then the line, so that every game with a line is complete.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), ToolError> {
        let path = self.directory.join(format!("game-{:06}.sgf", record.game.unwrap_or_default() + 1));
        replace(&path, record.sgf()?.as_bytes()).map_err(in_file(&path))?;
        Ok(self.games.add(record)?)
    }
}

/// How much of a setting a message shows, in characters.
const SHOWN: usize = 100;

/// Checks that the settings of a resumed match have not changed.
fn compare_settings(path: &Path, text: &str, settings: &serde_json::Value) -> Result<(), String> {
    let before: serde_json::Value =
        serde_json::from_str(text).map_err(|e| format!("{}: invalid match settings: {e}", path.display()))?;
    let empty = serde_json::Map::new();
    let (before, now) = (before.as_object().unwrap_or(&empty), settings.as_object().unwrap_or(&empty));
    let null = serde_json::Value::Null;
    // Other settings depend on the seed.
    let first = "seed".to_owned();
    for name in std::iter::once(&first).chain(before.keys()).chain(now.keys()) {
        let (before, now) = (before.get(name).unwrap_or(&null), now.get(name).unwrap_or(&null));
        if before != now {
            let [before, now] = [before, now].map(serde_json::Value::to_string);
            let same = before.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
            // What differs is within what is shown.
            let left_out = same.saturating_sub(SHOWN / 2);
            let excerpt = |text: String| match left_out {
                0 => shortened(&text, SHOWN),
                _ => format!("...{}", shortened(&text.chars().skip(left_out).collect::<String>(), SHOWN)),
            };
            let [before, now] = [before, now].map(excerpt);
            return Err(format!("cannot resume the match of {}: {name} was {before} and is now {now}", path.display()));
        }
    }
    Ok(())
}
