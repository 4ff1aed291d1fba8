//! Solving a position within limits: what `malecon solve` and the GTP command `solve` do.
//!
//! ```
//! use malecon::board::{Color, Game, Geometry};
//! use malecon::solver::Solver;
//! use malecon::solving::{Limits, Value, solve};
//! let game = Game::new(Geometry::of(3)?);
//! let mut solver = Solver::new(game.geometry(), 1 << 20).expect("side 3 is small enough");
//! let answer = solve(&mut solver, &game, &Limits::default(), &mut |_| true);
//! assert_eq!(answer.value, Some(Value::Win(Color::White)));
//! # Ok::<(), malecon::board::SideError>(())
//! ```

use std::fmt;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Color, Game, Geometry, Position, Vertex};
use crate::proof::{self, Root};
use crate::solver::{Solution, Solver};
use crate::time::Instant;

/// Positions that each thread of the solver visits between two looks at the limits. Several threads begin at the root
/// again after each look, so that they look less often.
const SLICE_NODES: u64 = 1 << 13;
const SLICE_NODES_IN_TEAM: u64 = 1 << 16;

/// The most winning moves that are looked for to find the longest resistance.
const RESISTANCE_MOVES: u64 = 1_000_000;

/// What a perfect game leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// This player wins.
    Win(Color),
    /// Neither player can win.
    Draw,
}

impl fmt::Display for Value {
    /// `white`, `black` or `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Win(color) => color.fmt(f),
            Value::Draw => f.pad("draw"),
        }
    }
}

/// When to give up. Without a limit, the work ends when the position is solved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The longest time.
    pub time: Option<Duration>,
    /// The most positions to visit.
    pub nodes: Option<u64>,
}

/// What was found about a position.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The value of the position, or `None` if it is not known at the limit.
    pub value: Option<Value>,
    /// A move that keeps the value, for the player to move. `None` if the player loses, or if it is not known.
    pub best: Option<Vertex>,
    /// The number of positions visited.
    pub nodes: u64,
    /// The time it took.
    pub time: Duration,
}

/// How far the work has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The number of positions visited so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
}

/// Solves the present position of a game that is not over, on the solver's board.
///
/// `proceed` is called several times a second; the work ends when it returns `false`. What was found stays in the solver's
/// table, so that another call continues there.
pub fn solve(solver: &mut Solver, game: &Game, limits: &Limits, proceed: &mut dyn FnMut(Progress) -> bool) -> Answer {
    let begun = Instant::now();
    let mut work = Work { first: solver.nodes(), solver, begun, limits, proceed };
    let solution = work.solve(game.position(), game.to_move());
    let (value, best) = match solution {
        Some(Solution::Win(v)) => (Some(Value::Win(game.to_move())), Some(v)),
        Some(Solution::Loss) => (Some(Value::Win(!game.to_move())), None),
        Some(Solution::Draw) => (Some(Value::Draw), work.drawing_move(game)),
        None => (None, None),
    };
    Answer { value, best, nodes: work.nodes(), time: begun.elapsed() }
}

struct Work<'a> {
    solver: &'a mut Solver,
    /// The number of positions that the solver had visited before.
    first: u64,
    begun: Instant,
    limits: &'a Limits,
    proceed: &'a mut dyn FnMut(Progress) -> bool,
}

impl Work<'_> {
    fn nodes(&self) -> u64 {
        self.solver.nodes() - self.first
    }

    /// Solves a position, until a limit is reached.
    fn solve(&mut self, position: &Position, color: Color) -> Option<Solution> {
        let end = self.limits.time.and_then(|time| self.begun.checked_add(time));
        let slice = match self.solver.threads() {
            1 => SLICE_NODES,
            threads => SLICE_NODES_IN_TEAM * threads as u64,
        };
        loop {
            let slice = self.limits.nodes.map_or(slice, |most| slice.min(most.saturating_sub(self.nodes())));
            if slice == 0 {
                return None;
            }
            if let Some(solution) = self.solver.solve_until(position, color, slice, end) {
                return Some(solution);
            }
            let progress = Progress { nodes: self.nodes(), time: self.begun.elapsed() };
            if self.limits.time.is_some_and(|most| progress.time >= most) || !(self.proceed)(progress) {
                return None;
            }
        }
    }

    /// A move that keeps a draw, unless a limit is reached first.
    fn drawing_move(&mut self, game: &Game) -> Option<Vertex> {
        let color = game.to_move();
        let moves: Vec<Vertex> = game.position().empty_vertices().collect();
        let is_last = moves.len() == 1;
        moves.into_iter().find(|&v| {
            let mut after = game.position().clone();
            after.place(color, v);
            is_last || self.solve(&after, !color) == Some(Solution::Draw)
        })
    }
}

