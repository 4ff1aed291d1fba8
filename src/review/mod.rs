//! Reviews of recorded games: the chance of winning after each move, the mistakes and the better lines, the turning
//! points, the move from which the winner's frames were faster, and how far each player was from each structure.
//!
//! | module | contents |
//! |---|---|
//! | `assess` | the searches, and what follows from them |
//! | `known` | what an interrupted review found, so that another one can continue from there |
//! | `findings` | mistakes about the same point as one finding, those that decided the game first |
//! | [`text`] | a review for a terminal |
//! | [`annotate`] | a review as comments and variations of the record |
//! | [`html`] | a review as a page of its own |
//! | [`json`] | a review for programs |
//!
//! ```
//! use malecon::game::{Geometry, Notation};
//! use malecon::game::record::Record;
//! use malecon::review::{Settings, review, text};
//! use malecon::engine::search::Limits;
//! use malecon::engine::session::{Session, StopFlag};
//!
//! let record = Record::from_words(Geometry::with_side(4)?, &["d4", "a1", "e5"]).unwrap();
//! let limits = Limits::with_simulations(50);
//! let settings = Settings { limits, ..Settings::default() };
//! let mut session = Session::on_side(4)?;
//! let review = review(&mut session, &record, &settings, &StopFlag::new(), &mut |_| {})?;
//! assert_eq!(review.positions.len(), 4);
//! print!("{}", text::report(&review, Notation::HavannahGui, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod annotate;
mod assess;
mod findings;
pub mod html;
pub mod json;
mod known;
pub mod text;

use std::time::Duration;

use crate::base::text::{capitalized, count};
use crate::engine::frames::{Basis, Race};
use crate::engine::reasons::Reason;
use crate::engine::search::Limits;
use crate::game::record::{NodeId, Record, Winner};
use crate::game::{Color, Game, Geometry, Move, Notation, Structures, Vertex};

pub use assess::review;
pub use findings::{Finding, FindingKind};
pub use known::{KnownPosition, KnownPositionError};

/// The structures in the order in which reviews list them.
pub const STRUCTURES: [Structures; 3] = [Structures::BRIDGE, Structures::FORK, Structures::RING];

/// How to review a game.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long to search each position.
    pub limits: Limits,
    /// The chance of winning, in \[0, 1\], that a move must lose to count as a mistake.
    pub mistake: f64,
    /// Whether the game had the pie rule. A game with a swap, or one of Little Golem's, had it in any case.
    pub swap: bool,
    /// What a review of the same game has found before. It is neither searched again nor reported.
    pub known: Vec<KnownPosition>,
}

impl Default for Settings {
    /// One second a position; a mistake loses at least 0.1.
    fn default() -> Settings {
        let limits = Limits::with_time(Duration::from_secs(1));
        Settings { limits, mistake: 0.1, swap: false, known: Vec::new() }
    }
}

/// What a review has just found. First come all positions, from the first to the last, then all moves, from the last to
/// the first.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A position was searched.
    Searched {
        /// The number of moves before the position.
        turn: usize,
        /// What the search found.
        position: &'a Assessment,
    },
    /// A move was checked for a mistake.
    Checked {
        /// The number of moves before this one.
        turn: usize,
        /// The position in which the move was played, as the check has corrected it.
        position: &'a Assessment,
        /// The move.
        played: &'a ReviewedMove,
    },
}

/// A position of a game and what the search found in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Assessment {
    /// The player to move.
    pub to_move: Color,
    /// White's chance of winning in \[0, 1\], a draw counting 0.5.
    pub white: f64,
    /// The proven result: on the board, or by the search and the solver.
    pub proven: Option<Winner>,
    /// The best line found, for the player to move. It is empty when the game is over, and when the best move is a
    /// swap.
    pub line: Vec<Vertex>,
    /// Whether the best move is to swap.
    pub swap: bool,
    /// For white and for black, how many stones each of [`STRUCTURES`] lacks; `None` if it has become impossible.
    pub missing: [[Option<usize>; 3]; 2],
    /// Who is ahead in the race. `None` if neither player is known to be, if the game is over, and while the second
    /// player may swap.
    pub race: Option<Lead>,
    /// The simulations of the search of this position.
    pub simulations: u64,
}

