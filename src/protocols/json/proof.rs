//! The action `proof`: walking through a proof. Every query contains the whole file, so no query depends on another;
//! the last file and its moves are kept.

use std::sync::Arc;

use crate::game::{Color, Geometry, Move, Vertex};
use crate::proof::{BadReply, ProofError, Root, Step, Walkthrough};

use super::answer::{Answer, ByVertex, ErrorAnswer, ProofAnswer, StepAnswer};
use super::fields::FieldError;
use super::line::GameLine;
use super::parts::{name, position};
use super::query::ProofQuery;

/// The most positions of a proof: each takes a few microseconds, and up to 75 bytes of memory.
const MAX_POSITIONS: u64 = 4_000_000;

/// The proof that was asked about last: the content of its file, and what was read from it.
#[derive(Default)]
pub(super) struct Proofs(Option<(Arc<[u8]>, Walkthrough)>);

impl Proofs {
    /// The answer to a query. `None` if `is_stopped` has stopped the check of the proof.
    pub fn answer(&mut self, id: &str, query: &ProofQuery, is_stopped: &dyn Fn() -> bool) -> Option<Answer> {
        let found = match self.load(&query.file, is_stopped) {
            Err(ProofError::Stopped) if is_stopped() => return None,
            Err(ProofError::Stopped) => {
                Err(FieldError::new("file", format!("the proof has more than {MAX_POSITIONS} positions")))
            }
            Err(error) => Err(FieldError::new("file", error)),
            Ok(proof) => stage(id, query, proof),
        };
        Some(found.unwrap_or_else(|error| Answer::Error(ErrorAnswer::from_field(Some(id.to_owned()), error))))
    }

    /// The proof of a file. It is checked, unless it is the last one.
    fn load(&mut self, file: &Arc<[u8]>, is_stopped: &dyn Fn() -> bool) -> Result<&Walkthrough, ProofError> {
        if self.0.as_ref().is_none_or(|(last, _)| last != file) {
            // Two proofs may not fit into memory.
            self.0 = None;
            let mut go_on = |positions| positions <= MAX_POSITIONS && !is_stopped();
            self.0 = Some((Arc::clone(file), Walkthrough::read(file, &mut go_on)?));
        }
        Ok(&self.0.as_ref().expect("the proof was just read").1)
    }
}

fn stage(id: &str, query: &ProofQuery, proof: &Walkthrough) -> Result<Answer, FieldError> {
    let roots = proof.roots();
    let Some(root) = roots.get(query.root) else {
        return Err(FieldError::new("root", format!("expected 0..{}, got {}", roots.len() - 1, query.root)));
    };
    let board = root.position().geometry();
    let stage = proof.play(root, &query.replies).map_err(|error| match error {
        BadReply::Over(i) => FieldError::with_index("replies", i, "the game is over"),
        BadReply::Occupied(i) => {
            FieldError::with_index("replies", i, format!("{} is not empty", name(board, query.replies[i])))
        }
    })?;
    let stones = stones_of(root);
    let [white, black] =
        Color::ALL.map(|color| stones.iter().filter(|stone| stone.0 == color).map(|&(_, v)| name(board, v)).collect());
    let moves: Vec<_> = stage.steps.iter().map(|step| (step.color, Move::Place(step.vertex))).collect();
    let mut game = GameLine { board, stones, moves, first: root.to_move(), swap: None }.game(stage.steps.len());
    // Proofs do not know the swap.
    game.allow_swap(false);
    let steps = |steps: &[Step]| steps.iter().map(|step| step_answer(board, step)).collect();
    let threats = stage.threats.iter().map(|&(v, structures)| (name(board, v), structures.names().collect()));
    Ok(Answer::Proof(Box::new(ProofAnswer {
        id: id.to_owned(),
        side: board.side(),
        roots: roots.len(),
        positions: proof.summary().positions,
        winner: root.winner(),
        white,
        black,
        moves: steps(&stage.steps),
        position: position(&game),
        threats: ByVertex(threats.collect()),
        replies: ByVertex(stage.replies.iter().map(|&(v, length)| (name(board, v), length)).collect()),
        line: steps(&proof.longest(root, &stage)),
    })))
}

fn stones_of(root: &Root) -> Vec<(Color, Vertex)> {
    let position = root.position();
    position.stones().collect()
}

fn step_answer(board: &Geometry, step: &Step) -> StepAnswer {
    StepAnswer {
        vertex: name(board, step.vertex),
        color: step.color,
        blocks: step.blocks,
        threats: step.threats,
        by: step.completes.names().collect(),
    }
}
