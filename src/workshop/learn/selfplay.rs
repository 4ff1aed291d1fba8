//! Games of the engine against itself, with what its searches found: the training data of the network.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::base::hash::fnv1a;
use crate::engine::search::{Options, Report, Verdict};
use crate::engine::session::{self, Session};
use crate::game::record::Winner;
use crate::game::{Game, Geometry, MAX_SIDE, MIN_SIDE, Move, Notation, Vertex};
use crate::network::Networks;

use super::search;

/// What the search of a position found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchedPosition {
    /// The chance of winning for the player to move, in \[0, 1\].
    pub value: f32,
    /// The moves with their visits; moves with few visits are left out. Empty if the search was a short one or proved a
    /// loss.
    pub visits: Vec<(String, u64)>,
}

/// A game and what was found in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfPlayGame {
    /// The side length of the board.
    pub side: usize,
    /// The vertices in the order of play, white's first, in HavannahGui's names.
    pub moves: Vec<String>,
    /// How many of `moves`, at the start, are the opening: stones drawn at random, or those of a human game.
    pub opening: usize,
    /// Who won, or is proven to win.
    pub winner: Winner,
    /// What the search of each position from the opening on found. There may be one more than moves: the game ends
    /// where the result is proven.
    pub searched: Vec<SearchedPosition>,
    /// How to play the game again. Older files do not have it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Where a game of a run of self-play comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The number of the game in its run, from 0.
    pub game: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The hash of the network, as 16 hexadecimal digits.
    pub network: String,
    /// [`Plan::settings`], a hash of everything else that decides the game.
    pub settings: String,
}

/// Why a line is not a game.
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

    /// Reads a line of JSON, and plays the game to check it.
    fn from_str(line: &str) -> Result<SelfPlayGame, SelfPlayError> {
        let game: SelfPlayGame = serde_json::from_str(line).map_err(|error| SelfPlayError(error.to_string()))?;
        game.check().map_err(SelfPlayError)?;
        Ok(game)
    }
}

impl SelfPlayGame {
    /// Checks that everything in the game is on the board and legal.
    fn check(&self) -> Result<(), String> {
        let geometry = Geometry::of(self.side).map_err(|error| error.to_string())?;
        let mut game = Game::new(geometry);
        let end = self.moves.len();
        if self.opening > end || !(end..=end + 1).contains(&(self.opening + self.searched.len())) {
            let searches = self.searched.len();
            return Err(format!(
                "{end} moves, {} of them opening moves, do not match {searches} searches",
                self.opening
            ));
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
    /// Mostly small boards: larger ones have more positions a game, and each takes longer.
    fn default() -> Sides {
        Sides(vec![(4, 16.0), (5, 27.0), (6, 32.0), (7, 8.0), (8, 11.0), (10, 6.0)])
    }
}

impl FromStr for Sides {
    type Err = String;

    /// Reads `6` or `4:1,6:2`: side lengths with their weights.
    fn from_str(text: &str) -> Result<Sides, String> {
        let entry = |entry: &str| {
            let (side, weight) = entry.split_once(':').unwrap_or((entry, "1"));
            match (side.parse(), weight.parse()) {
                (Ok(side), Ok(weight)) if (MIN_SIDE..=MAX_SIDE).contains(&side) && (1e-6..1e6).contains(&weight) => {
                    Ok((side, weight))
                }
                _ => Err(format!(
                    "invalid side '{entry}' (expected a side length from {MIN_SIDE} to {MAX_SIDE} with a weight, such as 6:2)"
                )),
            }
        };
        text.split(',').map(entry).collect::<Result<_, _>>().map(Sides)
    }
}

impl Sides {
    fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> usize {
        let mut left = rng.random_range(0.0..self.0.iter().map(|(_, weight)| weight).sum());
        for &(side, weight) in &self.0 {
            if left < weight {
                return side;
            }
            left -= weight;
        }
        self.0.last().expect("there is a side").0
    }
}

/// How games are played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The boards.
    pub sides: Sides,
    /// Simulations of full searches, whose visits are training targets. Half of the moves, drawn at random, get one.
    pub simulations: u64,
    /// Simulations of the other searches, which only carry the game to its end (playout cap randomization: Wu,
    /// *Accelerating self-play learning in Go*, 2019).
    pub short: u64,
    /// The options of the search.
    pub options: Options,
    /// The networks that guide the search.
    pub networks: Networks,
    /// Human games. On boards that they are played on, games begin with one of their positions, drawn at random.
    pub human: Vec<SelfPlayGame>,
}

impl Plan {
    /// A hash of the plan without its network, as 16 hexadecimal digits: plans that differ have different ones.
    pub fn settings(&self) -> String {
        let Plan { sides, simulations, short, options, networks: _, human } = self;
        let mut settings = format!("{sides:?} {simulations} {short} {options:?}");
        for game in human {
            settings += &format!(" {}:{}", game.side, game.moves.join(","));
        }
        format!("{:016x}", fnv1a(settings.bytes()))
    }

