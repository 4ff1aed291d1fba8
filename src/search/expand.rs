//! Making a node: its legal moves, what can be proven at once, and the priors.

use super::options::Options;
use super::report::Verdict;
use super::tree::{Node, bias};
use crate::board::{Color, Joined, MAX_VERTICES, Position, Vertex};
use crate::knowledge::{Viewer, root_strength};

/// The last stones before a position, the last one first.
pub(crate) type Recent = [Option<Vertex>; 2];

/// Working space of [`fill`], kept between calls so that they do not allocate.
pub(crate) type Scratch = Vec<Candidate>;

/// An empty vertex, and the chains that a stone on it would make for the player to move and for the opponent.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    vertex: Vertex,
    joined: [Joined; 2],
}

/// Fills a new node with the legal moves of `position` for `color`, and returns the position's verdict for that player
/// where it can be told at once.
///
/// Decisive and anti-decisive moves (Teytaud & Teytaud 2010): a move that completes a structure wins; if there is none
/// and the opponent has one such vertex, every other move loses; if the opponent has two, every move does.
pub(crate) fn fill(
    node: Node<'_>,
    position: &Position,
    color: Color,
    recent: Recent,
    options: &Options,
    candidates: &mut Scratch,
) -> Option<Verdict> {
    candidates.clear();
    let (mut threats, mut threat) = (0, None);
    for vertex in position.empty_vertices() {
        let joined = [color, !color].map(|color| position.joined(color, vertex));
        if !joined[0].structures().is_empty() {
            node.add_move(vertex, bias::WON, 1.0, 1.0);
            return Some(Verdict::Win);
        }
        if !joined[1].structures().is_empty() {
            threats += 1;
            threat.get_or_insert(vertex);
        }
        candidates.push(Candidate { vertex, joined });
    }
    if let Some(threat) = threat {
        // Where all moves lose, stopping one threat makes the opponent find the other.
        let open = if threats == 1 { 0.0 } else { bias::LOST };
        for &mut Candidate { vertex, .. } in candidates {
            let (bias, value) = if vertex == threat { (open, 1.0) } else { (bias::LOST, 0.0) };
            node.add_move(vertex, bias, options.prior_weight, value);
        }
        return (threats > 1).then_some(Verdict::Loss);
    }
    if candidates.is_empty() {
        return Some(Verdict::Draw);
    }
    add_moves(node, candidates, &Viewer::new(position, color, recent[0], recent[1]), options);
    None
}

/// Adds the moves of a position without threats: each with a bias of [`Options::knowledge`] times the square root of the
/// probability with which it is played by what was learned.
///
/// The bias is added to the move's RAVE estimate and so fades as its playouts outweigh that (progressive bias, Chaslot
/// et al. 2008; with learned probabilities as MoHex 2.0 has it, Huang et al. 2013).
fn add_moves(node: Node<'_>, candidates: &[Candidate], viewer: &Viewer<'_>, options: &Options) {
    let mut strengths = [0f32; MAX_VERTICES];
    let mut squares = 0.0;
    if options.knowledge > 0.0 {
        for (strength, candidate) in strengths.iter_mut().zip(candidates) {
            *strength = root_strength(&viewer.features_joining(candidate.vertex, candidate.joined));
            squares += *strength * *strength;
        }
    }
    let scale = if squares > 0.0 { options.knowledge / squares.sqrt() } else { 0.0 };
    for (strength, candidate) in strengths.iter().zip(candidates) {
        node.add_move(candidate.vertex, scale * strength, options.prior_weight, options.prior_value);
    }
}
