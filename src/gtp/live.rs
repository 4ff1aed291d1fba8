//! What is told on stderr while a search runs: GoGui's live graphics, and a status line on a terminal.

use std::io::{self, Write};

use crate::board::{Color, Game, Geometry, Notation};
use crate::search::{Report, Verdict};

use super::analysis::draw_visits;
use super::gfx::Gfx;

/// How many moves of the best line are drawn as stones.
const DRAWN_MOVES: usize = 6;
/// The width of a terminal that the status line counts on.
const COLUMNS: usize = 79;

/// Tells of a running search.
pub(super) struct Live {
    gfx: bool,
    line: bool,
    color: Color,
    geometry: &'static Geometry,
    notation: Notation,
    shown: bool,
}

impl Live {
    /// For a search of `game`: whether to draw live graphics, and whether to write a status line.
    pub fn new(game: &Game, notation: Notation, gfx: bool, line: bool) -> Live {
        Live { gfx, line, color: game.to_move(), geometry: game.geometry(), notation, shown: false }
    }

    /// Whether there is anything to tell.
    pub fn is_wanted(&self) -> bool {
        self.gfx || self.line
    }

    /// Shows what the search has found so far.
    pub fn show(&mut self, report: &Report) {
        self.shown = true;
        if self.gfx {
            write(&format!("gogui-gfx:\n{}\n\n", self.picture(report)));
        } else if self.line {
            let line = summary(report, self.color, self.geometry, self.notation);
            write(&format!("\r\x1b[K{}", clip(&line, COLUMNS)));
        }
    }

    /// Takes away what was shown.
    pub fn end(&self) {
        if self.shown && self.gfx {
            write("gogui-gfx: CLEAR\n");
        } else if self.shown && self.line {
            write("\r\x1b[K");
        }
    }

    /// The moves by their visits, the beginning of the best line as stones, and the summary in the status line.
    fn picture(&self, report: &Report) -> Gfx {
        let mut gfx = Gfx::new(self.geometry, self.notation);
        draw_visits(&mut gfx, report);
        gfx.line(self.color, &report.pv[..report.pv.len().min(DRAWN_MOVES)]);
        gfx.text(summary(report, self.color, self.geometry, self.notation));
        gfx
    }
}

/// Whoever reads stderr gets each piece whole, among other messages; whether anyone reads it does not matter.
fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

fn clip(text: &str, width: usize) -> &str {
    text.char_indices().nth(width).map_or(text, |(end, _)| &text[..end])
}

/// A search in one line: the player's chance, the playouts and their speed, the best line.
pub(super) fn summary(report: &Report, color: Color, geometry: &Geometry, notation: Notation) -> String {
    let chance = match report.verdict {
        Some(Verdict::Win) => "wins".into(),
        Some(Verdict::Loss) => "loses".into(),
        Some(Verdict::Draw) => "draws".into(),
        None => format!("{:.1} %", 100.0 * report.win_rate),
    };
    let speed = report.simulations as f64 / report.elapsed.as_secs_f64().max(1e-3);
    let line: Vec<String> = report.pv.iter().map(|&v| notation.name(geometry, v)).collect();
    let (playouts, speed) = (count(report.simulations as f64), count(speed));
    format!("{color} {chance}, {playouts} playouts, {speed}/s, {}", line.join(" "))
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
    use crate::search::{Limits, Options, Searcher};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    fn report(side: usize) -> (Game, Report) {
        let game = Game::new(Geometry::of(side).unwrap());
        let limits = Limits { simulations: Some(2000), ..Limits::default() };
        let report = Searcher::new(Options::default(), 1).search(&game, &limits, &AtomicBool::new(false));
        (game, report)
    }

    #[test]
    fn a_search_fits_in_one_line() {
        let (game, mut report) = report(5);
        (report.simulations, report.elapsed, report.win_rate) = (123_456, Duration::from_millis(2000), 0.5432);
        let line = |report: &Report| summary(report, Color::White, game.geometry(), Notation::HavannahGui);
        assert!(line(&report).starts_with("white 54.3 %, 123k playouts, 61.7k/s, "), "{}", line(&report));
        report.verdict = Some(Verdict::Loss);
        assert!(line(&report).starts_with("white loses, "));
        assert_eq!((clip("ééé", 2), clip("abc", 9)), ("éé", "abc"));
    }

    #[test]
    fn counts_are_short() {
        let counts = [0.0, 9999.0, 10_000.0, 98_765.0, 987_654.0, 1.5e6, 12.34e6];
        assert_eq!(counts.map(count), ["0", "9999", "10.0k", "98.8k", "988k", "1.50M", "12.3M"]);
    }

    #[test]
    fn the_live_picture_has_the_best_line_as_stones_and_one_status_line() {
        let (game, report) = report(5);
        let live = Live::new(&game, Notation::GoGui, true, false);
        let picture = live.picture(&report).to_string();
        let count = |command: &str| picture.lines().filter(|line| line.starts_with(command)).count();
        assert_eq!((count("VAR w "), count("TEXT white "), count("LABEL ")), (1, 1, 1), "{picture}");
        assert!(count("COLOR #") >= 2 && picture.lines().all(|line| !line.is_empty()));
    }
}
