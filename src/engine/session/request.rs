//! Asking a session to search: for whom, how long, who stops it, and who watches.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::base::sync::StopFlag;
use crate::base::time::Instant;
use crate::engine::search::Limits;
use crate::game::{Color, Move};

use super::{Analysis, SearchError, Session};

/// Is called several times a second with what a running search has found so far.
pub type Observer<'a> = &'a mut dyn FnMut(&Arc<Analysis>);

/// A search of a session's position, made by [`Session::search`]. Nothing happens before one of the last four methods
/// is called.
///
/// ```
/// use malecon::{Session, StopFlag};
///
/// let mut session = Session::on_side(5)?;
/// let stop = StopFlag::new();
/// let mut reports = 0;
/// let analysis = session.search().simulations(100).stop(&stop).observe(&mut |_| reports += 1).run()?;
/// assert_eq!(analysis.report.simulations, 100);
/// let played = session.search().simulations(100).make_move()?;
/// assert_eq!(session.game().moves(), [(malecon::Color::White, played)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is searched before `run`, `analyze`, `choose_move` or `make_move`"]
pub struct SearchRequest<'a> {
    session: &'a mut Session,
    color: Color,
    /// `None` for the session's own limits.
    limits: Option<Limits>,
    stop: StopFlag,
    observer: Option<Observer<'a>>,
}

impl fmt::Debug for SearchRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SearchRequest { color, limits, .. } = self;
        f.debug_struct("SearchRequest").field("color", color).field("limits", limits).finish_non_exhaustive()
    }
}

/// A request apart from its session, with the limits decided.
pub(super) struct Task<'a> {
    pub color: Color,
    pub limits: Limits,
    pub stop: StopFlag,
    pub observer: Option<Observer<'a>>,
}

impl Session {
    /// Asks for a search of the position, for the player to move: see [`SearchRequest`].
    pub fn search(&mut self) -> SearchRequest<'_> {
        let color = self.game.to_move();
        SearchRequest { session: self, color, limits: None, stop: StopFlag::new(), observer: None }
    }
}

impl<'a> SearchRequest<'a> {
    /// Searches for the next move of this player, whose turn it need not be.
    pub fn color(self, color: Color) -> Self {
        SearchRequest { color, ..self }
    }

    /// Searches within these limits alone; without any limit, until the search is stopped. Without this call, the
    /// session has limits for each method below.
    pub fn limits(self, limits: Limits) -> Self {
        SearchRequest { limits: Some(limits), ..self }
    }

    /// Makes at most this many simulations.
    pub fn simulations(mut self, simulations: u64) -> Self {
        self.limits.get_or_insert_default().simulations = Some(simulations);
        self
    }

    /// Takes at most this long.
    pub fn time(mut self, time: Duration) -> Self {
        self.limits.get_or_insert_default().hard = Some(time);
        self
    }

    /// Ends when this flag is raised.
    pub fn stop(self, stop: &StopFlag) -> Self {
        SearchRequest { stop: stop.clone(), ..self }
    }

    /// Calls this function several times a second with what the search has found so far.
    pub fn observe(self, observer: Observer<'a>) -> Self {
        SearchRequest { observer: Some(observer), ..self }
    }

    /// Searches, and returns when a limit is reached, the result is proven, or the search is stopped. By default within
    /// [`Session::limits`].
    ///
    /// With one thread, a limit of simulations alone and the same seed, the same calls find the same.
    ///
    /// # Errors
    /// If the game is over, or the search failed.
    pub fn run(self) -> Result<Arc<Analysis>, SearchError> {
        let (session, task) = self.split();
        session.search_for(task)
    }

    /// An analysis for people: the session's last one if it is about this position; else a new one, by default within
    /// [`Session::analysis_limits`]. `None` if the game is over.
    ///
    /// # Errors
    /// If the search failed.
    pub fn analyze(self) -> Result<Option<Arc<Analysis>>, SearchError> {
        if self.session.game.board().outcome().is_some() {
            return Ok(None);
        }
        if let Some(last) = self.session.known_analysis(self.color) {
            return Ok(Some(last));
        }
        let limits = self.limits.unwrap_or_else(|| self.session.analysis_limits());
        self.limits(limits).run().map(Some)
    }

    /// Searches and returns the move to play, which may be [`Move::Swap`] or [`Move::Resign`], at the strength of the
    /// option `level`, by default within [`Session::limits`]. Does not play it, and leaves the clock alone.
    ///
    /// If the search fails, the error is logged and the move is chosen without one: a winning move, else one that stops
    /// the opponent from winning at once, else the network's favourite.
    ///
    /// # Errors
    /// If the game is over.
    pub fn choose_move(self) -> Result<Move, SearchError> {
        let (session, task) = self.split();
        session.choose(task)
    }

    /// Like [`SearchRequest::choose_move`], but also takes the time off the player's clock and plays the move. A
    /// resignation is returned and not played: the game stands as it is until somebody ends it.
    ///
    /// # Errors
    /// If the game is over.
    pub fn make_move(self) -> Result<Move, SearchError> {
        let start = Instant::now();
        let color = self.color;
        let (session, task) = self.split();
        let chosen = session.choose(task)?;
        session.clock.spend(color, start.elapsed());
        session.play_chosen(color, chosen);
        Ok(chosen)
    }

    /// The session and the task, by default within the session's limits for a move.
    fn split(self) -> (&'a mut Session, Task<'a>) {
        let SearchRequest { session, color, limits, stop, observer } = self;
        let limits = limits.unwrap_or_else(|| session.limits(color));
        (session, Task { color, limits, stop, observer })
    }
}
