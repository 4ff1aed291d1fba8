//! Depth-first proof-number search (df-pn).
//!
//! The search asks whether the *attacker* can win. The other player, the *defender*, is content with a draw. Each
//! position has two [`ProofNumbers`], φ and δ: estimates of how many positions must be settled to prove it won or lost
//! for the player to move. The search always descends to the child that needs the fewest, and stays there until another
//! child needs less by a quarter (Pawlewicz & Lew, *Improving depth-first PN-search: 1 + ε trick*, 2006, with ε = 1/4).
//!
//! Decisive moves are recognised one and two stones ahead, as in the tree search. A player who can complete a structure
//! wins. If the opponent could complete one on a single vertex, that vertex must be taken. If the opponent has a move
//! after which there would be two such vertices, only moves that prevent it or make a threat are considered.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bitboard::{Bitboard, MAX_CELLS, Stones, Word, bit, cell, cells};
use super::history::History;
use super::table::{INFINITE, INFINITE_BY_DRAW, ProofNumbers, TranspositionTable};
use crate::board::{Color, Geometry, Position, Vertex};
use crate::time::Instant;

/// Positions visited between two looks at the clock.
const LOOK_INTERVAL: u64 = 64;

/// The proven result of a position, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solution {
    /// The player to move wins, with this move.
    Win(Vertex),
    /// The opponent wins.
    Loss,
    /// Neither player can win.
    Draw,
}

/// A proof search on words of any size.
pub(super) trait Prove: Send + Sync {
    /// As [`Solver::solve`](super::Solver::solve), until `end` at the latest.
    fn prove(&mut self, position: &Position, color: Color, nodes: u64, end: Option<Instant>) -> Option<Solution>;

    /// As [`Solver::nodes`](super::Solver::nodes).
    fn nodes(&self) -> u64;

    /// As [`Solver::clear`](super::Solver::clear).
    fn clear(&mut self);
}

/// A proof search on boards that fit into the word `W`.
pub(super) struct ProofSearch<W> {
    geometry: &'static Geometry,
    board: Bitboard<W>,
    table: TranspositionTable,
    /// Random numbers for the keys of positions (Zobrist hashing): for each cell and colour, and at the end for the
    /// attacker and for the turn.
    keys: [[u64; 2]; MAX_CELLS + 2],
    /// The index of the attacker's colour.
    attacker: usize,
    /// The number of positions that may still be visited.
    left: u64,
    /// The number of positions visited since the search was made.
    visited: u64,
    /// When the search ends at the latest.
    end: Option<Instant>,
    /// The children of all positions on the path from the root to the present one, as a stack.
    children: Vec<Child>,
    /// The cell of the move that wins the position proven last.
    winning: usize,
    /// The number of moves between the root and the present position.
    depth: usize,
    history: History,
}

/// A position of the search.
#[derive(Clone, Copy)]
struct State<W> {
    /// White's stones and black's.
    stones: [Stones<W>; 2],
    key: u64,
}

/// A move, and the proof numbers of the position after it, in which the opponent is to move.
#[derive(Clone, Copy)]
struct Child {
    cell: usize,
    key: u64,
    numbers: ProofNumbers,
}

/// What is seen at once in the position after a move.
enum Class {
    /// The position is proven.
    Proven(ProofNumbers),
    /// The player who moved threatens to complete a structure, on one vertex.
    Threat,
    /// Neither of these. The number of empty vertices is given.
    Quiet(u32),
}

impl<W: Word> ProofSearch<W> {
    /// A search on a board that fits into the word, with a table of `bytes` bytes at most. `None` if there is not enough
    /// memory.
    pub fn new(geometry: &'static Geometry, bytes: usize) -> Option<ProofSearch<W>> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x4861_7661_6e6e_6168);
        Some(ProofSearch {
            geometry,
            board: Bitboard::new(geometry),
            table: TranspositionTable::new(bytes)?,
            keys: std::array::from_fn(|_| [rng.next_u64(), rng.next_u64()]),
            attacker: 0,
            left: 0,
            visited: 0,
            end: None,
            children: Vec::new(),
            winning: 0,
            depth: 0,
            history: History::new(),
        })
    }

