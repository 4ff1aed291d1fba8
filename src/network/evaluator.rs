//! What the search needs from a network, whichever code computes it.

use std::fmt;

use crate::base::math;
use crate::game::{Color, Game, Geometry, Lookahead, MAX_VERTICES, Position, Vertex};

/// The number of symmetries of a board: see [`Input::symmetry`].
pub const SYMMETRIES: usize = 12;

/// A position to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The position, on the board that the evaluator was made for.
    pub position: &'a Position,
    /// The player to move.
    pub color: Color,
    /// The last two stones, the last one first.
    pub recent: [Option<Vertex>; 2],
    /// The symmetry of the board under which the network sees the position, below [`SYMMETRIES`]; 0 leaves it as it is.
    /// The evaluation refers to the position itself, but differs a little from symmetry to symmetry.
    pub symmetry: usize,
}

impl<'a> Input<'a> {
    /// The present position of a game, for the player to move, as it is.
    pub fn new(game: &'a Game) -> Input<'a> {
        Input { position: game.position(), color: game.to_move(), recent: game.last_stones(), symmetry: 0 }
    }
}

/// A network's evaluation of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The policy: for each vertex, by index, the logit of the move there. Entries of occupied vertices are
    /// meaningless.
    pub policy: [f32; MAX_VERTICES],
    /// The probability that the player to move wins, in \[0, 1\].
    pub value: f32,
}

impl Default for Evaluation {
    /// All moves are equally likely, and so are both players to win.
    fn default() -> Evaluation {
        Evaluation { policy: [0.0; MAX_VERTICES], value: 0.5 }
    }
}

impl Evaluation {
    /// The probability of each of these moves, by vertex index: the softmax of their logits. Other entries are 0.
    pub fn probabilities(&self, vertices: impl Iterator<Item = Vertex>) -> [f32; MAX_VERTICES] {
        const NONE: f32 = f32::NEG_INFINITY;
        let mut numbers = [NONE; MAX_VERTICES];
        let mut most = NONE;
        let mut end = 0;
        for v in vertices {
            numbers[v.index()] = self.policy[v.index()];
            most = most.max(numbers[v.index()]);
            end = end.max(v.index() + 1);
        }
        numbers[end..].fill(0.0);
        let mut sum = 0.0;
        for number in &mut numbers[..end] {
            *number = if *number == NONE { 0.0 } else { math::exp(*number - most) };
            sum += *number;
        }
        numbers[..end].iter_mut().for_each(|number| *number /= sum);
        numbers
    }
}

/// Evaluates positions of one board, on one thread. It owns its working space.
pub trait Evaluator: Send {
    /// Evaluates one position.
    ///
    /// # Panics
    /// If the position is of another board, or the symmetry is not below [`SYMMETRIES`].
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation);

    /// Like [`Evaluator::evaluate`], for a position about which something is known already. The default makes no use of
    /// that.
    fn evaluate_known(&mut self, input: &Input<'_>, _: Lookahead<'_>, evaluation: &mut Evaluation) {
        self.evaluate(input, evaluation);
    }
}

/// Makes evaluators: a network on this processor ([`super::Network`]), or whatever takes its place. Shared between
/// threads.
pub trait Backend: Send + Sync {
    /// An evaluator for positions of this board. Each thread of a search makes its own.
    fn evaluator(&self, geometry: &'static Geometry) -> Box<dyn Evaluator>;
}

impl fmt::Debug for dyn Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Backend")
    }
}
