//! What a node of any method learns about its position: at once its legal moves and what one or two stones prove, and
//! after some visits what sequences of threats prove.

use crate::game::{Color, Position, Vertex};
use crate::proof::{Known, WinningMoves};

use super::node::{Node, mark};
use super::options::SearchOptions;
use super::report::Verdict;
use super::threats::{Status, ThreatSearch};

/// Fills a new node with the legal moves of `position` for `color`, and sets and returns the position's verdict for
/// that player if looking ahead proves one (see [`super::threats`]). A won position gets only a winning move.
pub(crate) fn fill<'a>(
    node: impl Node<'a>,
    position: &Position,
    color: Color,
    options: &SearchOptions,
    threats: &mut ThreatSearch<'_>,
) -> Option<Verdict> {
    let verdict = match threats.look_ahead(position, color, options.pair_threats) {
        Status::Win(vertex) => {
            node.add_move(vertex, mark::WON);
            node.set_verdict(Verdict::Win);
            return Some(Verdict::Win);
        }
        Status::Loss => Some(Verdict::Loss),
        Status::Draw => Some(Verdict::Draw),
        Status::Open => None,
    };
    for (i, candidate) in threats.candidates().iter().enumerate() {
        let mark = match (threats.is_refuted(i), threats.is_last_resort(i)) {
            (false, _) => mark::OPEN,
            (true, false) => mark::LOST,
            (true, true) => mark::LAST_RESORT,
        };
        node.add_move(candidate.vertex, mark);
    }
    if let Some(verdict) = verdict {
        node.set_verdict(verdict);
    }
    verdict
}

/// Sets the verdict of a node for `position`, with `color` to move, if the built-in table of solved positions has it.
pub(crate) fn look_up<'a>(node: impl Node<'a>, position: &Position, color: Color, options: &SearchOptions) {
    let table = options.solved_positions.then(|| WinningMoves::builtin(position.geometry())).flatten();
    match table.and_then(|table| table.known(position, color)) {
        Some(Known::Win(v)) => {
            if let Some(verdict) = node.prove_move(v, Verdict::Win) {
                node.set_verdict(verdict);
            }
        }
        Some(Known::Loss) => node.set_verdict(Verdict::Loss),
        None => {}
    }
}

/// What [`search_threats`] proves about a position, for the player to move.
pub(crate) enum ThreatResult {
    /// This move wins.
    Win(Vertex),
    /// The position has this value.
    Proven(Verdict),
    /// Nothing.
    Open,
    /// Nothing yet: the search was cut short.
    CutShort,
}

/// Searches a node that is not proven for winning sequences of threats: first of `color`, the player to move, then of
/// the opponent, as if it were the opponent's turn. In the second case refuted moves are marked as lost, and
/// `discourage` is called for those that do not interfere with the opponent's sequence, unless the search is
/// [cut short](ThreatSearch::was_cut_short).
pub(crate) fn search_threats<'a>(
    node: impl Node<'a>,
    position: &Position,
    color: Color,
    options: &SearchOptions,
    threats: &mut ThreatSearch<'_>,
    discourage: impl Fn(Vertex),
) -> ThreatResult {
    let limit = options.threat_search_nodes;
    if limit == 0 || !threats.prepare(position) {
        return ThreatResult::Open;
    }
    if let Some(vertex) = threats.find_sequence(position, color, limit) {
        return ThreatResult::Win(vertex);
    }
    let has_sequence = threats.find_sequence(position, !color, limit).is_some();
    if has_sequence {
        threats.refute_replies(position, color, limit, |v| node.move_verdict(v).is_none());
    }
    let was_cut_short = threats.was_cut_short();
    let nothing = || if was_cut_short { ThreatResult::CutShort } else { ThreatResult::Open };
    if !has_sequence {
        return nothing();
    }
    for (i, candidate) in threats.candidates().iter().enumerate() {
        if threats.is_refuted(i) {
            if let Some(verdict) = node.prove_move(candidate.vertex, Verdict::Loss) {
                return ThreatResult::Proven(verdict);
            }
        } else if !threats.interferes(i) && !was_cut_short {
            discourage(candidate.vertex);
        }
    }
    nothing()
}
