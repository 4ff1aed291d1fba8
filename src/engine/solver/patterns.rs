//! Sequences of threats that have won before, as patterns that other positions may show again.
//!
//! In a sequence of threats, each move of the winner but the last threatens to complete a structure on one cell, so
//! that the loser must reply there, and the last threatens two. A pattern is such a sequence with the stones of the
//! winner that make its threats. It wins in every position with the winner to move in which
//!
//! 1. the winner has these stones, and perhaps others,
//! 2. the loser has no stone on the cells of the sequence: those of the moves, the replies, and the two at the end,
//! 3. the loser, at each of its turns in the sequence, has no cell left on which it could complete a structure.
//!
//! *Proof.* By 1 and 2, each move makes its threat, because further stones of the winner take nothing away from a
//! structure: if one of them is on the cell of a move, the threat is there even without it, and if one is on the cell
//! of a reply, the move completes the structure. By 3, the loser cannot win at its turn, so it must reply, or the
//! winner completes a structure with its next stone. What else the loser has on the board does not matter.
//!
//! So the pattern holds whatever the rest of the board looks like. (Shih, Wu and others, *A novel approach to solving
//! goal-achieving problems for board games*, 2022, call its cells a relevance zone.) Conditions 1 and 2 are a few
//! operations on sets of patterns, one for each cell. Condition 3 is checked on the board with the stones that are
//! there, because it is about those outside.

use super::bitboard::{Bitboard, MAX_CELLS, Stones, Word, bit, cells};

/// The most forced replies of a sequence.
const MOST_REPLIES: usize = 7;

/// A sequence of threats.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    /// The moves but the last and the replies to them, the last first.
    steps: [[u8; 2]; MOST_REPLIES],
    len: u8,
    /// The last move, which threatens to complete a structure on two cells.
    last: u8,
    /// These two cells.
    completing: [u8; 2],
}

impl Sequence {
    /// The sequence of a single move, which makes two threats.
    pub fn from_move<W: Word>(cell: usize, completing: W) -> Sequence {
        let mut completing = cells(completing).map(|cell| cell as u8);
        let completing = [completing.next(), completing.next()].map(|cell| cell.expect("there are two threats"));
        Sequence { steps: [[0; 2]; MOST_REPLIES], len: 0, last: cell as u8, completing }
    }

    /// The sequence after another move and the reply to it. `None` if that is too long.
    pub fn after(mut self, cell: usize, reply: usize) -> Option<Sequence> {
        *self.steps.get_mut(usize::from(self.len))? = [cell as u8, reply as u8];
        self.len += 1;
        Some(self)
    }

    /// The first move.
    pub fn first(&self) -> usize {
        match self.len {
            0 => self.last.into(),
            len => self.steps[usize::from(len) - 1][0].into(),
        }
    }

    /// All moves.
    #[cfg(test)]
    pub fn moves(&self) -> impl Iterator<Item = usize> {
        self.steps().map(|[cell, _]| cell).chain([self.last.into()])
    }

    /// The moves but the last, each with the reply to it.
    fn steps(&self) -> impl Iterator<Item = [usize; 2]> {
        self.steps[..self.len.into()].iter().rev().map(|step| step.map(usize::from))
    }

    /// Condition 3: whether the loser, who has these stones, cannot complete a structure at any of its turns.
    #[inline]
    pub fn is_undisturbed<W: Word>(&self, board: &Bitboard<W>, mut loser: Stones<W>, mut empty: W) -> bool {
        for [cell, reply] in self.steps() {
            empty = empty & !bit::<W>(cell);
            if !loser.completing(empty).is_zero() {
                return false;
            }
            if !(bit::<W>(reply) & empty).is_zero() {
                loser.add(board, reply);
                empty = empty & !bit::<W>(reply);
            }
        }
        loser.completing(empty & !bit::<W>(self.last.into())).is_zero()
    }

    /// Whether the moves make their threats if the winner has these stones.
    fn threatens<W: Word>(&self, board: &Bitboard<W>, mut winner: W) -> bool {
        for [cell, reply] in self.steps() {
            winner = winner | bit(cell);
            if !board.completes(winner, cell, reply) {
                return false;
            }
        }
        let last = self.last.into();
        winner = winner | bit(last);
        self.completing.iter().all(|&cell| board.completes(winner, last, cell.into()))
    }
}

/// A sequence of threats and where it wins.
#[derive(Clone, Copy)]
pub(super) struct Pattern<W> {
    pub sequence: Sequence,
    /// The stones of the winner that it needs.
    pub stones: W,
    /// The cells on which the loser must not have a stone.
    pub region: W,
}

