//! Proofs of who wins a position: by the solver where the board has one, else by threats. Both are exact; what they
//! cannot settle within their limits stays open.
//!
//! The search by threats knows sequences of threats, each with a single answer, and one quiet move before them: a move
//! after which every reply loses to a sequence (lambda search of the first and second order; Thomsen, *Lambda-search in
//! game trees*, 2000).

use crate::engine::inspect::prediction::predict;
use crate::engine::search::threats::{Status, ThreatSearch};
use crate::engine::solver::{Solution, Solver};
use crate::game::{Color, Game, Geometry, Notation, Position, Vertex};
use crate::network::Network;
use crate::tools::ToolError;

use super::after;

/// The positions that a search for a sequence of threats may examine.
const SEQUENCE_POSITIONS: u32 = 100;

/// The positions that the solver may visit while puzzles are made.
const SOLVER_POSITIONS: u64 = 3_000;

/// The factor by which the solver may visit more positions when a puzzle is checked.
const PATIENCE: u64 = 30;

/// The quiet moves that may come before a sequence of threats.
const QUIET_MOVES: usize = 1;

/// On boards of at least this side length, only threats judge what follows a pass.
const LARGE_SIDE: usize = 6;

/// The solver's table, in bytes.
const SOLVER_TABLE: usize = 16 << 20;

/// Who wins a position, as far as it is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The player to move, with this move.
    Win(Vertex),
    /// The opponent.
    Loss,
    /// Nobody, or it is not known.
    Open,
}

/// Proves who wins positions of one board.
#[derive(Debug)]
pub struct Judge {
    geometry: &'static Geometry,
    /// Settles positions, if the board is small enough.
    solver: Option<Solver>,
    /// The positions that it may visit.
    limit: u64,
}

impl Judge {
    /// For checking puzzles of this board.
    pub fn new(geometry: &'static Geometry) -> Judge {
        Judge::with_limit(geometry, PATIENCE * SOLVER_POSITIONS)
    }

    /// For making puzzles of this board. It gives up sooner than a judge that checks them, so that the check succeeds.
    pub(super) fn for_maker(geometry: &'static Geometry) -> Judge {
        Judge::with_limit(geometry, SOLVER_POSITIONS)
    }

    fn with_limit(geometry: &'static Geometry, limit: u64) -> Judge {
        Judge { geometry, solver: Solver::new(geometry, SOLVER_TABLE).ok(), limit }
    }

    /// The board.
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// Proves that this move wins and every other move loses.
    ///
    /// # Errors
    /// Which of the two is not proven, and of which move.
    pub fn only_win(&mut self, game: &Game, solution: Vertex) -> Result<(), ToolError> {
        let name = |v| Notation::HavannahGui.name(game.geometry(), v);
        if !game.position().is_empty(solution) {
            return Err(format!("{} is not empty", name(solution)).into());
        }
        // What earlier positions left in the table must not affect how much can be proven.
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
        if !self.is_lost_after(game, solution, !game.to_move()) {
            return Err(format!("it is not proven that {} wins", name(solution)).into());
        }
        let others = likeliest_first(game).into_iter().filter(|&v| v != solution);
        for v in others {
            if !self.is_lost_after(game, v, game.to_move()) {
                return Err(format!("it is not proven that {} loses", name(v)).into());
            }
        }
        Ok(())
    }

    /// Whether it is proven that this player has lost after this move.
    fn is_lost_after(&mut self, game: &Game, v: Vertex, loser: Color) -> bool {
        let after = after(game, v);
        match after.outcome() {
            Some(outcome) => outcome.winner() == Some(!loser),
            None if after.to_move() == loser => self.prove(&after) == Proof::Loss,
            None => matches!(self.prove(&after), Proof::Win(_)),
        }
    }

