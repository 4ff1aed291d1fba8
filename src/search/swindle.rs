//! The choice of a move in a position that is proven lost: the one after which the opponent is most likely to go wrong.
//!
//! Each move is tried against an opponent who searches as the engine does, but without a solver. The solver then finds
//! out which of the opponent's favourite replies would give the win away. There are three rounds; after each, only the
//! best third of the moves is kept and searched longer (sequential halving; Karnin, Koren & Somekh, *Almost optimal
//! exploration in multi-armed bandits*, 2013).

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::driver::{Limits, Task, TreeSearch};
use super::options::Options;
use super::report::{Report, Verdict};
use crate::board::{Game, Vertex};
use crate::nn::Backend;
use crate::solver::{Solution, Solver};
use crate::time::Instant;

/// How long the choice may take: until the first limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Simulations of the opponent's searches, all together.
    pub simulations: Option<u64>,
    /// The end of the time.
    pub end: Option<Instant>,
}

impl Budget {
    /// The limits of the opponent's search in one of `trials` trials that are left. Half of the time is for the solver.
    fn share(self, trials: u32) -> Limits {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        Limits {
            simulations: self.simulations.map(|left| left / u64::from(trials)),
            time: left.map(|left| left / trials / 2),
            longest: None,
        }
    }
}

/// Rounds in which the moves are tried.
const ROUNDS: u32 = 3;

/// One in this many moves is kept after a round.
const KEPT: usize = 3;

/// How many of the opponent's replies are examined.
const REPLIES: usize = 4;

/// The weight of how the opponent's search looks, against whether its replies are mistakes.
const APPEARANCE: f64 = 0.1;

/// A move, and the opponent's search after it.
struct Trial {
    vertex: Vertex,
    game: Game,
    opponent: TreeSearch,
    /// The simulations of that search.
    simulations: u64,
    /// How likely the opponent is to go wrong; greater is better.
    score: f64,
}

impl Trial {
    fn new(game: &Game, vertex: Vertex, opponent: &Options, network: &Arc<dyn Backend>) -> Trial {
        let mut game = game.clone();
        game.place(game.to_move(), vertex).expect("the move is legal");
        let opponent = TreeSearch::new(opponent.clone(), Arc::clone(network), vertex.index() as u64);
        Trial { vertex, game, opponent, simulations: 0, score: 0.0 }
    }

    /// Continues the opponent's search, and scores what it would play. The solver works until `end` at the latest.
    /// Nothing happens if there is no memory for the search.
    fn extend(&mut self, limits: &Limits, solver: &mut Solver, stop: &AtomicBool, end: Option<Instant>) {
        let task = Task { game: &self.game, limits, start: Instant::now(), stop };
        let Some(report) = self.opponent.search(task, None) else { return };
        self.simulations += report.simulations;
        self.score = match report.verdict {
            // The opponent sees the win: the later, the better.
            Some(Verdict::Win) => APPEARANCE * (1.0 - 1.0 / (1.0 + self.simulations as f64)),
            _ => APPEARANCE + mistake_share(&self.game, &report, solver, end) + APPEARANCE * (1.0 - report.win_rate),
        };
    }
}

/// The one of these moves of a lost position that gives the best chances; `None` if there are none.
pub(crate) fn hardest_to_refute(
    game: &Game,
    moves: &[Vertex],
    options: &Options,
    network: &Arc<dyn Backend>,
    solver: &mut Solver,
    budget: Budget,
    stop: &AtomicBool,
) -> Option<Vertex> {
    if moves.len() < 2 {
        return moves.first().copied();
    }
    let memory = (options.memory / 64).max(4);
    let opponent = Options { solver_rate: 0.0, solver_rate_large: 0.0, threads: 1, memory, ..options.clone() };
    let mut trials: Vec<_> = moves.iter().map(|&vertex| Trial::new(game, vertex, &opponent, network)).collect();
    let mut budget = budget;
    for round in 0..ROUNDS {
        let count = trials.len() as u32;
        for (i, trial) in (0..).zip(&mut trials) {
            let limits = budget.share((ROUNDS - round) * count - i);
            if stop.load(Relaxed) || limits.time == Some(Duration::ZERO) || limits.simulations == Some(0) {
                break;
            }
            let before = trial.simulations;
            trial.extend(&limits, solver, stop, budget.end);
            if let Some(left) = &mut budget.simulations {
                *left -= trial.simulations - before;
            }
        }
        trials.sort_by(|a, b| b.score.total_cmp(&a.score));
        trials.truncate(trials.len().div_ceil(KEPT));
    }
    Some(trials[0].vertex)
}

