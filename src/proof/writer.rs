//! Makes a strategy by asking a solver for the winning move in each position that the walk meets.

use std::io::Write;

use super::file::write_file;
use super::keys::Keys;
use super::walk::{Strategy, Summary, Turn, Walk, completing, first_two};
use super::{ProofError, Root, board_of, with_key_words};
use crate::board::{Color, Geometry, Position, Vertex};
use crate::solver::{Solution, Solver};

/// Positions that the solver visits at most to find out whether a move wins that has won against another reply.
const HINT_NODES: u64 = 200;

/// Moves between two reports of progress.
const REPORT_INTERVAL: u64 = 1 << 12;

/// A proof that was written.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// What the proof consists of.
    pub summary: Summary,
    /// The size of the file, in bytes.
    pub bytes: u64,
}

/// How far the work on a proof has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The number of moves in the strategy so far.
    pub moves: u64,
    /// The number of roots that are done.
    pub roots: usize,
}

/// Finds a winning strategy for all roots and writes it to a file. Every root must be won by its winner.
///
/// `proceed` is called now and then; the work stops when it returns `false`.
///
/// # Errors
/// If the solver does not find the winning moves, if the roots are not on one board that has a solver, if the work is
/// stopped, or if the file cannot be written.
pub fn write(
    file: impl Write,
    roots: &[Root],
    solver: &mut Solver,
    proceed: &mut dyn FnMut(Progress) -> bool,
) -> Result<Written, ProofError> {
    let geometry = board_of(roots)?;
    let (summary, moves) = with_key_words!(geometry, find_moves(geometry, roots, solver, proceed))?;
    let bytes = write_file(file, roots, &moves)?;
    Ok(Written { summary, bytes })
}

fn find_moves<const N: usize>(
    geometry: &'static Geometry,
    roots: &[Root],
    solver: &mut Solver,
    proceed: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Summary, Vec<u8>), ProofError> {
    let keys = Keys::<N>::new(geometry);
    let asking = Asking { solver, proceed, roots: 0, after: Position::new(geometry), moves: Vec::new() };
    let mut walk = Walk::new(geometry, &keys, asking);
    for root in roots {
        walk.prove(root)?;
        walk.strategy().roots += 1;
    }
    let (summary, Asking { moves, .. }) = walk.end();
    Ok((summary, moves))
}

/// The strategy of a solver.
struct Asking<'a> {
    solver: &'a mut Solver,
    proceed: &'a mut dyn FnMut(Progress) -> bool,
    /// The roots that are done.
    roots: usize,
    /// A position to try moves in.
    after: Position,
    /// The indices of the vertices that were answered.
    moves: Vec<u8>,
}

impl<const N: usize> Strategy<N> for Asking<'_> {
    fn answer(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError> {
        let moves = self.moves.len() as u64;
        if moves.is_multiple_of(REPORT_INTERVAL) && !(self.proceed)(Progress { moves, roots: self.roots }) {
            return Err(ProofError::Stopped);
        }
        let v = self.choose(turn.position, turn.winner, turn.hint)?;
        self.moves.push(v.index() as u8);
        Ok(v)
    }
}

impl Asking<'_> {
    /// A winning move: one that threatens to complete a structure on two vertices, else one that has won against another
    /// reply, else the solver's.
    fn choose(&mut self, position: &Position, winner: Color, hint: Option<Vertex>) -> Result<Vertex, ProofError> {
        if let Some(v) = self.double_threat(position, winner) {
            return Ok(v);
        }
        if let Some(v) = hint.filter(|&v| position.is_empty(v)) {
            self.after.copy_from(position);
            self.after.place(winner, v);
            if self.solver.solve(&self.after, !winner, HINT_NODES) == Some(Solution::Loss) {
                return Ok(v);
            }
        }
        loop {
            match self.solver.solve(position, winner, 1 << 16) {
                Some(Solution::Win(v)) => return Ok(v),
                Some(_) => return Err(ProofError::Unsolved),
                None if !(self.proceed)(Progress { moves: self.moves.len() as u64, roots: self.roots }) => {
                    return Err(ProofError::Stopped);
                }
                None => {}
            }
        }
    }

    /// A move after which the player could complete a structure on two vertices. The opponent must not threaten to
    /// complete one.
    fn double_threat(&mut self, position: &Position, winner: Color) -> Option<Vertex> {
        position.empty_vertices().find(|&v| {
            self.after.copy_from(position);
            self.after.place(winner, v);
            first_two(completing(&self.after, winner))[1].is_some()
        })
    }
}
