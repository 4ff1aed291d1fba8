//! A match in progress: counts and saves the games, and shows the user the state of the match.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use malecon::tools::arena::record::{Archive, GameRecord};
use malecon::tools::arena::referee::Note;
use malecon::tools::arena::report::{MatchReport, SprtReport, elo_and_error};
use malecon::tools::arena::runner::{Match, MatchEvent};
use malecon::tools::arena::statistics::{Decision, Estimate, Sprt};
use malecon::tools::arena::tally::{EngineTally, Tally};

use crate::cli::bar::Bar;

use super::live_page::LivePage;

/// How often to print the state of the match if stderr is not a terminal.
const STATUS_EVERY: Duration = Duration::from_secs(60);

/// The least time between two messages of the progress bar.
const MESSAGE_EVERY: Duration = Duration::from_millis(200);

/// The state of a match, shown as a progress bar or, without a terminal, as a line every minute.
pub struct Progress<'a> {
    plan: &'a Match,
    title: String,
    sprt: Option<Sprt>,
    archive: Option<Archive>,
    quiet: bool,
    /// The number of games in the whole match.
    games: usize,
    tally: Tally,
    page: Option<LivePage>,
    bar: Bar,
    last_status: Instant,
    /// When the message of the bar was last made. Making it takes time if openings repeat, while games may take hardly
    /// any.
    last_message: Option<Instant>,
    noted: HashSet<(usize, &'static str)>,
    /// The error that prevents games from being saved.
    error: Option<String>,
}

