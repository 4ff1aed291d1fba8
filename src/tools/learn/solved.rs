//! Positions whose value is exact, as training data.

use serde::Deserialize;

use crate::base::lines::Line;
use crate::game::Color;
use crate::game::record::Winner;

use crate::tools::ToolError;

use super::selfplay::{SearchedPosition, SelfPlayGame};

/// The visits of the cheapest winning move, where the costs of winning moves are known.
const MOST_VISITS: f64 = 10_000.0;
/// What is added to a cost, in positions of the solver: whether a move costs one position or two makes no difference.
const SMALL_COST: u64 = 8;

/// A line that `malecon solve batch` or `malecon learn costs` writes about a position, as far as training needs it.
#[derive(Debug, Deserialize)]
pub struct SolvedLine {
    side: Option<usize>,
    moves: Vec<String>,
    to_move: String,
    value: Option<Winner>,
    winning_move: Option<String>,
    /// Winning moves with what it costs to prove them.
    #[serde(default)]
    costs: Vec<(String, u64)>,
}

impl Line for SolvedLine {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":", "{\"board\":", "{\"position\":"];
    const UNIT: &'static str = "position";
    const WRITER: &'static str = "malecon solve batch' or 'malecon learn costs";
}

/// Winning moves with visits in inverse proportion to their costs.
fn visits_of(costs: Vec<(String, u64)>) -> impl Iterator<Item = (String, u64)> {
    let weigh = |cost: u64| cost.saturating_add(SMALL_COST) as f64;
    let least = costs.iter().map(|&(_, cost)| weigh(cost)).fold(f64::INFINITY, f64::min);
    costs.into_iter().map(move |(name, cost)| (name, (MOST_VISITS * (least / weigh(cost))) as u64))
}

impl SolvedLine {
    /// The position as a game that is all opening, with its exact value and, if the player to move wins, the winning
    /// move that was found, or several with visits in inverse proportion to their costs. `None` if the position was not
    /// solved.
    ///
    /// # Errors
    /// If a move is not legal, the board has no side length, or it is not the turn of the player to move.
    pub fn game(self) -> Result<Option<SelfPlayGame>, ToolError> {
        let Some(winner) = self.value else { return Ok(None) };
        let refused = |reason: String| Err(reason.into());
        let Some(side) = self.side else {
            return refused("a position to learn from needs a board with a side length, such as \"side\": 4".into());
        };
        let to_move = Color::ALL[self.moves.len() % 2];
        if self.to_move.parse() != Ok(to_move) {
            return refused(format!("'{}' is to move, but it is the turn of {to_move}", self.to_move));
        }
        let visits = visits_of(self.costs).chain(self.winning_move.map(|name| (name, 1))).collect();
        let opening = self.moves.len();
        let searched = vec![SearchedPosition { value: winner.points(to_move), visits }];
        let game = SelfPlayGame { side, moves: self.moves, opening, winner, searched, is_position: true, origin: None };
        game.check()?;
        Ok(Some(game))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solved_positions_have_their_value_and_the_winning_move() {
        let try_read = |line: &str| {
            serde_json::from_str::<SolvedLine>(line).map_err(|e| e.to_string().into()).and_then(SolvedLine::game)
        };
        let read = |line: &str| try_read(line).unwrap();
        let won =
            r#"{"side":4,"moves":["a1","e5"],"to_move":"w","value":"white","winning_move":"c3","seconds":1,"nodes":9}"#;
        let searched = |value, moves: &[&str]| {
            vec![SearchedPosition { value, visits: moves.iter().map(|name| (name.to_string(), 1)).collect() }]
        };
        let game = read(won).unwrap();
        assert_eq!((game.side, game.opening, game.moves.len(), game.winner), (4, 2, 2, Winner::White));
        assert_eq!(game.searched, searched(1.0, &["c3"]));
        let read_again: SelfPlayGame = serde_json::to_string(&game).unwrap().parse().unwrap();
        assert_eq!(SelfPlayGame { is_position: true, ..read_again }, game);
        let lost = won.replace("\"c3\"", "null").replace("\"value\":\"white\"", "\"value\":\"black\"");
        assert_eq!(read(&lost).unwrap().searched, searched(0.0, &[]));
        let drawn = read(&lost.replace("black", "draw")).unwrap();
        assert_eq!((drawn.searched, drawn.winner), (searched(0.5, &[]), Winner::Draw));
        assert_eq!(read(&lost.replace("\"black\"", "null")), None);
        let costs = r#""costs":[["c3",2],["d4",12],["e4",92]]"#;
        let costed = won.replace(r#""winning_move":"c3""#, costs);
        let visits = [("c3", 10_000), ("d4", 5_000), ("e4", 1_000)].map(|(name, visits)| (name.to_owned(), visits));
        assert_eq!(read(&costed).unwrap().searched[0].visits, visits);
        for (from, to) in [
            ("\"side\":4", "\"board\":\"4-4-5\""),
            ("\"to_move\":\"w\"", "\"to_move\":\"b\""),
            ("white", "red"),
            ("e5", "a1"),
            ("c3", "h9"),
            ("}", ""),
        ] {
            assert!(try_read(&won.replace(from, to)).is_err(), "{to}");
        }
    }
}
