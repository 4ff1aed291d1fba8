//! The stones and moves of a query.

use super::fields::{FieldError, Fields};
use crate::board::{Color, Geometry, Notation, Vertex};
use crate::session::{Move, PlayedGame};

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
        let error = |reason: String| FieldError::of_element("moves", i, reason);
        let (color, m) = read_move(board, word, turn).map_err(error)?;
        game.play(color, m).map_err(|reason| error(reason.to_string()))?;
        moves.push((color, m));
        turn = !color;
    }
    Ok(Line { stones, moves, first })
}

/// Reads a move: a vertex, `swap` or `resign`, with the prefix `white:` or `black:` if it is not by the player `turn`.
pub(super) fn read_move(board: &Geometry, word: &str, turn: Color) -> Result<(Color, Move), String> {
    let (color, word) = match word.split_once(':') {
        None => (turn, word),
        Some((name, word)) => (name.parse().map_err(|error| format!("{error}"))?, word),
    };
    let m = match word.to_ascii_lowercase().as_str() {
        "swap" => Move::Swap,
        "resign" => Move::Resign,
        "pass" => Move::Pass,
        _ => Move::Place(Notation::HavannahGui.parse(board, word).map_err(|error| error.to_string())?),
    };
    Ok((color, m))
}
