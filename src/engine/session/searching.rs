//! Searching while the caller waits.

use std::sync::Arc;

use crate::base::sync::{StopFlag, lock};
use crate::engine::search::{self, Limits, Method, SearchReport, Searcher};
use crate::game::{Color, Game, Notation};

use super::analysis::scaled;
use super::chance::Scale;
use super::failure::caught;
use super::options::MAX_LEVEL;
use super::request::Task;
use super::shared::{Latest, SharedSearcher};
use super::{Analysis, Observer, SearchError, Session, first_stone_search, first_stones, pie_rule};

/// A search that is ready to run.
pub(super) struct Job {
    game: Game,
    limits: Limits,
    pub searcher: SharedSearcher,
    latest: Latest,
    scale: Option<Scale>,
    /// Whether to complete the line of a proven result, because users see it.
    is_shown: bool,
}

impl Job {
    /// Runs the search with a searcher. The session sees its results as they come.
    pub(super) fn run(
        &self,
        searcher: &mut Searcher,
        stop: &StopFlag,
        mut observer: Option<Observer<'_>>,
    ) -> Result<Arc<Analysis>, SearchError> {
        let scale = self.scale;
        let has_chance = pie_rule::decides_chance(&self.game);
        let is_first_stone = pie_rule::is_first_stone(&self.game);
        let analysis = |report: &SearchReport| {
            let stones = self.game.stones().collect();
            let to_move = self.game.to_move();
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
                |report: &SearchReport| {
                    let analysis = Arc::new(analysis(report));
                    self.latest.set(Arc::clone(&analysis));
                    observer(&analysis);
                }
            });
            let observe = observe.as_mut().map(|observe| observe as search::ReportObserver<'_>);
            if is_first_stone && first_stones::first_stones(self.game.geometry()).is_none() {
                return first_stone_search::search_first_stones(searcher, &self.game, &self.limits, stop, observe);
            }
            let mut report = searcher.search_observed(&self.game, &self.limits, stop.as_atomic(), observe)?;
            if self.is_shown {
                searcher.complete(&self.game, &mut report, &self.limits, stop.as_atomic());
            }
            Ok(report)
        })?;
        let analysis = Arc::new(analysis(&report));
        self.latest.set(Arc::clone(&analysis));
        Ok(analysis)
    }
}

impl Session {
    pub(super) fn job(&mut self, color: Color, limits: &Limits) -> Result<Job, SearchError> {
        // After a resignation there is still a position to search.
        if self.game.board().outcome().is_some() {
            return Err(SearchError::GameOver);
        }
        let mut game = self.game.board().clone();
        if color != game.to_move() {
            // The first stone may be of either colour, but who moves twice does not swap the own stone.
            game.allow_swap(game.swap_allowed() && game.history().is_empty());
            game.set_to_move(color);
        }
        if let Some(seed) = self.unreported_seed.take() {
            log::info!("seed {seed}");
        }
        log::debug!("{color} thinks within {limits:?}");
        let searcher = self.searcher.clone();
        let latest = self.latest.clone();
        let is_guided = self.options.search.method == Method::Puct;
        let scale = is_guided.then(|| Scale::builtin(game.geometry().side()));
        Ok(Job { game, limits: *limits, searcher, latest, scale, is_shown: true })
    }

    /// Searches: see [`SearchRequest::run`](super::SearchRequest::run).
    pub(super) fn search_for(&mut self, task: Task<'_>) -> Result<Arc<Analysis>, SearchError> {
        let job = self.job(task.color, &task.limits)?;
        self.run(&job, &task.stop, task.observer)
    }

    /// Like `search_for`, but does not complete the line of a proven result: for callers that do not show lines.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn search_unseen(&mut self, color: Color, limits: &Limits) -> Result<Arc<Analysis>, SearchError> {
        let job = Job { is_shown: false, ..self.job(color, limits)? };
        self.run(&job, &StopFlag::new(), None)
    }

    /// Like `search_for`, but with the searcher of the levels below full strength.
    pub(super) fn search_at_level(&mut self, task: Task<'_>) -> Result<Arc<Analysis>, SearchError> {
        let searcher = self.level_searcher.clone();
        let job = Job { searcher, is_shown: false, ..self.job(task.color, &task.limits)? };
        self.run(&job, &task.stop, task.observer)
    }

    fn run(
        &mut self,
        job: &Job,
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Result<Arc<Analysis>, SearchError> {
        self.searcher.stop_running();
        let analysis = job.run(&mut lock(&job.searcher.searcher), stop, observer)?;
        let report = &analysis.report;
        let color = analysis.to_move;
        log::info!(
            "{} simulations in {:.3} s, {color} wins {:.3} with {}",
            report.simulations,
            report.elapsed.as_secs_f64(),
            analysis.chance(),
            Notation::HavannahGui.name(self.game.geometry(), report.best)
        );
        Ok(analysis)
    }

    /// The last analysis, if it is about this position and player.
    pub(super) fn known_analysis(&self, to_move: Color) -> Option<Arc<Analysis>> {
        self.latest.current().filter(|last| last.is_about(self.game.board(), to_move))
    }

    /// Thinks on the opponent's time until `stop` is raised, if the option `ponder` is on, the engine plays at full
    /// strength, and the last move is the engine's own in a game that goes on; else returns at once. What is found
    /// stays in the search tree for the next move. Returns the number of simulations.
    pub fn ponder(&mut self, stop: &StopFlag) -> u64 {
        let options = &self.options.session;
        if !options.ponder || options.level < MAX_LEVEL || self.game.is_over() || !self.has_just_moved() {
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
