//! Puzzles: positions in which one move wins and every other move loses.
//!
//! | module | contents |
//! |---|---|
//! | `judge` | proofs of who wins a position |
//! | `line` | how the winner wins against the best resistance |
//! | `make` | puzzles from games |
//!
//! A puzzle is a line of JSON. [`Puzzle::check`] proves again what it claims.

mod judge;
mod line;
mod make;

use serde::{Deserialize, Serialize};

use crate::base::lines::Line;
use crate::game::{Color, Game, Geometry, Notation, Vertex};
use crate::tools::ToolError;

pub use judge::Judge;
pub use make::{Maker, SIDES};

/// What a puzzle is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Theme {
    /// The line ends with a ring.
    Ring,
    /// The line ends with a fork.
    Fork,
    /// The line ends with a bridge.
    Bridge,
    /// The move leaves two vertices or more on which the next stone wins.
    #[serde(rename = "double threat")]
    DoubleThreat,
    /// The opponent threatens to win at once or by a double threat, and the move stops this without a threat of its
    /// own.
    Defence,
}

/// A position in which one move wins and every other move loses, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// The number of the puzzle, which never changes.
    pub id: u32,
    /// The side length of the board.
    pub side: usize,
    /// The vertices in the order of play, in HavannahGui's names. White moves first, and the colours alternate.
    pub moves: Vec<String>,
    /// The player to move, who wins.
    pub to_move: Color,
    /// The winning move.
    pub solution: [String; 1],
    /// What the puzzle is about.
    pub theme: Theme,
    /// The winner's moves in `line`.
    pub moves_to_win: usize,
    /// How hard the search finds the move, from 1 to 5. Puzzles of grade 1 are won by one move.
    pub grade: u8,
    /// The moves of both players from the winning move to the end, with the opponent's longest resistance.
    pub line: Vec<String>,
}

impl Line for Puzzle {
    const BEGINNINGS: &'static [&'static str] = &["{\"id\":"];
    const UNIT: &'static str = "puzzle";
    const WRITER: &'static str = "malecon puzzles";
}

impl Puzzle {
    /// The game up to the position.
    ///
    /// # Errors
    /// If the board does not exist, a move is illegal, the game is over, or `to_move` is not the player to move.
    pub fn game(&self) -> Result<Game, ToolError> {
        let geometry = Geometry::with_side(self.side).map_err(|error| error.to_string())?;
        let mut game = Game::new(geometry);
        play(&mut game, &self.moves)?;
        if game.outcome().is_some() {
            return Err("the game is over".into());
        }
        if self.to_move != game.to_move() {
            return Err(format!("{} is to move, not {}", game.to_move(), self.to_move).into());
        }
        Ok(game)
    }

    /// Proves again that the solution wins and every other move loses, and that the line, its length and the theme
    /// belong to it. The grade is not checked: it depends on the network. `judge` must be of the board of this side.
    ///
    /// # Errors
    /// What is wrong, in one line.
    pub fn check(&self, judge: &mut Judge) -> Result<(), ToolError> {
        let game = self.game()?;
        let [solution] = &self.solution;
        if self.line.first() != Some(solution) {
            return Err(format!("the line does not begin with {solution}").into());
        }
        if !(1..=5).contains(&self.grade) {
            return Err(format!("grade {} (expected 1 to 5)", self.grade).into());
        }
        let line = self.check_line(&game)?;
        judge.only_win(&game, line[0])?;
        match line::theme(&game, &line) {
            theme if theme == self.theme => Ok(()),
            theme => Err(format!("the theme is {theme:?}, not {:?}", self.theme).into()),
        }
    }

    /// The line, which must be legal and end with the structure that wins.
    fn check_line(&self, game: &Game) -> Result<Vec<Vertex>, ToolError> {
        let mut end = game.clone();
        let line = play(&mut end, &self.line)?;
        if end.outcome().and_then(|outcome| outcome.winner()) != Some(game.to_move()) {
            return Err(format!("the line does not end with a win of {}", game.to_move()).into());
        }
        match self.line.len().div_ceil(2) {
            count if count == self.moves_to_win => Ok(line),
            count => Err(format!("the line has {count} moves of the winner, not {}", self.moves_to_win).into()),
        }
    }
}

/// A vertex of the board, by its name.
fn vertex(game: &Game, name: &str) -> Result<Vertex, String> {
    Notation::HavannahGui.parse(game.geometry(), name).map_err(|error| error.to_string())
}

/// Plays these moves in turn, and returns their vertices.
fn play(game: &mut Game, names: &[String]) -> Result<Vec<Vertex>, String> {
    let mut played = Vec::with_capacity(names.len());
    for name in names {
        let v = vertex(game, name)?;
        game.play(v).map_err(|error| format!("illegal move {name}: {error}"))?;
        played.push(v);
    }
    Ok(played)
}

/// The game after one more move.
fn after(game: &Game, v: Vertex) -> Game {
    let mut after = game.clone();
    after.play(v).expect("the vertex is empty and the game goes on");
    after
}
