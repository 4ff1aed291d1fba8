//! Searching: [`Session::search`] while the caller waits, `Session::think` beside it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::base::sync::{StopFlag, lock};
use crate::engine::reasons::{self, Evidence, Reason};
use crate::engine::search::{self, Limits, Method, MoveReport, Report, Searcher, Verdict};
use crate::game::{Color, Game, Geometry, Move, Notation, Vertex};

use super::chance::Scale;
use super::options::MAX_LEVEL;
use super::{Session, pie_rule};

/// What a search found, and the position it is about.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The stones of the position, in the order of play, in their present colours.
    pub stones: Vec<(Color, Vertex)>,
    /// The player to move. All values are from this player's point of view.
    pub to_move: Color,
    /// What was found: the best move and line, win rates, visits, verdicts. The win rate takes the pie rule into
    /// account, the moves do not: they are those of a player who does not swap. Win rates are on the search's own scale:
    /// [`Analysis::chance`] is what to show.
    pub report: Report,
    /// Whether the player to move does best to swap.
    pub swap: bool,
    /// The scale of chances; `None` where the report's win rate is the chance.
    scale: Option<Scale>,
    /// Whether the table of first stones says what the chance of the position is.
    has_chance: bool,
    /// Whether the best move is the fairest first stone under the pie rule.
    is_first_stone: bool,
    /// The first stone, if the player to move may swap it and something shows whether to.
    swappable: Option<(Vertex, Evidence)>,
}

/// The chance of winning for a value of a search, with the scale of its board if it has one.
fn scaled(scale: Option<Scale>, value: f64) -> f64 {
    scale.map_or(value, |scale| scale.chance(value))
}

/// The move to suggest to a person, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// A vertex, or a swap.
    pub suggested: Move,
    /// Why, if that can be said in a sentence.
    pub reason: Option<Reason>,
}

impl Analysis {
    /// The chance of winning of the player to move, in \[0, 1\], a draw counting 0.5, with the pie rule: see
    /// [`chance`](super::chance). In searches that no network guides, it is the search's own value.
    pub fn chance(&self) -> f64 {
        let is_known = self.has_chance || self.report.verdict.is_some();
        if is_known { self.report.win_rate } else { self.scaled(self.report.win_rate) }
    }

    /// The chance of winning with one of the report's moves, in \[0, 1\]; `None` if it was not tried.
    pub fn chance_with(&self, m: &MoveReport) -> Option<f64> {
        m.verdict.map(Verdict::value).or_else(|| m.win_rate.map(|value| self.scaled(value)))
    }

    /// The line that begins with the best move, a swap included.
    pub fn line(&self) -> Vec<Move> {
        let mut line: Vec<Move> = self.report.pv.iter().copied().map(Move::Place).collect();
        if self.swap {
            // If the result is proven, the swap changes only who has which colour, and the line goes on.
            line.truncate(if self.report.verdict.is_some() { line.len() } else { 0 });
            line.insert(0, Move::Swap);
        }
        line
    }

    /// What shows whether the owner of the first stone, on `v`, is better off or worse, where that is the only stone and
    /// the search knew of no pie rule.
    pub(crate) fn evidence(&self, board: &Geometry, v: Vertex) -> Option<Evidence> {
        pie_rule::evidence(board, v, &self.report, |value| self.scaled(value))
    }

    fn scaled(&self, value: f64) -> f64 {
        scaled(self.scale, value)
    }

    /// The move to suggest in the position of this analysis, which is on this board: see [`reasons::hint`].
    pub fn hint(&self, board: &'static Geometry) -> Hint {
        let mut game = Game::new(board);
        for &(color, v) in &self.stones {
            game.place(color, v).expect("these stones were on the board");
        }
        if self.swap {
            let reason = self.swappable.and_then(|(first, evidence)| reasons::explain_swap(&game, first, evidence));
            return Hint { suggested: Move::Swap, reason };
        }
        if self.is_first_stone {
            // The best stone is a fair one. What makes a stone strong is no reason for it.
            return Hint { suggested: Move::Place(self.report.best), reason: None };
        }
        let (v, reason) = reasons::hint(&game, &self.report, |m| self.chance_with(m));
        // Whether to swap is the first question. A move that is proven to win answers it too.
        let staying = self.swappable.and_then(|(first, evidence)| reasons::explain_staying(&game, v, first, evidence));
        Hint { suggested: Move::Place(v), reason: staying.or(reason) }
    }

