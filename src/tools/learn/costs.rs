//! What it costs the solver to prove each move that wins: the training data of the network that guides it
//! ([`Network::builtin_solver`](crate::network::Network::builtin_solver)). Wu and others (*AlphaZero-based proof cost
//! network to aid game solving*, 2022) predict the cost of a position; this network predicts how the costs of the moves
//! compare.
//!
//! The positions are those about which the solver asks its network while it works on random positions.

use std::mem::take;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::base::lines::Line;
use crate::base::sync::lock;
use crate::engine::solver::{Solution, Solver, position_after, random_positions};
use crate::game::record::Winner;
use crate::game::{Color, Geometry, Notation, Position, Vertex};
use crate::network::{Backend, Evaluation, Evaluator, Input};

/// Positions that the solver visits in a search from which positions are taken.
const SEARCH_NODES: u64 = 60_000;
/// Positions drawn from each search.
const DRAWN: usize = 40;
/// A position counts if the number of positions that the solver visits to settle it is in this range. It would not ask
/// about easier ones, and harder ones take long.
const NODES: RangeInclusive<u64> = 64..=30_000;
/// A move that costs more than this times the cheapest so far is not measured.
const WORST: u64 = 2;
/// The least that a move may cost before it is left out, in positions.
const LEAST_NODES: u64 = 64;
/// The memory of the table in a search from which positions are taken, and in a search of one of them, in bytes.
const SEARCH_BYTES: usize = 64 << 20;
const POSITION_BYTES: usize = 32 << 20;

/// Where positions come from.
#[derive(Debug)]
pub struct CostPlan {
    /// The board. There must be a solver for it.
    pub geometry: &'static Geometry,
    /// The number of stones in the random positions that the searches begin from.
    pub stones: RangeInclusive<usize>,
    /// What guides the solver.
    pub network: Arc<dyn Backend>,
    /// The seed of the random positions.
    pub seed: u64,
}

/// A solved position, with what the solver had to visit to prove each winning move. As JSON, it is a line for
/// `malecon learn export --solved`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostedPosition {
    side: usize,
    /// Stones of both colours in turn, white's first; the order means nothing.
    moves: Vec<String>,
    to_move: String,
    value: Winner,
    /// Winning moves with the number of positions that the solver visited after them. Empty if the player to move
    /// loses.
    costs: Vec<(String, u64)>,
    /// The positions that the solver visited to settle the position itself.
    nodes: u64,
}

impl Line for CostedPosition {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":"];
    const UNIT: &'static str = "position";
    const WRITER: &'static str = "malecon learn costs";
}

/// The positions from one search, which begins from the random position of this number. The same number always gives
/// the same positions.
///
/// # Panics
/// If there is no solver for the board ([`has_solver`](crate::engine::solver::has_solver)), no memory for it, or fewer
/// vertices than stones.
pub fn costed_positions(plan: &CostPlan, number: u64) -> Vec<CostedPosition> {
    let run = Xoshiro256PlusPlus::seed_from_u64(plan.seed).random::<u64>();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(run.wrapping_add(number));
    let stones = rng.random_range(plan.stones.clone());
    let start = random_positions(plan.geometry, stones, rng.random()).next().expect("there is always another one");
    let mut asked = asked_about(plan, &position_after(plan.geometry, &start), Color::ALL[stones % 2]);
    let mut meter = CostMeter::new(plan);
    let mut positions = Vec::new();
    for _ in 0..DRAWN.min(asked.len()) {
        let (position, color) = asked.swap_remove(rng.random_range(0..asked.len()));
        positions.extend(meter.costs(&position, color));
    }
    positions
}

/// The positions, with the player to move, about which the solver asks its network while it works on this one.
fn asked_about(plan: &CostPlan, position: &Position, color: Color) -> Vec<(Position, Color)> {
    let recorder = Recorder { network: plan.network.clone(), asked: Arc::default() };
    let mut solver = solver(plan, SEARCH_BYTES).guided_by(&recorder);
    solver.solve(position, color, SEARCH_NODES);
    take(&mut *lock(&recorder.asked))
}

fn solver(plan: &CostPlan, bytes: usize) -> Solver {
    Solver::new(plan.geometry, bytes).expect("the board is small enough, and there is memory")
}

/// A network that remembers what it was asked about.
struct Recorder {
    network: Arc<dyn Backend>,
    asked: Arc<Mutex<Vec<(Position, Color)>>>,
}

impl Backend for Recorder {
    fn evaluator(&self, geometry: &'static Geometry) -> Box<dyn Evaluator> {
        Box::new(RecordingEvaluator { evaluator: self.network.evaluator(geometry), asked: self.asked.clone() })
    }
}

struct RecordingEvaluator {
    evaluator: Box<dyn Evaluator>,
    asked: Arc<Mutex<Vec<(Position, Color)>>>,
}

impl Evaluator for RecordingEvaluator {
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        lock(&self.asked).push((input.position.clone(), input.color));
        self.evaluator.evaluate(input, evaluation);
    }
}