/// The longest game that the loser of a position can force against the winning strategy that the solver finds. The winner
/// may have a faster strategy. `None` if the game is over, if the solver has not enough time until `proceed` returns
/// `false`, or if the strategy has more than a million moves.
pub fn longest_resistance(
    solver: &mut Solver,
    game: &Game,
    winner: Color,
    proceed: &mut dyn FnMut() -> bool,
) -> Option<Vec<Vertex>> {
    let root = Root::new(game, winner)?;
    let sources = proof::Sources { solver, known: Vec::new(), checkpoint: None };
    let mut proceed = |progress: proof::Progress| progress.moves <= RESISTANCE_MOVES && proceed();
    let written = proof::write(std::io::sink(), &[root], sources, &mut proceed).ok()?;
    written.longest_games.into_iter().next()
}

/// The positions after `stones` alternating stones from the empty board that are not images of each other under the
/// board's symmetries and in which nobody has won, as the moves that lead to them. Of the images of a position and the
/// orders of its moves, the first is taken, in vertex order.
pub fn openings(geometry: &'static Geometry, stones: usize) -> Vec<Vec<Vertex>> {
    let mut openings = vec![Vec::new()];
    for n in 0..stones {
        let color = Color::ALL[n % 2];
        let mut seen = std::collections::HashSet::new();
        let mut longer = Vec::new();
        for opening in openings {
            let position = after(geometry, &opening);
            for v in position.empty_vertices().filter(|&v| position.completes(color, v).is_empty()) {
                let moves = [&opening[..], &[v]].concat();
                if seen.insert(geometry.canonical(&moves)) {
                    longer.push(moves);
                }
            }
        }
        openings = longer;
    }
    openings
}

/// `count` positions after `stones` random stones of alternating colours, white's first, in which nobody has won, as the
/// moves that lead to them. The same seed gives the same positions.
///
/// # Panics
/// If the board has fewer vertices.
pub fn random_positions(geometry: &'static Geometry, stones: usize, count: usize, seed: u64) -> Vec<Vec<Vertex>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let all: Vec<Vertex> = geometry.vertices().collect();
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut moves = all.clone();
        moves.shuffle(&mut rng);
        moves.truncate(stones);
        assert_eq!(moves.len(), stones, "there are too few vertices");
        let mut position = Position::new(geometry);
        if (0..).zip(&moves).all(|(i, &v)| position.place(Color::ALL[i % 2], v).is_empty()) {
            positions.push(moves);
        }
    }
    positions
}

fn after(geometry: &'static Geometry, moves: &[Vertex]) -> Position {
    let mut position = Position::new(geometry);
    for (i, &v) in moves.iter().enumerate() {
        position.place(Color::ALL[i % 2], v);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(side: usize, stones: usize) -> usize {
        openings(Geometry::of(side).unwrap(), stones).len()
    }

    /// The numbers of the literature.
    #[test]
    fn openings_are_counted_up_to_symmetry() {
        assert_eq!([3, 4, 5].map(|side| count(side, 1)), [4, 6, 9]);
        assert_eq!([3, 4, 5].map(|side| count(side, 2)), [35, 123, 328]);
        assert_eq!((count(4, 0), count(4, 3)), (1, 2010));
    }

    #[test]
    fn random_positions_differ_and_can_be_made_again() {
        let geometry = Geometry::of(3).unwrap();
        let positions = random_positions(geometry, 6, 50, 1);
        assert_eq!(positions, random_positions(geometry, 6, 50, 1));
        assert_ne!(positions, random_positions(geometry, 6, 50, 2));
        assert_eq!(positions.iter().collect::<std::collections::HashSet<_>>().len(), 50);
        assert!(positions.iter().all(|moves| moves.len() == 6));
    }
}
