//! From what a search found to the move to play, or to a move without one; and the pie rule.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::analysis::prediction::predict;
use crate::analysis::threats::winning_vertices;
use crate::board::{Action, Color, Game, Geometry, Vertex};
use crate::nn::{Backend, Networks};
use crate::record::Move;
use crate::search::{MoveReport, Report, Verdict};

use super::openings::{FirstStones, first_stones};
use super::options::SessionOptions;

/// The move to play for `color` according to a search of the position.
///
/// Under the pie rule the second player swaps if it would win less than half of the games otherwise.
pub(super) fn choose(game: &Game, options: &SessionOptions, color: Color, report: &Report) -> Move {
    if should_swap(game, color, report) {
        return Move::Swap;
    }
    if options.resign && !game.can_swap() && report.win_rate < options.resign_below {
        return Move::Resign;
    }
    Move::Place(report.best)
}

/// Whether `color` is about to place the first stone of a game with the pie rule.
pub(super) fn opens(game: &Game, color: Color) -> bool {
    game.swap_allowed() && game.history().is_empty() && color == game.to_move()
}

/// Whether `color` may swap and would win less than half of the games otherwise, according to the table or else to a
/// search of the position.
pub(super) fn should_swap(game: &Game, color: Color, report: &Report) -> bool {
    chance_without_swap(game, color, report).is_some_and(|chance| chance < 0.5)
}

/// The chance of `color`, who may swap, if it does not; `None` if it may not swap.
fn chance_without_swap(game: &Game, color: Color, report: &Report) -> Option<f64> {
    if !game.can_swap() || color != game.to_move() {
        return None;
    }
    let first = game.last_stone().expect("there is a first stone");
    Some(1.0 - value_of_first_stone(game.geometry(), first, report, FirstStones::value))
}

/// The chance of winning of the player who owns the first stone, on `v`, with the opponent to move: what the table says
/// according to `value`, or else what a search of the position found.
pub(super) fn value_of_first_stone(
    geometry: &Geometry,
    v: Vertex,
    report: &Report,
    value: fn(&FirstStones, Vertex) -> f64,
) -> f64 {
    let searched = || report.moves.iter().find(|m| m.vertex == report.best).and_then(chance_after);
    first_stones(geometry).map_or_else(|| 1.0 - searched().unwrap_or(report.win_rate), |table| value(table, v))
}

/// The chance of winning with a move: the proven result or the mean of its visits, if there is either.
pub(super) fn chance_after(m: &MoveReport) -> Option<f64> {
    m.verdict.map(Verdict::value).or(m.win_rate)
}

/// A search's report of the position of `game` with the pie rule, which the search does not know, taken into account.
///
/// Before the first stone, the move to play is the fairest one, and the chance that of its owner after the opponent has
/// picked the better colour. After it, the chance is that of the player who picks, and the swap does not change it if the
/// table has the board. Without the pie rule, and later in the game, the report stays as it is.
pub(super) fn with_pie_rule(game: &Game, report: &Report) -> Report {
    let color = report.to_move;
    if opens(game, color) {
        return fairest(game.geometry(), report).map_or_else(|| report.clone(), |(v, value)| opening(report, v, value));
    }
    let picked = chance_without_swap(game, color, report).map(|chance| chance.max(1.0 - chance));
    let win_rate = picked.or_else(|| chance_after_swap(game, color)).unwrap_or(report.win_rate);
    Report { win_rate, ..report.clone() }
}

/// The chance of `color`, whose stone the opponent has just taken by the swap, according to the table. `None` in other
/// positions and on other boards.
fn chance_after_swap(game: &Game, color: Color) -> Option<f64> {
    let [Action::Place(_, v), Action::Swap] = *game.history() else { return None };
    let value = first_stones(game.geometry())?.value(v);
    (color == game.to_move()).then_some(1.0 - value)
}

/// The report of a search of the empty board, if the move to play is a stone on `v` that wins with the chance `value`
/// unless the opponent swaps.
fn opening(report: &Report, v: Vertex, value: f64) -> Report {
    let pv = if v == report.best {
        report.pv.clone()
    } else {
        let line = report.moves.iter().find(|m| m.vertex == v).map(|m| &m.line[..]).unwrap_or_default();
        if line.is_empty() { vec![v] } else { line.to_vec() }
    };
    Report { best: v, win_rate: value.min(1.0 - value), verdict: None, pv, ..report.clone() }
}

/// The fairest first stone, and the chance of its owner: by the table, or else by a search of the empty board. `None` if
/// neither says anything.
fn fairest(geometry: &Geometry, report: &Report) -> Option<(Vertex, f64)> {
    if let Some(table) = first_stones(geometry) {
        let v = table.fair()[0];
        return Some((v, table.value(v)));
    }
    let searched = report.moves.iter().filter_map(|m| Some((m.vertex, chance_after(m)?)));
    searched.min_by(|(_, a), (_, b)| (a - 0.5).abs().total_cmp(&(b - 0.5).abs()))
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
