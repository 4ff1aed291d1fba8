//! The learned prediction of moves.

use crate::board::{Game, Vertex};
use crate::knowledge::{Viewer, root_strength};

/// How likely the player to move is to choose each empty vertex, according to what was learned from games
/// ([`crate::knowledge`]): in proportion to the moves' strengths, in vertex order. The sum is 1, unless there is no move.
pub fn move_probabilities(game: &Game) -> Vec<(Vertex, f64)> {
    let position = game.position();
    let mut last = game.stones().map(|(_, v)| v).collect::<Vec<_>>().into_iter().rev();
    let (opponent_last, own_last) = (last.next(), last.next());
    let viewer = Viewer::new(position, game.to_move(), opponent_last, own_last);
    let strengths = position.empty_vertices().map(|v| (v, f64::from(root_strength(&viewer.features(v))).powi(2)));
    let strengths: Vec<(Vertex, f64)> = strengths.collect();
    let sum: f64 = strengths.iter().map(|(_, strength)| strength).sum();
    strengths.into_iter().map(|(v, strength)| (v, strength / sum)).collect()
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
                let moves = move_probabilities(&game);
                assert_eq!(moves.len(), game.geometry().vertex_count() - game.stone_count());
                let sum: f64 = moves.iter().map(|(_, p)| p).sum();
                assert!((sum - 1.0).abs() < 1e-9 && moves.iter().all(|(_, p)| *p > 0.0));
                let (likeliest, _) = moves.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                game.play(likeliest).unwrap();
            }
        }
    }
}
