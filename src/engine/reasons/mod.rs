//! Reasons: what a move does, as data, as a short text and as a picture, for hints and reviews.
//!
//! *True or silent.* Each fact has passed a check that could have failed; if no fact holds, there is no reason. Proofs
//! come first, then what virtual connections show, then what chains and numbers of stones show. The last kind promises
//! little: a move that brings a fork one stone closer need not be good.
//!
//! | module | contents |
//! |---|---|
//! | `fact` | what reasons state, as data |
//! | `case` | the move that is examined, and what is found about it |
//! | `proofs` | finds structures completed at once, double threats, sequences of threats |
//! | `links` | finds frames and connections |
//! | `stones` | finds how many stones each structure lacks |
//! | `sentence` | says facts in English |

mod case;
mod fact;
mod links;
mod proofs;
mod sentence;
mod stones;
#[cfg(test)]
mod tests;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value};

use crate::engine::search::{MoveReport, SearchReport, Verdict};
use crate::game::{Color, Game, Geometry, Mark, Move, Notation, Vertex};

use case::{Case, Found};
use links::Surveys;

pub use fact::{Claim, Evidence, Fact, Stake};

/// Why a move is good, or how it is refuted.
///
/// It serializes to `text` with HavannahGui's names, `claim` (see [`Reason::data`]), `marks` and `line`, as the JSON
/// protocol has it.
///
/// ```
/// use malecon::engine::reasons::explain;
/// use malecon::game::{Game, Geometry, Notation};
/// let board = Geometry::with_side(3)?;
/// let mut game = Game::new(board);
/// for name in ["a1", "c3", "a2", "d4"] {
///     game.play(Notation::HavannahGui.parse(board, name)?)?;
/// }
/// let a3 = Notation::HavannahGui.parse(board, "a3")?;
/// let reason = explain(&game, game.to_move(), a3).expect("the move wins");
/// assert_eq!(reason.text(Notation::HavannahGui), "a3 completes a bridge and wins");
/// assert_eq!(reason.claim().fact.kind(), "wins");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    board: &'static Geometry,
    claim: Claim,
    marks: Vec<(Vertex, Mark)>,
    line: Vec<Vertex>,
}

impl Reason {
    /// What the reason states.
    #[must_use]
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The claim in English, with the names of vertices in this notation: one or two short sentences, separated by a
    /// full stop but without one at the end.
    #[must_use]
    pub fn text(&self, notation: Notation) -> String {
        sentence::say(&self.claim, self.board, notation)
    }

    /// The claim as a JSON object, for texts in other languages.
    ///
    /// Vertices have HavannahGui's names; a side is the list of its two corners.
    ///
    /// | field | what it is |
    /// |---|---|
    /// | `kind` | [`Fact::kind`], on which the other fields depend |
    /// | `player`, `move` | who makes the move, `white` or `black`, and the move |
    /// | `after` | the opponent's move before it, if the move refutes that one |
    /// | `structures` | names of structures: of all of them, or of one if the fact is a frame |
    /// | `vertices` | where the player or the opponent threatens or could win; the carrier of a connection, or `null` if it is not two vertices; the first stone |
    /// | `by` | the opponent's move that is stopped |
    /// | `ends` | what is connected: each a `chain`, by one of its stones, or a `side` |
    /// | `stones`, `opponent_stones` | the most stones that the player needs; the fewest that the opponent needs, or `null` if no structure is possible |
    /// | `with`, `without` | the stones that a structure lacks with the move, and without it; `null` if it is impossible |
    /// | `sides`, `steps` | the near sides, each with its steps; the steps to the farthest side |
    /// | `evidence` | `from`: `proof`, `games` (with `games` and the owner's `score`) or `search` (with the owner's `chance`) |
    /// | `also` | a second claim about the same move, of the kind `own-stones` or `opponent-stones` |
    #[must_use]
    pub fn data(&self) -> Map<String, Value> {
        self.claim.to_json(self.board)
    }

    /// What to mark on the board: circles on what the move works with, squares on what it works against, triangles on
    /// the empty vertices of a connection.
    #[must_use]
    pub fn marks(&self) -> &[(Vertex, Mark)] {
        &self.marks
    }

    /// Moves that show the reason, beginning in the position in which the move is to be played; it may be empty.
    #[must_use]
    pub fn line(&self) -> &[Vertex] {
        &self.line
    }

