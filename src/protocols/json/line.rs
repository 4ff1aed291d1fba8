//! The stones and moves of a query.

use crate::engine::session::PlayedGame;
use crate::game::{Color, Geometry, Move, Notation, Vertex};

use super::fields::{FieldError, Fields};

/// Stones and moves of a query, which are legal.
pub(super) struct Line {
    pub stones: Vec<(Color, Vertex)>,
    pub moves: Vec<(Color, Move)>,
    pub first: Color,
}

impl Line {
    pub fn game(&self, board: &'static Geometry) -> PlayedGame {
        game_after(board, &self.stones, &self.moves, self.first)
    }
}

/// The game after stones that were set up and moves that were played, which are legal.
pub(super) fn game_after(
    board: &'static Geometry,
    stones: &[(Color, Vertex)],
    moves: &[(Color, Move)],
    first: Color,
) -> PlayedGame {
    let mut game = PlayedGame::new(board, true);
    let stones = stones.iter().map(|&(color, v)| (color, Move::Place(v)));
    for (color, m) in stones.chain(moves.iter().copied()) {
        game.play(color, m).expect("the moves of a checked query are legal");
    }
    if moves.is_empty() {
        game.set_to_move(first);
    }
    game
}

/// Reads the fields `white`, `black`, `first` and `moves`.
pub(super) fn read_line(fields: &mut Fields, board: &'static Geometry) -> Result<Line, FieldError> {
    let mut game = PlayedGame::new(board, true);
    let mut stones = Vec::new();
    for color in Color::ALL {
        let name = color.to_string();
        for (i, v) in fields.vertices(&name, board)?.into_iter().enumerate() {
            game.play(color, Move::Place(v)).map_err(|error| FieldError::of_element(&name, i, error))?;
            stones.push((color, v));
        }
    }
    let first = fields.color("first")?.unwrap_or(Color::White);
    let mut turn = first;
    let mut moves = Vec::new();
    for (i, word) in fields.strings("moves")?.iter().enumerate() {
        let (color, m) = Move::read_in_turn(word, turn, board, Notation::HavannahGui)
            .map_err(|error| FieldError::of_element("moves", i, error))?;
        game.play(color, m).map_err(|error| FieldError::of_element("moves", i, error))?;
        moves.push((color, m));
        turn = !color;
    }
    Ok(Line { stones, moves, first })
}
