//! Which quiet moves have won before: the moves to try first in positions that nothing is known of.
//!
//! The history heuristic (Schaeffer, *The history heuristic and alpha-beta search enhancements in practice*, 1989) and
//! killer moves (Akl & Newborn 1977), here as the numbers that a proof begins with. With both 57 of 60
//! positions of eight stones on side 4 are settled within two seconds each, without them 53.

use super::bitboard::MAX_CELLS;

/// What winning moves there were.
pub(super) struct Experience {
    /// For each player and cell, how often it won.
    wins: [[u32; MAX_CELLS]; 2],
    /// The largest of them for each player.
    most: [u32; 2],
    /// For each depth, the last two cells that won there.
    last: Vec<[usize; 2]>,
}

/// When a player's counts are halved, so that what is older counts less.
const HALVED: u32 = 1000;

impl Experience {
    /// None.
    pub fn new() -> Experience {
        Experience { wins: [[0; MAX_CELLS]; 2], most: [1; 2], last: vec![[MAX_CELLS; 2]; MAX_CELLS + 1] }
    }

    /// A move has won.
    pub fn credit(&mut self, player: usize, depth: usize, cell: usize) {
        let last = &mut self.last[depth];
        if last[0] != cell {
            *last = [cell, last[0]];
        }
        let wins = &mut self.wins[player];
        wins[cell] += 1;
        self.most[player] = self.most[player].max(wins[cell]);
        if wins[cell] > HALVED {
            wins.iter_mut().for_each(|count| *count /= 2);
            self.most[player] /= 2;
        }
    }

    /// How much work it seems to be to prove that a quiet move wins, where so many vertices are empty after it: each move
    /// that is of any use must be refuted, which a quarter of all may be. Moves that seldom win get up to 8 more, those
    /// that have just won in such a place half.
    pub fn work(&self, player: usize, depth: usize, cell: usize, empty: u32) -> u32 {
        if self.last[depth].contains(&cell) {
            return empty / 8 + 1;
        }
        empty / 4 + 1 + 8 - 8 * self.wins[player][cell] / self.most[player]
    }
}
