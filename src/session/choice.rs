//! From what a search found to the move to play, or to a move without one; and the pie rule.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::analysis::prediction::predict;
use crate::analysis::threats::winning_vertices;
use crate::board::{Color, Game, Geometry, Vertex};
use crate::nn::{Backend, Network};
use crate::record::Move;
use crate::search::{MoveReport, Report, Verdict};

use super::openings::{FirstStone, first_stone, first_stones};
use super::options::Options;

/// The move to play for `color` according to a search of the position.
///
/// Under the pie rule the second player swaps if it would win less than half of the games otherwise.
pub(super) fn choose(game: &Game, options: &Options, color: Color, report: &Report) -> Move {
    if let Some(chance) = chance_without_swap(game, color, report) {
        return if chance < 0.5 { Move::Swap } else { Move::Place(report.best) };
    }
    if options.resign && report.win_rate < options.resign_below {
        return Move::Resign;
    }
    Move::Place(report.best)
}

/// Whether `color` is about to place the first stone of a game with the pie rule.
pub(super) fn opens(game: &Game, color: Color) -> bool {
    game.swap_allowed() && game.history().is_empty() && color == game.to_move()
}

/// The chance of `color`, who may swap, if it does not; `None` if it may not swap.
fn chance_without_swap(game: &Game, color: Color, report: &Report) -> Option<f64> {
    if !game.can_swap() || color != game.to_move() {
        return None;
    }
    let first = game.last_stone().expect("there is a first stone");
    Some(1.0 - value_of_first_stone(game.geometry(), first, report, FirstStone::value))
}

/// The chance of winning of the player who owns the first stone, on `v`, with the opponent to move: what the table says
/// according to `value`, or else what a search of the position found.
pub(super) fn value_of_first_stone(
    geometry: &Geometry,
    v: Vertex,
    report: &Report,
    value: fn(&FirstStone) -> f64,
) -> f64 {
    let searched = || report.moves.iter().find(|m| m.vertex == report.best).and_then(chance_after);
    first_stone(geometry, v).map(value).unwrap_or_else(|| 1.0 - searched().unwrap_or(report.win_rate))
}

/// The chance of winning with a move: the proven result or the mean of its visits, if there is either.
pub(super) fn chance_after(m: &MoveReport) -> Option<f64> {
    m.verdict.map(Verdict::value).or(m.win_rate)
}

/// Adds the pie rule, which the search does not know, to its report of the position of `game`.
///
/// Before the first stone, the move to play is the fairest one, and the chance that of its owner after the opponent has
/// picked the better colour. After it, the chance is that of the player who picks. Without the pie rule, and later in
/// the game, nothing changes.
pub(super) fn apply_pie_rule(game: &Game, report: &mut Report) {
    let color = report.to_move;
    if opens(game, color) {
        let table = first_stones(game.geometry()).map(|first| (first.vertex, first.value(), first.estimate()));
        let searched = report.moves.iter().filter_map(|m| chance_after(m).map(|chance| (m.vertex, chance, chance)));
        let fairest = fairest(table).or_else(|| fairest(searched));
        let Some((v, value)) = fairest else { return };
        report.win_rate = value.min(1.0 - value);
        report.verdict = None;
        if v != report.best {
            let line = report.moves.iter().find(|m| m.vertex == v).map(|m| m.line.clone()).unwrap_or_default();
            report.pv = if line.is_empty() { vec![v] } else { line };
            report.best = v;
        }
    } else if let Some(chance) = chance_without_swap(game, color, report) {
        report.win_rate = chance.max(1.0 - chance);
    }
}

/// The vertex with the estimate nearest to one half, and its value, of triples of vertex, value and estimate.
fn fairest(stones: impl Iterator<Item = (Vertex, f64, f64)>) -> Option<(Vertex, f64)> {
    let imbalance = |estimate: f64| (estimate - 0.5).abs();
    let fairest = stones.min_by(|(.., a), (.., b)| imbalance(*a).total_cmp(&imbalance(*b)));
    fairest.map(|(v, value, _)| (v, value))
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
