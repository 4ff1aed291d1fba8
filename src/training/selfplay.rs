//! Games to learn from: the engine against itself, with what its searches found.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::board::{Game, Geometry, MAX_SIDE, MIN_SIDE, Notation, Vertex};
use crate::record::Winner;
use crate::search::{Limits, Options, Report, Searcher, Verdict};

/// What the search of a position found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// The chance of the player to move to win, in \[0, 1\].
    pub value: f32,
    /// Moves with their playouts, those with few left out; empty where the search was a short one or proved a loss.
    pub visits: Vec<(String, u64)>,
}

/// A game and what was found in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfPlayGame {
    /// The side length.
    pub side: usize,
    /// Vertices in the order of play, white's first.
    pub moves: Vec<String>,
    /// So many of `moves` were drawn at random.
    pub opening: usize,
    /// Who won, or is proven to win.
    pub winner: Winner,
    /// What the search of each position from the opening on found. The last may be of a position without a move: there
    /// the result was proven and the game ended.
    pub searched: Vec<Searched>,
}

/// Why a line is no lesson.
#[derive(Debug)]
pub struct SelfPlayError(String);

impl fmt::Display for SelfPlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelfPlayError {}

impl FromStr for SelfPlayGame {
    type Err = SelfPlayError;

    fn from_str(line: &str) -> Result<SelfPlayGame, SelfPlayError> {
        let lesson: SelfPlayGame = serde_json::from_str(line).map_err(|error| SelfPlayError(error.to_string()))?;
        lesson.check().map_err(SelfPlayError)?;
        Ok(lesson)
    }
}

impl SelfPlayGame {
    /// Whether everything in it is on the board and legal.
    fn check(&self) -> Result<(), String> {
        let geometry = Geometry::of(self.side).map_err(|error| error.to_string())?;
        let mut game = Game::new(geometry);
        let end = self.moves.len();
        if self.opening > end || !(end..=end + 1).contains(&(self.opening + self.searched.len())) {
            return Err(format!("{} moves do not go with {} searches", end, self.searched.len()));
        }
        for name in self.searched.iter().flat_map(|searched| searched.visits.iter().map(|(name, _)| name)) {
            Notation::HavannahGui.parse(geometry, name).map_err(|error| error.to_string())?;
        }
        for name in &self.moves {
            let v = Notation::HavannahGui.parse(geometry, name).map_err(|error| error.to_string())?;
            game.play(v).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }
}

/// Side lengths and how often each is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides(Vec<(usize, f64)>);

impl Default for Sides {
    /// Mostly small boards: larger ones have more positions, which take longer each.
    fn default() -> Sides {
        Sides(vec![(4, 16.0), (5, 27.0), (6, 32.0), (7, 8.0), (8, 11.0), (10, 6.0)])
    }
}

impl FromStr for Sides {
    type Err = String;

    /// Reads `6` or `4:1,6:2`: side lengths with their shares.
    fn from_str(text: &str) -> Result<Sides, String> {
        let entry = |entry: &str| {
            let (side, share) = entry.split_once(':').unwrap_or((entry, "1"));
            match (side.parse(), share.parse()) {
                (Ok(side), Ok(share)) if (MIN_SIDE..=MAX_SIDE).contains(&side) && (1e-6..1e6).contains(&share) => {
                    Ok((side, share))
                }
                _ => Err(format!("'{entry}' is no side length ({MIN_SIDE} to {MAX_SIDE}) with its share, such as 6:2")),
            }
        };
        text.split(',').map(entry).collect::<Result<_, _>>().map(Sides)
    }
}

impl Sides {
    fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> usize {
        let mut left = rng.random_range(0.0..self.0.iter().map(|(_, share)| share).sum());
        for &(side, share) in &self.0 {
            if left < share {
                return side;
            }
            left -= share;
        }
        self.0.last().expect("there is a side").0
    }
}

/// How lessons are played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The boards.
    pub sides: Sides,
    /// Playouts of the searches whose moves are learned: every second one by chance.
    pub simulations: u64,
    /// Playouts of the others, which serve to play the game to its end (playout cap randomization: Wu, *Accelerating
    /// self-play learning in Go*, 2019).
    pub short: u64,
    /// The search.
    pub options: Options,
}

/// Most moves that are drawn by their playouts in place of the best one, after the opening.
const DRAWN_MOVES: usize = 16;
/// One of so many later moves is drawn, too.
const LATER_DRAWN: usize = 40;
/// Moves with less than this part of all playouts are left out.
const LEAST_SHARE: u64 = 200;

