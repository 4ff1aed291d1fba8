//! A network's advice on positions that take long to settle: which moves to search first.
//!
//! The network looks only at positions below which many others have been visited already, because one evaluation takes
//! as long as dozens of positions. The δ of each move is then multiplied by a weight: the less probable the move is for
//! the network, the greater the weight. (Gao, Müller & Hayward, *Focused depth-first proof number search using
//! convolutional neural networks for the game of Hex*, 2017, use the policy for the order of moves and the value for
//! first estimates.)

use std::sync::Mutex;

use crate::base::math;
use crate::game::{Color, Position, Vertex};
use crate::network::{Evaluation, Evaluator, Input};

use super::bitboard::MAX_CELLS;

/// The weight that leaves δ unchanged: the network's most probable move has it, and every move without advice.
pub(super) const UNIT: u8 = 16;

/// The greatest weight, which multiplies δ by twelve.
const MOST_WEIGHT: f32 = 12.0 * UNIT as f32;

/// A move's weight is the ratio of the greatest probability to the move's, to this power.
const EXPONENT: f32 = 0.5;

/// The number of positions that must have been visited below a position before the network looks at it.
pub(super) const LEAST_EFFORT: u64 = 64;

/// The weight of a move on each cell.
pub(super) type Weights = [u8; MAX_CELLS];

/// The network that advises one thread.
pub(super) struct Guide {
    /// Only one thread uses it at a time, so the lock is never contended.
    evaluator: Mutex<Box<dyn Evaluator>>,
    evaluation: Box<Evaluation>,
}

impl Guide {
    /// A guide that asks this network.
    pub fn new(evaluator: Box<dyn Evaluator>) -> Guide {
        Guide { evaluator: Mutex::new(evaluator), evaluation: Box::default() }
    }

    /// Asks the network about a position with `color` to move. `moves` are the relevant moves, with their cells.
    pub fn ask(
        &mut self,
        position: &Position,
        color: Color,
        moves: impl Iterator<Item = (usize, Vertex)> + Clone,
    ) -> Weights {
        self.evaluate(position, color);
        let logit = |v: Vertex| self.evaluation.policy[v.index()];
        let best = moves.clone().map(|(_, v)| logit(v)).fold(f32::NEG_INFINITY, f32::max);
        let mut weights = [UNIT; MAX_CELLS];
        for (cell, v) in moves {
            weights[cell] = weight(best, logit(v));
        }
        weights
    }

    /// The empty vertices of a position with `color` to move, the most probable one first, each with the factor of its δ.
    pub fn order(&mut self, position: &Position, color: Color) -> Vec<(Vertex, f32)> {
        self.evaluate(position, color);
        let logit = |v: Vertex| self.evaluation.policy[v.index()];
        let mut moves: Vec<Vertex> = position.empty_vertices().collect();
        moves.sort_by(|&a, &b| logit(b).total_cmp(&logit(a)));
        let best = moves.first().map_or(0.0, |&v| logit(v));
        moves.into_iter().map(|v| (v, f32::from(weight(best, logit(v))) / f32::from(UNIT))).collect()
    }

    fn evaluate(&mut self, position: &Position, color: Color) {
        let evaluator = self.evaluator.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        evaluator.evaluate(&Input { position, color, recent: [None; 2], symmetry: 0 }, &mut self.evaluation);
    }
}

/// The weight of a move with this logit, where the greatest logit is `best`.
fn weight(best: f32, logit: f32) -> u8 {
    (f32::from(UNIT) * math::exp(EXPONENT * (best - logit))).min(MOST_WEIGHT) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Geometry;

    /// Each vertex is less probable than the one before it, by a factor of *e*².
    struct InOrder;

    impl Evaluator for InOrder {
        fn evaluate(&mut self, _: &Input<'_>, evaluation: &mut Evaluation) {
            (0..).zip(&mut evaluation.policy).for_each(|(i, logit)| *logit = -2.0 * i as f32);
        }
    }

    #[test]
    fn weights_grow_as_probabilities_fall_and_are_bounded() {
        let geometry = Geometry::with_side(3).unwrap();
        let position = Position::new(geometry);
        let mut guide = Guide::new(Box::new(InOrder));
        // The first move does not matter, so the second is the most probable of them.
        let moves = geometry.vertices().enumerate().skip(1);
        let weights = guide.ask(&position, Color::White, moves);
        // e^(0.5 · 2) = 2.718, e^(0.5 · 4) = 7.389, and the next would be 20.09.
        assert_eq!(weights[..6], [UNIT, UNIT, 43, 118, 192, 192]);
        let order = guide.order(&position, Color::White);
        assert!(order.iter().map(|&(v, _)| v).eq(geometry.vertices()));
        let weights = order.iter().map(|&(_, weight)| (weight * f32::from(UNIT)) as u8);
        assert!(weights.take(5).eq([UNIT, 43, 118, 192, 192]));
    }
}
