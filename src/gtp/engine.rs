//! The state behind the commands: the game, the clocks, the search and the options.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::board::{Color, Game, Geometry, Notation, SideError, Vertex};
use crate::options::{OptionError, OptionInfo, canonical_name};
use crate::search::{self, Clock, Limits, MoveReport, Report, Searcher, Verdict};
use crate::time::Instant;

use super::commands;
use super::dialect::Dialect;
use super::files::Thought;
use super::live::Live;
use super::options::{Options, Seed};
use super::protocol::{self, CommandError};
use super::record::{Move, Record};
use super::suggest::did_you_mean;

/// How an engine starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The board.
    pub board: &'static Geometry,
    /// The options of the GTP engine.
    pub options: Options,
    /// The options of the search.
    pub search: search::Options,
    /// Whether `showboard` may use a terminal's colours.
    pub color: bool,
    /// Whether a running search is told of in a line on stderr, which has to be a terminal.
    pub status_line: bool,
}

impl Settings {
    /// Default options on a board of this side length.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn on_side(side: usize) -> Result<Settings, SideError> {
        let board = Geometry::of(side)?;
        Ok(Settings {
            board,
            options: Options::default(),
            search: search::Options::default(),
            color: false,
            status_line: false,
        })
    }

    /// Sets an option of the GTP engine or of the search by its name.
    ///
    /// # Errors
    /// If there is no such option or the value is not in its range; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        set_option(&mut self.options, &mut self.search, name, value)
    }

    /// All options: those of the GTP engine, then those of the search.
    pub fn list(&self) -> Vec<OptionInfo> {
        list_options(&self.options, &self.search)
    }
}

impl Default for Settings {
    /// Default options on a board of side length 8.
    fn default() -> Settings {
        Settings::on_side(8).expect("8 is a legal side length")
    }
}

fn list_options(options: &Options, search: &search::Options) -> Vec<OptionInfo> {
    options.list().into_iter().chain(search.list()).collect()
}

/// Sets an option in whichever of the two sets has it. Case does not matter, nor whether words are joined by `-` or `_`.
fn set_option(
    options: &mut Options,
    search: &mut search::Options,
    name: &str,
    value: &str,
) -> Result<(), CommandError> {
    let key = canonical_name(name);
    let result = match options.set(&key, value) {
        Err(OptionError::Unknown(_)) => search.assign(&key, value),
        other => other,
    };
    result.map_err(|error| match error {
        OptionError::Unknown(_) => {
            let all = list_options(options, search);
            let near = did_you_mean(&key, all.iter().map(|o| o.name));
            CommandError::new(format!("unknown option '{name}'{near} (list_options lists all)"))
        }
        _ => CommandError::from(error),
    })
}

/// A GTP engine without its streams: give it lines, get answers.
///
/// Takes no memory worth the name and starts no thread before its first search.
pub struct Engine {
    pub(super) record: Record,
    pub(super) clock: Clock,
    pub(super) options: Options,
    pub(super) report: Option<Report>,
    /// What the report is about.
    searched: Option<Searched>,
    pub(super) color: bool,
    status_line: bool,
    pub(super) quit: bool,
    /// The game that was loaded, with what this has beside the moves.
    pub(super) loaded: Option<crate::record::Record>,
    /// What was thought about moves of this game, in their order.
    pub(super) thoughts: Vec<Thought>,
    searcher: Searcher,
    stop: Arc<AtomicBool>,
}

impl Engine {
    /// An engine with an empty board.
    pub fn new(settings: Settings) -> Engine {
        let seed = pick_seed(settings.options.seed);
        let mut engine = Engine {
            record: Record::new(settings.board, settings.options.swap),
            clock: Clock::default(),
            options: settings.options,
            report: None,
            searched: None,
            color: settings.color,
            status_line: settings.status_line,
            quit: false,
            loaded: None,
            thoughts: Vec::new(),
            searcher: Searcher::new(settings.search, seed),
            stop: Arc::default(),
        };
        engine.apply_options();
        engine
    }

    /// Set this while a search runs to end it early with the best move so far. The engine never resets it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether `quit` was received.
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Carries out the command of a line and returns its answer, the empty line at the end included; `None` for a
    /// line without a command. Control characters are expected to have been taken out
    /// ([`clean`](super::protocol::clean)).
    pub fn answer(&mut self, line: &str) -> Option<String> {
        let request = protocol::parse(line)?;
        let answer = commands::run(self, request.command, &request.arguments);
        Some(protocol::format(request.id, &answer))
    }

    /// As [`Engine::answer`], with the answer in parts: the text, or why the command was refused. A line without a command
    /// answers with an empty text.
    ///
    /// # Errors
    /// If the command was refused; it has changed nothing then.
    pub fn ask(&mut self, line: &str) -> protocol::Answer {
        match protocol::parse(line) {
            Some(request) => commands::run(self, request.command, &request.arguments),
            None => Ok(String::new()),
        }
    }