    /// The same as the reply to `played`, which it refutes.
    fn refuting(self, played: Vertex) -> Reason {
        let line = if self.line.is_empty() { vec![self.claim.vertex] } else { self.line };
        let line = [&[played], &line[..]].concat();
        Reason { claim: Claim { refuted: Some(played), ..self.claim }, line, ..self }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = |v| Notation::HavannahGui.name(self.board, v);
        let marks: Map<String, Value> = self.marks.iter().map(|(v, mark)| (name(*v), mark.name().into())).collect();
        let mut fields = serializer.serialize_struct("Reason", 4)?;
        fields.serialize_field("text", &self.text(Notation::HavannahGui))?;
        fields.serialize_field("claim", &self.data())?;
        fields.serialize_field("marks", &marks)?;
        fields.serialize_field("line", &Notation::HavannahGui.names(self.board, &self.line))?;
        fields.end()
    }
}

/// What a move of `color` does, whose turn it need not be in the game. `None` if nothing worth saying is found, or if
/// the move is illegal.
#[must_use]
pub fn explain(game: &Game, color: Color, vertex: Vertex) -> Option<Reason> {
    explain_searched(game, color, vertex, None)
}

/// Like [`explain`], with what a search has proven about the move.
fn explain_searched(game: &Game, color: Color, vertex: Vertex, proven: Option<Found>) -> Option<Reason> {
    let case = Case::new(game, color, vertex)?;
    if proofs::overlooks(&case) {
        return None;
    }
    if let Some(found) = proofs::find(&case) {
        return Some(reason(&case, found));
    }
    let surveys = Surveys::new(&case);
    let frames = links::frames(&case, &surveys);
    if let Some(found) = proven.filter(|_| !frames.as_ref().is_some_and(|found| found.fact.is_win())) {
        return Some(reason(&case, found));
    }
    let strong = frames
        .or_else(|| proofs::threatens(&case))
        .or_else(|| links::connects(&case, &surveys))
        .or_else(|| links::prevents(&case, &surveys))
        .or_else(|| links::intrudes(&case, &surveys));
    let stake = stones::stake(&case);
    let large = stake.filter(|stake| stake.more() >= LARGE_STAKE);
    if let Some(found) = strong {
        let mut reason = reason(&case, found);
        reason.claim.stake = large;
        return Some(reason);
    }
    let said = |stake| Found::new(Fact::Changes { stake });
    let weak = large.map(said).or_else(|| links::stays(&case, &surveys)).or_else(|| stones::place(&case));
    weak.or_else(|| stake.filter(|stake| stake.is_near()).map(said)).map(|found| reason(&case, found))
}

fn reason(case: &Case<'_>, found: Found) -> Reason {
    stated(case.before, case.color, case.vertex, found)
}

fn stated(game: &Game, player: Color, vertex: Vertex, found: Found) -> Reason {
    let Found { fact, marks, line } = found;
    Reason { board: game.geometry(), claim: Claim { player, vertex, refuted: None, fact, stake: None }, marks, line }
}

/// A stake of at least this many stones is mentioned before weaker facts.
const LARGE_STAKE: usize = 2;

/// Why to swap the first stone, on `first`. `None` if this evidence does not speak for it.
pub(crate) fn explain_swap(game: &Game, first: Vertex, evidence: Evidence) -> Option<Reason> {
    evidence.is_good().then(|| about_swap(game, first, first, Fact::TakesOver { evidence }))
}

/// Why to place a stone on `vertex` instead of swapping the first one, on `first`. `None` if this evidence does not
/// speak against the swap.
pub(crate) fn explain_staying(game: &Game, vertex: Vertex, first: Vertex, evidence: Evidence) -> Option<Reason> {
    (!evidence.is_good()).then(|| about_swap(game, vertex, first, Fact::LeavesStone { first, evidence }))
}

fn about_swap(game: &Game, vertex: Vertex, first: Vertex, fact: Fact) -> Reason {
    stated(game, game.to_move(), vertex, Found::new(fact).marking([first], &Mark::Circle))
}

