//! What several threads do in a second.

use serde::Serialize;

use crate::base::sync::on_threads;
use crate::base::time::Instant;
use crate::engine::search::{Preset, SearchError};
use crate::engine::solver::{Solver, has_solver};
use crate::game::{Color, Position};
use crate::network::Network;

use super::{BenchPlan, PAPER, PlayoutKind, search, time};

/// The figures for one board size, measured with several numbers of threads.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadFigures {
    /// The side length of the board.
    pub side: usize,
    /// The numbers of threads.
    pub threads: Vec<usize>,
    /// What was measured.
    pub rows: Vec<ThreadRow>,
}

/// What each number of threads does in a second.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadRow {
    /// What is measured.
    pub name: &'static str,
    /// Playouts, simulations or positions per second, for each number of threads in turn. `None` where the board is
    /// solved before the first simulation, or where there is no solver for it.
    pub per_second: Vec<Option<f64>>,
}

/// The numbers of threads that [`measure_threads`] measures: 1, 2, 4 and so on, and at the end `most`.
#[must_use]
pub fn thread_counts(most: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |&n| Some(2 * n)).take_while(|&n| n < most);
    powers.chain([most]).collect()
}

/// What the table by threads measures.
#[derive(Clone, Copy)]
enum Work {
    Playouts(PlayoutKind),
    Search(Preset),
    Solver,
}

/// The rows of the table, with their names.
fn rows() -> Vec<(&'static str, Work)> {
    let paper = PAPER.map(|(kind, name, _)| (name, Work::Playouts(kind)));
    let others = [
        ("random playout until the first win", Work::Playouts(PlayoutKind::UntilFirstWin)),
        ("simulations, preset plain", Work::Search(Preset::Plain)),
        ("simulations, preset rave", Work::Search(Preset::Rave)),
        ("simulations, preset paper", Work::Search(Preset::Paper)),
        ("simulations, default settings", Work::Search(Preset::Default)),
        ("positions of the solver", Work::Solver),
    ];
    paper.into_iter().chain(others).collect()
}

/// How many measurements [`measure_threads`] makes with up to `most` threads.
#[must_use]
pub fn thread_measurements(most: usize) -> usize {
    rows().len() * thread_counts(most).len()
}

/// Measures all rows for one board size with 1, 2, 4 and so on up to `most` threads. Playouts are independent of each
/// other; the threads of a search share a tree, and those of the solver a proof. It calls `begin` with the name of each
/// row and the number of threads before measuring it.
///
/// The numbers of threads of a row are measured one after the other, so that they meet about the same conditions.
///
/// # Errors
/// If a search fails.
pub fn measure_threads(
    plan: &BenchPlan,
    most: usize,
    mut begin: impl FnMut(&str, usize),
) -> Result<ThreadFigures, SearchError> {
    let threads = thread_counts(most);
    let row = |(name, work)| {
        let measure = |&threads: &usize| {
            begin(name, threads);
            Ok(match work {
                Work::Playouts(kind) => Some(playouts(plan, kind, threads)),
                Work::Search(preset) => search(plan, preset, threads)?.simulations_per_s,
                Work::Solver => solver(plan, threads),
            })
        };
        Ok(ThreadRow { name, per_second: threads.iter().map(measure).collect::<Result<_, _>>()? })
    };
    let rows = rows().into_iter().map(row).collect::<Result<_, _>>()?;
    Ok(ThreadFigures { side: plan.geometry.side(), rows, threads })
}

/// Playouts per second of this many threads.
fn playouts(plan: &BenchPlan, kind: PlayoutKind, threads: usize) -> f64 {
    let start = Instant::now();
    let playouts: u64 = on_threads(0..threads as u64, |seed| time(plan, kind, seed, |_| ()).playouts).into_iter().sum();
    playouts as f64 / start.elapsed().as_secs_f64()
}

/// The solver's table in bytes.
const TABLE_BYTES: usize = 1 << 28;

/// Positions of the solver per second, in a proof that begins at the empty board. `None` if there is no solver for the
/// board, or if the proof ended early.
fn solver(plan: &BenchPlan, threads: usize) -> Option<f64> {
    if !has_solver(plan.geometry) {
        return None;
    }
    let mut solver = Solver::with_threads(plan.geometry, TABLE_BYTES, threads).ok()?;
    solver = solver.guided_by(&*Network::builtin_solver());
    let start = Instant::now();
    let position = Position::new(plan.geometry);
    let solution = solver.solve_until(&position, Color::White, u64::MAX, start.checked_add(plan.time));
    solution.is_none().then(|| solver.nodes() as f64 / start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_threads_is_the_one_asked_for() {
        let counts = [1, 2, 3, 4, 6, 16].map(thread_counts);
        assert_eq!(counts[..4], [vec![1], vec![1, 2], vec![1, 2, 3], vec![1, 2, 4]]);
        assert_eq!(counts[4..], [vec![1, 2, 4, 6], vec![1, 2, 4, 8, 16]]);
    }
}