    /// The game, with what was played.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The dialect that is spoken now.
    pub fn dialect(&self) -> Dialect {
        self.options.gui
    }

    pub(super) fn notation(&self) -> Notation {
        self.options.gui.notation()
    }

    /// Empties the board, on this geometry.
    pub(super) fn start_game(&mut self, geometry: &'static Geometry) {
        self.record = Record::new(geometry, self.options.swap);
        self.clock.restart();
        self.searcher.clear();
        self.report = None;
        self.searched = None;
        self.loaded = None;
        self.thoughts.clear();
    }

    /// The options that have an effect under the present method.
    pub(super) fn list_options(&self) -> Vec<OptionInfo> {
        self.options.list().into_iter().chain(self.searcher.options().applicable()).collect()
    }

    pub(super) fn search_options(&self) -> &search::Options {
        self.searcher.options()
    }

    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let (before, mut search) = (self.options.clone(), self.searcher.options().clone());
        set_option(&mut self.options, &mut search, name, value)?;
        if name.eq_ignore_ascii_case("seed") {
            self.searcher = Searcher::new(search, pick_seed(self.options.seed));
        } else if search != *self.searcher.options() {
            self.searcher.set_options(search);
            // The next picture is to show what is found with these options.
            self.searched = None;
        }
        if self.options != before {
            self.apply_options();
        }
        Ok(())
    }

    fn apply_options(&mut self) {
        self.record.allow_swap(self.options.swap);
        self.clock.set_overhead(Duration::from_millis(self.options.overhead));
    }

    /// Thinks about the next move of a colour, whose turn it need not be, in a game that is not over.
    pub(super) fn think(&mut self, color: Color) -> &Report {
        let limits = self.limits(color);
        self.search(color, &limits)
    }

    /// Searches for the next move of a colour, telling of the progress where that is wanted.
    fn search(&mut self, color: Color, limits: &Limits) -> &Report {
        let mut game = self.record.game().clone();
        game.set_to_move(color);
        log::debug!("{color} thinks within {limits:?}");
        let mut live = Live::new(&game, self.notation(), self.options.live_gfx, self.status_line);
        let is_wanted = live.is_wanted();
        let mut show = |report: &Report| live.show(report);
        let observer: Option<search::Observer<'_>> = if is_wanted { Some(&mut show) } else { None };
        let report = self.searcher.search_observed(&game, limits, &self.stop, observer);
        live.end();
        log::info!(
            "{} playouts in {:.3} s, {color} wins {:.3} with {}",
            report.simulations,
            report.elapsed.as_secs_f64(),
            report.win_rate,
            self.notation().name(game.geometry(), report.best)
        );
        self.searched = Some(Searched::of(&game, color));
        self.report.insert(report)
    }

    /// A search to look at: the last one, if it was about this position or has led to it with the move it found best;
    /// else a short one that is made now. `None` when the game is over and the last search was about another position.
    pub(super) fn insight(&mut self) -> Option<Insight<'_>> {
        let game = self.record.game();
        let (is_over, now) = (game.outcome().is_some(), Searched::of(game, game.to_move()));
        let played = self.has_played_its_best(&now.stones);
        if !played && is_over {
            return None;
        }
        if !played && self.searched.as_ref() != Some(&now) {
            let simulations = (self.options.simulations > 0).then_some(self.options.simulations);
            let time = Some(Duration::from_secs_f64(self.options.analysis_seconds));
            self.search(now.to_move, &Limits { simulations, time, ..Limits::default() });
        }
        let (report, searched) = (self.report.as_ref()?, self.searched.as_ref()?);
        Some(Insight { report, color: searched.to_move, played })
    }

    /// Whether these stones are those of the last search and the move that it found best.
    fn has_played_its_best(&self, stones: &[(Color, Vertex)]) -> bool {
        let (Some(report), Some(searched)) = (&self.report, &self.searched) else { return false };
        stones.strip_prefix(&searched.stones[..]) == Some(&[(searched.to_move, report.best)])
    }

    /// Thinks on the opponent's time until `stop` becomes true, if the option `ponder` is on and the last move is the
    /// engine's own in a game that goes on; else returns at once. What is found stays in the tree for the next move.
    /// Returns the number of simulations.
    pub(super) fn ponder(&mut self, stop: &AtomicBool) -> u64 {
        let game = self.record.game();
        let stones: Vec<_> = game.stones().collect();
        if !self.options.ponder || game.outcome().is_some() || !self.has_played_its_best(&stones) {
            return 0;
        }
        let report = self.searcher.search(&game.clone(), &Limits::default(), stop);
        log::info!("{} simulations on the opponent's time", report.simulations);
        report.simulations
    }

    /// The clock's budget where a clock was set; the option `simulations`, with or without a clock; else the option
    /// `seconds`.
    fn limits(&self, color: Color) -> Limits {
        let game = self.record.game();
        let empty = game.geometry().vertex_count() - game.stone_count();
        let simulations = (self.options.simulations > 0).then_some(self.options.simulations);
        let seconds = || simulations.is_none().then(|| Duration::from_secs_f64(self.options.seconds));
        Limits {
            simulations,
            time: self.clock.budget(color, empty).or_else(seconds),
            longest: self.clock.longest(color, empty),
        }
    }

    /// Thinks about the next move of a colour and takes the time off its clock.
    pub(super) fn think_on_the_clock(&mut self, color: Color) {
        let start = Instant::now();
        self.think(color);
        self.clock.spend(color, start.elapsed());
    }

    /// What to play according to the last search, which was for this colour.
    ///
    /// Under the pie rule the second player swaps if it wins less than half of the time otherwise, and the first
    /// player chooses the stone after which both win as nearly equally often as can be.
    pub(super) fn decide(&self, color: Color) -> Move {
        let report = self.report.as_ref().expect("a search was made");
        let game = self.record.game();
        if game.can_swap() && color == game.to_move() {
            return if value(report.verdict, report.win_rate) < 0.5 { Move::Swap } else { Move::Place(report.best) };
        }
        if self.options.resign && value(report.verdict, report.win_rate) < self.options.resign_below {
            return Move::Resign;
        }
        let opening = game.swap_allowed() && game.history().is_empty();
        let balanced = opening.then(|| most_balanced(&report.moves)).flatten();
        Move::Place(balanced.unwrap_or(report.best))
    }
}

