//! Plays the games of a match in several threads.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{self, Sender, channel};
use std::thread;

use crate::base::sync::{StopFlag, lock, start_scoped_thread};
use crate::game::{Color, Notation, Vertex};
use crate::tools::ToolError;

use super::openings::Openings;
use super::process::{EngineError, EngineProcess, EngineSpec, FaultKind, POLL};
use super::provenance::Provenance;
use super::record::GameRecord;
use super::referee::{FinishedGame, GameEnding, Note, Rules, play_game, rehearse, walkover};
use super::schedule::{Schedule, Slot};
use super::transcript::{Transcribed, Transcript};

/// The plan of a match.
#[derive(Debug)]
pub struct Match {
    /// The engines: at least two, with different names.
    pub engines: Vec<EngineSpec>,
    /// The rules of every game.
    pub rules: Rules,
    /// The openings.
    pub openings: Openings,
    /// The number of games played at the same time, at least 1.
    pub concurrency: usize,
    /// Whether to restart the engines for every game.
    pub restart: bool,
    /// Where to write what the referee and the engines say during the games.
    pub transcript: Option<Transcript>,
}

/// Why a match cannot begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchError {
    /// The match was stopped.
    Stopped,
    /// Something is wrong with an earlier run, or with an engine.
    Failed(ToolError),
}

impl From<String> for MatchError {
    fn from(reason: String) -> MatchError {
        MatchError::Failed(reason.into())
    }
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchError::Stopped => f.write_str("the match was stopped"),
            MatchError::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MatchError {}

/// Something that happened during a match.
#[derive(Debug)]
pub enum MatchEvent {
    /// An engine refused an optional command. This may recur in every game.
    Note {
        /// The index of the engine.
        engine: usize,
        /// The refused command and the answer.
        note: Note,
    },
    /// A game has ended.
    Game(Box<GameRecord>),
}

impl MatchEvent {
    /// Whether a game has ended because an engine did.
    fn is_end_of_engine(&self) -> bool {
        let MatchEvent::Game(game) = self else { return false };
        game.fault.as_ref().is_some_and(|fault| matches!(fault.kind, FaultKind::Crash | FaultKind::EndOfPipe))
    }
}

/// The numbers of the games that an earlier run of the match has played.
///
/// # Errors
/// If one of them does not belong to this match, or the match was stopped.
pub fn played_games(
    plan: &Match,
    schedule: &Schedule,
    played: &[GameRecord],
    stop: &StopFlag,
) -> Result<HashSet<usize>, MatchError> {
    let mut numbers = HashSet::new();
    for game in played {
        let number = game.game.ok_or_else(|| "a game of the earlier run has no number".to_owned())?;
        let slot = schedule.slot(number).filter(|_| numbers.insert(number)).ok_or_else(|| {
            format!("game {} was recorded twice, or the earlier run had more games than this one", number + 1)
        })?;
        let [white, black] = slot.players.map(|player| &plan.engines[player].name);
        let opening = plan.openings.for_pair(slot.opening, stop).ok_or(MatchError::Stopped)?;
        let opening = Notation::HavannahGui.names(plan.rules.geometry, &opening);
        if (&game.white, &game.black, &game.opening) != (white, black, &opening) {
            return Err(format!(
                "game {} was recorded as {} - {} from '{}', but is {white} - {black} from '{}' in this match",
                number + 1,
                game.white,
                game.black,
                game.opening.join(" "),
                opening.join(" ")
            )
            .into());
        }
    }
    Ok(numbers)
}

/// Starts each engine, sets it up for a game and quits it, so that mistakes in commands and set-up lines are found
/// before the first game. Returns the optional commands that engines refused.
///
/// # Errors
/// If an engine is at fault, or the match was stopped.
pub fn check_engines(plan: &Match, stop: &StopFlag) -> Result<Vec<(usize, Note)>, MatchError> {
    let mut notes = Vec::new();
    for (index, spec) in plan.engines.iter().enumerate() {
        let command = spec.to_command(plan.rules.geometry.side());
        let fault = |trouble| match trouble {
            EngineError::Fault(fault) => MatchError::from(format!("engine '{}': {}", spec.name, fault.detail)),
            EngineError::Stopped => MatchError::Stopped,
        };
        let mut engine = EngineProcess::start(command, plan.rules.silence, stop.clone()).map_err(fault)?;
        notes.extend(rehearse(&plan.rules, &mut engine, &spec.init).map_err(fault)?.into_iter().map(|n| (index, n)));
        engine.quit();
    }
    Ok(notes)
}

/// Plays these games and reports each one when it ends. Abandons the games in progress if `report` breaks or panics, or
/// if `stop` is raised; games that have ended before are still reported. All engines have exited when this returns. If
/// the system does not have enough threads, fewer games are played at a time.
///
/// # Errors
/// If the system has no thread left.
pub fn play_games(
    plan: &Match,
    slots: impl Iterator<Item = Slot> + Send,
    stop: &StopFlag,
    mut report: impl FnMut(MatchEvent) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut slots = slots.peekable();
    if slots.peek().is_none() {
        return Ok(());
    }
    let slots = &Mutex::new(slots);
    // Ends only the threads of this match; `stop` belongs to the caller.
    let halt = StopFlag::new();
    let (sender, events) = channel();
    thread::scope(|scope| {
        for started in 0..plan.concurrency {
            let sender = sender.clone();
            let thread = MatchThread { plan, halt: halt.clone(), running: Vec::new() };
            let play = move || thread.play_all(|| lock(slots).next(), &sender);
            match start_scoped_thread(scope, "games", play) {
                Err(error) if started == 0 => return Err(error),
                Err(error) => {
                    log::warn!("{started} games at a time instead of {}: {error}", plan.concurrency);
                    break;
                }
                Ok(_) => {}
            }
        }
        drop(sender);
        // The scope waits for its threads, even if `report` panics, so these must end.
        let _halted = HaltOnDrop(&halt);
        let mut is_over = false;
        loop {
            let event = match events.recv_timeout(POLL) {
                Ok(event) => Some(event),
                Err(mpsc::RecvTimeoutError::Timeout) => None,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            let is_stopped = stop.is_stopped();
            if let Some(event) = event
                && !is_over
                // What stopped the match may have ended the engine.
                && !(is_stopped && event.is_end_of_engine())
            {
                is_over = report(event).is_break();
            }
            if is_stopped || is_over {
                halt.stop();
            }
        }
        Ok(())
    })
}

/// Ends the threads of a match when it is dropped.
struct HaltOnDrop<'a>(&'a StopFlag);

impl Drop for HaltOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A thread that plays one game after another with its own engines.
struct MatchThread<'a> {
    plan: &'a Match,
    halt: StopFlag,
    /// The running engines, with their indices: at most the two of the last game.
    running: Vec<(usize, EngineProcess)>,
}

