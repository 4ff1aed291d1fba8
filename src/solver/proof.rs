//! Depth-first proof-number search.
//!
//! The search asks whether the *attacker* can win; the other player, the *defender*, is content with a draw. Each position
//! has two numbers ([`Work`]): how many positions must at the least be proven won, and how many lost, to settle it. The
//! search always goes where fewest are missing, and stays there while that is so, with a quarter's grace (Pawlewicz & Lew,
//! *Improving depth-first PN-search: 1 + ε trick*, 2006).
//!
//! What is known of Havannah beside the rules are decisive moves, one and two stones ahead, as in the tree of the search:
//! who completes a structure wins; a single vertex on which the opponent would must be taken; and if the opponent has a
//! move that leaves two, only moves that meet it or that threaten something themselves are looked at.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bitboard::{Bitboard, MAX_CELLS, Stones, Word, bit, cell, cells};
use super::experience::Experience;
use super::table::{NEVER, NEVER_OR_DRAW, Table, Work};
use super::{Prove, Solution};
use crate::board::{Color, Geometry, Position};

/// A proof search on one board.
pub(super) struct ProofSearch<W> {
    geometry: &'static Geometry,
    board: Bitboard<W>,
    table: Table,
    /// For each cell and colour, for the attacker and for whose turn it is, what a position's key is made of.
    keys: [[u64; 2]; MAX_CELLS + 2],
    /// The index of the colour that is to win.
    attacker: usize,
    /// How many positions may still be looked at.
    left: u64,
    /// The moves of the positions on the way to the present one.
    moves: Vec<Move>,
    /// The move by which the position proven last is won.
    winning: usize,
    /// How many moves lie between the root and the present position.
    depth: usize,
    experience: Experience,
}

/// A position of the search.
#[derive(Clone, Copy)]
struct State<W> {
    /// Of white and of black.
    stones: [Stones<W>; 2],
    key: u64,
}

/// A move, and the work on the position after it from the point of view of the opponent, who is to move there.
#[derive(Clone, Copy)]
struct Move {
    cell: usize,
    key: u64,
    work: Work,
}

/// What a first look at the position after a move tells.
enum Look {
    /// It is proven.
    Proven(Work),
    /// The player who moved threatens to complete a structure on one vertex.
    Threat,
    /// Nothing special, with so many empty vertices.
    Quiet(u32),
}

impl<W: Word> ProofSearch<W> {
    /// A search on a board that fits into the word, with a table of so many bytes.
    pub fn new(geometry: &'static Geometry, bytes: usize) -> ProofSearch<W> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x4861_7661_6e6e_6168);
        ProofSearch {
            geometry,
            board: Bitboard::new(geometry),
            table: Table::new(bytes),
            keys: std::array::from_fn(|_| [rng.next_u64(), rng.next_u64()]),
            attacker: 0,
            left: 0,
            moves: Vec::new(),
            winning: 0,
            depth: 0,
            experience: Experience::new(),
        }
    }

    /// The work on a position, as far as it is known when as many positions are looked at as may be, or when one of its
    /// numbers has reached its limit.
    fn search(&mut self, state: &State<W>, player: usize, limits: Work) -> Work {
        self.left = self.left.saturating_sub(1);
        let first = self.moves.len();
        let work = match self.expand(state, player) {
            Some(work) => work,
            None => self.settle(state, player, limits, first),
        };
        self.moves.truncate(first);
        work
    }

    /// Puts the moves of a position that can matter behind the others in `self.moves`, unless the position is proven by
    /// a look at them.
    fn expand(&mut self, state: &State<W>, player: usize) -> Option<Work> {
        let opponent = 1 - player;
        let empty = self.board.vertices & !state.stones[0].all & !state.stones[1].all;
        if empty.is_zero() {
            return Some(self.drawn(player));
        }
        let winning = state.stones[player].completing(&self.board, empty);
        if !winning.is_zero() {
            self.winning = winning.trailing_zeros() as usize;
            return Some(Work::WON);
        }
        let threats = state.stones[opponent].completing(&self.board, empty);
        let candidates = match threats.count_ones() {
            0 => empty,
            1 => threats,
            _ => return Some(Work::LOST),
        };
        let first = self.moves.len();
        for cell in cells(candidates) {
            let key = state.key ^ self.keys[cell][player];
            // A position not known yet gets no work, which no known one has.
            let work = self.table.get(key).unwrap_or(UNKNOWN);
            if work.loss == 0 && work.win != 0 {
                return Some(self.won_by(player, cell, work));
            }
            self.moves.push(Move { cell, key, work });
        }
        if self.moves[first..].iter().any(|m| m.work == UNKNOWN) {
            let region = if threats.is_zero() { self.must_play(state, opponent, empty) } else { candidates };
            for i in first..self.moves.len() {
                let Move { cell, key, work } = self.moves[i];
                if work != UNKNOWN {
                    continue;
                }
                let look = self.look(state, player, cell, empty, !threats.is_zero());
                let inside = !(region & bit(cell)).is_zero();
                let work = match look {
                    Look::Proven(work) => work,
                    Look::Threat => Work { win: 1, loss: 1 },
                    Look::Quiet(_) if !inside => Work::WON,
                    Look::Quiet(empty) => Work { win: 1, loss: self.experience.work(player, self.depth, cell, empty) },
                };
                self.table.put(key, work);
                self.moves[i].work = work;
                if work.loss == 0 {
                    return Some(self.won_by(player, cell, work));
                }
            }
        }
        None
    }