/// A lead in the race between the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lead {
    /// The player who is ahead.
    pub color: Color,
    /// Why.
    pub basis: Basis,
    /// The widths of white's and black's tightest full frames, in stones; `None` for a player without one.
    pub widths: [Option<usize>; 2],
}

impl Lead {
    fn from_race(race: &Race) -> Option<Lead> {
        let (color, basis) = race.leader?;
        let widths = Color::ALL.map(|color| race.tightest(color).map(|frame| frame.width));
        Some(Lead { color, basis, widths })
    }
}

impl Assessment {
    /// A position of which only White's chance of winning and the best line are known.
    fn new(to_move: Color, white: f64, line: Vec<Vertex>) -> Assessment {
        let missing = [[None; 3]; 2];
        Assessment { to_move, white, proven: None, line, swap: false, missing, race: None, simulations: 0 }
    }

    /// The chance of winning of a colour in \[0, 1\].
    pub fn chance(&self, color: Color) -> f64 {
        seen_by(color, self.white)
    }
}

/// A better move than the one that was played, and how much better.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mistake {
    /// The better move.
    pub better: Move,
    /// The line expected after it, beginning with the better move itself unless that is a swap.
    pub line: Vec<Vertex>,
    /// The player's chance of winning after the better move, in \[0, 1\].
    pub better_chance: f64,
    /// The player's chance of winning after the move that was played, in \[0, 1\].
    pub played_chance: f64,
    /// Whether the better move is proven to win.
    pub missed_win: bool,
    /// What the better move does or how the played one is refuted, if that can be said in a sentence.
    pub reason: Option<Reason>,
}

impl Mistake {
    /// The chance of winning that the move lost, in \[0, 1\].
    pub fn loss(&self) -> f64 {
        self.better_chance - self.played_chance
    }

    /// Whether the mistake is one of the worst, which lose 0.3 or more.
    pub fn is_blunder(&self) -> bool {
        self.loss() >= 0.3
    }
}

/// A move of the game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewedMove {
    /// The player.
    pub color: Color,
    /// The move.
    pub played: Move,
    /// Its node in the record.
    pub node: NodeId,
    /// What would have been better, if the move was a mistake.
    pub mistake: Option<Mistake>,
}

/// The review of a game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Review {
    /// The record.
    pub record: Record,
    /// How the game was searched.
    pub settings: Settings,
    /// The moves of the main line up to a resignation, without stones that were set up.
    pub moves: Vec<ReviewedMove>,
    /// The positions before the first move and after each move, one more than there are moves. Fewer if the review was
    /// stopped.
    pub positions: Vec<Assessment>,
    /// The moves at which the lead changed, by their index.
    pub turning_points: Vec<usize>,
    /// Whether the review was stopped before all positions were searched and all moves were checked. It has no mistakes
    /// then.
    pub is_partial: bool,
    /// The seconds that the searches took.
    pub seconds: f64,
}

