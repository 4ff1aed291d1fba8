//! Random games for the tests of frames.

use rand::RngExt;
use rand::seq::IteratorRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::{Game, Geometry};

/// A game of `least` random moves or more, on at most two thirds of the board. `None` if it is over.
pub fn random_game(rng: &mut Xoshiro256PlusPlus, side: usize, least: usize) -> Option<Game> {
    let geometry = Geometry::with_side(side).unwrap();
    let mut game = Game::new(geometry);
    for _ in 0..rng.random_range(least..geometry.vertex_count() * 2 / 3) {
        if game.outcome().is_none() {
            game.play(game.position().empty_vertices().choose(rng).unwrap()).unwrap();
        }
    }
    game.outcome().is_none().then_some(game)
}

/// A game of random moves that is not over.
pub fn random_open_game(rng: &mut Xoshiro256PlusPlus, side: usize) -> Game {
    loop {
        if let Some(game) = random_game(rng, side, 0) {
            return game;
        }
    }
}
