//! Making a node: its legal moves, what can be proven at once, and the priors.

use super::options::Options;
use super::report::Verdict;
use super::tree::{Node, bias};
use crate::board::{Color, Position, Vertex};

/// Fills a new node with the legal moves of `position` for `color`, and returns the position's verdict for that player
/// where it can be told at once.
///
/// Decisive and anti-decisive moves (Teytaud & Teytaud 2010): a move that completes a structure wins; if there is none
/// and the opponent has one such vertex, every other move loses; if the opponent has two, every move does.
pub(crate) fn fill(node: Node<'_>, position: &Position, color: Color, options: &Options) -> Option<Verdict> {
    let mut threats = Threats::default();
    for v in position.empty_vertices() {
        if !position.completes(color, v).is_empty() {
            node.add_move(v, bias::WON, 1.0, 1.0);
            return Some(Verdict::Win);
        }
        if !position.completes(!color, v).is_empty() {
            threats.add(v);
        }
    }
    let mut moves = 0;
    for v in position.empty_vertices() {
        let (value_bias, value) = match threats {
            Threats { count: 0, .. } => (0.0, options.prior_value),
            Threats { count: 1, first } if first == Some(v) => (0.0, 1.0),
            _ => (bias::LOST, if threats.first == Some(v) { 1.0 } else { 0.0 }),
        };
        node.add_move(v, value_bias, options.prior_weight, value);
        moves += 1;
    }
    match (moves, threats.count) {
        (0, _) => Some(Verdict::Draw),
        (_, 0 | 1) => None,
        _ => Some(Verdict::Loss),
    }
}

/// Vertices on which the opponent would win.
#[derive(Clone, Copy, Default)]
struct Threats {
    count: usize,
    first: Option<Vertex>,
}

impl Threats {
    fn add(&mut self, v: Vertex) {
        self.count += 1;
        self.first.get_or_insert(v);
    }
}
