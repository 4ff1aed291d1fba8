//! A simple opponent that speaks GTP: it wins at once if it can; otherwise it stops the opponent from winning at once,
//! or else puts a stone beside another one. The weakest level of the engine should lose to it (see docs/levels.md).
//!
//! `cargo run --release --example simple_bot [SEED]`

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use malecon::engine::inspect::threats::winning_vertices;
use malecon::game::{Color, Game, Geometry, Notation, Vertex};
use malecon::protocols::gtp::protocol::{CommandError, Response, format, parse};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const COMMANDS: &str = "protocol_version\nname\nversion\nlist_commands\nboardsize\nclear_board\nplay\ngenmove\nquit";

fn main() -> Result<(), Box<dyn Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(1), |word| word.parse())?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = Game::new(Geometry::with_side(8)?);
    for line in stdin().lock().lines() {
        let line = line?;
        let Some(request) = parse(&line) else { continue };
        let response = answer(&mut game, request.command, &request.arguments, &mut rng);
        stdout().write_all(format(request.id, &response).as_bytes())?;
        if request.command == "quit" {
            break;
        }
    }
    Ok(())
}

fn answer(game: &mut Game, command: &str, arguments: &[&str], rng: &mut impl Rng) -> Response {
    let notation = Notation::HavannahGui;
    match (command, arguments) {
        ("protocol_version", _) => Ok("2".into()),
        ("name", _) => Ok("simple bot".into()),
        ("version", _) => Ok("1".into()),
        ("list_commands", _) => Ok(COMMANDS.into()),
        ("boardsize", [side]) => {
            let side = side.parse().map_err(|_| CommandError::new(format!("invalid side length '{side}'")))?;
            *game = Game::new(Geometry::with_side(side)?);
            Ok(String::new())
        }
        ("clear_board", _) => {
            *game = Game::new(game.geometry());
            Ok(String::new())
        }
        ("play", [color, name]) => {
            let v = notation.parse(game.geometry(), name)?;
            game.place(read_color(color)?, v).map_err(|error| CommandError::new(error.to_string()))?;
            Ok(String::new())
        }
        ("genmove", [color]) => {
            let color = read_color(color)?;
            let v = choose(game, color, rng).ok_or_else(|| CommandError::new("the game is over"))?;
            game.place(color, v).map_err(|error| CommandError::new(error.to_string()))?;
            Ok(notation.name(game.geometry(), v))
        }
        ("quit", _) => Ok(String::new()),
        _ => Err(CommandError::new("unknown command")),
    }
}

fn read_color(word: &str) -> Result<Color, CommandError> {
    word.parse().map_err(|_| CommandError::new(format!("invalid colour '{word}'")))
}

/// The bot's move for `color`; `None` if the game is over.
fn choose(game: &Game, color: Color, rng: &mut impl Rng) -> Option<Vertex> {
    if game.outcome().is_some() {
        return None;
    }
    let at_once = |color| winning_vertices(game, color).first().map(|&(v, _)| v);
    let position = game.position();
    let is_beside_a_stone = |v: &Vertex| game.geometry().neighbours(*v).iter().any(|&w| !position.is_empty(w));
    let beside: Vec<Vertex> = position.empty_vertices().filter(is_beside_a_stone).collect();
    let all: Vec<Vertex> = position.empty_vertices().collect();
    at_once(color).or_else(|| at_once(!color)).or_else(|| beside.choose(rng).or_else(|| all.choose(rng)).copied())
}
