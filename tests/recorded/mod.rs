//! Recorded games and positions, one JSON object per line.

use std::fs;
use std::path::Path;

use malecon::game::{Game, Geometry, Notation, Vertex};
use serde_json::Value;

/// A recorded game. White moves first, and colours alternate.
pub struct Record {
    /// The file and the line, for error messages.
    pub place: String,
    pub fields: Value,
}

impl Record {
    pub fn read(path: &Path) -> Vec<Record> {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines = text.lines().enumerate();
        let read = |(i, line): (usize, &str)| {
            let place = format!("{}:{}", path.display(), i + 1);
            let fields = serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
            Record { place, fields }
        };
        lines.map(read).collect()
    }

    /// Reads a file in `tests/data`.
    pub fn data(name: &str) -> Vec<Record> {
        Record::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name))
    }

    pub fn side(&self) -> usize {
        self.fields["side"].as_u64().unwrap_or_else(|| panic!("{}: no side", self.place)) as usize
    }

    pub fn moves(&self) -> Vec<&str> {
        let moves = self.fields["moves"].as_array().unwrap_or_else(|| panic!("{}: no moves", self.place));
        moves.iter().map(|name| name.as_str().unwrap()).collect()
    }

    /// The moves as vertices.
    pub fn vertices(&self) -> Vec<Vertex> {
        let board = Geometry::with_side(self.side()).unwrap();
        let parse = |name| Notation::HavannahGui.parse(board, name).unwrap_or_else(|e| panic!("{}: {e}", self.place));
        self.moves().into_iter().map(parse).collect()
    }

    /// Replays the game. It must not end before its last stone.
    pub fn replay(&self) -> Game {
        self.replay_without(0)
    }

    /// Replays the game without its last `last` stones.
    pub fn replay_without(&self, last: usize) -> Game {
        let mut game = Game::new(Geometry::with_side(self.side()).unwrap());
        let moves = self.vertices();
        for &v in &moves[..moves.len() - last] {
            let number = game.stone_count();
            game.play(v).unwrap_or_else(|error| panic!("{}: move {number}: {error}", self.place));
        }
        game
    }

    /// The winner: `w`, `b`, `draw`, or none.
    pub fn winner(&self) -> Option<&str> {
        self.fields["winner"].as_str()
    }

    /// The proven value of the position: `white`, `black` or `draw`, or none if it is unknown.
    pub fn value(&self) -> Option<&str> {
        self.fields["value"].as_str()
    }

    /// The names of the structures that won the game.
    pub fn by(&self) -> Vec<&str> {
        let names = self.fields["by"].as_array().map(Vec::as_slice).unwrap_or_default();
        names.iter().map(|name| name.as_str().unwrap()).collect()
    }
}
