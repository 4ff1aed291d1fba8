//! From what a search found to the move to play.

use crate::board::{Color, Game, Vertex};
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

/// The move after which the chances are most even, among those that have at least a hundredth of all visits.
fn most_balanced(moves: &[MoveReport]) -> Option<Vertex> {
    let visits: u64 = moves.iter().map(|m| m.visits).sum();
    let searched = moves.iter().filter(|m| m.visits > 0 && m.visits >= visits / 100);
    let imbalance = |m: &MoveReport| Some((m.verdict.map_or(m.win_rate?, Verdict::value) - 0.5).abs());
    let balances = searched.filter_map(|m| Some((m.vertex, imbalance(m)?)));
    balances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(v, _)| v)
}
