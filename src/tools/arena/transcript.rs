//! What the referee and the engines say to each other, as a file.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::base::files::{LockedFile, cut_off, in_file};
use crate::base::sync::lock;
use crate::tools::ToolError;

use super::process::{EngineError, Player, Reply};

/// A file with all commands and answers of a match, in the order in which they came. Each line has the seconds since
/// the start, the number of the game, from 1, the engine, `>` for what was sent to it or `<` for what it answered, and
/// the text.
#[derive(Debug)]
pub struct Transcript {
    file: Mutex<LockedFile>,
    start: Instant,
}

impl Transcript {
    /// Opens the file. It is created if need be. What it holds of an earlier run stays if the match `goes_on`, and is
    /// removed otherwise.
    ///
    /// # Errors
    /// If the file cannot be written, or another process is writing to it.
    pub fn open(path: &Path, goes_on: bool) -> Result<Transcript, ToolError> {
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(in_file(path))?;
        let file = LockedFile::new(file).map_err(in_file(path))?;
        if !goes_on && file.metadata().is_ok_and(|data| data.is_file()) {
            cut_off(&file, path, 0).map_err(in_file(path))?;
        }
        Ok(Transcript { file: Mutex::new(file), start: Instant::now() })
    }

    fn write(&self, speaker: &str, arrow: char, text: &str) {
        let seconds = self.start.elapsed().as_secs_f64();
        let lines: String = text.lines().map(|line| format!("{seconds:.3} {speaker} {arrow} {line}\n")).collect();
        if let Err(error) = lock(&self.file).write_all(lines.as_bytes()) {
            log::warn!("cannot write the transcript: {error}");
        }
    }
}

/// An engine whose conversation is written to a transcript, if there is one.
#[derive(Debug)]
pub struct Transcribed<'a, P> {
    /// The engine.
    pub player: &'a mut P,
    /// The transcript.
    pub transcript: Option<&'a Transcript>,
    /// The game and the engine's name.
    pub speaker: String,
}

impl<P: Player> Player for Transcribed<'_, P> {
    fn ask(&mut self, command: &str, bound: Duration) -> Result<Reply, EngineError> {
        let Some(transcript) = self.transcript else { return self.player.ask(command, bound) };
        transcript.write(&self.speaker, '>', command);
        let reply = self.player.ask(command, bound);
        let answer = match &reply {
            Ok(Reply { answer: Ok(text), .. }) => format!("= {text}"),
            Ok(Reply { answer: Err(text), .. }) => format!("? {text}"),
            Err(error) => format!("({error})"),
        };
        transcript.write(&self.speaker, '<', answer.trim_end());
        reply
    }
}
