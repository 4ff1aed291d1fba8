//! Games of the engine against itself, with what its searches found: the training data of the network.

use std::str::FromStr;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::base::hash::fnv1a;
use crate::base::lines::Line;
use crate::engine::search::{MoveReport, RootNoise, SearchError, SearchOptions, SearchReport, Verdict};
use crate::engine::session::{self, Session};
use crate::game::record::Winner;
use crate::game::{Game, Geometry, MAX_SIDE, MIN_SIDE, Move, Notation, Vertex};
use crate::network::Networks;

use super::{draw, draw_from_policy, search};
use crate::tools::ToolError;

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
    /// What the search found in each position, starting at the end of the opening. There may be one more than moves
    /// after it: the game ends where the result is proven.
    pub searched: Vec<SearchedPosition>,
    /// Whether this is a solved position, whose `moves` are stones in no meaningful order, and not a game.
    #[serde(skip)]
    pub is_position: bool,
    /// How to play the game again. Older files do not have it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Line for SelfPlayGame {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":"];
    const UNIT: &'static str = "game";
    const WRITER: &'static str = "malecon learn play";
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
    /// [`SelfPlayPlan::settings`], a hash of everything else that decides the game.
    pub settings: String,
}

impl FromStr for SelfPlayGame {
    type Err = ToolError;

    /// Reads a line of JSON, and plays the game to check it.
    fn from_str(line: &str) -> Result<SelfPlayGame, ToolError> {
        let game: SelfPlayGame = serde_json::from_str(line).map_err(|error| ToolError::from(error.to_string()))?;
        game.check()?;
        Ok(game)
    }
}

impl SelfPlayGame {
    /// Checks that everything in the game is on the board and legal.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), ToolError> {
        let geometry = Geometry::with_side(self.side).map_err(|error| error.to_string())?;
        let mut game = Game::new(geometry);
        let end = self.moves.len();
        if self.opening > end || !(end..=end + 1).contains(&(self.opening + self.searched.len())) {
            let searches = self.searched.len();
            let opening = self.opening;
            return Err(
                format!("{end} moves, {opening} of them opening moves, do not match {searches} searches").into()
            );
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
    type Err = ToolError;

    /// Reads `6` or `4:1,6:2`: side lengths with their weights.
    fn from_str(text: &str) -> Result<Sides, ToolError> {
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
        Ok(Sides(text.split(',').map(entry).collect::<Result<_, String>>()?))
    }
}

impl Sides {
    /// This side length alone.
    pub fn only(side: usize) -> Sides {
        Sides(vec![(side, 1.0)])
    }

    fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> usize {
        draw(&self.0, rng).unwrap_or(self.0[0].0)
    }
}

/// How games are played.
#[derive(Clone, Debug)]
pub struct SelfPlayPlan {
    /// The boards.
    pub sides: Sides,
    /// Simulations of full searches, whose visits are training targets. A quarter of the moves, drawn at random, get
    /// one.
    pub simulations: u64,
    /// Simulations of the other searches, which only carry the game to its end (playout cap randomization: Wu,
    /// *Accelerating self-play learning in Go*, 2019).
    pub short: u64,
    /// The options of the search.
    pub options: SearchOptions,
    /// The networks that guide the search.
    pub networks: Networks,
    /// Human games. On boards that they are played on, two games in five begin with one of their positions, drawn at
    /// random.
    pub human: Vec<SelfPlayGame>,
}

impl SelfPlayPlan {
    /// The options of a session that plays by this plan.
    pub(super) fn session_options(&self) -> session::EngineOptions {
        session::EngineOptions {
            search: self.options.clone(),
            network: Arc::new(self.networks.clone()),
            ..Default::default()
        }
    }

    /// A hash of the plan without its network, as 16 hexadecimal digits: plans that differ have different ones.
    pub fn settings(&self) -> String {
        let SelfPlayPlan { sides, simulations, short, options, human, .. } = self;
        let mut settings = format!("{sides:?} {simulations} {short} {options:?}");
        for game in human {
            settings += &format!(" {}:{}", game.side, game.moves.join(","));
        }
        format!("{:016x}", fnv1a(settings.bytes()))
    }

