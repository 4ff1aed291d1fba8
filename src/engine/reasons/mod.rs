//! Reasons: what a move does, in one sentence and one picture, for hints and reviews.
//!
//! *True or silent.* Each sentence follows from a check that could fail; where none holds, there is no reason. Proofs
//! come first, then what virtual connections show, then what chains and numbers of stones show. The last ones say no
//! more than they are: a move that shortens a fork by a stone need not be good.
//!
//! | module | what it looks at |
//! |---|---|
//! | `proofs` | structures completed at once, double threats, sequences of threats |
//! | `links` | frames and connections |
//! | `stones` | how many stones each structure lacks |
//! | `sentence` | the facts, and how they are said |

mod links;
mod proofs;
mod sentence;
mod stones;
#[cfg(test)]
mod tests;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::engine::search::{MoveReport, Report, Verdict};
use crate::game::{Color, Game, Geometry, Mark, Move, Notation, Vertex};

use links::Surveys;
pub(crate) use sentence::Evidence;
use sentence::Fact;
use stones::Stake;

/// Why a move is good, or how it is refuted.
///
/// It serializes to `text` with HavannahGui's names, `marks` and `line`, as the JSON protocol has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    board: &'static Geometry,
    /// The player of the move that the fact is about.
    color: Color,
    /// The move that the fact is about.
    vertex: Vertex,
    /// The opponent's move that the move refutes, if it is a refutation.
    refuted: Option<Vertex>,
    fact: Fact,
    /// What else is at stake.
    stake: Option<Stake>,
    marks: Vec<(Vertex, Mark)>,
    line: Vec<Vertex>,
}

impl Reason {
    /// One sentence, with the names of vertices in this notation.
    pub fn text(&self, notation: Notation) -> String {
        sentence::say(self, notation)
    }

    /// What to mark on the board: circles on what the move works with, squares on what it works against, triangles on the
    /// empty vertices of a connection.
    pub fn marks(&self) -> &[(Vertex, Mark)] {
        &self.marks
    }

    /// Moves that show the reason, beginning in the position in which the move is to be played; it may be empty.
    pub fn line(&self) -> &[Vertex] {
        &self.line
    }

    /// As the reply to `played`, which it refutes.
    fn refuting(self, played: Vertex) -> Reason {
        let line = if self.line.is_empty() { vec![self.vertex] } else { self.line };
        Reason { refuted: Some(played), line: [&[played], &line[..]].concat(), ..self }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = |v| Notation::HavannahGui.name(self.board, v);
        let marks: serde_json::Map<String, serde_json::Value> =
            self.marks.iter().map(|(v, mark)| (name(*v), mark.name().into())).collect();
        let mut fields = serializer.serialize_struct("Reason", 3)?;
        fields.serialize_field("text", &self.text(Notation::HavannahGui))?;
        fields.serialize_field("marks", &marks)?;
        fields.serialize_field("line", &Notation::HavannahGui.names(self.board, &self.line))?;
        fields.end()
    }
}

/// A move that nobody has played yet, before and after.
struct Case<'a> {
    before: &'a Game,
    color: Color,
    vertex: Vertex,
    after: Game,
}

impl Case<'_> {
    /// `None` if the move is illegal.
    fn new(before: &Game, color: Color, vertex: Vertex) -> Option<Case<'_>> {
        let mut after = before.clone();
        after.place(color, vertex).ok()?;
        Some(Case { before, color, vertex, after })
    }

    fn reason(&self, found: Found) -> Reason {
        let (board, color, vertex) = (self.before.geometry(), self.color, self.vertex);
        let Found { fact, marks, line } = found;
        Reason { board, color, vertex, refuted: None, fact, stake: None, marks, line }
    }
}

/// A fact with its picture.
struct Found {
    fact: Fact,
    marks: Vec<(Vertex, Mark)>,
    line: Vec<Vertex>,
}

/// What a move of `color` does, whose turn it need not be in the game. `None` if nothing worth saying is found, or if
/// the move is illegal.
pub fn explain(game: &Game, color: Color, vertex: Vertex) -> Option<Reason> {
    explain_searched(game, color, vertex, None)
}

/// As [`explain`], with what a search has proven about the move.
fn explain_searched(game: &Game, color: Color, vertex: Vertex, proven: Option<Found>) -> Option<Reason> {
    let case = Case::new(game, color, vertex)?;
    if proofs::overlooks(&case) {
        return None;
    }
    if let Some(found) = proofs::find(&case) {
        return Some(case.reason(found));
    }
    let surveys = Surveys::of(&case);
    let frames = links::frames(&case, &surveys);
    if let Some(found) = proven.filter(|_| !frames.as_ref().is_some_and(|found| found.fact.is_win())) {
        return Some(case.reason(found));
    }
    let strong = frames
        .or_else(|| proofs::threatens(&case))
        .or_else(|| links::connects(&case, &surveys))
        .or_else(|| links::prevents(&case, &surveys))
        .or_else(|| links::intrudes(&case, &surveys));
    let stake = stones::stake(&case);
    let large = stake.filter(|stake| stake.more() >= LARGE_STAKE);
    if let Some(found) = strong {
        return Some(Reason { stake: large, ..case.reason(found) });
    }
    let said = |stake| Found { fact: Fact::Stake(stake), marks: Vec::new(), line: Vec::new() };
    let weak = large.map(said).or_else(|| links::stays(&case, &surveys)).or_else(|| stones::place(&case));
    weak.or_else(|| stake.filter(|stake| stake.is_near()).map(said)).map(|found| case.reason(found))
}