impl Review {
    /// The board.
    pub fn board(&self) -> &'static Geometry {
        self.record.board()
    }

    /// The moves that were mistakes, by their index, with the better move.
    pub fn mistakes(&self) -> impl Iterator<Item = (usize, &ReviewedMove, &Mistake)> {
        self.moves.iter().enumerate().filter_map(|(i, m)| Some((i, m, m.mistake.as_ref()?)))
    }

    /// What the mistakes teach, the most important first. Mistakes about the same point are one finding.
    pub fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    /// The mistakes of a colour: how many, and the chances of winning that they lost together.
    pub fn mistakes_of(&self, color: Color) -> (usize, f64) {
        let own = self.mistakes().filter(|(_, m, _)| m.color == color);
        own.fold((0, 0.0), |(count, loss), (_, _, mistake)| (count + 1, loss + mistake.loss()))
    }

    /// The number of moves after which the result was proven for good, and that result. `None` if it was not proven
    /// before the game ended, or if the review was stopped.
    pub fn decided(&self) -> Option<(usize, Winner)> {
        if self.is_partial {
            return None;
        }
        let winner = self.positions.last()?.proven?;
        let proven = self.positions.iter().rev().take_while(|position| position.proven == Some(winner)).count();
        let after = self.positions.len() - proven;
        let ended_here = after == self.moves.len() && self.record.game().outcome().is_some();
        (!ended_here).then_some((after, winner))
    }

    /// The number of moves after which the winner of the game was ahead in the race for good, and the lead in that
    /// position. `None` if the winner was not ahead at the end, if nobody won, or if the review was stopped.
    pub fn ahead(&self) -> Option<(usize, Lead)> {
        if self.is_partial {
            return None;
        }
        let winner = self.record.result()?.winner?;
        let is_over = self.game_after(self.moves.len()).outcome().is_some();
        let races = self.positions[..self.positions.len() - usize::from(is_over)].iter().map(|position| position.race);
        let since = races.enumerate().rev().map_while(|(count, lead)| Some((count, lead?)));
        since.take_while(|(_, lead)| lead.color == winner).last()
    }

    /// The game after this many moves.
    ///
    /// # Panics
    /// If the game has fewer moves.
    pub fn game_after(&self, count: usize) -> Game {
        self.record.after(count).expect("the record has these moves").0
    }

    /// The mean number of simulations of a position.
    fn mean_simulations(&self) -> u64 {
        let searched = self.positions.iter().map(|position| position.simulations).filter(|&count| count > 0);
        let (count, sum) = searched.fold((0, 0), |(count, sum), simulations| (count + 1, sum + simulations));
        sum / u64::max(count, 1)
    }
}

/// A player with at least this chance of winning is ahead.
const LEAD: f64 = 0.6;

/// The player who is ahead with this chance of winning for white.
fn leader(white: f64) -> Option<Color> {
    match white {
        white if white >= LEAD => Some(Color::White),
        white if white <= 1.0 - LEAD => Some(Color::Black),
        _ => None,
    }
}

/// White's chance of winning from the point of view of a colour, or a colour's chance from White's.
pub(crate) fn seen_by(color: Color, chance: f64) -> f64 {
    if color == Color::White { chance } else { 1.0 - chance }
}

/// The most moves of a better line that are shown. Later ones are guesswork.
pub(crate) const LINE_SHOWN: usize = 9;

/// The better move and the beginning of its line in words, such as `e5 d4 c6` or `swap`.
pub(crate) fn better_words(board: &Geometry, mistake: &Mistake, notation: Notation) -> String {
    match mistake.better {
        Move::Place(_) => notation.names(board, &mistake.line[..mistake.line.len().min(LINE_SHOWN)]).join(" "),
        other => other.show(board, notation),
    }
}

/// The move with this index: its colour and its name.
pub(crate) fn move_words(review: &Review, i: usize, notation: Notation) -> String {
    let ReviewedMove { color, played, .. } = review.moves[i];
    format!("{color} {}", played.show(review.board(), notation))
}

/// The heading of the leading findings and their number: those that decided the game, or else the largest.
pub(crate) fn leading(findings: &[Finding]) -> (&'static str, usize) {
    match findings.iter().filter(|finding| finding.decisive).count() {
        0 => ("Largest mistakes", findings.len().min(findings::MOMENTS)),
        count => ("What decided the game", count),
    }
}

/// What the mistake that shows a finding best did to the chances, and why, such as `Move 9, white c4: White wins 12 %
/// after it, 55 % after f2 d6. White had a proven win. The reason: f2 completes a fork
/// and wins.`
pub(crate) fn consequence(review: &Review, finding: &Finding, notation: Notation) -> String {
    let i = finding.shown;
    let color = capitalized(review.moves[i].color);
    let mistake = finding.mistake(review);
    let played = percent(mistake.played_chance, review.positions[i + 1].proven.is_some());
    let better = percent(mistake.better_chance, mistake.missed_win);
    let proven = if mistake.missed_win { format!(" {color} had a proven win.") } else { String::new() };
    let reason =
        mistake.reason.as_ref().map_or_else(String::new, |reason| format!(" The reason: {}.", reason.text(notation)));
    format!(
        "Move {}, {}: {color} wins {played} after it, {better} after {}.{proven}{reason}",
        i + 1,
        move_words(review, i, notation),
        better_words(review.board(), mistake, notation),
    )
}

