//! What all threads of a proof search share, and the positions that they search.

use std::sync::Arc;

use crate::base::sync::StopFlag;
use crate::base::time::Instant;
use crate::game::{Color, Geometry, Position};

use super::advice::Advice;
use super::bitboard::{Bitboard, Stones, Word, cell, cells};
use super::keys::{Keys, PositionKeys};
use super::table::{INFINITE_BY_DRAW, ProofNumbers, TranspositionTable};

/// The advice of the network may take the table's memory divided by this.
const ADVICE_SHARE: usize = 8;

/// What all threads of a search read, and the tables that they read and write.
pub(super) struct Shared<W> {
    pub geometry: &'static Geometry,
    pub board: Bitboard<W>,
    /// Other searches may share it, each with roots of its own.
    pub table: Arc<TranspositionTable>,
    /// What the network has advised. Who shares the table shares it, too.
    pub advice: Arc<Advice>,
    pub keys: Keys,
    /// The index of the attacker's colour.
    pub attacker: usize,
    /// When the search must end.
    pub end: Option<Instant>,
    /// Ends the search when it is raised.
    pub stop: StopFlag,
}

/// A position of the search.
#[derive(Clone, Copy)]
pub(super) struct State<W> {
    /// The stones of White and of Black.
    pub stones: [Stones<W>; 2],
    pub keys: PositionKeys,
}

impl<W: Word> Shared<W> {
    /// What each of `count` searches has, with `threads` threads each, on a board that fits into the word. They share
    /// the tables; each has roots of its own.
    pub fn several(
        geometry: &'static Geometry,
        table: TranspositionTable,
        count: usize,
        threads: usize,
    ) -> impl Iterator<Item = Shared<W>> {
        let advice = Arc::new(Advice::new(table.bytes() / ADVICE_SHARE, count.saturating_mul(threads)));
        let table = Arc::new(table);
        (0..count).map(move |_| Shared {
            geometry,
            board: Bitboard::new(geometry),
            table: Arc::clone(&table),
            advice: Arc::clone(&advice),
            keys: Keys::new(geometry),
            attacker: 0,
            end: None,
            stop: StopFlag::new(),
        })
    }

    /// Forgets what was found and advised. Others need what they share, so that is left as it is.
    pub fn forget(&mut self) {
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.clear();
        }
        self.forget_advice();
        self.keys.merge_nothing();
    }

    /// Forgets what was advised, if others do not share it.
    pub fn forget_advice(&mut self) {
        if let Some(advice) = Arc::get_mut(&mut self.advice) {
            advice.clear();
        }
    }

    /// Whether the time is up or the search was stopped.
    pub fn must_end(&self) -> bool {
        self.stop.is_stopped() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The position after a player's move on `cell`, with this key.
    #[inline(always)]
    pub fn after(&self, state: &State<W>, player: usize, cell: usize, key: u64) -> State<W> {
        let mut stones = state.stones;
        stones[player].add(&self.board, cell);
        State { stones, keys: self.keys.after(&state.keys, player, cell, key) }
    }

    /// The proof numbers of a position with `player` to move in which the attacker can no longer win.
    pub fn drawn(&self, player: usize) -> ProofNumbers {
        if player == self.attacker {
            ProofNumbers { phi: INFINITE_BY_DRAW, delta: 0 }
        } else {
            ProofNumbers { phi: 0, delta: INFINITE_BY_DRAW }
        }
    }

    /// The same position as a board of the game.
    pub fn position(&self, state: &State<W>) -> Position {
        let mut position = Position::new(self.geometry);
        for (color, stones) in Color::ALL.into_iter().zip(&state.stones) {
            for cell in cells(stones.all) {
                position.place(color, self.board.vertex(cell));
            }
        }
        position
    }

    /// A board of the game as a position of the search, with `player` to move.
    pub fn state(&self, position: &Position, player: usize) -> State<W> {
        let mut stones = [Stones::none(&self.board); 2];
        for (color, v) in position.stones() {
            stones[color.index()].add(&self.board, cell(self.geometry, v));
        }
        State { stones, keys: self.keys.of(position, player, self.attacker) }
    }
}
