//! The stones and moves of a query.

use crate::engine::session::PlayedGame;
use crate::game::{Color, Game, Geometry, Move, Notation, Position, Vertex, completing_last};

use super::fields::{FieldError, Fields};

/// A board, the stones that were set up on it, and the moves that followed. All of them are legal.
#[derive(Clone, Debug, PartialEq)]
pub struct GameLine {
    /// The board.
    pub board: &'static Geometry,
    /// Stones on the board before the first move.
    pub stones: Vec<(Color, Vertex)>,
    /// The moves of the game.
    pub moves: Vec<(Color, Move)>,
    /// Who plays the first move.
    pub first: Color,
    /// Whether there may be a swap, if the position in which the game begins says so.
    pub swap: Option<bool>,
}

impl GameLine {
    /// The game after this many moves. The pie rule is on.
    ///
    /// # Panics
    /// If there are fewer moves.
    pub fn game(&self, turn: usize) -> PlayedGame {
        let mut game = PlayedGame::new(self.board, true);
        let legal = "the moves of a checked query are legal";
        for &(color, v) in &self.stones {
            game.play(color, Move::Place(v)).expect(legal);
        }
        game.begin_with(self.first);
        for &(color, m) in &self.moves[..turn] {
            game.play(color, m).expect(legal);
        }
        game
    }

    /// Whether the first `turn` moves of this line are also the first moves of another one.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn leads_to(&self, turn: usize, later: &GameLine, later_turn: usize) -> bool {
        self.board == later.board
            && self.stones == later.stones
            && self.first == later.first
            && self.swap == later.swap
            && later.moves[..later_turn].starts_with(&self.moves[..turn])
    }

    /// Reads the fields `side`, `white`, `black` and `first`, or `position` in place of them, and `moves`.
    pub(super) fn read(fields: &mut Fields) -> Result<GameLine, FieldError> {
        let mut line = match fields.string("position")? {
            Some(text) => GameLine::in_position(&text, fields)?,
            None => GameLine::on_board(fields)?,
        };
        let mut game = line.game(0);
        let mut turn = line.first;
        for (i, word) in fields.strings("moves")?.iter().enumerate() {
            let (color, m) = Move::read_in_turn(word, turn, line.board, Notation::HavannahGui)
                .map_err(|error| FieldError::with_index("moves", i, error))?;
            game.play(color, m).map_err(|error| FieldError::with_index("moves", i, error))?;
            line.moves.push((color, m));
            turn = !color;
        }
        Ok(line)
    }

    fn on_board(fields: &mut Fields) -> Result<GameLine, FieldError> {
        let board = fields.board()?;
        let mut given = Vec::new();
        for color in Color::ALL {
            let vertices = fields.vertices(&color.to_string(), board)?.into_iter().enumerate();
            given.extend(vertices.map(|(i, v)| (color, i, v)));
        }
        let mut stones: Vec<(Color, Vertex)> = given.iter().map(|&(color, _, v)| (color, v)).collect();
        completing_last(&Position::new(board), &mut stones);
        let mut game = PlayedGame::new(board, true);
        for &(color, v) in &stones {
            let index = || given.iter().rfind(|stone| (stone.0, stone.2) == (color, v)).map_or(0, |stone| stone.1);
            game.play(color, Move::Place(v))
                .map_err(|error| FieldError::with_index(&color.to_string(), index(), error))?;
        }
        let first = fields.color("first")?.unwrap_or(Color::White);
        Ok(GameLine { board, stones, moves: Vec::new(), first, swap: None })
    }

    fn in_position(text: &str, fields: &Fields) -> Result<GameLine, FieldError> {
        if let Some(name) = ["side", "white", "black", "first", "swap"].into_iter().find(|name| fields.has(name)) {
            return Err(FieldError::new(name, "already given by position"));
        }
        let game = Game::from_position(text).map_err(|error| FieldError::new("position", error))?;
        Ok(GameLine {
            board: game.geometry(),
            stones: game.stones().collect(),
            moves: Vec::new(),
            first: game.to_move(),
            swap: Some(game.swap_allowed()),
        })
    }
}