/// A chance as a whole percentage. 0 and 100 are reserved for proven results.
pub(crate) fn percent(chance: f64, proven: bool) -> String {
    let percent = (100.0 * chance).round();
    format!("{:.0} %", if proven { percent } else { percent.clamp(1.0, 99.0) })
}

/// The chance that a mistake lost, as a whole percentage.
pub(crate) fn loss(mistake: &Mistake) -> String {
    format!("{:.0} %", 100.0 * mistake.loss())
}

/// The players, the board and the result in one line.
pub(crate) fn title(record: &Record) -> String {
    let [white, black] = [Color::White, Color::Black].map(|color| player(record, color));
    format!(
        "{white} - {black}, side {}, {}, {}",
        record.board().side(),
        count(record.play_count(), "move"),
        result(record)
    )
}

/// The name of a player, or the colour.
pub(crate) fn player(record: &Record, color: Color) -> String {
    record.players[color.index()].clone().unwrap_or_else(|| capitalized(color))
}

/// How the game ended.
pub(crate) fn result(record: &Record) -> String {
    let Some(result) = record.result() else { return "not over".into() };
    let Some(winner) = result.winner else { return "draw".into() };
    match record.by().as_deref() {
        Some("resign") => format!("{winner} won by resignation"),
        Some("time") => format!("{winner} won on time"),
        Some(by) => format!("{winner} won by {by}"),
        None => format!("{winner} won"),
    }
}

/// How the game was searched, in a sentence.
pub(crate) fn effort(review: &Review) -> String {
    let Settings { limits, mistake, .. } = &review.settings;
    let limit = match (limits.simulations, limits.usual_time()) {
        (Some(simulations), _) => format!("for {simulations} simulations"),
        (None, Some(time)) => format!("for {} s", time.as_secs_f64()),
        (None, None) => "without a limit".into(),
    };
    let mean = review.mean_simulations();
    // Positions that were proven at once need no simulations.
    let says_mean = limits.simulations.is_none() && mean > 0;
    let mean = if says_mean { format!(" ({mean} simulations on average)") } else { String::new() };
    format!(
        "Each position was searched {limit}{mean}. A mistake loses at least {:.0} % of the chances.",
        100.0 * mistake
    )
}

/// What a colour lacks for each structure, such as `bridge 3, fork 2, ring none`.
pub(crate) fn missing_words(missing: &[Option<usize>; 3]) -> String {
    let words = STRUCTURES.iter().zip(missing).map(|(structure, missing)| match missing {
        Some(count) => format!("{structure} {count}"),
        None => format!("{structure} impossible"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Since when the winner was ahead in the race, such as `from move 31 on, white was ahead with a frame of width 6
/// against 8`. Nothing if [`Review::ahead`] finds nothing.
pub(crate) fn ahead_words(review: &Review) -> Option<String> {
    let (after, Lead { color, basis, widths }) = review.ahead()?;
    let since = if after == 0 { "from the start".into() } else { format!("from move {after} on") };
    let [own, other] = [color, !color].map(|color| widths[color.index()]);
    let reason = match (basis, own) {
        (Basis::Threats, _) => "by threats".into(),
        (_, Some(own)) => {
            let other = other.map_or("none".into(), |width| width.to_string());
            format!("with a frame of width {own} against {other}")
        }
        (_, None) => "with a frame that needed one more move".into(),
    };
    Some(format!("{since}, {color} was ahead {reason}"))
}

/// The winner of a proven position in words.
pub(crate) fn proven_words(winner: Winner) -> String {
    match winner.color() {
        Some(color) => format!("{color} wins"),
        None => "a draw".into(),
    }
}
