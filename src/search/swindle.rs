//! What to play in a position that is proven lost: the move after which the opponent is most likely to go wrong.
//!
//! Each move is tried on an opponent who searches as the engine does, but has no solver. The solver tells which of the
//! answers that this opponent likes best would let the win slip. After each of three rounds only the best third of the
//! moves is kept, and tried for longer (sequential halving; Karnin, Koren & Somekh, *Almost optimal exploration in
//! multi-armed bandits*, 2013).
//!
//! Only lost positions are played so: nothing can be lost by it. What is gained is within the noise (side 4 against Morat at
//! 1 s: 3 of 30 lost openings won with it, 4 without).

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::options::Options;
use super::report::{Report, Verdict};
use super::{Limits, Searcher};
use crate::board::{Game, Vertex};
use crate::solver::{Solution, Solver};

/// How long the choice may take: up to the first limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// So many simulations of the opponent's searches.
    pub simulations: Option<u64>,
    /// Until then.
    pub end: Option<Instant>,
}

impl Budget {
    /// The opponent's share in one of so many trials that are left. The solver has about as much time.
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

/// One move in so many stays after a round.
const KEPT: usize = 3;

/// How many of the opponent's answers are examined.
const ANSWERS: usize = 4;

/// A move, and the opponent's search after it.
struct Candidate {
    vertex: Vertex,
    game: Game,
    opponent: Searcher,
    /// The simulations of that search.
    simulations: u64,
    /// How likely it is that the opponent goes wrong.
    hope: f64,
}

impl Candidate {
    fn new(game: &Game, vertex: Vertex, opponent: &Options) -> Candidate {
        let mut game = game.clone();
        game.place(game.to_move(), vertex).expect("the move is legal");
        let opponent = Searcher::new(opponent.clone(), vertex.index() as u64);
        Candidate { vertex, game, opponent, simulations: 0, hope: 0.0 }
    }

    /// Lets the opponent search on, and looks at the answers.
    fn try_out(&mut self, limits: &Limits, solver: &mut Solver, stop: &AtomicBool) {
        let report = self.opponent.search(&self.game, limits, stop);
        self.simulations += report.simulations;
        self.hope = match report.verdict {
            // The win is seen: the later, the better.
            Some(Verdict::Win) => SEEN * (1.0 - 1.0 / (1.0 + self.simulations as f64)),
            _ => SEEN + wrong_share(&self.game, &report, solver) + SEEN * (1.0 - report.win_rate),
        };
    }
}

/// How much weight there is on differences between moves whose answers are all right.
const SEEN: f64 = 0.1;

/// The move among `moves` of a lost position that gives the best chances, if there are any moves.
pub(crate) fn best_chance(
    game: &Game,
    moves: &[Vertex],
    options: &Options,
    solver: &mut Solver,
    budget: Budget,
    stop: &AtomicBool,
) -> Option<Vertex> {
    if moves.len() < 2 {
        return moves.first().copied();
    }
    let memory = (options.memory / 64).max(4);
    let opponent = Options { solver_rate: 0.0, solver_rate_large: 0.0, threads: 1, memory, ..options.clone() };
    let mut candidates: Vec<_> = moves.iter().map(|&vertex| Candidate::new(game, vertex, &opponent)).collect();
    let mut budget = budget;
    for round in 0..ROUNDS {
        let count = candidates.len() as u32;
        for (i, candidate) in (0..).zip(&mut candidates) {
            let limits = budget.share((ROUNDS - round) * count - i);
            if stop.load(Relaxed) || limits.time == Some(Duration::ZERO) || limits.simulations == Some(0) {
                break;
            }
            let before = candidate.simulations;
            candidate.try_out(&limits, solver, stop);
            if let Some(left) = &mut budget.simulations {
                *left -= candidate.simulations - before;
            }
        }
        candidates.sort_by(|a, b| b.hope.total_cmp(&a.hope));
        candidates.truncate(candidates.len().div_ceil(KEPT));
    }
    Some(candidates[0].vertex)
}

/// The share of the opponent's simulations that went to answers which do not win. Where the solver cannot tell, half of it.
fn wrong_share(game: &Game, report: &Report, solver: &mut Solver) -> f64 {
    let mut answers: Vec<_> = report.moves.iter().filter(|answer| answer.visits > 0).collect();
    answers.sort_by_key(|answer| Reverse(answer.visits));
    let all: u64 = answers.iter().map(|answer| answer.visits).sum();
    let wrong = answers.iter().take(ANSWERS).map(|answer| {
        let share = answer.visits as f64 / all as f64;
        let mut after = game.clone();
        after.place(game.to_move(), answer.vertex).expect("the answer is legal");
        if answer.verdict == Some(Verdict::Loss) || after.outcome().is_some() {
            return 0.0;
        }
        // About as many positions altogether as there were simulations.
        let positions = (share * report.simulations as f64) as u64 + 1;
        share
            * match solver.solve(after.position(), after.to_move(), positions) {
                Some(Solution::Win(_)) => 1.0,
                Some(Solution::Loss) => 0.0,
                Some(Solution::Draw) | None => 0.5,
            }
    });
    wrong.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, Notation};

    /// A position that is lost for Black, who moves. After most moves a win of White's is soon seen.
    fn lost() -> Game {
        let mut game = Game::new(Geometry::of(4).unwrap());
        for name in ["g6", "e2", "f4", "b2", "f3"] {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        game
    }

    fn simulations(simulations: u64) -> Budget {
        Budget { simulations: Some(simulations), end: None }
    }

    /// The move chosen takes the solver more work to refute than four fifths of the moves do.
    #[test]
    fn the_move_chosen_is_hard_to_refute() {
        let game = lost();
        let moves: Vec<Vertex> = game.position().empty_vertices().collect();
        let solver = || Solver::new(game.geometry(), 16 << 20).unwrap();
        let (options, stop) = (Options::default(), AtomicBool::new(false));
        let chosen = best_chance(&game, &moves, &options, &mut solver(), simulations(100_000), &stop).unwrap();
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
    fn without_time_or_choice_there_is_an_answer() {
        let game = lost();
        let moves: Vec<Vertex> = game.position().empty_vertices().collect();
        let mut solver = Solver::new(game.geometry(), 1 << 20).unwrap();
        let options = Options::default();
        let mut choose = |moves: &[Vertex], budget, stop| {
            best_chance(&game, moves, &options, &mut solver, budget, &AtomicBool::new(stop))
        };
        assert_eq!(choose(&moves, simulations(0), false), Some(moves[0]));
        assert_eq!(choose(&moves, Budget { simulations: None, end: Some(Instant::now()) }, false), Some(moves[0]));
        assert_eq!(choose(&moves, simulations(100_000), true), Some(moves[0]));
        assert_eq!(choose(&moves[3..4], simulations(100_000), false), Some(moves[3]));
        assert_eq!(choose(&[], simulations(100_000), false), None);
    }
}
