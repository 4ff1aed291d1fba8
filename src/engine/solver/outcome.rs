//! Finds the value of a position within a budget, for `malecon solve` and the GTP command `solve`.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::time::Instant;
use crate::game::{Color, Game, Position, Vertex};
use crate::proof::Root;

use super::prover::{ProofProgress, Sources, prove};
use super::{Solution, Solver};

/// Positions that each thread of the solver visits between two looks at the budget. Several threads look less often,
/// because they return to the root each time.
const SLICE_NODES: u64 = 1 << 13;
const SLICE_NODES_IN_TEAM: u64 = 1 << 16;

/// The longest resistance is not looked for if the winning strategy has more moves than this.
const RESISTANCE_MOVES: u64 = 1_000_000;

/// The value of a position: how the game ends if both players play perfectly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// This player wins.
    Win(Color),
    /// Neither player can win.
    Draw,
}

impl Value {
    /// The winner, or `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            Value::Win(color) => Some(color),
            Value::Draw => None,
        }
    }
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

/// When to give up. The default has no limits, and the work ends when the position is solved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// The longest time.
    pub time: Option<Duration>,
    /// The most positions to visit.
    pub nodes: Option<u64>,
}

/// How far the solver came with a position that it did not solve: the proof numbers of the question that it was working
/// on.
///
/// They estimate the least number of positions that must be settled, so they can rank positions: the one with the
/// smallest proof number is likely to be proven first. A search over many runs of the solver needs nothing else from a
/// run that did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProofEstimate {
    /// The question is whether this player wins. It is asked about the player to move first, and about the opponent
    /// only once it is known that the player to move cannot win.
    pub player: Color,
    /// The positions to settle to show that this player wins, at least 1.
    pub proof: u32,
    /// The positions to settle to show that this player does not win, at least 1.
    pub disproof: u32,
}

/// What was found about a position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveOutcome {
    /// The value of the position, or `None` if the budget was not enough.
    pub value: Option<Value>,
    /// A move with which the player to move keeps the value. `None` if the player loses, or if no such move is known.
    pub best: Option<Vertex>,
    /// How far the solver came. `None` if the value is known, or if the solver was stopped before it began.
    pub estimate: Option<ProofEstimate>,
    /// Where the value is not known, the moves in the order in which the solver's network would try them, the most
    /// probable one first. Empty without a network.
    pub order: Vec<Vertex>,
    /// The number of positions visited.
    pub nodes: u64,
    /// The time it took.
    pub time: Duration,
}

/// How much work was done so far.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SolveProgress {
    /// The number of positions visited so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
}

/// Solves the present position of a game that is not over, on the solver's board.
///
/// `proceed` is called several times a second; the work ends when it returns `false`. The solver's table keeps what was
/// found, so another call continues the work.
pub fn solve(
    solver: &mut Solver,
    game: &Game,
    budget: &Budget,
    proceed: &mut dyn FnMut(SolveProgress) -> bool,
) -> SolveOutcome {
    let begun = Instant::now();
    solver.go_to(game.position());
    let mut work = Work { first: solver.nodes(), solver, begun, budget, proceed };
    let solution = work.solve(game.position(), game.to_move());
    let (value, best) = match solution {
        Some(Solution::Win(v)) => (Some(Value::Win(game.to_move())), Some(v)),
        Some(Solution::Loss) => (Some(Value::Win(!game.to_move())), None),
        Some(Solution::Draw) => (Some(Value::Draw), work.drawing_move(game)),
        None => (None, None),
    };
    let nodes = work.nodes();
    let time = begun.elapsed();
    let (estimate, order) = match value {
        Some(_) => (None, Vec::new()),
        None => {
            let order = solver.order_moves(game.position(), game.to_move());
            (solver.estimate(), order.into_iter().map(|(v, _)| v).collect())
        }
    };
    SolveOutcome { value, best, estimate, order, nodes, time }
}

struct Work<'a> {
    solver: &'a mut Solver,
    /// The number of positions that the solver had visited before.
    first: u64,
    begun: Instant,
    budget: &'a Budget,
    proceed: &'a mut dyn FnMut(SolveProgress) -> bool,
}

impl Work<'_> {
    fn nodes(&self) -> u64 {
        self.solver.nodes() - self.first
    }

    /// Solves a position, until a limit is reached.
    fn solve(&mut self, position: &Position, color: Color) -> Option<Solution> {
        let end = self.budget.time.and_then(|time| self.begun.checked_add(time));
        let slice = match self.solver.threads() {
            1 => SLICE_NODES,
            threads => SLICE_NODES_IN_TEAM * threads as u64,
        };
        loop {
            let slice = self.budget.nodes.map_or(slice, |most| slice.min(most.saturating_sub(self.nodes())));
            if slice == 0 {
                return None;
            }
            if let Some(solution) = self.solver.solve_until(position, color, slice, end) {
                return Some(solution);
            }
            let progress = SolveProgress { nodes: self.nodes(), time: self.begun.elapsed() };
            if self.budget.time.is_some_and(|most| progress.time >= most) || !(self.proceed)(progress) {
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

/// The longest game that the loser of a position can force against the winning strategy that the solver finds. The
/// winner may have a faster strategy. `None` if the game is over, if `proceed` returns `false` before the solver is
/// done, or if the strategy has more than a million moves.
pub fn longest_resistance(
    solver: &mut Solver,
    game: &Game,
    winner: Color,
    proceed: &mut dyn FnMut() -> bool,
) -> Option<Vec<Vertex>> {
    let root = Root::new(game, winner)?;
    let sources = Sources::new(solver);
    let mut proceed = |progress: ProofProgress| progress.moves <= RESISTANCE_MOVES && proceed();
    let written = prove(std::io::sink(), &[root], sources, &mut proceed).ok()?;
    written.longest_games.into_iter().next()
}