    /// Plays game number `game` of the run with this seed. Each number of each seed has random numbers of its own, so
    /// that the games of a run can be played anywhere and in any order. Numbers are below 2³².
    ///
    /// # Errors
    /// If a search fails.
    pub fn play(&self, seed: u64, game: u64) -> Result<SelfPlayGame, SearchError> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1 << 32).wrapping_add(game));
        Ok(SelfPlayGame { origin: Some(self.origin(seed, game)), ..play_game(self, &mut rng)? })
    }

    /// The origin of game number `game` of the run with this seed.
    pub fn origin(&self, seed: u64, game: u64) -> Origin {
        Origin { game, seed, network: self.networks.hash(), settings: self.settings() }
    }
}

#[cfg(test)]
impl SelfPlayPlan {
    /// A plan for tests, with little memory: these sides, and the simulations of full and of other searches.
    pub(crate) fn small(sides: &str, [simulations, short]: [u64; 2]) -> SelfPlayPlan {
        let options = SearchOptions { memory: 16, ..SearchOptions::default() };
        let sides = sides.parse().unwrap();
        let networks = Networks::Builtin;
        SelfPlayPlan { sides, simulations, short, options, networks, human: Vec::new() }
    }
}

/// After random stones, fewer moves than this are drawn by their visits. From then on the best ones are played, except
/// for one move in [`LATER_DRAWN`].
const DRAWN_MOVES: usize = 16;
/// Like [`DRAWN_MOVES`], but after a position of a human game. These positions differ enough by themselves.
const DRAWN_AFTER_HUMAN: usize = 4;
/// One in this many of the later moves is drawn, too.
const LATER_DRAWN: usize = 40;
/// One search in this many is full.
const FULL: usize = 4;
/// The share of the games that begin with positions of human games, where there are any.
const HUMAN_SHARE: f64 = 0.4;
/// The share of the other games whose opening is drawn from the network's policy; the stones of the rest are random.
const POLICY_SHARE: f64 = 0.5;
/// An opening from the policy is drawn again while the network's chance for the player to move is this far from a half.
const POLICY_IMBALANCE: f64 = 0.3;
/// The share of the noise in the priors of a full search.
const NOISE_SHARE: f32 = 0.25;
/// The sum of the parameters of the noise's Dirichlet distribution, an equal one for each move. It is small, so that
/// few moves get most of the noise (Wu, *Accelerating self-play learning in Go*, 2019).
const NOISE_SHAPE: f32 = 10.83;
/// After this fraction of a human game, its result counts as right.
const DECIDED: f64 = 0.75;
/// The most games played until one ends with the right result.
const TRIES: usize = 10;
/// Moves with less than one visit in this many are left out of the targets.
const LEAST_SHARE: f64 = 200.0;

/// Plays a game of the engine against itself: an opening, then moves drawn by their visits, then the best ones, until
/// the result is proven. The opening is a position of a human game, or up to four stones, most often two, which are
/// random or drawn from the network's policy.
///
/// Near the end of human games, people see more than the engine. A game that begins there and ends with another result
/// is not returned; another one is played instead.
///
/// # Errors
/// If a search fails.
pub fn play_game(plan: &SelfPlayPlan, rng: &mut Xoshiro256PlusPlus) -> Result<SelfPlayGame, SearchError> {
    let mut tries = 1;
    loop {
        let (game, is_credible) = try_game(plan, rng)?;
        if is_credible || tries == TRIES {
            return Ok(game);
        }
        tries += 1;
    }
}

