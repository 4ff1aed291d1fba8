//! From what a search found to the move to play, or to a move without one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::analysis::prediction::predict;
use crate::analysis::threats::winning_vertices;
use crate::board::{Color, Game, Vertex};
use crate::nn::{Backend, Network};
use crate::record::Move;
use crate::search::{MoveReport, Report, Verdict};

use super::options::Options;

/// The move to play for `color` according to a search of the position.
///
/// Under the pie rule the second player swaps if it would win less than half of the games otherwise, and the first
/// player chooses the stone after which the chances are most even.
pub(super) fn choose(game: &Game, options: &Options, color: Color, report: &Report) -> Move {
    let chance = report.win_rate;
    if game.can_swap() && color == game.to_move() {
        return if chance < 0.5 { Move::Swap } else { Move::Place(report.best) };
    }
    if options.resign && chance < options.resign_below {
        return Move::Resign;
    }
    let is_opening = game.swap_allowed() && game.history().is_empty();
    let balanced = if is_opening { most_balanced(&report.moves) } else { None };
    Move::Place(balanced.unwrap_or(report.best))
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
        .or_else(|| favourite(&position, &*Network::builtin()))
        .unwrap_or_else(|| game.position().empty_vertices().next().expect("a game that is not over has a move"))
}

/// The most probable move according to a network; `None` if the network fails.
fn favourite(game: &Game, network: &dyn Backend) -> Option<Vertex> {
    let prediction = catch_unwind(AssertUnwindSafe(|| predict(game, network))).ok()?;
    prediction.moves.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(v, _)| v)
}

/// The move after which the chances are most even, among those that have at least a hundredth of all visits.
fn most_balanced(moves: &[MoveReport]) -> Option<Vertex> {
    let visits: u64 = moves.iter().map(|m| m.visits).sum();
    let searched = moves.iter().filter(|m| m.visits > 0 && m.visits >= visits / 100);
    let imbalance = |m: &MoveReport| Some((m.verdict.map_or(m.win_rate?, Verdict::value) - 0.5).abs());
    let balances = searched.filter_map(|m| Some((m.vertex, imbalance(m)?)));
    balances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(v, _)| v)
}
