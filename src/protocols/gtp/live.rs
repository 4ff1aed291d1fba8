//! What appears on stderr while a search runs: GoGui's live graphics, or a status line on a terminal.

use std::io::{self, Write};

use crate::engine::session::Analysis;
use crate::game::{Geometry, Notation};

use super::gfx::Gfx;
use super::pictures::{draw_line, draw_visits, summary};

/// How many moves of the best line are drawn as stones.
const DRAWN_MOVES: usize = 6;
/// The width of the narrowest terminal that the status line fits.
const COLUMNS: usize = 79;

/// Shows a running search.
pub(super) struct Live {
    gfx: bool,
    line: bool,
    geometry: &'static Geometry,
    notation: Notation,
    shown: bool,
}

impl Live {
    /// Shows it as live graphics if `gfx`, else as a status line if `line`.
    pub fn new(geometry: &'static Geometry, notation: Notation, gfx: bool, line: bool) -> Live {
        Live { gfx, line, geometry, notation, shown: false }
    }

    /// Whether there is anything to show.
    pub fn is_wanted(&self) -> bool {
        self.gfx || self.line
    }

    /// Shows what the search has found so far.
    pub fn show(&mut self, analysis: &Analysis) {
        self.shown = true;
        if self.gfx {
            write(&format!("gogui-gfx:\n{}\n\n", self.picture(analysis)));
        } else if self.line {
            let line = summary(analysis, self.geometry, self.notation);
            write(&format!("\r\x1b[K{}", clip(&line, COLUMNS)));
        }
    }

    /// Removes what was shown.
    pub fn end(&self) {
        if self.shown && self.gfx {
            write("gogui-gfx: CLEAR\n");
        } else if self.shown && self.line {
            write("\r\x1b[K");
        }
    }

    /// The visits of the moves, the first stones of the best line, and the summary in the status line.
    fn picture(&self, analysis: &Analysis) -> Gfx {
        let mut gfx = Gfx::new(self.geometry, self.notation);
        draw_visits(&mut gfx, analysis);
        draw_line(&mut gfx, analysis, DRAWN_MOVES);
        gfx.text(summary(analysis, self.geometry, self.notation));
        gfx
    }
}

/// Writes the text in one piece, so that it does not mix with other messages. Errors are ignored: nobody has to read
/// it.
fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

fn clip(text: &str, width: usize) -> &str {
    text.char_indices().nth(width).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::Limits;
    use crate::engine::session::Session;
    use crate::game::Color;

    #[test]
    fn the_live_picture_has_the_best_line_as_stones_and_one_status_line() {
        let mut session = Session::on_side(5).unwrap();
        // On the empty board, a search may try nothing but the corners, about equally often: they have one colour then.
        for stone in ["e5", "b4"] {
            session.play(stone).unwrap();
        }
        let limits = Limits::with_simulations(2000);
        let analysis = session.search().color(Color::White).limits(limits).run().unwrap();
        let live = Live::new(session.game().geometry(), Notation::GoGui, true, false);
        let picture = live.picture(&analysis).to_string();
        let count = |command: &str| picture.lines().filter(|line| line.starts_with(command)).count();
        assert_eq!((count("VAR w "), count("TEXT white "), count("LABEL ")), (1, 1, 1), "{picture}");
        assert!(count("COLOR #") >= 2 && picture.lines().all(|line| !line.is_empty()));
    }

    #[test]
    fn long_lines_are_clipped_between_characters() {
        assert_eq!((clip("\u{e9}\u{e9}\u{e9}", 2), clip("abc", 9)), ("\u{e9}\u{e9}", "abc"));
    }
}
