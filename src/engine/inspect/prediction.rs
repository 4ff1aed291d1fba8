//! The policy and the value that a network predicts.

use crate::game::{Game, Vertex};
use crate::network::{Backend, Evaluation, Input};

/// A network's prediction for a position (see [`crate::network`]).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prediction {
    /// The policy: for each empty vertex, in vertex order, the probability that the player to move chooses it. The sum
    /// is 1 unless the board is full.
    pub moves: Vec<(Vertex, f64)>,
    /// The value: the probability that the player to move wins, in \[0, 1\].
    pub win: f64,
}

/// The prediction of `network` for the position of a game, which should not be over.
///
/// ```
/// use malecon::engine::inspect::prediction::predict;
/// use malecon::game::{Game, Geometry};
/// use malecon::network::Network;
/// let game = Game::new(Geometry::with_side(4)?);
/// let prediction = predict(&game, &*Network::builtin());
/// assert_eq!(prediction.moves.len(), 37);
/// assert!(prediction.win > 0.5, "the first player has an advantage");
/// # Ok::<(), malecon::game::SideError>(())
/// ```
#[must_use]
pub fn predict(game: &Game, network: &dyn Backend) -> Prediction {
    let position = game.position();
    let mut evaluation = Evaluation::default();
    network.evaluator(game.geometry()).evaluate(&Input::new(game), &mut evaluation);
    let probabilities = evaluation.probabilities(position.empty_vertices());
    let probability = |v: Vertex| f64::from(probabilities[v.index()]);
    // In single precision the sum is 1 up to rounding only.
    let sum: f64 = position.empty_vertices().map(probability).sum();
    let moves = position.empty_vertices().map(|v| (v, probability(v) / sum)).collect();
    Prediction { moves, win: evaluation.value.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Geometry, MAX_SIDE, MIN_SIDE};
    use crate::network::Network;

    #[test]
    fn probabilities_of_moves_add_up_to_one() {
        let network = Network::builtin();
        for side in MIN_SIDE..=MAX_SIDE {
            let mut game = Game::new(Geometry::with_side(side).unwrap());
            while game.outcome().is_none() {
                let moves = predict(&game, &*network).moves;
                assert_eq!(moves.len(), game.geometry().vertex_count() - game.stone_count());
                let sum: f64 = moves.iter().map(|(_, p)| p).sum();
                assert!((sum - 1.0).abs() < 1e-9 && moves.iter().all(|(_, p)| *p > 0.0));
                let (likeliest, _) = moves.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                game.play(likeliest).unwrap();
            }
        }
    }
}