/// The difference in stones from which on a stake is worth mentioning before weaker facts.
const LARGE_STAKE: usize = 2;

/// Why to swap the first stone, on `first`. `None` if this evidence does not speak for it.
pub(crate) fn explain_swap(game: &Game, first: Vertex, evidence: Evidence) -> Option<Reason> {
    evidence.is_good().then(|| about_swap(game, first, first, Fact::TakesOver(evidence)))
}

/// Why to place a stone on `vertex` instead of swapping the first one, on `first`. `None` if this evidence does not speak
/// against the swap.
pub(crate) fn explain_staying(game: &Game, vertex: Vertex, first: Vertex, evidence: Evidence) -> Option<Reason> {
    (!evidence.is_good()).then(|| about_swap(game, vertex, first, Fact::LeavesStone(first, evidence)))
}

fn about_swap(game: &Game, vertex: Vertex, first: Vertex, fact: Fact) -> Reason {
    let (board, color) = (game.geometry(), game.to_move());
    Reason {
        board,
        color,
        vertex,
        refuted: None,
        fact,
        stake: None,
        marks: vec![(first, Mark::Circle)],
        line: Vec::new(),
    }
}

/// The move to suggest to the player to move, and its reason.
///
/// It is the best move that the search has found, or one that is as good and better explained: with a chance within
/// `HINT_MARGIN` of the best one's, and at least `HINT_VISITS` of its visits. `chance` tells the chance of winning with a
/// move. In a lost position it is the best move, which resists longest.
pub fn hint(game: &Game, report: &Report, chance: impl Fn(&MoveReport) -> Option<f64>) -> (Vertex, Option<Reason>) {
    let explain = |m: &MoveReport| explain_searched(game, report.to_move, m.vertex, proven(report, m));
    if report.verdict == Some(Verdict::Loss) {
        let best = report.moves.iter().find(|m| m.vertex == report.best);
        let lost = best.and_then(|m| Some(Case::new(game, report.to_move, m.vertex)?.reason(proven(report, m)?)));
        return (report.best, lost);
    }
    let mut weak = None;
    for m in candidates(report, chance) {
        match explain(m) {
            Some(reason) if !reason.fact.is_weak() => return (m.vertex, Some(reason)),
            Some(reason) => _ = weak.get_or_insert((m.vertex, Some(reason))),
            None => {}
        }
    }
    weak.unwrap_or((report.best, None))
}

/// What the search has proven that tells a move apart, with the line that it expects.
fn proven(report: &Report, m: &MoveReport) -> Option<Found> {
    let loses = |other: &&MoveReport| other.verdict == Some(Verdict::Loss);
    let losing = report.moves.iter().filter(loses).count();
    let fact = match m.verdict {
        Some(Verdict::Win) => Fact::Proven,
        _ if report.verdict == Some(Verdict::Loss) => Fact::Lost,
        None if losing > 0 && losing == report.moves.len() - 1 => Fact::OnlyMove,
        _ => return None,
    };
    Some(Found { fact, marks: Vec::new(), line: m.line.iter().copied().take(LONGEST_LINE).collect() })
}

/// How many moves of an expected line are shown.
const LONGEST_LINE: usize = 9;

/// How much less than the best move's, in \[0, 1\], the chance of winning with a hint may be.
const HINT_MARGIN: f64 = 0.01;
/// How large a share of the best move's visits, in \[0, 1\], a hint must have.
const HINT_VISITS: f64 = 0.25;

/// The moves that a hint may suggest, the best one first, the others by visits.
fn candidates(report: &Report, chance: impl Fn(&MoveReport) -> Option<f64>) -> Vec<&MoveReport> {
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

/// Why `played` was a mistake where the line `better` was expected to be better, and perhaps proven to win: what the
/// better move does if that wins; else how the move played is refuted, if that is proven; else what the better move
/// does. `None` also if the better move is a swap, whose line is empty: `explain_swap` explains that.
pub fn explain_mistake(game: &Game, color: Color, played: Move, better: &[Vertex], wins: bool) -> Option<Reason> {
    let line = better.iter().copied().take(LONGEST_LINE).collect();
    let proven = wins.then_some(Found { fact: Fact::Proven, marks: Vec::new(), line });
    let better = explain_searched(game, color, *better.first()?, proven);
    if better.as_ref().is_some_and(|reason| reason.fact.is_win()) {
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
