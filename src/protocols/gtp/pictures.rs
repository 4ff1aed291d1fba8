//! Pictures of searches in GoGui's graphics language, and a search summed up in one line.

use crate::engine::search::Verdict;
use crate::engine::session::Analysis;
use crate::game::{Geometry, Notation};

use super::gfx::{Gfx, GfxMark, Shade};

/// The ends of a heat map. GoGui's board is light brown.
const COLD: Shade = Shade(0xf4, 0xe8, 0xc0);
const HOT: Shade = Shade(0xe8, 0x50, 0x28);

/// A share in \[0, 1\] as a colour, rounded to steps that the eye can tell apart.
pub(super) fn heat(share: f64) -> Shade {
    const STEPS: f64 = 20.0;
    COLD.toward(HOT, (STEPS * share).round() / STEPS)
}

/// Draws the visits of each move as heat on a logarithmic scale, the win rates of moves with at least a thousandth of
/// the highest number of visits, and a circle around the best move.
pub(super) fn draw_visits(gfx: &mut Gfx, analysis: &Analysis) {
    let report = &analysis.report;
    let most = report.moves.iter().map(|m| m.visits).max().unwrap_or(0).max(1);
    for m in report.moves.iter().filter(|m| m.visits > 0) {
        gfx.shade(m.vertex, heat((m.visits as f64).ln_1p() / (most as f64).ln_1p()));
        if let Some(rate) = analysis.chance_with(m)
            && 1000 * m.visits >= most
        {
            gfx.percent(m.vertex, rate);
        }
    }
    gfx.mark(report.best, GfxMark::Circle);
}

/// Draws the first `most` moves of the best line as numbered stones. A swap is a word below the board, without the moves
/// that were expected instead of it.
pub(super) fn draw_line(gfx: &mut Gfx, analysis: &Analysis, most: usize) {
    let line = &analysis.report.pv;
    if analysis.swap {
        gfx.text("swap");
    } else {
        gfx.line(analysis.to_move, &line[..line.len().min(most)]);
    }
}

/// A search in one line: the player's chance of winning, the simulations and their speed, if there were any, and the
/// best line.
pub(super) fn summary(analysis: &Analysis, geometry: &Geometry, notation: Notation) -> String {
    let report = &analysis.report;
    let color = analysis.to_move;
    let chance = match report.verdict {
        Some(Verdict::Win) => "wins".into(),
        Some(Verdict::Loss) => "loses".into(),
        Some(Verdict::Draw) => "draws".into(),
        None => format!("{:.1} %", 100.0 * analysis.chance()),
    };
    let at_most = report.moves_to_win.map(|moves| match moves {
        1 => "in 1 move".to_owned(),
        moves => format!("in at most {moves} moves"),
    });
    let speed = report.simulations as f64 / report.elapsed.as_secs_f64().max(1e-3);
    let effort = (report.simulations > 0)
        .then(|| format!("{} simulations, {}/s", count(report.simulations as f64), count(speed)));
    let line = analysis.line().into_iter().map(|m| m.show(geometry, notation)).collect::<Vec<_>>().join(" ");
    [Some(format!("{color} {chance}")), at_most, effort, Some(line)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

/// A count with three or four digits: `9876`, `98.8k`, `9.88M`.
fn count(number: f64) -> String {
    let (scaled, unit) = match number {
        n if n < 1e4 => return format!("{n:.0}"),
        n if n < 1e6 => (n / 1e3, "k"),
        n => (n / 1e6, "M"),
    };
    let digits = if scaled < 10.0 {
        2
    } else if scaled < 100.0 {
        1
    } else {
        0
    };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::Limits;
    use crate::engine::session::Session;
    use crate::game::Color;
    use std::time::Duration;

    #[test]
    fn a_search_fits_in_one_line() {
        let mut session = Session::on_side(5).unwrap();
        let limits = Limits::with_simulations(200);
        let found = session.search().color(Color::White).limits(limits).run().unwrap();
        let mut analysis = Analysis::clone(&found);
        let line = |analysis: &Analysis| summary(analysis, session.game().geometry(), Notation::HavannahGui);
        (analysis.report.simulations, analysis.report.elapsed) = (123_456, Duration::from_millis(2000));
        let expected = format!("white {:.1} %, 123k simulations, 61.7k/s, ", 100.0 * analysis.chance());
        assert!(line(&analysis).starts_with(&expected), "{}", line(&analysis));
        analysis.report.verdict = Some(Verdict::Loss);
        assert!(line(&analysis).starts_with("white loses, 123k"));
        (analysis.report.moves_to_win, analysis.report.simulations) = (Some(7), 0);
        let moves = Notation::HavannahGui.names(session.game().geometry(), &analysis.report.pv).join(" ");
        assert_eq!(line(&analysis), format!("white loses, in at most 7 moves, {moves}"));
        analysis.report.moves_to_win = Some(1);
        assert_eq!(line(&analysis), format!("white loses, in 1 move, {moves}"));
    }

    #[test]
    fn counts_are_short() {
        let counts = [0.0, 9999.0, 10_000.0, 98_765.0, 987_654.0, 1.5e6, 12.34e6];
        assert_eq!(counts.map(count), ["0", "9999", "10.0k", "98.8k", "988k", "1.50M", "12.3M"]);
    }
}