/// A game, and whether its result can be believed: it cannot if the game began near the end of a human game and ended
/// with another result.
fn try_game(plan: &SelfPlayPlan, rng: &mut Xoshiro256PlusPlus) -> Result<(SelfPlayGame, bool), SearchError> {
    let geometry = Geometry::with_side(plan.sides.draw(rng)).expect("the sides were checked");
    // A game that is decided after two stones teaches nothing.
    let mut options = plan.session_options();
    options.search.solved_positions = false;
    let mut session = Session::new(geometry, options);
    let source = draw_position(&plan.human, geometry, rng);
    let most_drawn = if source.is_some() { DRAWN_AFTER_HUMAN } else { DRAWN_MOVES };
    match source {
        Some((game, stones)) => play_moves(&mut session, &game.moves[..stones]),
        None if rng.random_bool(POLICY_SHARE) => play_likely_stones(&mut session, rng),
        None => play_random_stones(&mut session, rng),
    }
    let opening = session.game().len();
    let drawn = rng.random_range(0..most_drawn);
    session.set_seed(rng.random());
    let mut searched = Vec::new();
    let mut proven = None;
    while !session.game().is_over() && proven.is_none() {
        let is_short = rng.random_range(0..FULL) > 0;
        let simulations = if is_short { plan.short } else { plan.simulations };
        if !is_short {
            session.set_root_noise(noise(session.game().board(), rng));
        }
        let color = session.game().to_move();
        let report = &search(&mut session, simulations)?;
        let visits = deserved_visits(report, plan.options.puct.c_puct);
        let target = target(report, &visits, is_short, geometry);
        searched.push(SearchedPosition { value: report.win_rate as f32, visits: target });
        proven = report.verdict.map(|verdict| verdict.winner(color));
        if proven.is_none() {
            let late = session.game().len() - opening >= drawn && rng.random_range(0..LATER_DRAWN) > 0;
            let v = if late { report.best } else { draw_move(report, &visits, rng) };
            session.play_as(color, Move::Place(v)).expect("the search finds legal moves");
        }
    }
    let winner: Winner = session.game().result().or(proven).expect("the game is over or proven").into();
    let is_credible = source.is_none_or(|(game, stones)| {
        let is_decided = stones as f64 >= DECIDED * game.searched.len() as f64;
        !is_decided || game.winner == winner
    });
    let moves = session.game().board().stones().map(|(_, v)| Notation::HavannahGui.name(geometry, v)).collect();
    Ok((
        SelfPlayGame { side: geometry.side(), moves, opening, winner, searched, is_position: false, origin: None },
        is_credible,
    ))
}

/// A position of one of the games on this board, drawn at random: the game, and the number of stones. `None` if there
/// is no such game, or if the random numbers have the game begin differently.
fn draw_position<'a>(
    games: &'a [SelfPlayGame],
    geometry: &Geometry,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<(&'a SelfPlayGame, usize)> {
    let is_on_board = |game: &&SelfPlayGame| game.side == geometry.side() && !game.searched.is_empty();
    let on_board: Vec<&SelfPlayGame> = games.iter().filter(is_on_board).collect();
    if on_board.is_empty() || !rng.random_bool(HUMAN_SHARE) {
        return None;
    }
    let game = on_board[rng.random_range(0..on_board.len())];
    // There is a search for each position in which somebody was to move.
    Some((game, rng.random_range(0..game.searched.len())))
}

/// Plays these moves, which must be legal.
pub(super) fn play_moves(session: &mut Session, moves: &[String]) {
    for name in moves {
        let v = Notation::HavannahGui.parse(session.game().geometry(), name).expect("games are checked");
        session.play(Move::Place(v)).expect("games are checked");
    }
}

/// How many stones an opening has: up to four, most often two.
fn opening_stones(rng: &mut Xoshiro256PlusPlus) -> usize {
    [0, 1, 2, 2, 2, 2, 2, 2, 3, 4][rng.random_range(0..10)]
}

fn play_random_stones(session: &mut Session, rng: &mut Xoshiro256PlusPlus) {
    let stones = opening_stones(rng);
    let geometry = session.game().geometry();
    while session.game().len() < stones && !session.game().is_over() {
        let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).expect("the index is below the count");
        // An occupied vertex is drawn again.
        let _ = session.play(Move::Place(v));
    }
}

/// Plays an opening drawn from the network's policy. One that decides the game is drawn again, a few times at most.
fn play_likely_stones(session: &mut Session, rng: &mut Xoshiro256PlusPlus) {
    let stones = opening_stones(rng);
    for _ in 0..TRIES {
        session.undo(session.game().len()).expect("these stones were played");
        while session.game().len() < stones && !session.game().is_over() {
            let v = draw_from_policy(session.prediction().moves, rng);
            session.play(Move::Place(v)).expect("the network names legal moves");
        }
        if !session.game().is_over() && (session.prediction().win - 0.5).abs() <= POLICY_IMBALANCE {
            return;
        }
    }
}