    /// Searches a position with `player` to move until one of its proof numbers reaches its threshold, or no more
    /// positions may be visited. Returns its proof numbers.
    fn search(&mut self, state: &State<W>, player: usize, thresholds: ProofNumbers) -> ProofNumbers {
        self.left = self.left.saturating_sub(1);
        self.visited += 1;
        if self.left.is_multiple_of(LOOK_INTERVAL) && self.end.is_some_and(|end| Instant::now() >= end) {
            self.left = 0;
        }
        let first = self.children.len();
        let numbers = match self.expand(state, player) {
            Some(numbers) => numbers,
            None => self.explore(state, player, thresholds, first),
        };
        self.children.truncate(first);
        numbers
    }

    /// Pushes the children of a position that matter onto `self.children`. If they prove the position, returns its
    /// proof numbers instead.
    fn expand(&mut self, state: &State<W>, player: usize) -> Option<ProofNumbers> {
        let opponent = 1 - player;
        let empty = self.board.vertices & !state.stones[0].all & !state.stones[1].all;
        if empty.is_zero() {
            return Some(self.drawn(player));
        }
        let winning = state.stones[player].completing(empty);
        if !winning.is_zero() {
            self.winning = winning.trailing_zeros() as usize;
            return Some(ProofNumbers::WON);
        }
        let threats = state.stones[opponent].completing(empty);
        let candidates = match threats.count_ones() {
            0 => empty,
            1 => threats,
            _ => return Some(ProofNumbers::LOST),
        };
        let first = self.children.len();
        for cell in cells(candidates) {
            let key = state.key ^ self.keys[cell][player];
            let numbers = self.table.get(key).unwrap_or(UNKNOWN);
            if numbers.delta == 0 && numbers.phi != 0 {
                return Some(self.won_by(player, cell, numbers));
            }
            self.children.push(Child { cell, key, numbers });
        }
        if self.children[first..].iter().any(|child| child.numbers == UNKNOWN) {
            let region = if threats.is_zero() { self.must_play(state, opponent, empty) } else { candidates };
            for i in first..self.children.len() {
                let Child { cell, key, numbers } = self.children[i];
                if numbers != UNKNOWN {
                    continue;
                }
                let class = self.classify(state, player, cell, empty, !threats.is_zero());
                let inside = !(region & bit(cell)).is_zero();
                let numbers = match class {
                    Class::Proven(numbers) => numbers,
                    Class::Threat => ProofNumbers { phi: 1, delta: 1 },
                    Class::Quiet(_) if !inside => ProofNumbers::WON,
                    Class::Quiet(empty) => {
                        ProofNumbers { phi: 1, delta: self.history.estimate(player, self.depth, cell, empty) }
                    }
                };
                self.table.put(key, numbers);
                self.children[i].numbers = numbers;
                if numbers.delta == 0 {
                    return Some(self.won_by(player, cell, numbers));
                }
            }
        }
        None
    }

    /// Searches the children of a position, from index `first` on, until one of the position's proof numbers reaches
    /// its threshold: φ is the least δ of a child, and δ is the sum of the children's φ.
    fn explore(&mut self, state: &State<W>, player: usize, thresholds: ProofNumbers, first: usize) -> ProofNumbers {
        loop {
            let mut best = first;
            let [mut least, mut second] = [u32::MAX; 2];
            let [mut most, mut sum] = [0; 2];
            for (i, Child { numbers, .. }) in self.children.iter().enumerate().skip(first) {
                if (numbers.delta, numbers.phi) < (least, self.children[best].numbers.phi) || i == first {
                    (second, least, best) = (least, numbers.delta, i);
                } else {
                    second = second.min(numbers.delta);
                }
                most = most.max(numbers.delta);
                sum = (sum + numbers.phi.min(INFINITE)).min(INFINITE - 1);
            }
            let Child { cell, key, numbers: next } = self.children[best];
            let numbers = match least {
                0 => self.won_by(player, cell, next),
                INFINITE.. => ProofNumbers { phi: most, delta: 0 },
                _ => ProofNumbers { phi: least, delta: sum },
            };
            if numbers.phi >= thresholds.phi || numbers.delta >= thresholds.delta || self.left == 0 {
                return numbers;
            }
            let second_with_margin = second.min(INFINITE) / 4 + second.min(INFINITE) + 1;
            let next_thresholds = ProofNumbers {
                phi: thresholds.delta - numbers.delta + next.phi,
                delta: thresholds.phi.min(second_with_margin),
            };
            let mut after = State { key, ..*state };
            after.stones[player].add(&self.board, cell);
            self.depth += 1;
            let found = self.search(&after, 1 - player, next_thresholds);
            self.depth -= 1;
            self.table.put(key, found);
            self.children[best].numbers = found;
        }
    }