/// The share of the opponent's visits that went to replies that do not win, in \[0, 1\]. Draws and replies that the
/// solver cannot settle count half.
fn mistake_share(game: &Game, report: &Report, solver: &mut Solver, end: Option<Instant>) -> f64 {
    let mut replies: Vec<_> = report.moves.iter().filter(|reply| reply.visits > 0).collect();
    replies.sort_by_key(|reply| Reverse(reply.visits));
    let all: u64 = replies.iter().map(|reply| reply.visits).sum();
    let mistakes = replies.iter().take(REPLIES).map(|reply| {
        let share = reply.visits as f64 / all as f64;
        let mut after = game.clone();
        after.place(game.to_move(), reply.vertex).expect("the reply is legal");
        if reply.verdict == Some(Verdict::Loss) || after.outcome().is_some() {
            return 0.0;
        }
        // All replies together get about as many positions as there were simulations.
        let positions = (share * report.simulations as f64) as u64 + 1;
        share
            * match solver.solve_until(after.position(), after.to_move(), positions, end) {
                Some(Solution::Win(_)) => 1.0,
                Some(Solution::Loss) => 0.0,
                Some(Solution::Draw) | None => 0.5,
            }
    });
    mistakes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, Notation};
    use crate::nn::Network;

    /// A lost position of Black, who is to move. After most moves White soon sees a win.
    fn lost() -> Game {
        let mut game = Game::new(Geometry::of(4).unwrap());
        for name in ["g6", "e2", "f4", "b2", "f3"] {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        game
    }

    fn budget(simulations: u64) -> Budget {
        Budget { simulations: Some(simulations), end: None }
    }

    /// The solver needs more work to refute the chosen move than for four fifths of the moves.
    #[test]
    fn the_move_chosen_is_hard_to_refute() {
        let game = lost();
        let moves: Vec<Vertex> = game.position().empty_vertices().collect();
        let solver = || Solver::new(game.geometry(), 16 << 20).unwrap();
        let (options, stop) = (Options::default(), AtomicBool::new(false));
        let network: Arc<dyn Backend> = Network::builtin();
        let chosen =
            hardest_to_refute(&game, &moves, &options, &network, &mut solver(), budget(100_000), &stop).unwrap();
        let work = |v: Vertex| {
            let mut after = game.clone();
            after.play(v).unwrap();
            let mut solver = solver();
            (1..200).find(|_| solver.solve(after.position(), after.to_move(), 200).is_some()).unwrap_or(200)
        };
        let easier = moves.iter().filter(|&&v| work(v) < work(chosen)).count();
        assert!(easier * 5 > moves.len() * 4, "{easier} of {} are easier than {chosen:?}", moves.len());
    }

    #[test]
    fn without_time_or_choice_there_is_still_a_move() {
        let game = lost();
        let moves: Vec<Vertex> = game.position().empty_vertices().collect();
        let mut solver = Solver::new(game.geometry(), 1 << 20).unwrap();
        let options = Options::default();
        let network: Arc<dyn Backend> = Network::builtin();
        let mut choose = |moves: &[Vertex], budget, stop| {
            hardest_to_refute(&game, moves, &options, &network, &mut solver, budget, &AtomicBool::new(stop))
        };
        assert_eq!(choose(&moves, budget(0), false), Some(moves[0]));
        assert_eq!(choose(&moves, Budget { simulations: None, end: Some(Instant::now()) }, false), Some(moves[0]));
        assert_eq!(choose(&moves, budget(100_000), true), Some(moves[0]));
        assert_eq!(choose(&moves[3..4], budget(100_000), false), Some(moves[3]));
        assert_eq!(choose(&[], budget(100_000), false), None);
    }
}
