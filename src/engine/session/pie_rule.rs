//! The pie rule: which first stone to place, when to swap, and what the chance of winning is.
//!
//! On the boards that the table of first stones has ([`super::first_stones`]), the table decides; on others, a search.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::reasons::Evidence;
use crate::engine::search::{MoveReport, SearchReport, Verdict};
use crate::game::{Color, Game, Geometry, Move, Vertex};

use super::first_stones::{FAIR, FirstStones, first_stones, published};

/// Whether the next move is the first stone of a game with the pie rule, whoever places it.
pub(super) fn is_first_stone(game: &Game) -> bool {
    game.swap_allowed() && game.history().is_empty()
}

/// The first stone, if `color` may swap it now.
pub(super) fn stone_to_swap(game: &Game, color: Color) -> Option<Vertex> {
    if game.can_swap() && color == game.to_move() { game.last_stone() } else { None }
}

/// The move of `color` by the table, where the pie rule asks for a decision and the table has the board: one of the
/// fair stones, drawn at random, or the swap. `None` if there is nothing to decide, or the second player does not swap.
pub(super) fn decide(game: &Game, color: Color, rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let table = first_stones(game.geometry())?;
    if is_first_stone(game) {
        return Some(Move::Place(table.draw_fair(rng)));
    }
    (table.value(stone_to_swap(game, color)?) > 0.5).then_some(Move::Swap)
}

/// Whether `color` may swap and would win less than half of the games otherwise, according to the table or else to a
/// search of the position.
pub(super) fn should_swap(game: &Game, color: Color, report: &SearchReport) -> bool {
    chance_without_swap(game, color, report).is_some_and(|chance| chance < 0.5)
}

/// What shows whether the owner of the first stone, on `v`, is better off or worse; `None` if nothing does. `report` is
/// of a search of the position with only that stone, without the pie rule; `scale` converts its values to chances.
pub(crate) fn evidence(
    geometry: &Geometry,
    v: Vertex,
    report: &SearchReport,
    scale: impl Fn(f64) -> f64,
) -> Option<Evidence> {
    let verdict = report.verdict.map_or_else(|| published(geometry), |verdict| Some(verdict.of_opponent()));
    if let Some(verdict) = verdict {
        return (verdict == Verdict::Win).then_some(Evidence::Proof);
    }
    let Some(table) = first_stones(geometry) else {
        let chance = scale(value_of_first_stone(geometry, v, report, FirstStones::value));
        return ((chance - 0.5).abs() > FAIR).then_some(Evidence::Search { chance });
    };
    let score = table.score(v);
    score.is_clear().then(|| Evidence::Games { games: score.games, score: score.mean() })
}

/// The chance of winning of `color`, who may swap, if it does not; `None` if it may not swap.
fn chance_without_swap(game: &Game, color: Color, report: &SearchReport) -> Option<f64> {
    let first = stone_to_swap(game, color)?;
    Some(1.0 - value_of_first_stone(game.geometry(), first, report, FirstStones::value))
}

/// The chance of winning of `color`, whose stone the opponent has just taken by the swap, according to the table.
/// `None` in other positions and on other boards.
fn chance_after_swap(game: &Game, color: Color) -> Option<f64> {
    let [(first, Move::Place(v)), (_, Move::Swap)] = *game.history() else { return None };
    let value = first_stones(game.geometry())?.value(v);
    (color == first).then_some(1.0 - value)
}

/// The chance of winning of the player who owns the first stone, on `v`, with the opponent to move: `value` of the
/// table, or on a board that it does not have, what a search of the position found.
pub(super) fn value_of_first_stone(
    geometry: &Geometry,
    v: Vertex,
    report: &SearchReport,
    value: fn(&FirstStones, Vertex) -> f64,
) -> f64 {
    let proven = || report.verdict.map(Verdict::value);
    let searched = || report.moves.iter().find(|m| m.vertex == report.best).and_then(chance_after);
    let of_opponent = || proven().or_else(searched).unwrap_or(report.win_rate);
    first_stones(geometry).map_or_else(|| 1.0 - of_opponent(), |table| value(table, v))
}

/// The chance of winning with a move: the proven result or the mean of its visits, if there is either.
fn chance_after(m: &MoveReport) -> Option<f64> {
    m.verdict.map(Verdict::value).or(m.win_rate)
}

/// A report of the position of `game`, corrected for the pie rule, of which the search knows nothing.
///
/// - Before the first stone, the best move is the fairest stone. The player who places it has the chance of winning
///   against an opponent who then picks the better colour.
/// - If the player to move may swap, its chance is that of the better colour, and a proven loss becomes a win.
/// - After a swap, the chance is what the table says about the first stone, if it has the board.
///
/// In other positions, and without the pie rule, the report stays as it is.
pub(super) fn with_pie_rule(game: &Game, report: &SearchReport) -> SearchReport {
    let color = report.to_move;
    if is_first_stone(game) {
        let Some((v, value)) = fairest(game.geometry(), report) else { return report.clone() };
        // Where one colour is proven to win after every stone, the opponent picks that colour.
        let verdict = published(game.geometry()).map(|_| Verdict::Loss);
        return SearchReport { verdict, ..placing(report, v, value) };
    }
    let picked = chance_without_swap(game, color, report).map(|chance| chance.max(1.0 - chance));
    let win_rate = picked.or_else(|| chance_after_swap(game, color)).unwrap_or(report.win_rate);
    let verdict = match report.verdict {
        Some(Verdict::Loss) if picked.is_some() => Some(Verdict::Win),
        verdict => verdict,
    };
    SearchReport { win_rate, verdict, ..report.clone() }
}

/// Whether the chance of the player to move comes from the table of first stones, and not from the search.
pub(super) fn decides_chance(game: &Game) -> bool {
    let color = game.to_move();
    let depends = is_first_stone(game) || stone_to_swap(game, color).is_some();
    (depends && first_stones(game.geometry()).is_some()) || chance_after_swap(game, color).is_some()
}

/// The fairest first stone, and the chance of winning of the player who owns it: by the table, or else by a search of
/// the empty board. `None` if neither says anything.
fn fairest(geometry: &Geometry, report: &SearchReport) -> Option<(Vertex, f64)> {
    if let Some(table) = first_stones(geometry) {
        let v = table.fair()[0];
        return Some((v, table.value(v)));
    }
    let searched = report.moves.iter().filter_map(|m| Some((m.vertex, chance_after(m)?)));
    searched.min_by(|(_, a), (_, b)| (a - 0.5).abs().total_cmp(&(b - 0.5).abs()))
}

/// The report of a search of the empty board, with a stone on `v` as the best move. `value` is the chance of winning of
/// the player who owns this stone.
fn placing(report: &SearchReport, v: Vertex, value: f64) -> SearchReport {
    let pv = if v == report.best {
        report.pv.clone()
    } else {
        let line = report.moves.iter().find(|m| m.vertex == v).map(|m| &m.line[..]).unwrap_or_default();
        if line.is_empty() { vec![v] } else { line.to_vec() }
    };
    SearchReport { best: v, win_rate: value.min(1.0 - value), pv, moves_to_win: None, ..report.clone() }
}