/// Noise for the priors of a position.
fn noise(game: &Game, rng: &mut Xoshiro256PlusPlus) -> RootNoise {
    let vertices = game.geometry().vertex_count();
    let shape = NOISE_SHAPE / (vertices - game.stone_count()) as f32;
    // Numbers with these distributions, divided by their sum, have a Dirichlet distribution.
    let gamma = Gamma::new(shape, 1.0).expect("the shape is positive");
    RootNoise { share: NOISE_SHARE, weights: (0..vertices).map(|_| gamma.sample(rng)).collect() }
}

/// The moves that are not proven, with the visits that the search would have given them without noise: a move keeps no
/// more visits than it takes for the search to prefer the most visited move (policy target pruning: Wu, *Accelerating
/// self-play learning in Go*, 2019). A move that deserves a single visit gets none.
fn deserved_visits(report: &SearchReport, c_puct: f32) -> Vec<(Vertex, f64)> {
    let open: Vec<&MoveReport> = report.moves.iter().filter(|m| m.verdict.is_none()).collect();
    let all: u64 = open.iter().map(|m| m.visits).sum();
    let exploration = f64::from(c_puct) * ((all + 1) as f64).sqrt();
    let Some(&favourite) = open.iter().max_by_key(|m| m.visits) else { return Vec::new() };
    let value = |m: &MoveReport| m.win_rate.unwrap_or(0.0);
    let bonus = |m: &MoveReport| exploration * m.prior.unwrap_or(0.0);
    let goal = value(favourite) + bonus(favourite) / (favourite.visits + 1) as f64;
    let deserved = |m: &MoveReport| {
        let visits = m.visits as f64;
        let gap = goal - value(m);
        let enough = if gap > 0.0 { (bonus(m) / gap - 1.0).ceil().max(0.0) } else { visits };
        if m.vertex == favourite.vertex || enough >= visits {
            visits
        } else if enough > 1.0 {
            enough
        } else {
            0.0
        }
    };
    open.iter().map(|m| (m.vertex, deserved(m))).collect()
}

/// The target of the policy: the visits of a full search, or the winning move of a proven position.
fn target(report: &SearchReport, visits: &[(Vertex, f64)], is_short: bool, geometry: &Geometry) -> Vec<(String, u64)> {
    let name = |v: Vertex| Notation::HavannahGui.name(geometry, v);
    match report.verdict {
        Some(Verdict::Win) => vec![(name(report.best), 1)],
        None if !is_short => {
            let all: f64 = visits.iter().map(|(_, visits)| visits).sum();
            let kept = visits.iter().filter(|&&(_, n)| n > 0.0 && n * LEAST_SHARE >= all);
            kept.map(|&(v, n)| (name(v), n as u64)).collect()
        }
        _ => vec![],
    }
}