    /// Whether this is about the position of `game`, with `to_move` to move.
    fn is_about(&self, game: &Game, to_move: Color) -> bool {
        self.to_move == to_move && game.stones().eq(self.stones.iter().copied())
    }

    /// Whether the last stone of `game` is the best move found, played in the position that was searched.
    fn has_led_to(&self, game: &Game) -> bool {
        let best = (self.to_move, self.report.best);
        game.stones().eq(self.stones.iter().copied().chain([best]))
    }
}

/// Is called several times a second with what a running search has found so far.
pub type Observer<'a> = &'a mut dyn FnMut(&Arc<Analysis>);

/// Why there is nothing to search, or a search came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The game is over.
    GameOver,
    /// The search failed; it was given up and the session goes on with an empty search tree.
    Failed(String),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::GameOver => f.write_str("the game is over: there is no move to search for"),
            SearchError::Failed(reason) => write!(f, "internal error: the search failed: {reason}"),
        }
    }
}

impl std::error::Error for SearchError {}

/// The searcher of a session, which a search beside the caller holds while it runs.
#[derive(Clone)]
pub(super) struct SharedSearcher {
    searcher: Arc<Mutex<Searcher>>,
    /// Stops the search that runs beside the caller, if one does.
    running: Arc<Mutex<Option<StopFlag>>>,
}

impl SharedSearcher {
    pub fn new(searcher: Searcher) -> SharedSearcher {
        SharedSearcher { searcher: Arc::new(Mutex::new(searcher)), running: Arc::default() }
    }

    /// The searcher. A search beside the caller that holds it is stopped first.
    pub fn lock(&self) -> MutexGuard<'_, Searcher> {
        self.stop_running();
        lock(&self.searcher)
    }

    fn stop_running(&self) {
        if let Some(running) = lock(&self.running).take() {
            running.stop();
        }
    }
}

/// The newest result of a game's searches. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Latest(Arc<Mutex<LatestState>>);

#[derive(Default)]
struct LatestState {
    analysis: Option<Arc<Analysis>>,
    is_outdated: bool,
}

impl Latest {
    pub fn get(&self) -> Option<Arc<Analysis>> {
        lock(&self.0).analysis.clone()
    }

    /// The result, unless options of the search have changed since it was found.
    fn current(&self) -> Option<Arc<Analysis>> {
        let state = lock(&self.0);
        state.analysis.clone().filter(|_| !state.is_outdated)
    }

    fn set(&self, analysis: Arc<Analysis>) {
        *lock(&self.0) = LatestState { analysis: Some(analysis), is_outdated: false };
    }

    /// Forgets the result.
    pub fn clear(&self) {
        *lock(&self.0) = LatestState::default();
    }

    /// Notes that another search of the same position would use other options.
    pub fn mark_outdated(&self) {
        lock(&self.0).is_outdated = true;
    }
}

/// A search that is ready to run.
struct Job {
    game: Game,
    limits: Limits,
    searcher: SharedSearcher,
    latest: Latest,
    scale: Option<Scale>,
    /// Whether the line of a proven result is completed, for people to see.
    is_shown: bool,
}

