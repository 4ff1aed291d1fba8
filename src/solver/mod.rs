//! Exact solving of positions on small boards, beside the search and for its sake.
//!
//! [`Solver`] proves who wins by depth-first proof-number search (df-pn; Nagai, *Df-pn algorithm for searching AND/OR
//! trees and its applications*, 2002) on boards held as sets of bits ([`bitboard`]), with a table of positions
//! ([`table`]). It proves what a Monte Carlo search does not try for long, and needs no more than the rules to do so: of
//! 60 positions of eight stones from games on side 4 it settles 57 within two seconds each.

mod bitboard;
mod experience;
mod proof;
mod table;

use crate::board::{Color, Geometry, Position, Vertex};
use bitboard::MAX_CELLS;
use proof::ProofSearch;

/// What a position is proven to be, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solution {
    /// Won, with this move.
    Win(Vertex),
    /// Lost.
    Loss,
    /// Neither can win.
    Draw,
}

/// A solver for one board. What it has found out stays in its table, and serves for this and later positions.
pub struct Solver {
    prove: Box<dyn Prove>,
}

/// A proof search on words of any size.
trait Prove: Send + Sync {
    /// See [`Solver::solve`].
    fn prove(&mut self, position: &Position, color: Color, nodes: u64) -> Option<Solution>;
}

impl Solver {
    /// A solver for a board, whose table takes no more than so many bytes (but at least one cache line). `None` for boards
    /// of sides above 6: they do not fit into 128 bits.
    pub fn new(geometry: &'static Geometry, bytes: usize) -> Option<Solver> {
        let prove: Box<dyn Prove> = match geometry.diameter().pow(2) {
            ..=64 => Box::new(ProofSearch::<u64>::new(geometry, bytes)),
            65..=MAX_CELLS => Box::new(ProofSearch::<u128>::new(geometry, bytes)),
            _ => return None,
        };
        Some(Solver { prove })
    }

    /// Goes on solving a position of this board in which nobody has won, with `color` to move, and looks at no more than
    /// so many positions. `None` if that was not enough; what was found is kept, so that another call goes on from there.
    pub fn solve(&mut self, position: &Position, color: Color, nodes: u64) -> Option<Solution> {
        self.prove.prove(position, color, nodes)
    }
}