    /// The proof numbers of a position that a player wins by a move on `cell`. `next` are those after the move.
    fn won_by(&mut self, player: usize, cell: usize, next: ProofNumbers) -> ProofNumbers {
        self.winning = cell;
        self.history.record_win(player, self.depth, cell);
        ProofNumbers { phi: 0, delta: next.phi }
    }

    /// The must-play region: the cells on which a quiet move can stop every double threat of the opponent. A double
    /// threat is a move after which the opponent could complete a structure on two or more cells.
    fn must_play(&self, state: &State<W>, opponent: usize, empty: W) -> W {
        let mut region = empty;
        for cell in cells(empty) {
            let stones = state.stones[opponent].with(&self.board, cell);
            let completing = stones.completing(empty & !bit::<W>(cell));
            match completing.count_ones() {
                0 | 1 => {}
                2 => region = region & (completing | bit(cell)),
                _ => region = region & bit(cell),
            }
        }
        region
    }

    /// Classifies the position after a move that completes no structure. `threatened` is whether the opponent could
    /// have completed one before it.
    fn classify(&self, state: &State<W>, player: usize, cell: usize, empty: W, threatened: bool) -> Class {
        let empty = empty & !bit::<W>(cell);
        if threatened && !state.stones[1 - player].completing(empty).is_zero() {
            return Class::Proven(ProofNumbers::WON);
        }
        if empty.is_zero() {
            return Class::Proven(self.drawn(1 - player));
        }
        let stones = state.stones[player].with(&self.board, cell);
        match stones.completing(empty).count_ones() {
            0 => Class::Quiet(empty.count_ones()),
            1 => Class::Threat,
            _ => Class::Proven(ProofNumbers::LOST),
        }
    }

    /// The proof numbers of a full board with `player` to move: the attacker has not won.
    fn drawn(&self, player: usize) -> ProofNumbers {
        match player == self.attacker {
            true => ProofNumbers { phi: INFINITE_BY_DRAW, delta: 0 },
            false => ProofNumbers { phi: 0, delta: INFINITE_BY_DRAW },
        }
    }

    /// A position with `player` to move. Its key includes the attacker and the turn. For the turn, the key has the
    /// player who would move first on the empty board if the players had always alternated, because that does not
    /// change from move to move.
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

/// Stands for the proof numbers of a position about which nothing is known. No known position has these.
const UNKNOWN: ProofNumbers = ProofNumbers { phi: 0, delta: 0 };

impl<W: Word> Prove for ProofSearch<W> {
    fn prove(&mut self, position: &Position, color: Color, nodes: u64, end: Option<Instant>) -> Option<Solution> {
        (self.left, self.end) = (nodes, end);
        for attacker in [color, !color] {
            self.attacker = attacker.index();
            let state = self.state(position, color.index());
            let numbers = self.search(&state, color.index(), ProofNumbers { phi: INFINITE, delta: INFINITE });
            match (numbers.phi, numbers.delta) {
                (0, _) if attacker == color => return Some(Solution::Win(self.board.vertex(self.winning))),
                (0, _) => return Some(Solution::Draw),
                (INFINITE_BY_DRAW, 0) => {}
                (_, 0) => return Some(Solution::Loss),
                _ => return None,
            }
        }
        None
    }

    fn nodes(&self) -> u64 {
        self.visited
    }

    fn clear(&mut self) {
        self.table.clear();
        self.history = History::new();
    }
}
