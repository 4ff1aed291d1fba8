//! What a search found, as a session tells it: with the pie rule, the chance of winning, and a hint.

use crate::engine::reasons::{self, Evidence, Reason};
use crate::engine::search::{MoveReport, SearchReport, Verdict};
use crate::game::{Color, Game, Geometry, Move, Vertex};

use super::chance::Scale;
use super::pie_rule;

/// What a search found, and the position it is about.
///
/// ```
/// use malecon::{Notation, Session};
///
/// let mut session = Session::on_side(3)?;
/// for word in ["a1", "c3", "a2", "d4"] {
///     session.play(word)?;
/// }
/// let analysis = session.search().simulations(100).run()?;
/// assert_eq!(analysis.chance(), 1.0, "White wins at once");
/// let board = session.game().geometry();
/// let line: Vec<String> = analysis.line().iter().map(|m| m.show(board, Notation::HavannahGui)).collect();
/// assert_eq!(line, ["a3"]);
/// let reason = analysis.hint(board).reason.expect("there is a reason");
/// assert_eq!(reason.text(Notation::HavannahGui), "a3 completes a bridge and wins");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The stones of the position, in the order of play, in their present colours.
    pub stones: Vec<(Color, Vertex)>,
    /// The player to move. All values are from this player's point of view.
    pub to_move: Color,
    /// What was found: the best move and line, win rates, visits, verdicts. The win rate takes the pie rule into
    /// account, the moves do not: they are those of a player who does not swap. Win rates are on the search's own
    /// scale: [`Analysis::chance`] is what to show.
    pub report: SearchReport,
    /// Whether the player to move does best to swap.
    pub swap: bool,
    /// The scale of chances; `None` where the report's win rate is the chance.
    pub(super) scale: Option<Scale>,
    /// Whether the table of first stones says what the chance of the position is.
    pub(super) has_chance: bool,
    /// Whether the best move is the fairest first stone under the pie rule.
    pub(super) is_first_stone: bool,
    /// The first stone, if the player to move may swap it, and the evidence for or against that.
    pub(super) swappable: Option<(Vertex, Evidence)>,
}

/// The chance of winning for a value of a search, with the scale of its board if it has one.
pub(super) fn scaled(scale: Option<Scale>, value: f64) -> f64 {
    scale.map_or(value, |scale| scale.chance(value))
}

/// The move to suggest to a person, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// A vertex, or a swap.
    pub suggested: Move,
    /// Why, if that can be said in a sentence.
    pub reason: Option<Reason>,
}

impl Analysis {
    /// The chance of winning of the player to move, in \[0, 1\], a draw counting 0.5, with the pie rule: see
    /// [`chance`](super::chance). In searches that no network guides, it is the search's own value.
    pub fn chance(&self) -> f64 {
        let is_known = self.has_chance || self.report.verdict.is_some();
        if is_known { self.report.win_rate } else { self.scaled(self.report.win_rate) }
    }

    /// The chance of winning with one of the report's moves, in \[0, 1\]; `None` if it was not tried.
    pub fn chance_with(&self, m: &MoveReport) -> Option<f64> {
        m.verdict.map(Verdict::value).or_else(|| m.win_rate.map(|value| self.scaled(value)))
    }

    /// The line that begins with the best move, a swap included.
    pub fn line(&self) -> Vec<Move> {
        let mut line: Vec<Move> = self.report.pv.iter().copied().map(Move::Place).collect();
        if self.swap {
            // If the result is proven, the swap changes only who has which colour, and the line goes on.
            line.truncate(if self.report.verdict.is_some() { line.len() } else { 0 });
            line.insert(0, Move::Swap);
        }
        line
    }

    /// What shows whether the owner of the first stone, on `v`, is better off or worse, where that is the only stone
    /// and the search knew of no pie rule.
    pub(crate) fn evidence(&self, board: &Geometry, v: Vertex) -> Option<Evidence> {
        pie_rule::evidence(board, v, &self.report, |value| self.scaled(value))
    }

    fn scaled(&self, value: f64) -> f64 {
        scaled(self.scale, value)
    }

    /// The move to suggest in the position of this analysis, which is on this board: see [`reasons::hint`].
    pub fn hint(&self, board: &'static Geometry) -> Hint {
        let mut game = Game::new(board);
        for &(color, v) in &self.stones {
            game.place(color, v).expect("these stones were on the board");
        }
        if self.swap {
            let reason = self.swappable.and_then(|(first, evidence)| reasons::explain_swap(&game, first, evidence));
            return Hint { suggested: Move::Swap, reason };
        }
        if self.is_first_stone {
            // The best stone is a fair one. What makes a stone strong is no reason for it.
            return Hint { suggested: Move::Place(self.report.best), reason: None };
        }
        let (v, reason) = reasons::hint(&game, &self.report, |m| self.chance_with(m));
        // Whether to swap is the first question. A move that is proven to win answers it too.
        let staying = self.swappable.and_then(|(first, evidence)| reasons::explain_staying(&game, v, first, evidence));
        Hint { suggested: Move::Place(v), reason: staying.or(reason) }
    }

    /// Whether this is about the position of `game`, with `to_move` to move.
    pub(super) fn is_about(&self, game: &Game, to_move: Color) -> bool {
        self.to_move == to_move && game.stones().eq(self.stones.iter().copied())
    }
}
