//! The search of the empty board under the pie rule, where no table knows the first stones.
//!
//! A search of the empty board visits the best stones most and the fair ones rarely, so its estimates of these are
//! poor. This one searches each stone on its own.

use std::time::Duration;

use crate::base::sync::StopFlag;
use crate::base::time::Instant;
use crate::engine::search::{
    Limits, MoveReport, OBSERVATION_INTERVAL, ReportObserver, SearchError, SearchReport, Searcher, Verdict,
};
use crate::game::{Game, Vertex};

use super::first_stones::{class_of, classes};

/// Simulations for each first stone in the first round of a search that is not limited by simulations. Each round makes
/// four times as many as the one before.
const FIRST_ROUND: u64 = 16;

/// Searches one first stone of each class under the symmetries of the board, all with the same number of simulations,
/// within these limits; without any, until `stop` is raised. The board of `game` is empty.
///
/// The report's values are from the point of view of the player to move, without the pie rule. The observer is called
/// about five times a second, once every stone has been searched.
///
/// # Errors
/// Those of [`Searcher::search`].
pub(super) fn search_first_stones(
    searcher: &mut Searcher,
    game: &Game,
    limits: &Limits,
    stop: &StopFlag,
    mut observer: Option<ReportObserver<'_>>,
) -> Result<SearchReport, SearchError> {
    let start = Instant::now();
    let stones = classes(game.geometry());
    let left = || limits.usual_time().map(|time| time.saturating_sub(start.elapsed()));
    let is_over = || stop.is_stopped() || left() == Some(Duration::ZERO);
    let share = limits.simulations.map(|all| (all / stones.len() as u64).max(1));
    let mut found = Vec::new();
    let mut simulations = 0;
    let mut each = share.unwrap_or(FIRST_ROUND);
    let mut next_observation = OBSERVATION_INTERVAL;
    loop {
        let mut round: Vec<(Vertex, SearchReport)> = Vec::new();
        for &v in &stones {
            if let Some(observer) = &mut observer
                && !found.is_empty()
                && start.elapsed() >= next_observation
            {
                let newest = [&round[..], &found[round.len()..]].concat();
                observer(&summary(game, &newest, simulations, start.elapsed()));
                next_observation = start.elapsed() + OBSERVATION_INTERVAL;
            }
            let round_limits = Limits { simulations: Some(each), soft: None, hard: left() };
            let report = after(searcher, game, v, &round_limits, stop)?;
            simulations += report.simulations;
            round.push((v, report));
        }
        // A later round that was cut short says less than the one before.
        if found.is_empty() || !is_over() {
            found = round;
        }
        if is_over() || share.is_some() || found.iter().all(|(_, report)| report.verdict.is_some()) {
            return Ok(summary(game, &found, simulations, start.elapsed()));
        }
        each *= 4;
    }
}

/// Searches the position after a first stone on `v`, for the second player.
fn after(
    searcher: &mut Searcher,
    game: &Game,
    v: Vertex,
    limits: &Limits,
    stop: &StopFlag,
) -> Result<SearchReport, SearchError> {
    let mut game = game.clone();
    game.play(v).expect("the board is empty");
    searcher.search(&game, limits, stop.as_atomic())
}

/// The report on the empty board.
fn summary(game: &Game, found: &[(Vertex, SearchReport)], simulations: u64, elapsed: Duration) -> SearchReport {
    let geometry = game.geometry();
    let moves: Vec<MoveReport> = geometry
        .vertices()
        .map(|vertex| {
            let class = class_of(geometry, vertex);
            let (v, report) = found.iter().find(|(v, _)| *v == class).expect("each class was searched");
            let is_searched = vertex == *v;
            MoveReport {
                vertex,
                visits: report.simulations,
                win_rate: Some(1.0 - report.win_rate),
                prior: None,
                rave: None,
                verdict: report.verdict.map(Verdict::of_opponent),
                line: if is_searched { [&[vertex], &report.pv[..]].concat() } else { Vec::new() },
            }
        })
        .collect();
    let (best, last) =
        found.iter().min_by(|(_, a), (_, b)| a.win_rate.total_cmp(&b.win_rate)).expect("a board has vertices");
    let verdict =
        if found.iter().any(|(_, report)| report.verdict == Some(Verdict::Loss)) { Some(Verdict::Win) } else { None };
    let pv = [&[*best], &last.pv[..]].concat();
    SearchReport {
        to_move: game.to_move(),
        best: *best,
        win_rate: 1.0 - last.win_rate,
        verdict,
        pv,
        moves_to_win: None,
        simulations,
        elapsed,
        moves,
    }
}