/// A move drawn in proportion to its visits.
fn draw_move(report: &SearchReport, visits: &[(Vertex, f64)], rng: &mut Xoshiro256PlusPlus) -> Vertex {
    draw(visits, rng).unwrap_or(report.best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(sides: &str) -> SelfPlayPlan {
        SelfPlayPlan::small(sides, [200, 50])
    }

    #[test]
    fn games_are_legal_have_targets_and_survive_being_written() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut targets = 0;
        for _ in 0..40 {
            let game = play_game(&plan("3:1,4:1"), &mut rng).unwrap();
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
        SelfPlayGame { side: 4, moves, opening: 0, winner: Winner::Black, searched, is_position: false, origin: None }
    }

    #[test]
    fn two_games_in_five_begin_with_positions_of_human_games() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let human = human_game();
        let plan = SelfPlayPlan { simulations: 40, short: 20, human: vec![human.clone()], ..plan("3:1,4:2") };
        let mut long = 0;
        for _ in 0..60 {
            let game = play_game(&plan, &mut rng).unwrap();
            assert!(!game.searched.is_empty());
            if game.opening <= 4 {
                continue;
            }
            assert_eq!(game.side, 4);
            assert_eq!(game.moves[..game.opening], human.moves[..game.opening]);
            // From the last quarter on, only games with the result of the human game count.
            assert!(game.opening < 9 || game.winner == Winner::Black);
            long += 1;
        }
        // Of 40 games on side 4, 16 begin with one of the game's eleven positions, six of which have more than four
        // stones.
        assert!((3..=16).contains(&long), "{long}");
    }

    /// Openings from the policy are not decided.
    #[test]
    fn openings_from_the_policy_are_open() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let mut session = Session::on_side(5).unwrap();
        let mut lengths = [0; 5];
        for _ in 0..40 {
            session.new_game(Geometry::with_side(5).unwrap());
            play_likely_stones(&mut session, &mut rng);
            assert!((session.prediction().win - 0.5).abs() <= POLICY_IMBALANCE);
            lengths[session.game().len()] += 1;
        }
        assert!(lengths[2] > 10 && lengths.iter().filter(|&&count| count > 0).count() > 2, "{lengths:?}");
    }

    #[test]
    fn draws_are_in_proportion_to_the_weights() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let weights = [(Vertex(3), 1.0), (Vertex(5), 0.0), (Vertex(7), 3.0)];
        let mut counts = [0; 8];
        (0..4000).for_each(|_| counts[draw(&weights, &mut rng).unwrap().index()] += 1);
        assert!(counts[5] == 0 && (900..1100).contains(&counts[3]) && counts[3] + counts[7] == 4000, "{counts:?}");
        assert_eq!(draw(&[(Vertex(3), 0.0)], &mut rng), None);
    }

    /// A search with noise tries the moves that the noise prefers; what it reports and keeps are the network's priors.
    #[test]
    fn noise_is_in_the_search_but_not_in_its_report() {
        let find = |noise: Option<RootNoise>| {
            let mut session = Session::on_side(5).unwrap();
            session.set_seed(1);
            if let Some(noise) = noise {
                session.set_root_noise(noise);
            }
            let report = search(&mut session, 100).unwrap();
            report.moves.iter().map(|m| (m.vertex, (m.visits, m.prior))).collect::<std::collections::HashMap<_, _>>()
        };
        let plain = find(None);
        let ignored = *plain.iter().find(|(_, (visits, _))| *visits == 0).expect("most moves are left out").0;
        let mut weights = vec![0.0; Geometry::with_side(5).unwrap().vertex_count()];
        weights[ignored.index()] = 2.0;
        let noisy = find(Some(RootNoise { share: 0.5, weights }));
        assert!(noisy[&ignored].0 > 20, "{:?}", noisy[&ignored]);
        assert!(plain.iter().all(|(v, (_, prior))| noisy[v].1 == *prior));
    }

    #[test]
    fn noise_sums_to_a_distribution_with_few_large_parts() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let game = Game::new(Geometry::with_side(8).unwrap());
        let mut largest = 0.0;
        for _ in 0..100 {
            let weights = noise(&game, &mut rng).weights;
            assert!(weights.len() == 169 && weights.iter().all(|&w| w >= 0.0));
            largest += weights.iter().fold(0.0, |a: f32, &b| a.max(b)) / weights.iter().sum::<f32>() / 100.0;
        }
        // With 169 equal parts it would be 0.006.
        assert!((0.15..0.5).contains(&largest), "{largest}");
    }

    /// Visits that the priors do not explain are left out, those that they explain stay.
    #[test]
    fn visits_of_noise_are_left_out_of_the_target() {
        let report = |moves: [(u64, f64, f64); 4]| {
            let moves = moves.into_iter().zip(0..).map(|((visits, win_rate, prior), v)| MoveReport {
                vertex: Vertex(v),
                visits,
                win_rate: Some(win_rate),
                prior: Some(prior),
                rave: None,
                verdict: None,
                line: vec![],
            });
            let mut report = search(&mut Session::on_side(3).unwrap(), 1).unwrap();
            report.verdict = None;
            report.moves = moves.collect();
            report
        };
        // The last move is better than the favourite and keeps its visits.
        let report = report([(120, 0.6, 0.4), (40, 0.5, 0.01), (30, 0.55, 0.5), (10, 0.65, 0.05)]);
        let visits: Vec<f64> = deserved_visits(&report, 0.8).into_iter().map(|(_, visits)| visits).collect();
        assert_eq!([visits[0], visits[1], visits[3]], [120.0, 0.0, 10.0]);
        assert_eq!(visits[2], 30.0);
        let target = target(&report, &deserved_visits(&report, 0.8), false, Geometry::with_side(3).unwrap());
        assert_eq!(target.iter().map(|(_, visits)| *visits).collect::<Vec<_>>(), [120, 30, 10]);
    }

    #[test]
    fn human_games_belong_to_the_settings() {
        let with_human = SelfPlayPlan { human: vec![human_game()], ..plan("4") };
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
