//! What an interrupted review of the same game has found, so that it need not be searched again.

use serde::Deserialize;
use serde_json::Value;

use crate::base::error::message_error;
use crate::game::record::{Record, Winner};
use crate::game::{Color, Game, Geometry, Move, Notation, Vertex};

use super::{Assessment, Mistake};

/// A position that was searched before, and the move played in it if that was checked, too.
#[derive(Clone, Debug)]
pub struct KnownPosition {
    /// The number of moves before the position.
    pub turn: usize,
    /// What the search found. What follows from the stones alone is not filled in: `missing` and `race`.
    pub position: Assessment,
    /// Whether the move played in the position was checked.
    pub is_checked: bool,
    /// What was better than the move, without a reason, if it was checked and a mistake.
    pub mistake: Option<Mistake>,
}

message_error! {
    /// What is wrong with a partial answer of a review.
    pub struct KnownPositionError;
}

/// A partial answer of a review, as [`json::progress`](super::json::progress) writes it.
#[derive(Deserialize)]
struct Part {
    turn: usize,
    position: PositionPart,
    #[serde(rename = "move")]
    played: Option<MovePart>,
}

#[derive(Deserialize)]
struct PositionPart {
    white: f64,
    proven: Option<Winner>,
    line: Vec<String>,
    simulations: u64,
}

#[derive(Deserialize)]
struct MovePart {
    mistake: Option<MistakePart>,
}

#[derive(Deserialize)]
struct MistakePart {
    better: String,
    line: Vec<String>,
    better_chance: f64,
    played_chance: f64,
    missed_win: bool,
}

impl KnownPosition {
    /// Reads a partial answer of a review of this game.
    ///
    /// # Errors
    /// If `part` is not a partial answer, or its moves are not legal in its position.
    pub fn read(record: &Record, part: &Value) -> Result<KnownPosition, KnownPositionError> {
        let Part { turn, position, played } = Part::deserialize(part).map_err(|error| error.to_string())?;
        let (game, _) = record.after(turn).ok_or_else(|| format!("turn: the game has no move {turn}"))?;
        let next = record.main_line().filter_map(|node| record.node(node).play).nth(turn);
        let to_move = next.map_or(game.to_move(), |(color, _)| color);
        let swap = position.line == ["swap"];
        let words = if swap { &[] } else { &position.line[..] };
        let line = line(&game, to_move, words)?;
        let position = Assessment {
            proven: position.proven,
            swap,
            simulations: position.simulations,
            ..Assessment::new(to_move, chance("white", position.white)?, line)
        };
        let is_checked = played.is_some();
        let mistake = played.and_then(|played| played.mistake);
        let mistake = mistake.map(|mistake| mistake.read(&game, to_move)).transpose()?;
        Ok(KnownPosition { turn, position, is_checked, mistake })
    }
}

impl MistakePart {
    fn read(self, game: &Game, color: Color) -> Result<Mistake, String> {
        let line = line(game, color, &self.line)?;
        let better = match (self.better.as_str(), line.first()) {
            ("swap", None) => Move::Swap,
            (better, Some(&v)) if vertex(game.geometry(), better)? == v => Move::Place(v),
            (better, _) => return Err(format!("mistake: expected a line that begins with {better}")),
        };
        Ok(Mistake {
            better,
            line,
            better_chance: chance("better_chance", self.better_chance)?,
            played_chance: chance("played_chance", self.played_chance)?,
            missed_win: self.missed_win,
            reason: None,
        })
    }
}

fn chance(name: &str, value: f64) -> Result<f64, String> {
    if !(0.0..=1.0).contains(&value) {
        return Err(format!("{name}: expected a number from 0 to 1, got {value}"));
    }
    Ok(value)
}

fn vertex(board: &Geometry, word: &str) -> Result<Vertex, String> {
    Notation::HavannahGui.parse(board, word).map_err(|error| error.to_string())
}

/// A line of stones that can be played in this position, in turn.
fn line(game: &Game, first: Color, words: &[String]) -> Result<Vec<Vertex>, String> {
    let mut game = game.clone();
    let mut color = first;
    let mut line = Vec::with_capacity(words.len());
    for word in words {
        let v = vertex(game.geometry(), word)?;
        game.place(color, v).map_err(|error| format!("line: {word}: {error}"))?;
        line.push(v);
        color = !color;
    }
    Ok(line)
}
