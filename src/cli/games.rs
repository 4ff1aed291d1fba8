//! The games in the files that a command is given.

use std::io;
use std::path::Path;

use malecon::base::files::{self, in_file};
use malecon::game::record::{Hints, Record, read_each};

use super::failure::Failure;
use super::output::report_error;

/// The largest file of games that is read, in bytes: there may be a hundred thousand games in it.
const MAX_GAMES: u64 = 1 << 30;

/// The most nodes and values, or moves, of a file: as many as there may be in a large collection of ordinary games.
const MOST_PARTS: usize = 20_000_000;

/// Reads files of games. Errors are reported as they are found, and the command goes on with the other games.
#[derive(Default)]
pub struct GameReader {
    /// Whether an error was reported.
    pub is_broken: bool,
}

impl GameReader {
    /// Reports an error.
    pub fn report(&mut self, error: String) {
        report_error(error);
        self.is_broken = true;
    }

    /// A result. An error is reported, and the default returned in its place.
    pub fn or_report<T: Default>(&mut self, result: Result<T, String>) -> T {
        result.unwrap_or_else(|error| {
            self.report(error);
            T::default()
        })
    }

    /// The games of a file, or of the standard input for `-`, with `None` in the place of each that cannot be read.
    pub fn read(&mut self, file: &Path, hints: Hints) -> Vec<Option<Record>> {
        let bytes = match file.to_str() {
            Some("-") => files::read_to_end(io::stdin(), MAX_GAMES),
            _ => files::read_stream(file, MAX_GAMES),
        };
        let hints = Hints { most_parts: MOST_PARTS, ..hints };
        let at = |error| format!("{}:{error}", file.display());
        let games = bytes.map_err(in_file(file)).and_then(|bytes| read_each(&bytes, hints).map_err(at));
        let games = self.or_report(games);
        games.into_iter().map(|game| self.or_report(game.map(Some).map_err(at))).collect()
    }

    /// The result of the command: `done`, or [`Failure::Reported`] if an error was reported.
    pub fn end(&self, done: Result<(), Failure>) -> Result<(), Failure> {
        done.and(if self.is_broken { Err(Failure::Reported) } else { Ok(()) })
    }
}

/// The games, or the one of this number, counted from 1.
pub fn pick<T>(mut games: Vec<T>, number: Option<usize>) -> Result<Vec<T>, String> {
    let Some(number) = number else { return Ok(games) };
    let count = games.len();
    let index = number.checked_sub(1).filter(|&index| index < count);
    let index = index.ok_or_else(|| format!("there is no game {number} (expected 1..{count})"))?;
    Ok(vec![games.swap_remove(index)])
}

/// Warns if it is doubtful how a game is meant, or if its result is not the stated one. `what` names the game.
pub fn warn(what: &str, game: &Record) {
    if let Some(note) = &game.note {
        eprintln!("warning: {what}: {note}");
    }
    if let Some(stated) = game.contradiction() {
        let by = game.by().unwrap_or_default();
        let winner = winner_of(game);
        eprintln!("warning: {what}: the stated result is {stated}, but the game ended by {by} ({winner})");
    }
}

/// Who won a game, in words.
pub fn winner_of(game: &Record) -> String {
    match game.result().map(|result| result.winner) {
        None => "not over".into(),
        Some(None) => "draw".into(),
        Some(Some(color)) => format!("{color} won"),
    }
}