impl Job {
    /// Runs the search with the session's searcher. Its results go to the session as they come.
    fn run(
        &self,
        searcher: &mut Searcher,
        stop: &StopFlag,
        mut observer: Option<Observer<'_>>,
    ) -> Result<Arc<Analysis>, SearchError> {
        let (scale, has_chance) = (self.scale, pie_rule::decides_chance(&self.game));
        let is_first_stone = pie_rule::is_first_stone(&self.game, self.game.to_move());
        let analysis = |report: &Report| {
            let (stones, to_move) = (self.game.stones().collect(), self.game.to_move());
            let swap = pie_rule::should_swap(&self.game, to_move, report);
            let chance = |value| scaled(scale, value);
            let evidence = |first| pie_rule::evidence(self.game.geometry(), first, report, chance);
            let swappable =
                pie_rule::stone_to_swap(&self.game, to_move).and_then(|first| Some((first, evidence(first)?)));
            Analysis {
                stones,
                to_move,
                report: pie_rule::with_pie_rule(&self.game, report),
                swap,
                scale,
                has_chance,
                is_first_stone,
                swappable,
            }
        };
        let report = caught(searcher, |searcher| {
            let mut observe = observer.as_mut().map(|observer| {
                |report: &Report| {
                    let analysis = Arc::new(analysis(report));
                    self.latest.set(Arc::clone(&analysis));
                    observer(&analysis);
                }
            });
            let observe = observe.as_mut().map(|observe| observe as search::Observer<'_>);
            if is_first_stone && pie_rule::first_stones(self.game.geometry()).is_none() {
                return pie_rule::search_first_stones(searcher, &self.game, &self.limits, stop, observe);
            }
            let mut report = searcher.search_observed(&self.game, &self.limits, stop.as_atomic(), observe);
            if self.is_shown {
                searcher.complete(&self.game, &mut report, &self.limits, stop.as_atomic());
            }
            report
        })?;
        let analysis = Arc::new(analysis(&report));
        self.latest.set(Arc::clone(&analysis));
        Ok(analysis)
    }
}

/// Runs a search. A panic costs this search alone.
fn caught(searcher: &mut Searcher, search: impl FnOnce(&mut Searcher) -> Report) -> Result<Report, SearchError> {
    catch_unwind(AssertUnwindSafe(|| search(searcher))).map_err(|panic| {
        // The tree was lost with the search that took it; options and random numbers are whole.
        searcher.clear();
        SearchError::Failed(panic_message(&*panic))
    })
}

/// What a panic says.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".into())
}

/// How a panic is told to whoever waits for an answer.
pub(crate) fn internal_error(panic: &(dyn std::any::Any + Send)) -> String {
    format!("internal error: {}", panic_message(panic))
}

impl Session {
    fn job(&mut self, color: Color, limits: &Limits) -> Result<Job, SearchError> {
        // After a resignation there is still a position to search.
        if self.game.board().outcome().is_some() {
            return Err(SearchError::GameOver);
        }
        let mut game = self.game.board().clone();
        game.set_to_move(color);
        if let Some(seed) = self.unreported_seed.take() {
            log::info!("seed {seed}");
        }
        log::debug!("{color} thinks within {limits:?}");
        let (searcher, latest) = (self.searcher.clone(), self.latest.clone());
        let is_guided = self.options.search.method == Method::Puct;
        let scale = is_guided.then(|| Scale::builtin(game.geometry().side()));
        Ok(Job { game, limits: limits.clone(), searcher, latest, scale, is_shown: true })
    }

    /// Searches for the next move of a colour, whose turn it need not be, and returns when a limit is reached, the
    /// result is proven, or `stop` is raised. Without any limit it searches until then.
    ///
    /// With one thread, a limit of simulations alone and the same seed, the same calls find the same.
    ///
    /// # Errors
    /// If the game is over, or the search failed.
    pub fn search(
        &mut self,
        color: Color,
        limits: &Limits,
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Result<Arc<Analysis>, SearchError> {
        let job = self.job(color, limits)?;
        self.run(&job, stop, observer)
    }

    /// As [`Session::search`], for a program that does not look at lines: the line of a proven result is not completed.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn search_unseen(&mut self, color: Color, limits: &Limits) -> Result<Arc<Analysis>, SearchError> {
        let job = Job { is_shown: false, ..self.job(color, limits)? };
        self.run(&job, &StopFlag::new(), None)
    }

