//! Making a node, of its legal moves, what can be proven at once and what the network says; and studying it, by sequences
//! of threats, when it has seen some playouts.

use super::options::{Method, Options};
use super::report::Verdict;
use super::threats::{Reader, Reading};
use super::tree::{Node, bias};
use crate::board::{Color, Position, Vertex};
use crate::nn::Evaluation;

/// The last stones before a position, the last one first.
pub(crate) type Recent = [Option<Vertex>; 2];

/// Fills a new node with the legal moves of `position` for `color`, and with the position's verdict for that player, which
/// is also returned, where it can be told at once (see [`super::threats`]). Of the moves of a won position only a winning one is added.
pub(crate) fn fill(
    node: Node<'_>,
    position: &Position,
    color: Color,
    options: &Options,
    reader: &mut Reader,
) -> Option<Verdict> {
    let add = |vertex, bias| {
        node.add_move(vertex, bias);
        if options.method == Method::Rave {
            node.set_rave(vertex, options.prior_weight, options.prior_value);
        }
    };
    let verdict = match reader.read(position, color, options.pair_threats) {
        Reading::Win(vertex) => {
            add(vertex, bias::WON);
            node.set_verdict(Verdict::Win);
            return Some(Verdict::Win);
        }
        Reading::Loss => Some(Verdict::Loss),
        Reading::Draw => Some(Verdict::Draw),
        Reading::Open => None,
    };
    for (i, site) in reader.sites().iter().enumerate() {
        let bias = match (reader.is_refuted(i), reader.is_last_stand(i)) {
            (false, _) => 0.0,
            (true, false) => bias::LOST,
            (true, true) => bias::LAST_STAND,
        };
        add(site.vertex, bias);
    }
    if let Some(verdict) = verdict {
        node.set_verdict(verdict);
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
/// disturb the opponent's win has `heed` taken from its bias.
pub(crate) fn read_sequences(
    node: Node<'_>,
    position: &Position,
    color: Color,
    options: &Options,
    reader: &mut Reader,
    heed: f32,
) -> Sequence {
    if options.threat_search_nodes == 0 || !reader.survey(position) {
        return Sequence::Open;
    }
    if let Some(vertex) = reader.sequence(position, color, options.threat_search_nodes) {
        return Sequence::Win(vertex);
    }
    if reader.sequence(position, !color, options.threat_search_nodes).is_none() {
        return Sequence::Open;
    }
    reader.try_replies(position, color, options.threat_search_nodes, |v| node.move_verdict(v).is_none());
    for (i, site) in reader.sites().iter().enumerate() {
        if reader.is_refuted(i) {
            if let Some(verdict) = node.prove_move(site.vertex, Verdict::Loss) {
                return Sequence::Proven(verdict);
            }
        } else if !reader.disturbs(i) {
            node.change_bias(site.vertex, |bias| bias - heed);
        }
    }
    Sequence::Open
}

/// Keeps what the network says of a node: its value, and as the bias of each open move the move's probability.
pub(crate) fn set_probabilities(node: Node<'_>, evaluation: &Evaluation) {
    let probabilities = evaluation.probabilities(node.moves().filter(|&v| node.move_verdict(v).is_none()));
    node.moves().for_each(|v| node.change_bias(v, |_| probabilities[v.index()]));
    node.set_value(evaluation.value);
}
