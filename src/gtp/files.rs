//! The commands that read and write game records.

use std::path::Path;

use crate::board::Color;
use crate::record::{self, Format, GameResult, How};

use super::commands::Command;
use super::dialect::Dialect;
use super::engine::Engine;
use super::protocol::{Answer, CommandError};
use super::record::{Move, Record};

/// The commands.
pub(super) static COMMANDS: &[Command] = &[
    Command {
        name: "loadsgf",
        arguments: "FILE [MOVE]",
        about: "take the game of a file: its main line to the end, or the position before the move of this number",
        run: loadsgf,
    },
    Command {
        name: "savesgf",
        arguments: "FILE",
        about: "write the game to a file, with the variations of the file that it came from; .hgf as Little Golem does",
        run: savesgf,
    },
    Command {
        name: "printsgf",
        arguments: "",
        about: "the game as savesgf writes it; with the option annotate, win rate and playouts as comments",
        run: printsgf,
    },
];

/// What a search found about a move that was played.
#[derive(Clone, Debug)]
pub(super) struct Thought {
    /// How many moves were played before it.
    pub ply: usize,
    pub color: Color,
    pub played: Move,
    pub win_rate: f64,
    pub playouts: u64,
}

impl Thought {
    fn comment(&self) -> String {
        format!("{} wins {:.1} %, {} playouts", self.color, 100.0 * self.win_rate, self.playouts)
    }
}

/// The first game of a file.
fn read(path: &str) -> Result<record::Record, CommandError> {
    let refused = |reason: &dyn std::fmt::Display| CommandError::new(format!("cannot load {path}: {reason}"));
    let bytes = std::fs::read(path).map_err(|error| refused(&error))?;
    let games = record::read(&bytes, format_of_name(path).filter(|&format| format == Format::Hgf));
    let games = games.map_err(|error| CommandError::new(format!("cannot load {path}:{error}")))?;
    games.into_iter().next().ok_or_else(|| refused(&"no game in it"))
}

/// The format that a file's name stands for.
fn format_of_name(path: &str) -> Option<Format> {
    let extension = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "hgf" => Some(Format::Hgf),
        "jsonl" => Some(Format::JsonLines),
        _ => None,
    }
}

fn loadsgf(engine: &mut Engine, arguments: &[&str]) -> Answer {
    engine.load(arguments[0], arguments.get(1).copied())?;
    Ok(String::new())
}

fn moves_before(loaded: &record::Record, number: &str) -> Result<Vec<(Color, Move)>, CommandError> {
    let moves = number.parse().ok().and_then(|number| loaded.moves_before(number));
    moves.ok_or_else(|| {
        let most = loaded.play_count() + 1;
        CommandError::new(format!("MOVE '{number}' is not in the game: a number from 1 to {most} is wanted"))
    })
}

fn resignation(loaded: &record::Record) -> Option<(Color, Move)> {
    let resigned = loaded.stated.filter(|stated| stated.how == How::Resignation && loaded.game().outcome().is_none());
    resigned.and_then(|stated| stated.winner).map(|winner| (!winner, Move::Resign))
}

fn savesgf(engine: &mut Engine, arguments: &[&str]) -> Answer {
    engine.save(arguments[0])?;
    Ok(String::new())
}

fn printsgf(engine: &mut Engine, _: &[&str]) -> Answer {
    Ok(format!("\n{}", record::write(&[engine.to_record()], sgf_format(engine))))
}

/// The SGF that the program at the other end reads.
fn sgf_format(engine: &Engine) -> Format {
    match engine.options.gui {
        Dialect::GoGui => Format::GoGui,
        Dialect::HavannahGui | Dialect::LittleGolem => Format::Sgf,
    }
}

impl Engine {
    /// Takes the first game of a file: its main line to the end, or to the position before the move of this number.
    ///
    /// # Errors
    /// If the file cannot be read or is broken, or there is no such move; nothing has changed then.
    pub fn load(&mut self, path: &str, before: Option<&str>) -> Result<(), CommandError> {
        let loaded = read(path)?;
        let moves = match before {
            Some(number) => moves_before(&loaded, number)?,
            None => loaded.moves().into_iter().chain(resignation(&loaded)).collect(),
        };
        let mut record = Record::new(loaded.board(), true);
        for &(color, m) in &moves {
            // Files may hold passes after the end of a game, in whatever dialect they are read.
            record.play(color, m, Dialect::GoGui)?;
        }
        record.allow_swap(self.options.swap);
        self.start_game(loaded.board());
        self.record = record;
        self.loaded = Some(loaded);
        Ok(())
    }

    /// Writes the game to a file, with the variations of the file that it came from: as Little Golem does if the name
    /// ends with `.hgf`, as JSON if it ends with `.jsonl`, else as SGF for the program at the other end.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &str) -> Result<(), CommandError> {
        let format = format_of_name(path).unwrap_or_else(|| sgf_format(self));
        let text = record::write(&[self.to_record()], format);
        std::fs::write(path, text).map_err(|error| CommandError::new(format!("cannot save {path}: {error}")))
    }

    /// Keeps what the last search found about the move that was just played.
    pub(super) fn keep_thought(&mut self, color: Color, played: Move) {
        let Some(report) = &self.report else { return };
        let ply = self.record.moves().len() - 1;
        let (win_rate, playouts) = (report.win_rate, report.simulations);
        self.forget_thoughts(ply);
        self.thoughts.push(Thought { ply, color, played, win_rate, playouts });
    }

    /// Forgets thoughts about moves after so many.
    pub(super) fn forget_thoughts(&mut self, plies: usize) {
        self.thoughts.retain(|thought| thought.ply < plies);
    }

    /// The game, within the tree of the file that it was loaded from.
    fn to_record(&self) -> record::Record {
        let all = self.record.moves();
        let moves: Vec<_> = all.iter().copied().filter(|(_, m)| !matches!(m, Move::Pass | Move::Resign)).collect();
        let fresh = || record::Record::new(self.record.game().geometry());
        let mut record = self.loaded.clone().unwrap_or_else(fresh);
        let path = record.follow(&moves).unwrap_or_else(|| {
            record = fresh();
            record.follow(&moves).expect("every game continues an empty record")
        });
        record.stated = self.result();
        if let Some(loser) = self.record.resigned()
            && record.moves().len() > moves.len()
        {
            // What the file has after this stays as a variation.
            record.follow(&[&moves[..], &[(loser, Move::Resign)]].concat());
        }
        for thought in self.thoughts.iter().filter(|thought| thought.ply < path.len()) {
            if all[thought.ply] != (thought.color, thought.played) {
                continue;
            }
            record.players[thought.color.index()].get_or_insert_with(|| NAME.into());
            if self.options.annotate {
                record.node_mut(path[thought.ply]).add_comment(&thought.comment());
            }
        }
        record
    }

    /// The result of the game; before its end that of the file, as long as the game is the one in the file.
    fn result(&self) -> Option<GameResult> {
        if let Some(winner) = self.record.result() {
            let how = if self.record.resigned().is_some() { How::Resignation } else { How::Board };
            return Some(GameResult { winner, how });
        }
        let loaded = self.loaded.as_ref()?;
        let (all, now) = (loaded.moves(), self.record.moves());
        let taken_back = all == now && resignation(loaded).is_some();
        loaded.stated.filter(|_| all.starts_with(&now) && !taken_back)
    }
}

/// The name of this engine in records.
const NAME: &str = concat!("Malecon ", env!("CARGO_PKG_VERSION"));