    /// Whether it is proven that the player to move loses by passing. On large boards only threats are looked at:
    /// most positions are open, and the solver would take long to find that out.
    pub(super) fn loses_by_passing(&mut self, game: &Game) -> bool {
        let mut passed = game.clone();
        passed.set_to_move(!game.to_move());
        if self.geometry.side() >= LARGE_SIDE {
            return wins(passed.position(), passed.to_move(), 0).is_some();
        }
        matches!(self.prove(&passed), Proof::Win(_))
    }

    /// Who wins a game that is not over.
    pub fn prove(&mut self, game: &Game) -> Proof {
        let position = game.position();
        let color = game.to_move();
        let Some(solver) = &mut self.solver else {
            let lost = || if loses(position, color, QUIET_MOVES) { Proof::Loss } else { Proof::Open };
            return wins(position, color, QUIET_MOVES).map_or_else(lost, Proof::Win);
        };
        match ThreatSearch::new(position).look_ahead(position, color, true) {
            Status::Win(v) => return Proof::Win(v),
            Status::Loss => return Proof::Loss,
            Status::Draw => return Proof::Open,
            Status::Open => {}
        }
        match solver.solve(position, color, self.limit) {
            Some(Solution::Win(v)) => Proof::Win(v),
            Some(Solution::Loss) => Proof::Loss,
            Some(Solution::Draw) | None => Proof::Open,
        }
    }
}

/// A move with which `color`, to move, wins by a sequence of threats, or by at most `quiet` moves before one.
fn wins(position: &Position, color: Color, quiet: usize) -> Option<Vertex> {
    let mut threats = ThreatSearch::new(position);
    match threats.look_ahead(position, color, true) {
        Status::Win(v) => return Some(v),
        Status::Loss | Status::Draw => return None,
        Status::Open => {}
    }
    let moves = open_moves(&threats);
    let sequence = threats.prepare(position).then(|| threats.find_sequence(position, color, SEQUENCE_POSITIONS));
    sequence.flatten().or_else(|| {
        let quiet = quiet.checked_sub(1)?;
        moves.into_iter().find(|&v| loses(&placed(position, color, v), !color, quiet))
    })
}

/// Whether `color`, to move, loses: the opponent threatens a sequence of threats, and after every reply wins with at
/// most `quiet` quiet moves.
fn loses(position: &Position, color: Color, quiet: usize) -> bool {
    let mut threats = ThreatSearch::new(position);
    match threats.look_ahead(position, color, true) {
        Status::Loss => return true,
        Status::Win(_) | Status::Draw => return false,
        Status::Open => {}
    }
    let mut moves = open_moves(&threats);
    if threats.prepare(position) {
        if threats.find_sequence(position, !color, SEQUENCE_POSITIONS).is_none() {
            return false;
        }
        threats.refute_replies(position, color, SEQUENCE_POSITIONS, |v| moves.contains(&v));
        let refuted = |&v: &Vertex| {
            let candidate = threats.candidates().iter().position(|candidate| candidate.vertex == v);
            candidate.is_some_and(|candidate| threats.is_refuted(candidate))
        };
        moves.retain(|v| !refuted(v));
        if quiet == 0 {
            return moves.is_empty();
        }
    }
    moves.into_iter().all(|v| wins(&placed(position, color, v), !color, quiet).is_some())
}

/// The moves that looking ahead has not refuted.
fn open_moves(threats: &ThreatSearch<'_>) -> Vec<Vertex> {
    let candidates = threats.candidates().iter().enumerate();
    candidates.filter(|(i, _)| !threats.is_refuted(*i)).map(|(_, candidate)| candidate.vertex).collect()
}

/// The position after one more stone.
fn placed(position: &Position, color: Color, v: Vertex) -> Position {
    let mut placed = position.clone();
    placed.place(color, v);
    placed
}

/// The empty vertices, the likeliest according to the network first: a second winning move is most likely among these.
pub(super) fn likeliest_first(game: &Game) -> Vec<Vertex> {
    let mut moves = predict(game, &*Network::builtin_for(game.geometry().side())).moves;
    moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    moves.into_iter().map(|(v, _)| v).collect()
}