/// Finds out what winning moves cost.
struct CostMeter {
    geometry: &'static Geometry,
    solver: Solver,
    policy: Box<dyn Evaluator>,
}

impl CostMeter {
    fn new(plan: &CostPlan) -> CostMeter {
        CostMeter {
            geometry: plan.geometry,
            solver: solver(plan, POSITION_BYTES).guided_by(&*plan.network),
            policy: plan.network.evaluator(plan.geometry),
        }
    }

    /// Solves a position with an empty table, visiting at most `nodes` others. Returns the solution and the number
    /// visited.
    fn solve(&mut self, position: &Position, color: Color, nodes: u64) -> (Option<Solution>, u64) {
        self.solver.clear();
        let before = self.solver.nodes();
        let solution = self.solver.solve(position, color, nodes);
        (solution, self.solver.nodes() - before)
    }

    /// The position with its costs. `None` if it is too easy, too hard or drawn, or if it is not the turn of `color`.
    fn costs(&mut self, position: &Position, color: Color) -> Option<CostedPosition> {
        let [white, black] = Color::ALL.map(|color| self.stones(position, color));
        if white.len() != black.len() + usize::from(color == Color::Black) {
            return None;
        }
        let (solution, nodes) = self.solve(position, color, *NODES.end());
        let (winner, best) = match solution? {
            _ if nodes < *NODES.start() => return None,
            Solution::Win(best) => (color, Some(best)),
            Solution::Loss => (!color, None),
            Solution::Draw => return None,
        };
        let costs = match best {
            Some(best) => self.costs_of_moves(position, color, best, nodes)?,
            None => Vec::new(),
        };
        let mut black = black.into_iter();
        let moves = white.into_iter().flat_map(|white| [Some(white), black.next()]).flatten().collect();
        let to_move = color.letter().to_string();
        Some(CostedPosition { side: self.geometry.side(), moves, to_move, value: Some(winner).into(), costs, nodes })
    }

    /// The winning moves with their costs, `best` first and the others in the order in which the network would try
    /// them. `nodes` is the cost of the position itself. `None` if all moves cost too much.
    fn costs_of_moves(
        &mut self,
        position: &Position,
        color: Color,
        best: Vertex,
        nodes: u64,
    ) -> Option<Vec<(String, u64)>> {
        let mut evaluation = Evaluation::default();
        self.policy.evaluate(&Input { position, color, recent: [None; 2], symmetry: 0 }, &mut evaluation);
        let mut moves: Vec<Vertex> = position.empty_vertices().collect();
        moves.sort_by(|a, b| evaluation.policy[b.index()].total_cmp(&evaluation.policy[a.index()]));
        moves.sort_by_key(|&v| v != best);
        let mut least = nodes;
        let mut costs = Vec::new();
        for v in moves {
            let mut after = position.clone();
            if !after.place(color, v).is_empty() {
                continue;
            }
            let (solution, cost) = self.solve(&after, !color, (WORST * least).max(LEAST_NODES));
            if solution == Some(Solution::Loss) {
                least = least.min(cost);
                costs.push((Notation::HavannahGui.name(self.geometry, v), cost));
            }
        }
        Some(costs).filter(|costs| !costs.is_empty())
    }

    /// The vertices of a player's stones.
    fn stones(&self, position: &Position, color: Color) -> Vec<String> {
        let stones = self.geometry.vertices().filter(|&v| position.stone(v) == Some(color));
        stones.map(|v| Notation::HavannahGui.name(self.geometry, v)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::network::Network;
    use crate::tools::learn::SolvedLine;

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn moves_with_costs_win() {
        let geometry = Geometry::with_side(4).unwrap();
        let plan = CostPlan { geometry, stones: 7..=8, network: Network::builtin_solver(), seed: 5 };
        let found: Vec<CostedPosition> = (0..4).flat_map(|number| costed_positions(&plan, number)).collect();
        assert!(found.starts_with(&costed_positions(&plan, 0)));
        let mut solver = Solver::new(geometry, 1 << 20).unwrap();
        let mut seen = [0; 2];
        for position in found {
            let mut game = Game::new(geometry);
            for name in &position.moves {
                game.play(Notation::HavannahGui.parse(geometry, name).unwrap()).unwrap();
            }
            let is_won = position.value == Some(game.to_move()).into();
            assert_eq!(is_won, !position.costs.is_empty());
            assert!(NODES.contains(&position.nodes));
            seen[usize::from(is_won)] += 1;
            for (name, cost) in &position.costs {
                let mut after = game.clone();
                after.play(Notation::HavannahGui.parse(geometry, name).unwrap()).unwrap();
                assert_eq!(solver.solve(after.position(), after.to_move(), 1 << 20), Some(Solution::Loss));
                assert!(*cost <= WORST * position.nodes);
            }
            let read = serde_json::to_string(&position).unwrap();
            let read = serde_json::from_str::<SolvedLine>(&read).unwrap().game().unwrap().unwrap();
            assert_eq!(read.searched[0].visits.len(), position.costs.len());
        }
        assert!(seen[0] > 2 && seen[1] > 2, "{seen:?}");
    }
}
