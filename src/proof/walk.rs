//! The rules of a proof: a walk through all positions that a strategy leads to, with every reply of the opponent.
//!
//! This is the whole of what has to be trusted. It uses the rules of [`crate::board`] and nothing of the solver.

use std::collections::HashSet;

use super::keys::{BuildKeyHasher, Images, Key, Keys};
use super::{Fault, ProofError, Root};
use crate::board::{Color, Geometry, Position, Vertex};

/// Where the moves of the winner come from: a file, or a solver.
pub(super) trait Strategy<const N: usize> {
    /// The winner's move in a position in which the winner is to move, cannot complete a structure, and need not prevent
    /// one.
    fn answer(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError>;
}

/// A position in which a strategy has to give a move.
pub(super) struct Turn<'a, const N: usize> {
    /// The position.
    pub position: &'a Position,
    /// The player to move, who wins.
    pub winner: Color,
    /// The images of the position.
    pub images: &'a Images<N>,
    /// What the strategy answered to the opponent's last reply to the same move, if it was asked.
    pub hint: Option<Vertex>,
}

/// What a walk has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Positions with the winner to move, up to symmetry, in which a structure cannot be completed at once.
    pub positions: u64,
    /// Of these, the ones for which the strategy gave a move. In the others the winner has to prevent a structure.
    pub moves: u64,
    /// The most moves that the loser can make until the winner completes a structure, counted with the winner's, from
    /// a root on.
    pub longest: usize,
}

/// A walk from one root after another. A position that was met before, up to symmetry, is not walked through again.
pub(super) struct Walk<'a, const N: usize, S> {
    keys: &'a Keys<N>,
    strategy: S,
    /// The positions met, for each winner.
    met: [HashSet<Key<N>, BuildKeyHasher>; 2],
    winner: Color,
    /// The position on the path at each depth. Kept, so that the walk does not allocate.
    path: Vec<Position>,
    /// The moves from the root to the present position.
    moves: Vec<Vertex>,
    summary: Summary,
}

impl<'a, const N: usize, S: Strategy<N>> Walk<'a, N, S> {
    /// A walk that has not begun.
    pub fn new(geometry: &'static Geometry, keys: &'a Keys<N>, strategy: S) -> Walk<'a, N, S> {
        Walk {
            keys,
            strategy,
            met: Default::default(),
            winner: Color::White,
            path: vec![Position::new(geometry); geometry.vertex_count() + 2],
            moves: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// The strategy.
    pub fn strategy(&mut self) -> &mut S {
        &mut self.strategy
    }

    /// What was seen, and the strategy.
    pub fn end(self) -> (Summary, S) {
        (self.summary, self.strategy)
    }

    /// Walks through all positions that can come after a root.
    pub fn prove(&mut self, root: &Root) -> Result<(), ProofError> {
        self.winner = root.winner;
        self.path[0].copy_from(&root.position);
        self.moves.clear();
        let images = self.keys.of(&root.position);
        let winning = first_two(completing(&root.position, root.winner));
        if root.to_move == root.winner {
            return match winning[0] {
                Some(_) => Ok(()),
                None => self.winner_to_move(0, &images, None).map(drop),
            };
        }
        if completing(&root.position, root.to_move).next().is_some() {
            return Err(self.refuted(Fault::LoserCompletes));
        }
        self.loser_to_move(0, &images)
    }

    /// Walks from a position with the winner to move, who cannot complete a structure. Returns the winner's move if it is
    /// the strategy's.
    fn winner_to_move(
        &mut self,
        depth: usize,
        images: &Images<N>,
        hint: Option<Vertex>,
    ) -> Result<Option<Vertex>, ProofError> {
        let winner = self.winner;
        if !self.met[winner.index()].insert(images.key().0) {
            return Ok(None);
        }
        self.summary.positions += 1;
        self.summary.longest = self.summary.longest.max(depth + 3);
        let position = &self.path[depth];
        let (v, given) = match first_two(completing(position, !winner)) {
            [None, _] => {
                self.summary.moves += 1;
                let v = self.strategy.answer(&Turn { position, winner, images, hint })?;
                (v, Some(v))
            }
            [Some(v), None] => (v, None),
            [Some(_), Some(_)] => return Err(self.refuted(Fault::TwoThreats)),
        };
        if !position.is_empty(v) {
            return Err(self.refuted(Fault::Occupied(v)));
        }
        let images = self.keys.with(images, winner, v);
        self.place(depth, winner, v);
        self.loser_to_move(depth + 1, &images)?;
        self.moves.pop();
        Ok(given)
    }

    /// Walks from a position with the loser to move, who cannot complete a structure.
    fn loser_to_move(&mut self, depth: usize, images: &Images<N>) -> Result<(), ProofError> {
        let (winner, loser) = (self.winner, !self.winner);
        let position = &self.path[depth];
        let only = match first_two(completing(position, winner)) {
            [_, Some(_)] => return Ok(()),
            [only, None] => only,
        };
        let mut hint = None;
        let mut is_full = true;
        for v in position.geometry().vertices() {
            if only.is_some_and(|only| only != v) || !self.path[depth].is_empty(v) {
                continue;
            }
            is_full = false;
            let images = self.keys.with(images, loser, v);
            if self.met[winner.index()].contains(&images.key().0) {
                continue;
            }
            self.place(depth, loser, v);
            hint = self.winner_to_move(depth + 1, &images, hint)?.or(hint);
            self.moves.pop();
        }
        if is_full { Err(self.refuted(Fault::Full)) } else { Ok(()) }
    }

    /// Makes the position at `depth + 1`.
    fn place(&mut self, depth: usize, color: Color, v: Vertex) {
        let (before, after) = self.path.split_at_mut(depth + 1);
        after[0].copy_from(&before[depth]);
        after[0].place(color, v);
        self.moves.push(v);
    }

    fn refuted(&self, fault: Fault) -> ProofError {
        ProofError::Refuted { geometry: self.path[0].geometry(), moves: self.moves.clone(), fault }
    }
}

/// The empty vertices on which a stone completes a structure.
pub(super) fn completing(position: &Position, color: Color) -> impl Iterator<Item = Vertex> + '_ {
    position.empty_vertices().filter(move |&v| !position.completes(color, v).is_empty())
}

/// The first two of these vertices.
pub(super) fn first_two(mut vertices: impl Iterator<Item = Vertex>) -> [Option<Vertex>; 2] {
    [vertices.next(), vertices.next()]
}
