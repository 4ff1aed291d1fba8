//! Finds the value of a position within a budget, for `malecon solve` and the GTP command `solve`.

use std::fmt;
use std::time::Duration;

use crate::base::time::Instant;
use crate::game::{Color, Game, Vertex};
use crate::proof::Root;

use super::Solver;
use super::proof_search::{Answer, ProofEstimate};
use super::prover::{ProofProgress, Sources, prove};

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

/// What was found about a position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveOutcome {
    /// The value of the position. `None` if the budget was not enough, or if [`solve_for`] has its answer without it.
    pub value: Option<Value>,
    /// Whether white and whether black win, as far as is known.
    pub wins: [Option<bool>; 2],
    /// A move with which the player to move keeps the value. `None` if the player loses, or if no such move is known.
    pub best: Option<Vertex>,
    /// How far the solver came. `None` if the question is answered, or if the solver was stopped before it began.
    pub estimate: Option<ProofEstimate>,
    /// Where the question is not answered, the moves in the order in which the solver's network would try them, the most
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
    let mut work = Work::begin(solver, game, budget, proceed);
    let color = game.to_move();
    let mut answer = work.ask(game, color);
    let has_no_win = matches!(answer, Some(Answer::NoWin(_)));
    if has_no_win {
        answer = work.ask(game, !color);
    }
    let (value, best) = match answer {
        Some(Answer::Win(v)) => (Some(Value::Win(color)), Some(v)),
        Some(Answer::Loss) => (Some(Value::Win(!color)), None),
        Some(Answer::NoWin(keeping)) => (Some(Value::Draw), keeping),
        None => (None, None),
    };
    let mut wins = Color::ALL.map(|color| value.map(|value| value == Value::Win(color)));
    if has_no_win {
        wins[color.index()] = Some(false);
    }
    work.end(game, value, wins, best, value.is_some())
}

/// Like [`solve`], but only asks whether `player` wins. A player who does not win may still have a draw.
pub fn solve_for(
    solver: &mut Solver,
    game: &Game,
    player: Color,
    budget: &Budget,
    proceed: &mut dyn FnMut(SolveProgress) -> bool,
) -> SolveOutcome {
    let mut work = Work::begin(solver, game, budget, proceed);
    let color = game.to_move();
    let answer = work.ask(game, player);
    let (value, best) = match answer {
        Some(Answer::Win(v)) => (Some(Value::Win(color)), Some(v)),
        Some(Answer::Loss) => (Some(Value::Win(!color)), None),
        Some(Answer::NoWin(_)) | None => (None, None),
    };
    let mut wins = Color::ALL.map(|color| value.map(|value| value == Value::Win(color)));
    wins[player.index()] = answer.map(|_| value == Some(Value::Win(player)));
    work.end(game, value, wins, best, answer.is_some())
}

struct Work<'a> {
    solver: &'a mut Solver,
    /// The number of positions that the solver had visited before.
    first: u64,
    begun: Instant,
    budget: &'a Budget,
    proceed: &'a mut dyn FnMut(SolveProgress) -> bool,
}

impl<'a> Work<'a> {
    fn begin(
        solver: &'a mut Solver,
        game: &Game,
        budget: &'a Budget,
        proceed: &'a mut dyn FnMut(SolveProgress) -> bool,
    ) -> Work<'a> {
        solver.go_to(game.position());
        Work { first: solver.nodes(), solver, begun: Instant::now(), budget, proceed }
    }

    fn nodes(&self) -> u64 {
        self.solver.nodes() - self.first
    }

    /// Asks whether a player wins the present position of a game, until there is an answer or a limit is reached. At
    /// least one position is visited, so that there is an estimate.
    fn ask(&mut self, game: &Game, player: Color) -> Option<Answer> {
        let end = self.budget.time.and_then(|time| self.begun.checked_add(time));
        let slice = self.solver.search.slice_nodes();
        loop {
            let slice = self.budget.nodes.map_or(slice, |most| slice.min(most.saturating_sub(self.nodes())));
            if let Some(answer) = self.solver.search.ask(game.position(), game.to_move(), player, slice, end) {
                return Some(answer);
            }
            let progress = SolveProgress { nodes: self.nodes(), time: self.begun.elapsed() };
            let is_late = self.budget.time.is_some_and(|most| progress.time >= most);
            let is_enough = self.budget.nodes.is_some_and(|most| progress.nodes >= most);
            if is_late || is_enough || self.solver.search.is_stopped() || !(self.proceed)(progress) {
                return None;
            }
        }
    }

    /// What was found, with how far the solver came if the question is not answered.
    fn end(
        self,
        game: &Game,
        value: Option<Value>,
        wins: [Option<bool>; 2],
        best: Option<Vertex>,
        is_answered: bool,
    ) -> SolveOutcome {
        let (nodes, time) = (self.nodes(), self.begun.elapsed());
        let (mut estimate, mut order) = (None, Vec::new());
        if !is_answered {
            estimate = self.solver.estimate();
            let moves = self.solver.order_moves(game.position(), game.to_move());
            order.extend(moves.into_iter().map(|(v, _)| v));
        }
        SolveOutcome { value, wins, best, estimate, order, nodes, time }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::solver::Solution;

    /// A draw costs what the solver needs to find it, and comes with a move that keeps it.
    #[test]
    fn the_move_of_a_draw_costs_nothing() {
        for position in ["b1w/wb1b/bww1w/1w1b/1bw b", "b2/wwbb/1w1ww/1bbb/bww w", "bw1/wb1w/wwbwb/bb2/wbw b"] {
            let game = Game::from_position(position).unwrap();
            let solver = || Solver::new(game.geometry(), 1 << 20).unwrap();
            let mut alone = solver();
            alone.go_to(game.position());
            assert_eq!(alone.solve(game.position(), game.to_move(), u64::MAX), Some(Solution::Draw));
            let found = solve(&mut solver(), &game, &Budget::default(), &mut |_| true);
            assert_eq!((found.value, found.wins), (Some(Value::Draw), [Some(false); 2]));
            assert_eq!(found.nodes, alone.nodes());
            let mut after = game.clone();
            after.play(found.best.unwrap()).unwrap();
            let value = solver().solve(after.position(), after.to_move(), u64::MAX);
            assert!(after.outcome().is_some() || value == Some(Solution::Draw), "{position}");
        }
    }
}