impl<'a> Progress<'a> {
    /// The state of a match of `games` games, of which `played` were played earlier and are on the `page` already.
    pub fn new(
        plan: &'a Match,
        title: String,
        sprt: Option<Sprt>,
        games: usize,
        played: &[GameRecord],
        page: Option<LivePage>,
    ) -> Progress<'a> {
        let mut tally = Tally::new(plan.engines.iter().map(|engine| engine.name.as_str()));
        played.iter().for_each(|game| tally.add(game));
        Progress {
            plan,
            title,
            sprt,
            archive: None,
            quiet: false,
            games,
            tally,
            page,
            bar: Bar::hidden(),
            last_status: Instant::now(),
            last_message: None,
            noted: HashSet::new(),
            error: None,
        }
    }

    /// Starts to show the progress, unless `quiet`, and to save the games in the archive.
    pub fn begin(&mut self, archive: Option<Archive>, quiet: bool) {
        self.archive = archive;
        self.quiet = quiet;
        if quiet {
            return;
        }
        self.bar = Bar::with_line_below(self.games as u64, "games");
        self.bar.start_at(self.tally.games);
        self.show_status();
        self.bar.redraw_every_second();
        if self.tally.games > 0 {
            self.print(&format!("continuing after {} games", self.tally.games));
        }
    }

    /// Prints a line above the progress bar. A failure to print does not end the match.
    fn print(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Notes that an engine refused a command, once for each engine and command.
    pub fn note(&mut self, engine: usize, note: &Note) {
        let Note { command, answer } = note;
        if !self.noted.insert((engine, *command)) {
            return;
        }
        let spec = &self.plan.engines[engine];
        let (kind, hint) = match *command {
            "set_option simulations" => ("WARNING", "; its own settings decide how long it thinks"),
            "set_option swap" if spec.init.is_empty() => {
                ("WARNING", "; it was not told of the pie rule and may never swap (--init sends a command of its own)")
            }
            "set_option swap" => ("note", "; unless an --init line tells it of the pie rule, it may never swap"),
            "time_settings" if spec.init.is_empty() => ("WARNING", ", and no --init line sets its time per move"),
            _ => ("note", ""),
        };
        self.print(&format!("{kind}: {} does not support {command} ('? {answer}'){hint}", spec.name));
    }

    /// Handles an event. Breaks if the match is decided or the games cannot be saved.
    pub fn event(&mut self, event: MatchEvent) -> ControlFlow<()> {
        match event {
            MatchEvent::Note { engine, note } => {
                self.note(engine, &note);
                ControlFlow::Continue(())
            }
            MatchEvent::Game(game) => self.game(&game),
        }
    }

    fn game(&mut self, game: &GameRecord) -> ControlFlow<()> {
        if let Some(archive) = &mut self.archive
            && let Err(error) = archive.add(game)
        {
            self.error = Some(error.into());
            return ControlFlow::Break(());
        }
        self.tally.add(game);
        if let Some(fault) = &game.fault {
            let number = game.game.unwrap_or_default() + 1;
            self.print(&format!("game {number}: {} lost by {}: {}", fault.engine, fault.kind, fault.detail));
        }
        self.bar.inc(1);
        self.show_status();
        self.show_on_page(game);
        if self.decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds a game to the page and writes it, if it is time. The games are worth more: if the page cannot be written,
    /// the match goes on.
    fn show_on_page(&mut self, game: &GameRecord) {
        let Some(page) = &mut self.page else { return };
        page.add(game);
        if page.is_due()
            && let Err(error) = self.write_page()
        {
            self.print(&format!("WARNING: the page is not up to date: {error}"));
        }
    }

    /// Writes the page of the running match, if it has one.
    ///
    /// # Errors
    /// Returns a one-line message if it cannot be written.
    pub fn write_page(&mut self) -> Result<(), String> {
        let report = self.report(false);
        self.page.as_mut().map_or(Ok(()), |page| page.write(&report, true))
    }

    fn report(&self, is_incomplete: bool) -> MatchReport {
        MatchReport::new(self.title.clone(), &self.tally, Some(self.games), is_incomplete, self.sprt)
    }

    /// Whether the sequential test has decided the match.
    pub fn decided(&self) -> bool {
        self.sprt.is_some_and(|test| SprtReport::new(test, &self.tally).decision != Decision::Undecided)
    }

    fn show_status(&mut self) {
        if self.bar.is_hidden() && !self.quiet && self.last_status.elapsed() >= STATUS_EVERY {
            self.print(&format!("{}/{} games  {}  {}", self.tally.games, self.games, self.score(), self.strength()));
            self.last_status = Instant::now();
        }
        if !self.bar.is_hidden() && self.last_message.is_none_or(|last| last.elapsed() >= MESSAGE_EVERY) {
            self.bar.set_message(&format!("{}  {}", self.score(), self.strength()));
            self.last_message = Some(Instant::now());
        }
    }

    /// The score of two engines against each other; of more engines, the points and games of each.
    fn score(&self) -> String {
        let points = |engine: &EngineTally| engine.results().points();
        match &self.tally.engines[..] {
            [first, second] => format!("{} {} - {} {}", first.name, points(first), points(second), second.name),
            engines => {
                let each = engines.iter().map(|e| format!("{} {}/{}", e.name, points(e), e.results().games()));
                each.collect::<Vec<_>>().join("  ")
            }
        }
    }

    /// The estimated strength of the first of two engines, and the state of the sequential test.
    fn strength(&self) -> String {
        let mut parts = Vec::new();
        if let [first, _] = &self.tally.engines[..]
            && let Some(estimate) = Estimate::new(&first.pairs)
        {
            parts.push(format!("Elo {}  LOS {:.1} %", elo_and_error(&estimate), 100.0 * estimate.los));
        }
        if let Some(test) = self.sprt {
            let SprtReport { llr, lower, upper, .. } = SprtReport::new(test, &self.tally);
            parts.push(format!("LLR {llr:.2} ({lower:.2}, {upper:.2})"));
        }
        parts.join("  ")
    }

    /// Removes the progress bar and writes the page for the last time. Returns the report, and the error if a game or
    /// the page could not be saved.
    pub fn end(mut self, interrupted: bool) -> (MatchReport, Option<String>) {
        self.bar.clear();
        let report = self.report(interrupted || self.error.is_some());
        let written = self.page.as_mut().map_or(Ok(()), |page| page.write(&report, false));
        (report, self.error.or(written.err()))
    }
}