    /// Plays game number `game` of the run with this seed. Each number of each seed has random numbers of its own, so
    /// that the games of a run can be played anywhere and in any order. Numbers are below 2³².
    pub fn play(&self, seed: u64, game: u64) -> SelfPlayGame {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1 << 32).wrapping_add(game));
        SelfPlayGame { origin: Some(self.origin(seed, game)), ..play_game(self, &mut rng) }
    }

    /// The origin of game number `game` of the run with this seed.
    pub fn origin(&self, seed: u64, game: u64) -> Origin {
        Origin { game, seed, network: self.networks.hash(), settings: self.settings() }
    }
}

#[cfg(test)]
impl Plan {
    /// A plan for tests, with little memory: these sides, and the simulations of full and of other searches.
    pub(crate) fn small(sides: &str, [simulations, short]: [u64; 2]) -> Plan {
        let options = Options { memory: 16, ..Options::default() };
        let (sides, networks) = (sides.parse().unwrap(), Networks::Builtin);
        Plan { sides, simulations, short, options, networks, human: Vec::new() }
    }
}

/// After random stones, fewer moves than this are drawn by their visits. From then on the best ones are played, except
/// for one move in [`LATER_DRAWN`].
const DRAWN_MOVES: usize = 16;
/// The same after a position of a human game: these positions differ enough.
const DRAWN_AFTER_HUMAN: usize = 4;
/// Of the later moves, one in this many is drawn, too.
const LATER_DRAWN: usize = 40;
/// From this part of a human game on, its result counts as right.
const DECIDED: f64 = 0.75;
/// How many games are played at most until one ends with the right result.
const TRIES: usize = 10;
/// Moves with less than one part in this many of all visits are left out of the targets.
const LEAST_SHARE: u64 = 200;

/// Plays a game of the engine against itself: an opening, then moves drawn by their visits, then the best ones, until
/// the result is proven. The opening is a position of a human game, or up to four random stones, most often two.
///
/// Near the end of human games, people see more than the engine. A game that begins there and ends with another result
/// is not returned; another one is played instead.
pub fn play_game(plan: &Plan, rng: &mut Xoshiro256PlusPlus) -> SelfPlayGame {
    let mut tries = 1;
    loop {
        let (game, is_credible) = try_game(plan, rng);
        if is_credible || tries == TRIES {
            return game;
        }
        tries += 1;
    }
}

/// A game, and whether its result can be believed: it cannot if the game began near the end of a human game and ended
/// with another result.
fn try_game(plan: &Plan, rng: &mut Xoshiro256PlusPlus) -> (SelfPlayGame, bool) {
    let geometry = Geometry::of(plan.sides.draw(rng)).expect("the sides were checked");
    // A game that is decided after two stones teaches nothing.
    let options = session::Options {
        search: Options { solved_positions: false, ..plan.options.clone() },
        network: Arc::new(plan.networks.clone()),
        ..Default::default()
    };
    let mut session = Session::new(geometry, options);
    let source = draw_position(&plan.human, geometry, rng);
    let most_drawn = match source {
        Some((game, stones)) => {
            play_moves(&mut session, &game.moves[..stones]);
            DRAWN_AFTER_HUMAN
        }
        None => {
            play_random_stones(&mut session, rng);
            DRAWN_MOVES
        }
    };
    let opening = session.game().len();
    let drawn = rng.random_range(0..most_drawn);
    session.set_seed(rng.random());
    let mut searched = Vec::new();
    let mut proven = None;
    while !session.game().is_over() && proven.is_none() {
        let is_short = rng.random_range(0..2) == 0;
        let simulations = if is_short { plan.short } else { plan.simulations };
        let color = session.game().to_move();
        let report = &search(&mut session, simulations);
        searched.push(SearchedPosition { value: report.win_rate as f32, visits: target(report, is_short, geometry) });
        proven = report.verdict.map(|verdict| verdict.winner(color));
        if proven.is_none() {
            let late = session.game().len() - opening >= drawn && rng.random_range(0..LATER_DRAWN) > 0;
            let v = if late { report.best } else { draw_move(report, rng) };
            session.play(color, Move::Place(v)).expect("the search finds legal moves");
        }
    }
    let winner: Winner = session.game().result().or(proven).expect("the game is over or proven").into();
    let is_credible = source.is_none_or(|(game, stones)| {
        let is_decided = stones as f64 >= DECIDED * game.searched.len() as f64;
        !is_decided || game.winner == winner
    });
    let moves = session.game().board().stones().map(|(_, v)| Notation::HavannahGui.name(geometry, v)).collect();
    (SelfPlayGame { side: geometry.side(), moves, opening, winner, searched, origin: None }, is_credible)
}