    /// As [`Session::search`], by the searcher of the levels below full strength.
    pub(super) fn search_at_level(
        &mut self,
        color: Color,
        limits: &Limits,
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Result<Arc<Analysis>, SearchError> {
        let job = Job { searcher: self.level_searcher.clone(), is_shown: false, ..self.job(color, limits)? };
        self.run(&job, stop, observer)
    }

    fn run(
        &mut self,
        job: &Job,
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Result<Arc<Analysis>, SearchError> {
        self.searcher.stop_running();
        let analysis = job.run(&mut lock(&job.searcher.searcher), stop, observer)?;
        let (report, color) = (&analysis.report, analysis.to_move);
        log::info!(
            "{} simulations in {:.3} s, {color} wins {:.3} with {}",
            report.simulations,
            report.elapsed.as_secs_f64(),
            analysis.chance(),
            Notation::HavannahGui.name(self.game.geometry(), report.best)
        );
        Ok(analysis)
    }

    /// An analysis to look at: the last one if it is about this position; else a new one, within `analysis_seconds` or
    /// the option `simulations`. `None` if the game is over.
    ///
    /// # Errors
    /// If the search failed.
    pub fn analyze(
        &mut self,
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Result<Option<Arc<Analysis>>, SearchError> {
        let game = self.game.board();
        if game.outcome().is_some() {
            return Ok(None);
        }
        let color = game.to_move();
        if let Some(last) = self.latest.current().filter(|last| last.is_about(game, color)) {
            return Ok(Some(last));
        }
        let time = Some(self.options.session.analysis_time());
        let limits = Limits { simulations: self.options.session.simulation_limit(), time, ..Limits::default() };
        self.search(color, &limits, stop, observer).map(Some)
    }

    /// Thinks on the opponent's time until `stop` is raised, if the option `ponder` is on, the engine plays at full
    /// strength, and the last move is the engine's own in a game that goes on; else returns at once. What is found
    /// stays in the search tree for the next move. Returns the number of simulations.
    pub fn ponder(&mut self, stop: &StopFlag) -> u64 {
        let led_here = self.latest.get().is_some_and(|last| last.has_led_to(self.game.board()));
        let options = &self.options.session;
        if !options.ponder || options.level < MAX_LEVEL || self.game.is_over() || !led_here {
            return 0;
        }
        let found = caught(&mut self.searcher.lock(), |searcher| {
            searcher.search(self.game.board(), &Limits::default(), stop.as_atomic())
        });
        match found {
            Ok(report) => {
                log::info!("{} simulations on the opponent's time", report.simulations);
                report.simulations
            }
            Err(error) => {
                log::error!("{error}");
                0
            }
        }
    }
}

#[cfg(not(target_family = "wasm"))]
mod beside {
    use super::*;
    use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
    use std::thread::JoinHandle;

    /// How many events wait for a reader. If there are more, older news is dropped: every event tells all.
    const WAITING_EVENTS: usize = 4;

    /// What happens in a search beside the caller.
    #[derive(Clone, Debug)]
    pub enum Event {
        /// What the search has found so far.
        Progress(Arc<Analysis>),
        /// The search has ended: nothing follows.
        Finished(Result<Arc<Analysis>, SearchError>),
    }

    /// A search that runs beside its caller. It can be sent to another thread. Dropping it stops the search and waits
    /// until it has stopped, which takes a few milliseconds.
    pub struct Thinking {
        stop: StopFlag,
        events: Receiver<Event>,
        thread: Option<JoinHandle<Result<Arc<Analysis>, SearchError>>>,
    }

    impl Session {
        /// Starts a search for the next move of a colour beside the caller, within these limits; without any, it runs
        /// until it is stopped. The session can be used meanwhile: moves do not disturb the search, which goes on about
        /// the position in which it began. Another search, a new game and changed search options stop it. This returns
        /// when the search before has stopped, which takes a few milliseconds.
        ///
        /// # Errors
        /// If the game is over, or the system has no thread left.
        pub fn think(&mut self, color: Color, limits: &Limits) -> Result<Thinking, SearchError> {
            let job = self.job(color, limits)?;
            self.searcher.stop_running();
            let stop = StopFlag::new();
            *lock(&self.searcher.running) = Some(stop.clone());
            let (sender, events) = sync_channel(WAITING_EVENTS);
            let (begun, has_begun) = sync_channel(1);
            let flag = stop.clone();
            let work = move || {
                let mut searcher = lock(&job.searcher.searcher);
                // `think` waits for this.
                let _ = begun.send(());
                run_and_report(&job, &mut searcher, &flag, &sender)
            };
            let thread = std::thread::Builder::new().name("search".into()).spawn(work);
            let thread = thread.map_err(|error| SearchError::Failed(format!("cannot start a thread: {error}")))?;
            // A search that is stopped before it has the searcher would have to wait for the one that stopped it. An
            // error means that the thread has panicked, which `wait` reports.
            let _ = has_begun.recv();
            Ok(Thinking { stop, events, thread: Some(thread) })
        }
    }

    fn run_and_report(
        job: &Job,
        searcher: &mut Searcher,
        stop: &StopFlag,
        events: &SyncSender<Event>,
    ) -> Result<Arc<Analysis>, SearchError> {
        let mut observe = |analysis: &Arc<Analysis>| {
            // A reader who is slow misses this one and gets the next.
            let _ = events.try_send(Event::Progress(Arc::clone(analysis)));
        };
        job.run(searcher, stop, Some(&mut observe))
    }

    impl Thinking {
        /// Asks the search to stop. It ends within a few milliseconds with what it has found.
        pub fn stop(&self) {
            self.stop.stop();
        }

        /// A flag that stops the search, for another thread.
        pub fn stop_flag(&self) -> StopFlag {
            self.stop.clone()
        }

        /// Whether the search has ended.
        pub fn is_finished(&self) -> bool {
            self.thread.as_ref().is_none_or(JoinHandle::is_finished)
        }

        /// Waits for the next event. `None` after [`Event::Finished`].
        pub fn next_event(&mut self) -> Option<Event> {
            match self.events.recv() {
                Ok(event) => Some(event),
                Err(_) => self.finish().map(Event::Finished),
            }
        }

        /// The next event if there is one already.
        pub fn try_next_event(&mut self) -> Option<Event> {
            match self.events.try_recv() {
                Ok(event) => Some(event),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => self.finish().map(Event::Finished),
            }
        }

        /// Waits until the search has ended and returns what it found.
        ///
        /// # Errors
        /// If the search failed.
        ///
        /// # Panics
        /// If [`Event::Finished`] was already taken.
        pub fn wait(mut self) -> Result<Arc<Analysis>, SearchError> {
            self.finish().expect("the result was not taken yet")
        }

        fn finish(&mut self) -> Option<Result<Arc<Analysis>, SearchError>> {
            let thread = self.thread.take()?;
            Some(thread.join().unwrap_or_else(|panic| Err(SearchError::Failed(panic_message(&*panic)))))
        }
    }

    impl Drop for Thinking {
        fn drop(&mut self) {
            self.stop.stop();
            self.finish();
        }
    }
}

#[cfg(not(target_family = "wasm"))]
pub use beside::{Event, Thinking};

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::TryLockError;

    /// Otherwise the next search could take the searcher first, and this one, stopped, would wait for its end.
    #[test]
    fn a_search_beside_the_caller_has_the_searcher_from_the_beginning() {
        let mut session = Session::on_side(4).unwrap();
        for _ in 0..50 {
            let first = session.think(Color::White, &Limits::default()).unwrap();
            let second = session.think(Color::White, &Limits::default()).unwrap();
            assert!(matches!(session.searcher.searcher.try_lock(), Err(TryLockError::WouldBlock)));
            assert!(first.wait().is_ok());
            second.stop();
            assert!(second.wait().is_ok());
        }
    }
}
