//! The exact value of a position, by the solver.

use std::fmt;

use crate::engine::solver::{self, Budget, SolveOutcome, Solver, SolverError};
use crate::network::Network;

use super::{Session, StopFlag};

/// Why a position cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The game is over.
    GameOver,
    /// There is no solver for the board.
    Solver(SolverError),
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::GameOver => f.write_str("the game is over: there is nothing to solve"),
            SolveError::Solver(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SolveError {}

impl From<SolverError> for SolveError {
    fn from(error: SolverError) -> SolveError {
        SolveError::Solver(error)
    }
}

impl Session {
    /// Solves the present position, as far as the budget allows or until the flag is raised, without the swap of the pie
    /// rule. The solver's own network guides it, but not in a browser, where it would make the module a third larger. Its
    /// table takes an eighth of the option `memory`. Each call begins anew.
    ///
    /// # Errors
    /// If the game is over, or if there is no solver for the board.
    pub fn solve(&self, budget: &Budget, stop: &StopFlag) -> Result<SolveOutcome, SolveError> {
        if self.game.is_over() {
            return Err(SolveError::GameOver);
        }
        let bytes = self.options.search.memory_bytes() / 8;
        let mut solver = Solver::new(self.game.geometry(), bytes)?;
        if !cfg!(target_family = "wasm") {
            solver = solver.guided_by(&*Network::builtin_solver());
        }
        solver.stop_on(stop);
        Ok(solver::solve(&mut solver, self.game.board(), budget, &mut |_| !stop.is_stopped()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::solver::Value;
    use std::time::Duration;

    fn budget(time: Duration) -> Budget {
        Budget { time: Some(time), nodes: None }
    }
    use crate::game::{Color, Move, Shape};

    #[test]
    fn a_position_is_solved_until_time_is_up_or_the_flag_is_raised() {
        let long = budget(Duration::from_secs(1000));
        let stop = StopFlag::new();
        let session = Session::on_side(3).unwrap();
        assert_eq!(session.solve(&long, &stop).unwrap().value, Some(Value::Win(Color::White)));
        assert_eq!(
            Session::on_side(7).unwrap().solve(&long, &stop).unwrap_err(),
            SolveError::Solver(SolverError::TooLarge(Shape::regular(7).unwrap()))
        );
        let session = Session::on_side(6).unwrap();
        assert_eq!(session.solve(&budget(Duration::from_millis(10)), &stop).unwrap().value, None);
        stop.stop();
        assert_eq!(session.solve(&long, &stop).unwrap().value, None);
    }

    #[test]
    fn a_game_that_is_over_is_not_solved() {
        let mut session = Session::on_side(3).unwrap();
        session.play_as(Color::White, Move::Resign).unwrap();
        assert_eq!(session.solve(&Budget::default(), &StopFlag::new()).unwrap_err(), SolveError::GameOver);
    }
}