/// A position of one of the games on this board, drawn at random: the game, and the number of stones. `None` if there
/// is no such game.
fn draw_position<'a>(
    games: &'a [SelfPlayGame],
    geometry: &Geometry,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<(&'a SelfPlayGame, usize)> {
    let is_on_board = |game: &&SelfPlayGame| game.side == geometry.side() && !game.searched.is_empty();
    let on_board: Vec<&SelfPlayGame> = games.iter().filter(is_on_board).collect();
    if on_board.is_empty() {
        return None;
    }
    let game = on_board[rng.random_range(0..on_board.len())];
    // There is a search for each position in which somebody was to move.
    Some((game, rng.random_range(0..game.searched.len())))
}

/// Plays these moves, which must be legal.
fn play_moves(session: &mut Session, moves: &[String]) {
    for name in moves {
        let v = Notation::HavannahGui.parse(session.game().geometry(), name).expect("games are checked");
        session.play(session.game().to_move(), Move::Place(v)).expect("games are checked");
    }
}

/// Plays up to four random stones, most often two.
fn play_random_stones(session: &mut Session, rng: &mut Xoshiro256PlusPlus) {
    let stones = [0, 1, 2, 2, 2, 2, 2, 2, 3, 4][rng.random_range(0..10)];
    let geometry = session.game().geometry();
    while session.game().len() < stones && !session.game().is_over() {
        let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).expect("the index is below the count");
        // An occupied vertex is drawn again.
        let _ = session.play(session.game().to_move(), Move::Place(v));
    }
}

/// The target of the policy: the visits of a full search, or the winning move of a proven position.
fn target(report: &Report, is_short: bool, geometry: &Geometry) -> Vec<(String, u64)> {
    let name = |v: Vertex| Notation::HavannahGui.name(geometry, v);
    match report.verdict {
        Some(Verdict::Win) => vec![(name(report.best), 1)],
        None if !is_short => {
            let visits = open_moves(report);
            let all: u64 = visits.iter().map(|(_, visits)| visits).sum();
            let kept = visits.into_iter().filter(|&(_, n)| n > 0 && n * LEAST_SHARE >= all);
            kept.map(|(v, n)| (name(v), n)).collect()
        }
        _ => vec![],
    }
}

/// The moves that are not proven, with their visits.
fn open_moves(report: &Report) -> Vec<(Vertex, u64)> {
    report.moves.iter().filter(|m| m.verdict.is_none()).map(|m| (m.vertex, m.visits)).collect()
}

/// A move drawn in proportion to its visits.
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

    fn plan(sides: &str) -> Plan {
        Plan::small(sides, [200, 50])
    }

    #[test]
    fn games_are_legal_have_targets_and_survive_being_written() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut targets = 0;
        for _ in 0..20 {
            let game = play_game(&plan("3:1,4:1"), &mut rng);
            assert!((3..=4).contains(&game.side));
            let line = serde_json::to_string(&game).unwrap();
            assert_eq!(line.parse::<SelfPlayGame>().unwrap(), game);
            targets += game.searched.iter().filter(|searched| !searched.visits.is_empty()).count();
        }
        assert!(targets > 20, "{targets}");
    }

    /// A game in which Black is said to have won, although White completes a bridge on a4 in the last position.
    fn human_game() -> SelfPlayGame {
        let moves = ["a1", "g4", "a2", "d7", "c3", "g7", "e4", "e7", "a3", "b2"];
        let searched = vec![SearchedPosition { value: 0.5, visits: vec![] }; moves.len() + 1];
        let moves = moves.map(str::to_owned).to_vec();
        SelfPlayGame { side: 4, moves, opening: 0, winner: Winner::Black, searched, origin: None }
    }

    #[test]
    fn games_begin_with_positions_of_human_games() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let human = human_game();
        let plan = Plan { simulations: 40, short: 20, human: vec![human.clone()], ..plan("3:1,4:2") };
        let mut openings = Vec::new();
        for _ in 0..40 {
            let game = play_game(&plan, &mut rng);
            if game.side == 3 {
                assert!(game.opening <= 4);
                continue;
            }
            assert_eq!(game.moves[..game.opening], human.moves[..game.opening]);
            assert!(!game.searched.is_empty());
            // From the last quarter on, only games with the result of the human game count.
            assert!(game.opening < 9 || game.winner == Winner::Black);
            openings.push(game.opening);
        }
        assert!(
            openings.iter().any(|&stones| stones > 4) && openings.iter().any(|&stones| stones <= 4),
            "{openings:?}"
        );
    }

    #[test]
    fn human_games_belong_to_the_settings() {
        let with_human = Plan { human: vec![human_game()], ..plan("4") };
        assert_ne!(with_human.settings(), plan("4").settings());
    }

    #[test]
    fn lines_that_are_not_games_are_refused() {
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
