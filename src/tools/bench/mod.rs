//! Measurements: the paper's table (section 9) with this engine's times, the speed of the engine's own playouts and of
//! its search, what several threads do in a second, and a signature of the engine's behaviour.

mod playouts;
mod signature;
mod threads;

use std::time::Duration;

use serde::Serialize;

use crate::base::time::Instant;
use crate::engine::playout::Ending;
use crate::engine::playout::paper::{Rings, SamplerKind};
use crate::engine::search::{Limits, Preset, SearchError, SearchOptions, Searcher};
use crate::game::{Game, Geometry, Structures};

pub use playouts::{PlayoutKind, Playouts};
pub use signature::{SIGNATURE, signature};
pub use threads::{ThreadFigures, ThreadRow, measure_threads, thread_counts, thread_measurements};

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct BenchPlan {
    /// The board.
    pub geometry: &'static Geometry,
    /// How long to measure each row.
    pub time: Duration,
    /// The sampler that weighted playouts draw their moves from.
    pub sampler: SamplerKind,
    /// When the playouts of the paper's table look for rings.
    pub rings: Rings,
}

/// The figures for one board size, measured on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The side length of the board.
    pub side: usize,
    /// The rows of the paper's table, in the paper's order.
    pub rows: Vec<Row>,
    /// The engine's own playouts.
    pub engine: EngineFigures,
    /// The search with the preset `plain`.
    pub search: SearchFigures,
    /// The search with the preset `default`.
    pub search_default: SearchFigures,
}

/// A row of the paper's table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What is measured, in the paper's words.
    pub name: &'static str,
    /// Mean time of a playout, in microseconds.
    pub us_per_playout: f64,
    /// The paper's time in microseconds, or `None` if it has none for this side length.
    pub paper_us: Option<f64>,
}

/// Figures for uniform playouts from the empty board until the first win, which look for all structures with every
/// move.
#[derive(Clone, Debug, Serialize)]
pub struct EngineFigures {
    /// Playouts per second.
    pub playouts_per_s: f64,
    /// Mean time of a move, in nanoseconds.
    pub ns_per_move: f64,
    /// Mean number of moves in a playout.
    pub mean_length: f64,
    /// How the playouts ended.
    pub endings: EndingShares,
}

/// The shares of playouts with each ending, in \[0, 1\]. A playout whose last move completed several structures counts
/// for the first of bridge, fork and ring.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EndingShares {
    /// Won by a bridge.
    pub bridge: f64,
    /// Won by a fork.
    pub fork: f64,
    /// Won by a ring.
    pub ring: f64,
    /// Drawn.
    pub draw: f64,
}

/// Figures for a search from the empty board.
#[derive(Clone, Debug, Serialize)]
pub struct SearchFigures {
    /// Simulations, that is, descents of the search, per second; none on boards that are solved before the first.
    pub simulations_per_s: Option<f64>,
}

/// The rows of the paper's table: kind, name, and the paper's milliseconds for sides 4, 6, 8 and 10.
const PAPER: [(PlayoutKind, &str, [f64; 4]); 5] = [
    (PlayoutKind::Full, "random full playout, not checking any winning condition", [0.035, 0.049, 0.098, 0.167]),
    (PlayoutKind::FullBridgeFork, "random full playout, with bridge/fork checking", [0.15, 0.37, 0.67, 1.15]),
    (PlayoutKind::FullAll, "random full playout, with bridge/fork/ring checking", [0.41, 1.00, 1.9, 3.2]),
    (PlayoutKind::WeightedFull, "weighted full playout, with b/f/r checking", [0.56, 1.38, 2.6, 4.5]),
    (PlayoutKind::WeightedUntilWin, "weighted playout until b/f win, with ring checking", [0.24, 0.53, 0.98, 1.6]),
];

/// The number of rows that [`measure`] measures.
pub const ROWS: usize = PAPER.len() + 3;