/// The move to suggest to the player to move, and its reason.
///
/// It is the best move that the search has found, or one that is as good and better explained: with a chance within
/// `HINT_MARGIN` of the best one's, and at least `HINT_VISITS` of its visits. `chance` tells the chance of winning with
/// a move. In a lost position it is the best move, which resists longest.
#[must_use]
pub fn hint(
    game: &Game,
    report: &SearchReport,
    chance: impl Fn(&MoveReport) -> Option<f64>,
) -> (Vertex, Option<Reason>) {
    let explain = |m: &MoveReport| explain_searched(game, report.to_move, m.vertex, proven(report, m));
    if report.verdict == Some(Verdict::Loss) {
        let best = report.moves.iter().find(|m| m.vertex == report.best);
        let lost = best.and_then(|m| Some(reason(&Case::new(game, report.to_move, m.vertex)?, proven(report, m)?)));
        return (report.best, lost);
    }
    let mut weak = None;
    for m in candidates(report, chance) {
        match explain(m) {
            Some(reason) if !reason.claim.fact.is_weak() => return (m.vertex, Some(reason)),
            Some(reason) => _ = weak.get_or_insert((m.vertex, Some(reason))),
            None => {}
        }
    }
    weak.unwrap_or((report.best, None))
}

/// What the search has proven that tells a move apart, with the line that it expects.
fn proven(report: &SearchReport, m: &MoveReport) -> Option<Found> {
    let loses = |other: &&MoveReport| other.verdict == Some(Verdict::Loss);
    let losing = report.moves.iter().filter(loses).count();
    let fact = match m.verdict {
        Some(Verdict::Win) => Fact::Proven,
        _ if report.verdict == Some(Verdict::Loss) => Fact::Lost,
        None if losing > 0 && losing == report.moves.len() - 1 => Fact::OnlyMove,
        _ => return None,
    };
    Some(Found::new(fact).with_line(m.line.iter().copied().take(LONGEST_LINE).collect()))
}

/// How many moves of an expected line are shown.
const LONGEST_LINE: usize = 9;

/// How much less than the best move's, in \[0, 1\], the chance of winning with a hint may be.
const HINT_MARGIN: f64 = 0.01;
/// How large a share of the best move's visits, in \[0, 1\], a hint must have.
const HINT_VISITS: f64 = 0.25;

/// The moves that a hint may suggest, the best one first, the others by visits.
fn candidates(report: &SearchReport, chance: impl Fn(&MoveReport) -> Option<f64>) -> Vec<&MoveReport> {
    let Some(best) = report.moves.iter().find(|m| m.vertex == report.best) else { return Vec::new() };
    let is_as_good = |m: &&MoveReport| {
        let (Some(rate), Some(most)) = (chance(m), chance(best)) else { return false };
        m.vertex != best.vertex
            && m.verdict == best.verdict
            && (m.verdict == Some(Verdict::Win) || m.visits as f64 >= HINT_VISITS * best.visits as f64)
            && rate >= most - HINT_MARGIN
    };
    let mut others: Vec<&MoveReport> = report.moves.iter().filter(is_as_good).collect();
    others.sort_by_key(|m| std::cmp::Reverse(m.visits));
    [vec![best], others].concat()
}

/// Why `played` was a mistake of `color`, where the line `better` was expected to be better, and is proven to win if
/// `wins`.
///
/// If the better move wins, the reason is what it does. Otherwise it is how the move played is refuted, if that is
/// proven, and else what the better move does. `None` also if the better move is a swap, whose line is empty:
/// `explain_swap` explains that.
#[must_use]
pub fn explain_mistake(game: &Game, color: Color, played: Move, better: &[Vertex], wins: bool) -> Option<Reason> {
    let line = better.iter().copied().take(LONGEST_LINE).collect();
    let proven = wins.then(|| Found::new(Fact::Proven).with_line(line));
    let better = explain_searched(game, color, *better.first()?, proven);
    if better.as_ref().is_some_and(|reason| reason.claim.fact.is_win()) {
        return better;
    }
    refutation(game, color, played).or(better)
}

/// How the opponent wins by force after a move.
fn refutation(game: &Game, color: Color, played: Move) -> Option<Reason> {
    let Move::Place(played) = played else { return None };
    let mut after = game.clone();
    after.place(color, played).ok()?;
    let reply = proofs::winning_move(&after, !color)?;
    Some(explain(&after, !color, reply)?.refuting(played))
}
