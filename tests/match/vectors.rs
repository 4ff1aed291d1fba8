//! Checks the referee against the games in `tests/data`, on whose results two independent programs agree.

use std::time::Duration;

use malecon::base::sync::StopFlag;
use malecon::game::{Color, Geometry};
use malecon::tools::arena::process::{EngineError, Player, Reply};
use malecon::tools::arena::referee::{GameEnding, Limit, Rules, play_game};
use serde_json::Value;

use super::trials;

trials!(random_games_end_as_recorded, special_games_end_as_recorded);

/// An engine that plays the moves of a given game and resigns after the last one.
struct Replayer<'a> {
    moves: std::slice::Iter<'a, Value>,
}

impl Player for Replayer<'_> {
    fn ask(&mut self, command: &str, _: Duration) -> Result<Reply, EngineError> {
        let answer = match command.split(' ').next() {
            Some("genmove") => match self.moves.next() {
                Some(name) => name.as_str().unwrap().to_owned(),
                None => "resign".into(),
            },
            Some("play") => {
                let name = command.rsplit(' ').next().unwrap();
                assert_eq!(self.moves.next().unwrap(), name, "each engine receives its opponent's moves in order");
                String::new()
            }
            _ => String::new(),
        };
        Ok(Reply { answer: Ok(answer), elapsed: Duration::from_millis(1) })
    }
}

fn referee_all(lines: &str) {
    for line in lines.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let moves = game["moves"].as_array().unwrap();
        let rules = Rules {
            geometry: Geometry::with_side(game["side"].as_u64().unwrap() as usize).unwrap(),
            limit: Limit::Own,
            margin: Duration::ZERO,
            silence: Duration::from_secs(1),
            swap: false,
            adjudicate: None,
        };
        let [mut white, mut black] = [0, 1].map(|_| Replayer { moves: moves.iter() });
        let played = play_game(&rules, [&mut white, &mut black], [&[], &[]], &[], &StopFlag::new()).unwrap();
        assert_eq!(played.moves, moves.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), "{line}");
        let by: Vec<&str> = game["by"].as_array().map_or(vec![], |by| by.iter().map(|x| x.as_str().unwrap()).collect());
        match (&played.ending, game["winner"].as_str()) {
            (GameEnding::Structures(Color::White, structures), Some("w"))
            | (GameEnding::Structures(Color::Black, structures), Some("b")) => {
                let mut names: Vec<&str> = structures.names().collect();
                let mut by = by;
                names.sort_unstable();
                by.sort_unstable();
                assert_eq!(names, by, "{line}");
            }
            (GameEnding::FullBoard, Some("draw")) | (GameEnding::Resignation(_), None) => {}
            (ending, winner) => panic!("{ending:?} instead of {winner:?}: {line}"),
        }
    }
}

fn random_games_end_as_recorded() {
    referee_all(include_str!("../data/random_games.jsonl"));
}

fn special_games_end_as_recorded() {
    referee_all(include_str!("../data/special_games.jsonl"));
}
