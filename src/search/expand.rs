//! Making a node: its legal moves, what can be proven at once, and the priors.

use super::options::Options;
use super::report::Verdict;
use super::threats::{Reader, Reading};
use super::tree::{Node, bias};
use crate::board::{Color, MAX_VERTICES, Position, Site, Vertex};
use crate::knowledge::{Viewer, root_strength};

/// The last stones before a position, the last one first.
pub(crate) type Recent = [Option<Vertex>; 2];

/// Fills a new node with the legal moves of `position` for `color`, and returns the position's verdict for that player
/// where it can be told at once (see [`super::threats`]). Of the moves of a won position only a winning one is added.
pub(crate) fn fill(
    node: Node<'_>,
    position: &Position,
    color: Color,
    recent: Recent,
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
    let biases = match reader.open_moves() {
        0 | 1 => [0.0; MAX_VERTICES],
        _ => biases(reader.sites(), &Viewer::new(position, color, recent[0], recent[1]), color, options),
    };
    for (i, (site, bias)) in reader.sites().iter().zip(biases).enumerate() {
        let (bias, value) = match (reader.is_refuted(i), reader.is_last_stand(i)) {
            (false, _) => (bias, options.prior_value),
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
    if !reader.survey(position) {
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
            node.mark_down(site.vertex, options.heed);
        }
    }
    Sequence::Open
}

/// The biases of moves: [`Options::knowledge`] times the square root of the probability with which a move is played by
/// what was learned.
///
/// The bias is added to the move's RAVE estimate and so fades as its playouts outweigh that (progressive bias, Chaslot
/// et al. 2008; with learned probabilities as MoHex 2.0 has it, Huang et al. 2013).
fn biases(sites: &[Site], viewer: &Viewer<'_>, color: Color, options: &Options) -> [f32; MAX_VERTICES] {
    let mut strengths = [0f32; MAX_VERTICES];
    if options.knowledge == 0.0 {
        return strengths;
    }
    let mut squares = 0.0;
    for (strength, site) in strengths.iter_mut().zip(sites) {
        *strength =
            root_strength(&viewer.features_joining(site.vertex, [color, !color].map(|color| *site.joined(color))));
        squares += *strength * *strength;
    }
    let scale = options.knowledge / squares.sqrt();
    strengths.iter_mut().for_each(|strength| *strength *= scale);
    strengths
}
