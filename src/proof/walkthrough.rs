//! Walking through a proof by hand: the winner's answer to each reply, and how long each reply holds out.

use std::fmt;

use crate::game::{Color, Position, Structures, Vertex};

use super::book::Answers;
use super::file::read_book;
use super::replies::completing;
use super::walk::Summary;
use super::{ProofError, Root};

/// A proof that was checked, with its moves.
///
/// ```
/// use malecon::engine::solver::{Solver, Sources, prove};
/// use malecon::game::{Color, Game, Geometry};
/// use malecon::proof::{Root, Walkthrough};
/// let game = Game::new(Geometry::with_side(3)?);
/// let root = Root::new(&game, Color::White).expect("the game has just begun");
/// let mut solver = Solver::new(game.geometry(), 1 << 20).expect("there is a solver for side 3");
/// let sources = Sources::new(&mut solver);
/// let mut file = Vec::new();
/// prove(&mut file, &[root.clone()], sources, &mut |_| true)?;
/// let proof = Walkthrough::read(&file, &mut |_| true)?;
/// let first = proof.play(&root, &[]).expect("no reply is refused");
/// assert_eq!(first.steps.len(), 1, "White has made the first move");
/// // For each reply of Black's, how long it holds out.
/// assert_eq!(first.replies.len(), 18);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Walkthrough {
    roots: Vec<Root>,
    summary: Summary,
    answers: Box<dyn Answers>,
}

/// A stone of a game in which the winner follows a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The player.
    pub color: Color,
    /// Where the stone is placed.
    pub vertex: Vertex,
    /// Whether the opponent would have completed a structure there.
    pub blocks: bool,
    /// The structures that the stone completes.
    pub completes: Structures,
    /// The number of vertices where the next stone of the same player would complete a structure; 0 at the end.
    pub threats: usize,
}

/// A position of a game in which the winner follows a proof: the loser is to move, or the winner has a structure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stage {
    /// The position.
    pub position: Position,
    /// The stones since the root.
    pub steps: Vec<Step>,
    /// The vertices on which the winner threatens to complete these structures.
    pub threats: Vec<(Vertex, Structures)>,
    /// For each reply of the loser, the most stones until the winner has a structure, the reply included. Empty at the
    /// end.
    pub replies: Vec<(Vertex, u8)>,
}

/// Why a reply cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadReply {
    /// The game is over before the reply with this index.
    Over(usize),
    /// The vertex of the reply with this index is not empty.
    Occupied(usize),
}

impl Walkthrough {
    /// Reads a proof and checks it. `go_on` gets the number of positions so far, and can stop the work.
    ///
    /// # Errors
    /// What is wrong with the proof, if anything is; or if the work was stopped.
    pub fn read(file: &[u8], go_on: &mut dyn FnMut(u64) -> bool) -> Result<Walkthrough, ProofError> {
        let (roots, summary, answers) = read_book(file, go_on)?;
        Ok(Walkthrough { roots, summary, answers })
    }

    /// The positions that are proven.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The size of the proof.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// The game from one of the roots in which the loser makes these replies, and the winner follows the proof.
    ///
    /// # Errors
    /// If a reply cannot be made.
    ///
    /// # Panics
    /// If the proof does not have this root.
    pub fn play(&self, root: &Root, replies: &[Vertex]) -> Result<Stage, BadReply> {
        let mut stage =
            Stage { position: root.position.clone(), steps: Vec::new(), threats: Vec::new(), replies: Vec::new() };
        if root.to_move == root.winner {
            self.answer(&mut stage, root.winner);
        }
        for (i, &v) in replies.iter().enumerate() {
            if stage.is_over() {
                return Err(BadReply::Over(i));
            }
            if !stage.position.is_empty(v) {
                return Err(BadReply::Occupied(i));
            }
            stage.place(!root.winner, v);
            self.answer(&mut stage, root.winner);
        }
        if !stage.is_over() {
            let position = &stage.position;
            let winner = root.winner;
            stage.threats = completing(position, winner).map(|v| (v, position.completes(winner, v))).collect();
            stage.replies = self.lengths(position, winner);
        }
        Ok(stage)
    }

    /// The longest continuation of a game from this root, starting at the given stage.
    ///
    /// # Panics
    /// If the proof does not have this root, or the stage is not of a game from it.
    pub fn longest(&self, root: &Root, stage: &Stage) -> Vec<Step> {
        let before = stage.steps.len();
        let mut stage = stage.clone();
        while !stage.is_over() {
            // The reply that prevents a structure, or the first, in vertex order, of those that hold out longest.
            let block = completing(&stage.position, root.winner).next();
            let longest = || {
                let lengths = self.lengths(&stage.position, root.winner).into_iter().rev();
                lengths.max_by_key(|&(_, length)| length).map(|(v, _)| v)
            };
            let Some(reply) = block.or_else(longest) else { break };
            stage.place(!root.winner, reply);
            self.answer(&mut stage, root.winner);
        }
        stage.steps.split_off(before)
    }

    /// The number of stones to the end of the game for each reply.
    fn lengths(&self, position: &Position, winner: Color) -> Vec<(Vertex, u8)> {
        let length = |v: Vertex| {
            let mut after = position.clone();
            after.place(!winner, v);
            (v, 1 + self.next(&after, winner).1)
        };
        position.empty_vertices().map(length).collect()
    }

    /// Places the winner's answer.
    fn answer(&self, stage: &mut Stage, winner: Color) {
        let (v, _) = self.next(&stage.position, winner);
        stage.place(winner, v);
    }

    /// The winner's move, and the most stones until the winner has a structure.
    fn next(&self, position: &Position, winner: Color) -> (Vertex, u8) {
        let completes = completing(position, winner).next().map(|v| (v, 1));
        completes.or_else(|| self.answers.get(position, winner)).expect("the book has all positions of the proof")
    }
}

impl fmt::Debug for Walkthrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walkthrough").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl Stage {
    /// Whether the winner has a structure.
    fn is_over(&self) -> bool {
        self.steps.last().is_some_and(|step| !step.completes.is_empty())
    }

    fn place(&mut self, color: Color, v: Vertex) {
        let blocks = !self.position.completes(!color, v).is_empty();
        let completes = self.position.completes(color, v);
        self.position.place(color, v);
        let threats = if completes.is_empty() { completing(&self.position, color).count() } else { 0 };
        self.steps.push(Step { color, vertex: v, blocks, completes, threats });
    }
}
