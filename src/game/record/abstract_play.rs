//! Finished games as the site Abstract Play gives them: an object for each game, alone or in an array.
//!
//! The schema is `gamerecord` in its repository `recranks`. The rows of the board are lettered from the bottom, and the
//! numbers begin at 1 in each row. Turned, these are Little Golem's names. With the pie rule, the players exchange
//! seats, and the moves do not show it.

use std::cmp::Ordering;

use serde::Deserialize;
use serde_json::Value;

use super::object::GameObject;
use super::text::quoted;

/// The side length if no variant names another.
const USUAL_SIDE: usize = 8;

/// A game of any kind.
#[derive(Deserialize)]
pub(super) struct Report {
    header: Header,
    /// The rounds, each with the moves of all players in the order of their seats.
    moves: Vec<Vec<Value>>,
}

#[derive(Deserialize)]
struct Header {
    game: Kind,
    #[serde(default)]
    site: Site,
    #[serde(default, alias = "pie-invoked")]
    pied: bool,
    /// In the order of their seats at the end of the game.
    players: Vec<Player>,
}

#[derive(Deserialize)]
struct Kind {
    name: String,
    #[serde(default)]
    variants: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Site {
    #[serde(default, rename = "gameid")]
    id: Value,
}

#[derive(Deserialize)]
struct Player {
    name: String,
    /// Higher for the winner.
    result: Option<f64>,
}

impl TryFrom<Report> for GameObject {
    /// What is wrong.
    type Error = String;

