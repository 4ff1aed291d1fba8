//! The rules of a proof: a walk through all positions that a strategy leads to, with every reply of the opponent.
//!
//! Only this module, `replies` and the rules in [`crate::game`] have to be trusted.

use crate::game::{Color, Geometry, Position, Vertex};

use super::book::{Book, Entry};
use super::keys::{Images, Keys};
use super::replies::{Replies, completing, double_threat, first_two};
use super::{Fault, ProofError, Root};

/// The number of stones from a double threat to a structure: the threat, a reply to it, the last stone.
const DOUBLE_THREAT_HEIGHT: u8 = 3;

/// Where the moves of the winner come from: a file, or a solver.
pub(crate) trait Strategy<const N: usize> {
    /// The winner's move. The winner is to move, can neither complete a structure nor make a double threat, and need
    /// not prevent a structure.
    fn answer(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError>;
}

/// A position in which a strategy has to give a move.
pub(crate) struct Turn<'a, const N: usize> {
    /// The position.
    pub position: &'a Position,
    /// The player to move, who wins.
    pub winner: Color,
    /// The images of the position.
    pub images: &'a Images<N>,
    /// The strategy's move after another reply to the same move, if it was asked for one.
    pub hint: Option<Vertex>,
}

/// The size of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Positions, up to symmetry, in which the winner is to move and cannot complete a structure at once.
    pub positions: u64,
    /// The number of these for which the strategy has a move. In the others the winner has to prevent a structure, or
    /// makes a double threat.
    pub moves: u64,
}

/// A walk from one root after another. A position that was met before, up to symmetry, is not walked through again.
pub(crate) struct Walk<'a, const N: usize, S> {
    keys: &'a Keys<N>,
    strategy: S,
    met: Book<N>,
    winner: Color,
    /// The position at each depth of the path. They are kept so that the walk does not allocate.
    path: Vec<Position>,
    /// Working space: the position after a move.
    after: Position,
    /// The moves from the root to the present position.
    moves: Vec<Vertex>,
    summary: Summary,
    /// Called after each position with the number of positions so far; returns whether to go on.
    go_on: Option<&'a mut dyn FnMut(u64) -> bool>,
}

/// What was found about a position with the winner to move.
struct Won {
    /// The most stones that can be placed until the winner has a structure.
    height: u8,
    /// The winner's move, if the strategy was asked for it just now.
    asked: Option<Vertex>,
}

impl<'a, const N: usize, S: Strategy<N>> Walk<'a, N, S> {
    /// A walk that has met no position yet.
    pub fn new(geometry: &'static Geometry, keys: &'a Keys<N>, strategy: S) -> Walk<'a, N, S> {
        Walk {
            keys,
            strategy,
            met: Book::default(),
            winner: Color::White,
            path: vec![Position::new(geometry); geometry.vertex_count() + 1],
            after: Position::new(geometry),
            moves: Vec::new(),
            summary: Summary::default(),
            go_on: None,
        }
    }

    /// The same walk, but it stops as soon as `go_on`, given the number of positions so far, returns false.
    pub fn while_true(self, go_on: &'a mut dyn FnMut(u64) -> bool) -> Walk<'a, N, S> {
        Walk { go_on: Some(go_on), ..self }
    }

    /// The strategy.
    pub fn strategy(&mut self) -> &mut S {
        &mut self.strategy
    }

    /// The size of the proof, the strategy, and the winner's moves in all positions that were met.
    pub fn end(self) -> (Summary, S, Book<N>) {
        (self.summary, self.strategy, self.met)
    }

    /// Walks through all positions that can come after a root.
    pub fn prove(&mut self, root: &Root) -> Result<(), ProofError> {
        self.winner = root.winner;
        self.path[0].copy_from(&root.position);
        self.moves.clear();
        let images = self.keys.images(&root.position);
        if completing(&root.position, root.to_move).next().is_some() {
            return if root.to_move == root.winner { Ok(()) } else { Err(self.refuted(Fault::LoserCompletes)) };
        }
        if root.to_move == root.winner {
            self.winner_to_move(0, &images, None).map(drop)
        } else {
            self.loser_to_move(0, &images).map(drop)
        }
    }

    /// Walks from a position with the winner to move, who cannot complete a structure.
    fn winner_to_move(&mut self, depth: usize, images: &Images<N>, hint: Option<Vertex>) -> Result<Won, ProofError> {
        let winner = self.winner;
        let (key, symmetry) = images.key();
        if let Some(entry) = self.met.get(winner, &key) {
            return Ok(Won { height: entry.height, asked: None });
        }
        let position = &self.path[depth];
        let (v, height, asked) = match first_two(completing(position, !winner)) {
            [Some(_), Some(_)] => return Err(self.refuted(Fault::TwoThreats)),
            [Some(v), None] => (v, self.after_answer(depth, images, v)?, None),
            [None, _] => match double_threat(position, winner, &mut self.after) {
                Some(v) => (v, DOUBLE_THREAT_HEIGHT, None),
                None => {
                    let v = self.strategy.answer(&Turn { position, winner, images, hint })?;
                    (v, self.after_answer(depth, images, v)?, Some(v))
                }
            },
        };
        self.summary.positions += 1;
        self.summary.moves += u64::from(asked.is_some());
        if self.go_on.as_mut().is_some_and(|go_on| !go_on(self.summary.positions)) {
            return Err(ProofError::Stopped);
        }
        self.met.insert(winner, key, Entry::new(self.keys.image(symmetry, v), height));
        Ok(Won { height, asked })
    }

    /// Walks on from the winner's move. Returns the most stones that are placed until the winner has a structure.
    fn after_answer(&mut self, depth: usize, images: &Images<N>, v: Vertex) -> Result<u8, ProofError> {
        if !self.path[depth].is_empty(v) {
            return Err(self.refuted(Fault::Occupied(v)));
        }
        let images = self.keys.with(images, self.winner, v);
        self.place(depth, self.winner, v);
        let height = 1 + self.loser_to_move(depth + 1, &images)?;
        self.moves.pop();
        Ok(height)
    }

    /// Walks from a position with the loser to move, who cannot complete a structure. Returns the most stones that are
    /// placed until the winner has one.
    fn loser_to_move(&mut self, depth: usize, images: &Images<N>) -> Result<u8, ProofError> {
        let (winner, loser) = (self.winner, !self.winner);
        let position = &self.path[depth];
        let replies = match first_two(completing(position, winner)) {
            [_, Some(_)] => return Ok(2),
            [only, None] => Replies(only),
        };
        let mut hint = None;
        let mut height = 0;
        for v in position.geometry().vertices() {
            if !replies.include(v) || !self.path[depth].is_empty(v) {
                continue;
            }
            let images = self.keys.with(images, loser, v);
            self.place(depth, loser, v);
            let won = self.winner_to_move(depth + 1, &images, hint)?;
            self.moves.pop();
            hint = won.asked.or(hint);
            height = height.max(1 + won.height);
        }
        if height == 0 { Err(self.refuted(Fault::Full)) } else { Ok(height) }
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