/// Plays a game of the engine against itself: an opening of up to four random stones, most often two, then moves drawn by
/// their playouts, then the best ones, until the result is proven.
pub fn play_game(plan: &Plan, rng: &mut Xoshiro256PlusPlus) -> SelfPlayGame {
    let geometry = Geometry::of(plan.sides.draw(rng)).expect("the sides were checked");
    let mut game = Game::new(geometry);
    let opening = [0, 1, 2, 2, 2, 2, 2, 2, 3, 4][rng.random_range(0..10)];
    while game.stone_count() < opening && game.outcome().is_none() {
        let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).expect("an index below the count");
        // A vertex that is taken is drawn anew.
        let _ = game.play(v);
    }
    let name = |v: Vertex| Notation::HavannahGui.name(geometry, v);
    let mut moves: Vec<String> = game.stones().map(|(_, v)| name(v)).collect();
    let opening = moves.len();
    let drawn = rng.random_range(0..DRAWN_MOVES);
    let mut searcher = Searcher::new(plan.options.clone(), rng.random());
    let mut searched = Vec::new();
    let mut proven = None;
    while game.outcome().is_none() && proven.is_none() {
        let is_short = rng.random_range(0..2) == 0;
        let simulations = if is_short { plan.short } else { plan.simulations };
        let limits = Limits { simulations: Some(simulations), ..Limits::default() };
        let report = searcher.search(&game, &limits, &AtomicBool::new(false));
        let visits = match report.verdict {
            Some(Verdict::Win) => vec![(name(report.best), 1)],
            None if !is_short => {
                let visits = open_moves(&report);
                let all: u64 = visits.iter().map(|(_, visits)| visits).sum();
                visits
                    .into_iter()
                    .filter(|&(_, n)| n > 0 && n * LEAST_SHARE >= all)
                    .map(|(v, n)| (name(v), n))
                    .collect()
            }
            _ => vec![],
        };
        searched.push(Searched { value: report.win_rate as f32, visits });
        proven = report.verdict.map(|verdict| verdict.winner(game.to_move()));
        if proven.is_none() {
            let late = moves.len() - opening >= drawn && rng.random_range(0..LATER_DRAWN) > 0;
            let v = if late { report.best } else { draw_move(&report, rng) };
            moves.push(name(v));
            game.play(v).expect("the search plays legal moves");
        }
    }
    let winner = game.outcome().map_or_else(|| proven.expect("the game is over or proven"), |outcome| outcome.winner());
    SelfPlayGame { side: geometry.side(), moves, opening, winner: winner.into(), searched }
}

/// The moves about which nothing is proven, with their playouts.
fn open_moves(report: &Report) -> Vec<(Vertex, u64)> {
    report.moves.iter().filter(|m| m.verdict.is_none()).map(|m| (m.vertex, m.visits)).collect()
}

/// A move drawn by its playouts.
fn draw_move(report: &Report, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let moves = open_moves(report);
    let all: u64 = moves.iter().map(|(_, visits)| visits).sum();
    let mut left = rng.random_range(0..all.max(1));
    for (v, visits) in moves {
        if left < visits {
            return v;
        }
        left -= visits;
    }
    report.best
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn plan(sides: &str) -> Plan {
        let options = Options { memory: 16, ..Options::default() };
        Plan { sides: sides.parse().unwrap(), simulations: 200, short: 50, options }
    }

    #[test]
    fn lessons_are_legal_games_with_searches_and_survive_their_line() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut learned = 0;
        for _ in 0..20 {
            let lesson = play_game(&plan("3:1,4:1"), &mut rng);
            assert!((3..=4).contains(&lesson.side));
            let line = serde_json::to_string(&lesson).unwrap();
            assert_eq!(line.parse::<SelfPlayGame>().unwrap(), lesson);
            learned += lesson.searched.iter().filter(|searched| !searched.visits.is_empty()).count();
        }
        assert!(learned > 20, "{learned}");
    }

    #[test]
    fn lines_that_are_no_lessons_are_refused() {
        let good = r#"{"side":3,"moves":["a1","b2"],"opening":1,"winner":"white","searched":[{"value":0.5,"visits":[["c3",4]]}]}"#;
        good.parse::<SelfPlayGame>().unwrap();
        for (from, to) in
            [("\"b2\"", "\"a1\""), ("c3", "h9"), ("\"opening\":1", "\"opening\":3"), (":3,", ":99,"), ("}]}", "")]
        {
            assert!(good.replace(from, to).parse::<SelfPlayGame>().is_err(), "{to}");
        }
        for sides in ["", "1", "4:x", "4:0", "14"] {
            assert!(sides.parse::<Sides>().is_err(), "{sides}");
        }
    }
}
