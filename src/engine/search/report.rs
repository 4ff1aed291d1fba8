//! What a search found, as plain values.

use std::time::Duration;

use serde::Serialize;

use crate::game::{Color, Vertex};

/// A proven result, from the point of view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The player to move wins.
    Win,
    /// The player to move loses.
    Loss,
    /// Neither player wins.
    Draw,
}

impl Verdict {
    /// The same result from the opponent's point of view.
    #[must_use]
    pub fn of_opponent(self) -> Verdict {
        match self {
            Verdict::Win => Verdict::Loss,
            Verdict::Loss => Verdict::Win,
            Verdict::Draw => Verdict::Draw,
        }
    }

    /// The winner, or `None` for a draw, if the verdict is from the point of view of `color`.
    #[must_use]
    pub fn winner(self, color: Color) -> Option<Color> {
        match self {
            Verdict::Win => Some(color),
            Verdict::Loss => Some(!color),
            Verdict::Draw => None,
        }
    }

    /// The value of the result in \[0, 1\]: 1 for a win, 0 for a loss, 0.5 for a draw.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Verdict::Win => 1.0,
            Verdict::Loss => 0.0,
            Verdict::Draw => 0.5,
        }
    }
}

/// What a search found about one move of the root. All values are from the point of view of the player to move there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MoveReport {
    /// The move.
    pub vertex: Vertex,
    /// Visits of the move, those of the kept tree included. All visits are halved when the root has 2^28.
    pub visits: u64,
    /// The mean result of the visits in \[0, 1\], a draw counting 0.5; `None` if there are no visits. In a search that
    /// the network guides, results from before the latest 65,536 visits count less and less.
    pub win_rate: Option<f64>,
    /// The move's probability in \[0, 1\] according to the network; `None` if the network does not guide the search, or
    /// if a win or a loss of the move is proven.
    pub prior: Option<f64>,
    /// The RAVE (all moves as first) estimate in \[0, 1\]; `None` if the search makes none.
    pub rave: Option<f64>,
    /// The proven result of the move.
    pub verdict: Option<Verdict>,
    /// The best continuation found, beginning with the move. Only the best move and the ten most visited moves have
    /// one; it is empty for all others.
    pub line: Vec<Vertex>,
}

/// Receives what a running search has found so far, several times a second.
pub type ReportObserver<'a> = &'a mut dyn FnMut(&SearchReport);

/// The time between two calls of an observer.
pub(crate) const OBSERVATION_INTERVAL: Duration = Duration::from_millis(200);

/// What a search found. All values are from the point of view of [`SearchReport::to_move`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchReport {
    /// The player to move at the root.
    pub to_move: Color,
    /// The move to play.
    pub best: Vertex,
    /// The estimated probability of winning in \[0, 1\], a draw counting 0.5: the proven result if there is one, else
    /// the mean result of the best move's visits. If the best move has none, the network's value of the position, or in
    /// a search without the network the RAVE estimate of the move.
    pub win_rate: f64,
    /// The proven result of the position.
    pub verdict: Option<Verdict>,
    /// The principal variation, beginning with `best`. After [`Searcher::complete`](super::Searcher::complete), the
    /// line of a proven win goes to the end of the game if possible.
    pub pv: Vec<Vertex>,
    /// The most moves that the winner of a proven position needs, if that is known. `pv` is then a game in which the
    /// loser makes the winner use them all.
    pub moves_to_win: Option<u32>,
    /// Simulations made by this search, those of the kept tree not included.
    pub simulations: u64,
    /// How long the search took.
    pub elapsed: Duration,
    /// All legal moves, in vertex order; if a stone wins at once or makes two threats that cannot both be answered, only
    /// that one.
    pub moves: Vec<MoveReport>,
}

impl SearchReport {
    /// The moves, the best one first, then the others from the most visited to the least; among equals those that are
    /// proven to win, then those of the higher prior, then those of the lower vertex come first.
    #[must_use]
    pub fn ordered(&self) -> Vec<&MoveReport> {
        let mut moves: Vec<&MoveReport> = self.moves.iter().collect();
        moves.sort_by(|a, b| {
            let is_other = |m: &MoveReport| m.vertex != self.best;
            let wins = |m: &MoveReport| m.verdict == Some(Verdict::Win);
            let prior = |m: &MoveReport| m.prior.unwrap_or(0.0);
            let by_visits = is_other(a).cmp(&is_other(b)).then(b.visits.cmp(&a.visits));
            by_visits.then(wins(b).cmp(&wins(a))).then(prior(b).total_cmp(&prior(a)))
        });
        moves
    }
}