impl MatchThread<'_> {
    fn play_all(mut self, next: impl Fn() -> Option<Slot>, events: &Sender<MatchEvent>) {
        while !self.halt.is_stopped()
            && let Some(slot) = next()
            && let Some(opening) = self.plan.openings.for_pair(slot.opening, &self.halt)
            && let Some((played, provenance)) = self.play(&slot, &opening)
        {
            for (engine, notes) in slot.players.into_iter().zip(&played.notes) {
                for note in notes.iter().cloned() {
                    let _ = events.send(MatchEvent::Note { engine, note });
                }
            }
            let plan = self.plan;
            let names = slot.players.map(|player| plan.engines[player].name.as_str());
            let side = plan.rules.geometry.side();
            let record = GameRecord::new(side, names, opening.len(), slot.game, played, provenance);
            if events.send(MatchEvent::Game(Box::new(record))).is_err() {
                break;
            }
        }
        // A stopped match kills its engines without waiting for them to quit.
        if !self.halt.is_stopped() {
            self.running.drain(..).for_each(|(_, engine)| engine.quit());
        }
    }

    /// Plays a game, or returns `None` if the match was stopped.
    fn play(&mut self, slot: &Slot, opening: &[Vertex]) -> Option<(FinishedGame, Provenance)> {
        let rules = &self.plan.rules;
        let mut provenance = Provenance::now();
        let mut engines = match self.seat(slot.players) {
            Ok(engines) => engines,
            Err((color, EngineError::Fault(fault))) => {
                return Some((walkover(rules, color, fault, opening), provenance));
            }
            Err((_, EngineError::Stopped)) => return None,
        };
        provenance.programs = Some(engines.each_ref().map(|engine| engine.program().to_owned()));
        let init = slot.players.map(|player| self.plan.engines[player].init.as_slice());
        let [white, black] = &mut engines;
        let transcribed = |engine, player: usize| {
            let speaker = format!("game {} {}", slot.game + 1, self.plan.engines[player].name);
            Transcribed { player: engine, transcript: self.plan.transcript.as_ref(), speaker }
        };
        let (mut white, mut black) = (transcribed(white, slot.players[0]), transcribed(black, slot.players[1]));
        let played = play_game(rules, [&mut white, &mut black], init, opening, &self.halt)?;
        for (color, (player, engine)) in Color::ALL.into_iter().zip(slot.players.into_iter().zip(engines)) {
            match &played.ending {
                // An engine at fault is killed without waiting for it to quit.
                GameEnding::Fault(faulty, _) if *faulty == color => drop(engine),
                _ if self.plan.restart => engine.quit(),
                _ => self.running.push((player, engine)),
            }
        }
        Some((played, provenance))
    }

    /// The running engines of white and black.
    fn seat(&mut self, players: [usize; 2]) -> Result<[EngineProcess; 2], (Color, EngineError)> {
        let white = self.take_or_start(players, Color::White).map_err(|trouble| (Color::White, trouble))?;
        match self.take_or_start(players, Color::Black) {
            Ok(black) => Ok([white, black]),
            Err(trouble) => {
                self.running.push((players[0], white));
                Err((Color::Black, trouble))
            }
        }
    }

    /// The running engine of a colour. First quits engines that do not take part in this game, so that only engines
    /// that play take memory.
    fn take_or_start(&mut self, players: [usize; 2], color: Color) -> Result<EngineProcess, EngineError> {
        let player = players[color.index()];
        for position in (0..self.running.len()).rev() {
            if !players.contains(&self.running[position].0) {
                self.running.swap_remove(position).1.quit();
            }
        }
        if let Some(position) = self.running.iter().position(|(running, _)| *running == player) {
            return Ok(self.running.swap_remove(position).1);
        }
        let rules = &self.plan.rules;
        let command = self.plan.engines[player].to_command(rules.geometry.side());
        EngineProcess::start(command, rules.silence, self.halt.clone())
    }
}
