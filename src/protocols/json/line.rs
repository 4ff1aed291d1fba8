//! The stones and moves of a query.

use crate::engine::session::PlayedGame;
use crate::game::{Color, Geometry, Move, Notation, Vertex};

use super::fields::{FieldError, Fields};

/// A board, the stones that were set up on it, and the moves that followed. All of them are legal.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The board.
    pub board: &'static Geometry,
    /// Stones on the board before the first move.
    pub stones: Vec<(Color, Vertex)>,
    /// The moves of the game.
    pub moves: Vec<(Color, Move)>,
    /// Who plays the first move.
    pub first: Color,
}

impl Line {
    /// The game after this many moves. The pie rule is on.
    ///
    /// # Panics
    /// If there are fewer moves.
    pub fn game(&self, turn: usize) -> PlayedGame {
        let mut game = PlayedGame::new(self.board, true);
        let stones = self.stones.iter().map(|&(color, v)| (color, Move::Place(v)));
        for (color, m) in stones.chain(self.moves[..turn].iter().copied()) {
            game.play(color, m).expect("the moves of a checked query are legal");
        }
        if turn == 0 {
            game.set_to_move(self.first);
        }
        game
    }

    /// Whether the first `turn` moves of this line are also the first moves of another one.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn leads_to(&self, turn: usize, later: &Line, later_turn: usize) -> bool {
        self.board == later.board
            && self.stones == later.stones
            && self.first == later.first
            && later.moves[..later_turn].starts_with(&self.moves[..turn])
    }

    /// Reads the fields `side`, `white`, `black`, `first` and `moves`.
    pub(super) fn read(fields: &mut Fields) -> Result<Line, FieldError> {
        let board = fields.board()?;
        let mut game = PlayedGame::new(board, true);
        let mut stones = Vec::new();
        for color in Color::ALL {
            let name = color.to_string();
            for (i, v) in fields.vertices(&name, board)?.into_iter().enumerate() {
                game.play(color, Move::Place(v)).map_err(|error| FieldError::with_index(&name, i, error))?;
                stones.push((color, v));
            }
        }
        let first = fields.color("first")?.unwrap_or(Color::White);
        let mut turn = first;
        let mut moves = Vec::new();
        for (i, word) in fields.strings("moves")?.iter().enumerate() {
            let (color, m) = Move::read_in_turn(word, turn, board, Notation::HavannahGui)
                .map_err(|error| FieldError::with_index("moves", i, error))?;
            game.play(color, m).map_err(|error| FieldError::with_index("moves", i, error))?;
            moves.push((color, m));
            turn = !color;
        }
        Ok(Line { board, stones, moves, first })
    }
}
