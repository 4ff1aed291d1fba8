//! Referees a game between two players in code. White plays at random; Black completes a structure if it can, and
//! otherwise plays at random.
//!
//! `cargo run --release --example referee [SIDE [SEED]]`

use std::error::Error;

use malecon::engine::inspect::threats::winning_vertices;
use malecon::game::{Color, Diagram, Game, Geometry, Notation, Outcome, Vertex};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let side = words.next().map_or(Ok(5), |word| word.parse())?;
    let seed = words.next().map_or(Ok(1), |word| word.parse())?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);

    let mut game = Game::new(Geometry::with_side(side)?);
    while game.outcome().is_none() {
        let vertex = match game.to_move() {
            Color::White => random_move(&game, &mut rng),
            Color::Black => winning_move(&game).unwrap_or_else(|| random_move(&game, &mut rng)),
        };
        // An illegal move is an error here, and changes nothing.
        game.play(vertex)?;
    }

    println!("{}", Diagram::new(&game, Notation::HavannahGui));
    match game.outcome() {
        Some(Outcome::Win(color, structures)) => println!("{color} has won by {structures}"),
        _ => println!("the board is full: a draw"),
    }
    Ok(())
}

fn random_move(game: &Game, rng: &mut impl Rng) -> Vertex {
    let empty: Vec<Vertex> = game.position().empty_vertices().collect();
    *empty.choose(rng).expect("a game that is not over has an empty vertex")
}

fn winning_move(game: &Game) -> Option<Vertex> {
    winning_vertices(game, game.to_move()).first().map(|&(vertex, _)| vertex)
}