impl<W: Word> Pattern<W> {
    /// The pattern of a sequence for a winner with these stones. It needs only some of them. `None` if they are not
    /// enough.
    pub fn new(board: &Bitboard<W>, sequence: Sequence, winner: W) -> Option<Pattern<W>> {
        let moves = sequence.steps().fold(bit::<W>(sequence.last.into()), |moves, [cell, _]| moves | bit(cell));
        let replies = sequence.steps().fold(W::zero(), |replies, [_, reply]| replies | bit(reply));
        let region = sequence.completing.iter().fold(moves | replies, |region, &cell| region | bit(cell.into()));
        let mut stones = board.connected(region, winner | region) & winner;
        if !sequence.threatens(board, stones) {
            return None;
        }
        for cell in cells(stones) {
            let fewer = stones & !bit::<W>(cell);
            if sequence.threatens(board, fewer) {
                stones = fewer;
            }
        }
        Some(Pattern { sequence, stones, region })
    }
}

/// The number of words of a set of patterns. Each word has 64 patterns.
const WORDS: usize = 8;

/// A set of patterns, by their indices.
pub(super) struct Fitting([u64; WORDS]);

impl Iterator for Fitting {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let (i, word) = (0..).zip(&mut self.0).find(|(_, word)| **word != 0)?;
        let index = 64 * i + word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(index)
    }
}

/// The patterns of one player that were used last.
pub(super) struct Patterns<W> {
    patterns: Vec<Pattern<W>>,
    /// For each cell, the patterns that need a stone of the winner there.
    needing: [[u64; WORDS]; MAX_CELLS],
    /// For each cell, the patterns that a stone of the loser there spoils.
    spoiled: [[u64; WORDS]; MAX_CELLS],
    /// The patterns that were used since the hand last came by.
    used: [u64; WORDS],
    /// The pattern that is replaced next, unless it was used.
    hand: usize,
}

impl<W: Word> Patterns<W> {
    /// No patterns.
    pub fn new() -> Patterns<W> {
        let empty = [[0; WORDS]; MAX_CELLS];
        Patterns { patterns: Vec::new(), needing: empty, spoiled: empty, used: [0; WORDS], hand: 0 }
    }

    /// Adds a pattern. If there is no room, it replaces one that has not been used for a while: the hand goes around
    /// the patterns, and spares once each one that was used since it last came by (the clock algorithm).
    pub fn add(&mut self, pattern: Pattern<W>) {
        let index = if self.patterns.len() < 64 * WORDS {
            self.patterns.push(pattern);
            self.patterns.len() - 1
        } else {
            while self.used[self.hand / 64] >> (self.hand % 64) & 1 == 1 {
                self.used[self.hand / 64] &= !(1 << (self.hand % 64));
                self.hand = (self.hand + 1) % (64 * WORDS);
            }
            let index = self.hand;
            self.hand = (self.hand + 1) % (64 * WORDS);
            self.flip(index);
            self.patterns[index] = pattern;
            index
        };
        self.flip(index);
    }

    /// Adds a pattern to the sets of its cells, or removes it from them.
    fn flip(&mut self, index: usize) {
        let Pattern { stones, region, .. } = self.patterns[index];
        cells(stones).for_each(|cell| self.needing[cell][index / 64] ^= 1 << (index % 64));
        cells(region).for_each(|cell| self.spoiled[cell][index / 64] ^= 1 << (index % 64));
    }

    /// The patterns that fit the winner's and the loser's stones. `vertices` are all vertices of the board.
    #[inline]
    pub fn fitting(&self, winner: W, loser: W, vertices: W) -> Fitting {
        let mut others = [0; WORDS];
        let mut leave_out = |patterns: &[u64; WORDS]| others.iter_mut().zip(patterns).for_each(|(a, b)| *a |= b);
        cells(loser).for_each(|cell| leave_out(&self.spoiled[cell]));
        cells(vertices & !winner).for_each(|cell| leave_out(&self.needing[cell]));
        let len = self.patterns.len();
        let exist = |i: usize| if len >= 64 * (i + 1) { !0 } else { (1 << len.saturating_sub(64 * i)) - 1 };
        Fitting(std::array::from_fn(|i| !others[i] & exist(i)))
    }

    /// The pattern at an index.
    pub fn get(&self, index: usize) -> Pattern<W> {
        self.patterns[index]
    }

    /// Remembers that a pattern was useful.
    pub fn mark(&mut self, index: usize) {
        self.used[index / 64] |= 1 << (index % 64);
    }
}
