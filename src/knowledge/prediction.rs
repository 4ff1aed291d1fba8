//! The learned weights.
//!
//! The probability that a move is played is proportional to its *strength*, the product of a factor for each of its
//! features: the Bradley–Terry model of Coulom, *Computing "Elo Ratings" of Move Patterns in the Game of Go* (2007).
//! The factors stand in `move_weights.txt` as logarithms, in the order of [`super::GROUPS`]. They were fitted by maximum
//! likelihood to the moves of human games on sides 4 to 10, the winners' counting twice, in positions where no stone
//! completes a structure: the move played is the first choice in 30 % of other games' positions, among the first five in
//! 56 %.

use std::sync::OnceLock;

use super::features::{FEATURES, Features};

/// The square root of a move's strength, up to a factor that the moves of a position share.
#[inline]
pub fn root_strength(features: &Features) -> f32 {
    let factors = root_factors();
    features.iter().map(|&feature| factors[feature as usize]).product()
}

/// The square roots of the factors: a root and an exponential less for each move.
fn root_factors() -> &'static [f32; FEATURES] {
    static FACTORS: OnceLock<Box<[f32; FEATURES]>> = OnceLock::new();
    FACTORS.get_or_init(|| {
        let logarithms = include_str!("move_weights.txt").split(',').map(|word| word.trim().parse::<f64>());
        let factors = logarithms.map(|weight| weight.map(|weight| (weight / 2.0).exp() as f32));
        let list: Vec<f32> = factors.collect::<Result<_, _>>().expect("the weights are numbers");
        list.try_into().expect("there is a weight for each feature")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Color, Game, Geometry, Notation};
    use crate::knowledge::Viewer;

    /// Where an intrusion threatens to part a two-bridge, the other vertex of the two is the strongest move.
    #[test]
    fn the_answer_to_an_intrusion_is_expected() {
        let board = Geometry::of(8).unwrap();
        let vertex = |name| Notation::HavannahGui.parse(board, name).unwrap();
        let mut game = Game::new(board);
        for name in ["g7", "k12", "h9", "k10", "e5", "g8"] {
            game.play(vertex(name)).unwrap();
        }
        let viewer = Viewer::new(game.position(), Color::White, Some(vertex("g8")), Some(vertex("e5")));
        let strongest = game
            .position()
            .empty_vertices()
            .max_by(|&v, &w| root_strength(&viewer.features(v)).total_cmp(&root_strength(&viewer.features(w))));
        assert_eq!(strongest, Some(vertex("h8")));
    }
}