    fn try_from(report: Report) -> Result<GameObject, String> {
        let Header { game, site, pied, players } = report.header;
        if game.name != "Havannah" {
            return Err(format!("this is a record of {}, not of Havannah", quoted(&game.name)));
        }
        let [first, second] =
            <[Player; 2]>::try_from(players).map_err(|players| format!("{} players (expected 2)", players.len()))?;
        let mut moves = moves(report.moves)?;
        let end = moves.pop_if(|last| matches!(&**last, "resign" | "timeout" | "draw" | "abandoned"));
        let winner = match first.result.partial_cmp(&second.result) {
            _ if end.as_deref() == Some("abandoned") => None,
            Some(Ordering::Greater) => Some("white"),
            Some(Ordering::Less) => Some("black"),
            _ => Some("draw"),
        };
        // A draw may be agreed upon.
        let by = end.filter(|end| end != "draw").map_or(Value::Null, Value::String);
        let [white, black] = if pied { [second.name, first.name] } else { [first.name, second.name] };
        Ok(GameObject {
            side: game.variants.iter().find_map(|variant| side_of(variant)).unwrap_or(USUAL_SIDE),
            white: Some(white),
            black: Some(black),
            moves,
            winner: winner.map(str::to_owned),
            by,
            swapped: pied,
            id: match site.id {
                Value::Null => None,
                Value::String(id) => Some(id),
                id => Some(id.to_string()),
            },
            names: Some("littlegolem".to_owned()),
        })
    }
}

/// The moves of all rounds in order. A player without a move has `null`.
fn moves(rounds: Vec<Vec<Value>>) -> Result<Vec<String>, String> {
    let turns = rounds.into_iter().flatten().filter(|turn| !turn.is_null());
    let text = |turn| match turn {
        Value::String(text) => Ok(text),
        other => Err(format!("invalid move {} (expected a string)", quoted(&other.to_string()))),
    };
    turns.map(text).collect()
}

/// The side length in the name of a variant, such as `size-10` or `Size-10 board`.
fn side_of(variant: &str) -> Option<usize> {
    let (_, number) = variant.split_once("ize-")?;
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{Format, GameResult, How, Record, read, read_each, write};
    use crate::game::Color;

    /// A game in the form that the site gives.
    fn report(variants: &str, pied: &str, results: [u8; 2], moves: &str) -> String {
        format!(
            "{{\"header\":{{\"game\":{{\"name\":\"Havannah\",\"variants\":[{variants}]}},\"site\":{{\"name\":\"Abstract \
             Play\",\"gameid\":\"f00\"}},\"date-start\":\"2026-01-01T00:00:00.000Z\",{pied}\"players\":[{{\"name\":\"Ada\",\
             \"userid\":\"1\",\"result\":{}}},{{\"name\":\"Blaise\",\"userid\":\"2\",\"result\":{}}}]}},\"moves\":{moves}}}",
            results[0], results[1]
        )
    }

    fn game(text: &str) -> Record {
        let mut games = read(text.as_bytes(), None).unwrap();
        assert_eq!(games.len(), 1);
        games.remove(0)
    }

    fn moves(record: &Record) -> String {
        write(std::slice::from_ref(record), Format::Moves)
    }

    #[test]
    fn a_game_is_read() {
        let record = game(&report("\"Size-4 board\"", "", [0, 1], "[[\"a1\",\"g4\"],[\"e1\"]]"));
        // The rows of AP's upper half begin with 1, as Little Golem's lines do.
        assert_eq!(moves(&record), "# side 4\na1 g7 e2\n");
        assert_eq!(record.players, [Some("Ada".to_owned()), Some("Blaise".to_owned())]);
        assert_eq!(record.stated, Some(GameResult { winner: Some(Color::Black), how: How::Board }));
        assert!(write(&[record], Format::Sgf).contains("GN[f00]"));
        for (variants, side) in [("", 8), ("\"Size-10 board\"", 10), ("\"size-6\"", 6), ("\"Default board\"", 8)] {
            assert_eq!(game(&report(variants, "", [1, 0], "[[\"a1\"]]")).board.side(), side, "{variants}");
        }
    }

    /// Ada has the seat of the first stone at the end, so Blaise placed it, and she took it over.
    #[test]
    fn a_swap_is_put_in() {
        for pied in ["\"pied\":true,", "\"pie-invoked\":true,"] {
            let record = game(&report("\"size-4\"", pied, [1, 0], "[[\"a1\",\"b2\"],[\"c3\",\"resign\"]]"));
            assert_eq!(moves(&record), "# side 4\na1 swap b2 c3 resign\n", "{pied}");
            assert_eq!(record.players, [Some("Blaise".to_owned()), Some("Ada".to_owned())]);
            assert_eq!(record.stated, Some(GameResult { winner: Some(Color::Black), how: How::Resignation }));
        }
    }

    #[test]
    fn ends_of_games() {
        let stated = |end: &str, results| {
            game(&report("\"size-4\"", "", results, &format!("[[\"a1\",\"b2\"],[\"{end}\"]]"))).stated
        };
        let result = |winner, how| Some(GameResult { winner, how });
        assert_eq!(stated("resign", [0, 1]), result(Some(Color::Black), How::Resignation));
        assert_eq!(stated("resign", [1, 0]), result(Some(Color::White), How::Resignation));
        assert_eq!(stated("timeout", [0, 1]), result(Some(Color::Black), How::Time));
        assert_eq!(stated("draw", [1, 1]), result(None, How::Board));
        assert_eq!(stated("abandoned", [0, 0]), None);
    }

    /// A player's file has games of all kinds.
    #[test]
    fn other_games_are_named_and_the_rest_is_read() {
        let havannah = report("\"size-4\"", "", [1, 0], "[[\"a1\"]]");
        let hex = report("", "", [1, 0], "[[{\"move\":\"a1\",\"result\":[]}],[null]]").replace("Havannah", "Hex");
        let games = read_each(format!("[{hex},\n{havannah}]").as_bytes(), Default::default()).unwrap();
        let [Err(error), Ok(_)] = &games[..] else { panic!("{games:?}") };
        assert_eq!(error.to_string(), "1:2: this is a record of Hex, not of Havannah");
        let bad = report("\"size-4\"", "", [1, 0], "[[\"a1\",\n\"a9\"]]");
        let error = read(bad.as_bytes(), None).unwrap_err();
        assert_eq!(error.to_string(), "2:1: vertex a9 is not on the board of side 4");
    }
}