    /// Looks at the moves until one of the numbers has reached its limit.
    fn settle(&mut self, state: &State<W>, player: usize, limits: Work, first: usize) -> Work {
        loop {
            let mut best = first;
            let [mut least, mut second] = [u32::MAX; 2];
            let [mut most, mut sum] = [0; 2];
            for (i, m) in self.moves.iter().enumerate().skip(first) {
                if (m.work.loss, m.work.win) < (least, self.moves[best].work.win) || i == first {
                    (second, least, best) = (least, m.work.loss, i);
                } else {
                    second = second.min(m.work.loss);
                }
                most = most.max(m.work.loss);
                sum = (sum + m.work.win.min(NEVER)).min(NEVER - 1);
            }
            let Move { cell, key, work: next } = self.moves[best];
            let work = match least {
                0 => self.won_by(player, cell, next),
                NEVER.. => Work { win: most, loss: 0 },
                _ => Work { win: least, loss: sum },
            };
            if work.win >= limits.win || work.loss >= limits.loss || self.left == 0 {
                return work;
            }
            let grace = second.min(NEVER) / 4 + second.min(NEVER) + 1;
            let within = Work { win: limits.loss - work.loss + next.win, loss: limits.win.min(grace) };
            let mut after = State { key, ..*state };
            after.stones[player].add(&self.board, cell);
            self.depth += 1;
            let found = self.search(&after, 1 - player, within);
            self.depth -= 1;
            self.table.put(key, found);
            self.moves[best].work = found;
        }
    }

    /// The work on a position that a player wins by a move, after which the opponent has `next`.
    fn won_by(&mut self, player: usize, cell: usize, next: Work) -> Work {
        self.winning = cell;
        self.experience.credit(player, self.depth, cell);
        Work { win: 0, loss: next.win }
    }

    /// The cells on which a quiet move of a player may help against each of the opponent's moves that would leave two
    /// cells or more to complete a structure on.
    fn must_play(&self, state: &State<W>, opponent: usize, empty: W) -> W {
        let mut region = empty;
        for cell in cells(empty) {
            let stones = state.stones[opponent].with(&self.board, cell);
            let completing = stones.completing(&self.board, empty & !bit::<W>(cell));
            match completing.count_ones() {
                0 | 1 => {}
                2 => region = region & (completing | bit(cell)),
                _ => region = region & bit(cell),
            }
        }
        region
    }

    /// A first look at the position after a move that completes nothing; whether the opponent threatened to before it.
    fn look(&self, state: &State<W>, player: usize, cell: usize, empty: W, threatened: bool) -> Look {
        let empty = empty & !bit::<W>(cell);
        if threatened && !state.stones[1 - player].completing(&self.board, empty).is_zero() {
            return Look::Proven(Work::WON);
        }
        if empty.is_zero() {
            return Look::Proven(self.drawn(1 - player));
        }
        let stones = state.stones[player].with(&self.board, cell);
        match stones.completing(&self.board, empty).count_ones() {
            0 => Look::Quiet(empty.count_ones()),
            1 => Look::Threat,
            _ => Look::Proven(Work::LOST),
        }
    }

    /// A full board with a player to move: the attacker has not won.
    fn drawn(&self, player: usize) -> Work {
        match player == self.attacker {
            true => Work { win: NEVER_OR_DRAW, loss: 0 },
            false => Work { win: 0, loss: NEVER_OR_DRAW },
        }
    }

    /// A position with a player to move. The key tells the attacker too, and whose turn it would be on the empty board:
    /// that stays as it is while the players take turns.
    fn state(&self, position: &Position, player: usize) -> State<W> {
        let mut state = State { stones: [Stones::none(&self.board); 2], key: self.keys[MAX_CELLS][self.attacker] };
        let mut turn = player;
        for v in self.geometry.vertices() {
            if let Some(color) = position.stone(v) {
                let cell = cell(self.geometry, v);
                state.stones[color.index()].add(&self.board, cell);
                state.key ^= self.keys[cell][color.index()];
                turn = 1 - turn;
            }
        }
        state.key ^= self.keys[MAX_CELLS + 1][turn];
        state
    }
}

/// The work on a position of which nothing is known.
const UNKNOWN: Work = Work { win: 0, loss: 0 };

impl<W: Word> Prove for ProofSearch<W> {
    fn prove(&mut self, position: &Position, color: Color, nodes: u64) -> Option<Solution> {
        self.left = nodes;
        for attacker in [color, !color] {
            self.attacker = attacker.index();
            let state = self.state(position, color.index());
            let work = self.search(&state, color.index(), Work { win: NEVER, loss: NEVER });
            match (work.win, work.loss) {
                (0, _) if attacker == color => return Some(Solution::Win(self.board.vertex(self.winning))),
                (0, _) => return Some(Solution::Draw),
                (NEVER_OR_DRAW, 0) => {}
                (_, 0) => return Some(Solution::Loss),
                _ => return None,
            }
        }
        None
    }
}
