//! The move to play after a search, or without one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::inspect::prediction::predict;
use crate::engine::inspect::threats::winning_vertices;
use crate::game::{Color, Game, Move, Vertex};
use crate::network::{Backend, Networks};

use super::Analysis;
use super::options::SessionOptions;

/// The move to play for `color` according to a search of the position.
///
/// Under the pie rule the second player swaps if it would win less than half of the games otherwise.
pub(super) fn choose(game: &Game, options: &SessionOptions, color: Color, analysis: &Analysis) -> Move {
    let report = &analysis.report;
    // The report is corrected for the pie rule already.
    if analysis.swap && color == report.to_move {
        return Move::Swap;
    }
    if options.resign && !game.can_swap() && analysis.chance() < options.resign_below {
        return Move::Resign;
    }
    Move::Place(report.best)
}

/// The move to play for `color` where the search has failed, in a game that is not over: one that wins, else one that
/// stops the opponent from winning at once, else the favourite of `network`, or of the built-in one if that fails too.
pub(super) fn without_search(game: &Game, color: Color, network: &dyn Backend) -> Vertex {
    let winning = |color| winning_vertices(game, color).first().map(|&(v, _)| v);
    let mut position = game.clone();
    position.set_to_move(color);
    winning(color)
        .or_else(|| winning(!color))
        .or_else(|| favourite(&position, network))
        .or_else(|| favourite(&position, &Networks::Builtin))
        .unwrap_or_else(|| game.position().empty_vertices().next().expect("a game that is not over has a move"))
}

/// The most probable move according to a network; `None` if the network fails.
fn favourite(game: &Game, network: &dyn Backend) -> Option<Vertex> {
    let prediction = catch_unwind(AssertUnwindSafe(|| predict(game, network))).ok()?;
    prediction.moves.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(v, _)| v)
}
