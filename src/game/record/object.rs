//! A game as one JSON object.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::game::{Color, Geometry, Notation};

use super::list;
use super::text::{one_line, quoted};
use super::words::Word;
use super::{GameResult, How, Property, Record};

/// A line of `games.jsonl`. Other keys, which matches write, are ignored.
#[derive(Serialize, Deserialize)]
pub(super) struct GameObject {
    pub side: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    pub moves: Vec<String>,
    #[serde(default)]
    pub winner: Option<String>,
    /// A string, or a list of structures.
    #[serde(default)]
    pub by: Value,
    /// Whether there was a swap, for collections that omit it from the moves. The colours of the moves then simply
    /// alternate, and the first stone stays white.
    #[serde(default, skip_serializing)]
    pub swapped: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whose names the vertices have, such as `littlegolem`.
    #[serde(default, skip_serializing)]
    pub names: Option<String>,
}

impl GameObject {
    /// The record of the game. An error is a reason, with the number of the move that is to blame, if one is.
    pub fn into_record(self, names: Option<Notation>) -> Result<Record, (Option<usize>, String)> {
        let board = Geometry::with_side(self.side).map_err(|error| (None, error.to_string()))?;
        let names = match self.names.as_deref() {
            None => names,
            Some(name) => {
                let expected = || format!("invalid names '{}' (expected {})", quoted(name), Notation::DIALECTS);
                Some(Notation::from_dialect(name).ok_or_else(|| (None, expected()))?)
            }
        };
        let moves: Vec<String> = self.moves.into_iter().map(|word| one_line(&word)).collect();
        let mut words: Vec<Word<'_>> = moves.iter().map(|text| Word { text, color: None }).collect();
        let drops_swap = self.swapped && !moves.iter().any(|word| word == "swap") && !words.is_empty();
        if drops_swap {
            words.insert(1, Word { text: "swap", color: None });
        }
        let own_number = |number: usize| if drops_swap && number > 1 { number - 1 } else { number };
        let mut record =
            list::record(board, &words, names).map_err(|error| (Some(own_number(error.at)), error.reason))?;
        record.players = [self.white, self.black].map(|name| name.as_deref().map(one_line));
        record.nodes[0].properties.extend(self.id.as_deref().map(|id| Property::new("GN", &one_line(id))));
        let winner = match self.winner.as_deref().map(one_line).as_deref() {
            None => return Ok(record),
            Some("draw") => None,
            Some(name) => {
                let color: Color = name.parse().map_err(|_| {
                    (None, format!("invalid winner '{}' (expected white, black or draw)", quoted(name)))
                })?;
                Some(if drops_swap { !color } else { color })
            }
        };
        record.stated = Some(GameResult { winner, how: how(&self.by) });
        Ok(record)
    }
}

/// The meaning of `by`: structures, a full board, a proof of who wins, a resignation, or a fault in a match.
fn how(by: &Value) -> How {
    let is_structure = |name: &str| matches!(name, "bridge" | "fork" | "ring");
    match by.as_str() {
        None | Some("full board" | "solved") => How::Board,
        Some(names) if names.split('+').all(is_structure) => How::Board,
        Some("resign") => How::Resignation,
        Some(fault) if fault.contains("time") || fault == "silence" => How::Time,
        Some(_) => How::Forfeit,
    }
}
