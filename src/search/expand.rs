//! Making a node, of its legal moves and what can be proven at once; and studying it when it has seen some playouts: by
//! sequences of threats and by the network.

use super::options::Options;
use super::report::Verdict;
use super::threats::{Reader, Reading};
use super::tree::{Node, bias};
use crate::board::{Color, Position, Vertex};
use crate::knowledge::Evaluator;

/// The last stones before a position, the last one first.
pub(crate) type Recent = [Option<Vertex>; 2];

/// Fills a new node with the legal moves of `position` for `color`, and returns the position's verdict for that player
/// where it can be told at once (see [`super::threats`]). Of the moves of a won position only a winning one is added.
pub(crate) fn fill(
    node: Node<'_>,
    position: &Position,
    color: Color,
    options: &Options,
    reader: &mut Reader,
) -> Option<Verdict> {
    let verdict = match reader.read(position, color, options.pairs) {
        Reading::Win(vertex) => {
            node.add_move(vertex, bias::WON, 1.0, 1.0);
            return Some(Verdict::Win);
        }
        Reading::Loss => Some(Verdict::Loss),
        Reading::Draw => Some(Verdict::Draw),
        Reading::Open => None,
    };
    for (i, site) in reader.sites().iter().enumerate() {
        let (bias, value) = match (reader.is_refuted(i), reader.is_last_stand(i)) {
            (false, _) => (0.0, options.prior_value),
            (true, stand) => (bias::LOST, if stand { 1.0 } else { 0.0 }),
        };
        node.add_move(site.vertex, bias, options.prior_weight, value);
    }
    verdict
}

/// What [`read_sequences`] found.
pub(crate) enum Sequence {
    /// The move wins.
    Win(Vertex),
    /// The position is proven otherwise.
    Proven(Verdict),
    /// Nothing is proven of the position.
    Open,
}

/// Looks for sequences of threats from a node that is not proven: of `color`, who is to move there, which win, and of
/// the opponent, who would win if nothing were done. Moves that are refuted then are marked as lost, and what does not
/// disturb the opponent's win is marked down by [`Options::heed`].
pub(crate) fn read_sequences(
    node: Node<'_>,
    position: &Position,
    color: Color,
    options: &Options,
    reader: &mut Reader,
) -> Sequence {
    if options.sequence == 0 || !reader.survey(position) {
        return Sequence::Open;
    }
    if let Some(vertex) = reader.sequence(position, color, options.sequence) {
        return Sequence::Win(vertex);
    }
    if reader.sequence(position, !color, options.sequence).is_none() {
        return Sequence::Open;
    }
    reader.try_replies(position, color, options.sequence, |v| node.move_verdict(v).is_none());
    for (i, site) in reader.sites().iter().enumerate() {
        if reader.is_refuted(i) {
            if let Some(verdict) = node.prove_move(site.vertex, Verdict::Loss) {
                return Sequence::Proven(verdict);
            }
        } else if !reader.disturbs(i) {
            node.change_bias(site.vertex, |bias| bias - options.heed);
        }
    }
    Sequence::Open
}

/// Asks the network about a node, keeps the value that it says there, and returns it. Each move's bias becomes
/// [`Options::policy`] times the square root of its probability.
///
/// The bias is added to the move's RAVE estimate and so fades as its playouts outweigh that (progressive bias, Chaslot
/// et al. 2008; with learned probabilities as MoHex 2.0 has it, Huang et al. 2013).
pub(crate) fn ask_network(
    node: Node<'_>,
    position: &Position,
    color: Color,
    recent: Recent,
    options: &Options,
    evaluator: &mut Evaluator,
) -> f32 {
    let evaluation = evaluator.evaluate(position, color, recent);
    let roots = evaluation.root_probabilities(position);
    node.moves().for_each(|v| node.change_bias(v, |bias| bias + options.policy * roots[v.index()]));
    node.set_value(evaluation.value);
    evaluation.value
}
