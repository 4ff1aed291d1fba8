//! What the network predicts.

use crate::board::{Game, Vertex};
use crate::nn::Evaluator;

/// What the network predicts of a position ([`crate::nn`]).
#[derive(Clone, Debug)]
pub struct Prediction {
    /// How likely the player to move is to choose each empty vertex, in vertex order. The sum is 1, unless there is none.
    pub moves: Vec<(Vertex, f64)>,
    /// The probability that the player to move wins, in \[0, 1\].
    pub win: f64,
}

/// What the network predicts of a game, which should not be over.
pub fn predict(game: &Game) -> Prediction {
    let position = game.position();
    let mut evaluator = Evaluator::new(game.geometry());
    let evaluation = evaluator.evaluate(position, game.to_move(), game.last_stones());
    let probabilities = evaluation.probabilities(position.empty_vertices());
    let probability = |v: Vertex| f64::from(probabilities[v.index()]);
    // Their sum is 1 but for the rounding of single precision.
    let sum: f64 = position.empty_vertices().map(probability).sum();
    let moves = position.empty_vertices().map(|v| (v, probability(v) / sum)).collect();
    Prediction { moves, win: evaluation.value.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, MAX_SIDE, MIN_SIDE};

    #[test]
    fn probabilities_of_the_moves_add_up_to_one() {
        for side in MIN_SIDE..=MAX_SIDE {
            let mut game = Game::new(Geometry::of(side).unwrap());
            while game.outcome().is_none() {
                let moves = predict(&game).moves;
                assert_eq!(moves.len(), game.geometry().vertex_count() - game.stone_count());
                let sum: f64 = moves.iter().map(|(_, p)| p).sum();
                assert!((sum - 1.0).abs() < 1e-9 && moves.iter().all(|(_, p)| *p > 0.0));
                let (likeliest, _) = moves.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                game.play(likeliest).unwrap();
            }
        }
    }
}