/// Measures all rows for one board size. It calls `begin` with the name of each row before measuring it.
///
/// # Errors
/// If a search fails.
pub fn measure(plan: &BenchPlan, mut begin: impl FnMut(&str)) -> Result<Figures, SearchError> {
    let rows = PAPER.map(|(kind, name, paper)| {
        begin(name);
        row(plan, kind, name, paper)
    });
    begin("playout until the first win");
    let engine = engine(plan);
    let mut search = |name: &str, preset| {
        begin(name);
        search(plan, preset, 1)
    };
    Ok(Figures {
        side: plan.geometry.side(),
        rows: rows.into(),
        engine,
        search: search("search, plain settings", Preset::Plain)?,
        search_default: search("search, default settings", Preset::Default)?,
    })
}

fn row(plan: &BenchPlan, kind: PlayoutKind, name: &'static str, paper: [f64; 4]) -> Row {
    let timed = time(plan, kind, SEED, |_| ());
    let side = [4, 6, 8, 10].into_iter().position(|side| side == plan.geometry.side());
    let us_per_playout = timed.elapsed.as_secs_f64() * 1e6 / timed.playouts as f64;
    Row { name, us_per_playout, paper_us: side.map(|i| (paper[i] * 1e3).round()) }
}

fn engine(plan: &BenchPlan) -> EngineFigures {
    let [mut moves, mut bridges, mut forks, mut rings, mut draws] = [0u64; 5];
    let timed = time(plan, PlayoutKind::UntilFirstWin, SEED, |ending| {
        moves += ending.length as u64;
        let by = |structure| ending.structures.contains(structure);
        if ending.winner.is_none() {
            draws += 1;
        } else if by(Structures::BRIDGE) {
            bridges += 1;
        } else if by(Structures::FORK) {
            forks += 1;
        } else {
            rings += 1;
        }
    });
    let seconds = timed.elapsed.as_secs_f64();
    let playouts = timed.playouts as f64;
    let [bridge, fork, ring, draw] = [bridges, forks, rings, draws].map(|count| count as f64 / playouts);
    EngineFigures {
        playouts_per_s: playouts / seconds,
        ns_per_move: seconds * 1e9 / moves as f64,
        mean_length: moves as f64 / playouts,
        endings: EndingShares { bridge, fork, ring, draw },
    }
}

/// A thread of a plain search fills fewer megabytes of tree nodes than this in a second.
const MEGABYTES_PER_SECOND: f64 = 1024.0;

/// Measures the search with this many threads. With the preset `plain` it gets so much memory that the tree can grow
/// until the end.
fn search(plan: &BenchPlan, preset: Preset, threads: usize) -> Result<SearchFigures, SearchError> {
    // A position whose winner is known needs no search.
    let mut options = SearchOptions { threads, solved_positions: false, ..SearchOptions::preset(preset) };
    if preset == Preset::Plain {
        let wanted = plan.time.as_secs_f64() * threads as f64 * MEGABYTES_PER_SECOND;
        options.memory = options.memory.max(wanted as usize);
    }
    let limits = Limits::with_time(plan.time);
    let report = Searcher::new(options, SEED).search(&Game::new(plan.geometry), &limits, &false.into())?;
    let per_second = report.simulations as f64 / report.elapsed.as_secs_f64();
    Ok(SearchFigures { simulations_per_s: (report.simulations > 0).then_some(per_second) })
}

const SEED: u64 = 1;

struct Timed {
    playouts: u64,
    elapsed: Duration,
}

/// Plays playouts of one kind for as long as the plan says, and calls `observe` with the ending of each.
fn time(plan: &BenchPlan, kind: PlayoutKind, seed: u64, mut observe: impl FnMut(Ending)) -> Timed {
    const BATCH: u64 = 64;
    let mut playouts = Playouts::new(plan.geometry, kind, plan.sampler, plan.rings, seed);
    let start = Instant::now();
    let mut count = 0;
    loop {
        (0..BATCH).for_each(|_| observe(std::hint::black_box(playouts.play())));
        count += BATCH;
        let elapsed = start.elapsed();
        if elapsed >= plan.time {
            return Timed { playouts: count, elapsed };
        }
    }
}