/// What a search was about.
#[derive(PartialEq)]
struct Searched {
    stones: Vec<(Color, Vertex)>,
    to_move: Color,
}

impl Searched {
    fn of(game: &Game, to_move: Color) -> Searched {
        Searched { stones: game.stones().collect(), to_move }
    }
}

/// What a search has found about the position on the board, or about the one before its last stone.
pub(super) struct Insight<'a> {
    pub report: &'a Report,
    /// The player who was to move.
    pub color: Color,
    /// Whether the best move has been played since.
    pub played: bool,
}

/// The seed of the option, or one picked at random.
fn pick_seed(option: Seed) -> u64 {
    let seed = option.0.unwrap_or_else(random_seed);
    log::info!("seed {seed}");
    seed
}

/// A seed from the random keys that the standard library gives to hash maps.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

/// A search's estimate in \[0, 1\], with certainty where there is proof.
fn value(verdict: Option<Verdict>, win_rate: f64) -> f64 {
    match verdict {
        Some(Verdict::Win) => 1.0,
        Some(Verdict::Loss) => 0.0,
        Some(Verdict::Draw) => 0.5,
        None => win_rate,
    }
}

/// The move after which both players win as nearly equally often as can be, among those that were looked at in earnest:
/// at least a hundredth of all playouts.
fn most_balanced(moves: &[MoveReport]) -> Option<Vertex> {
    let visits: u64 = moves.iter().map(|m| m.visits).sum();
    let imbalance = |m: &&MoveReport| (value(m.verdict, m.win_rate) - 0.5).abs();
    let earnest = moves.iter().filter(|m| m.visits > 0 && m.visits >= visits / 100);
    earnest.min_by(|a, b| imbalance(a).total_cmp(&imbalance(b))).map(|m| m.vertex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_ponders_after_its_own_moves_where_it_may() {
        let mut engine = Engine::new(Settings::on_side(5).unwrap());
        let stop = AtomicBool::new(true);
        let mut ponder_after = |line: &str| {
            engine.ask(line).unwrap();
            engine.ponder(&stop)
        };
        // Not every seed leaves a1 empty.
        assert_eq!(ponder_after("set_option seed 1"), 0);
        assert_eq!(ponder_after("set_option playouts 200"), 0);
        assert_eq!(ponder_after("genmove white"), 0);
        assert!(ponder_after("set_option ponder on") > 0);
        assert!(ponder_after("name") > 0);
        assert_eq!(ponder_after("play black a1"), 0);
        assert!(ponder_after("genmove white") > 0);
        assert_eq!(ponder_after("undo"), 0);
        assert_eq!(ponder_after("clear_board"), 0);
        for (white, black) in [("a2", "e5"), ("a3", "e6"), ("a4", "e7")] {
            engine.ask(&format!("play white {white}")).unwrap();
            engine.ask(&format!("play black {black}")).unwrap();
        }
        engine.ask("play white a1").unwrap();
        engine.ask("play black f6").unwrap();
        engine.ask("genmove white").unwrap();
        assert!(engine.record.game().outcome().is_some(), "a5 makes a bridge");
        assert_eq!(engine.ponder(&stop), 0);
    }
}
