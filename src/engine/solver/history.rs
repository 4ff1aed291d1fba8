//! Which quiet moves have won before. They are tried first in positions that the table does not know.
//!
//! This is the history heuristic (Schaeffer, *The history heuristic and alpha-beta search enhancements in practice*,
//! 1989) with killer moves (Akl & Newborn, *The principal continuation and the killer heuristic*, 1977). Here they give
//! the initial proof numbers of new positions.

use super::bitboard::MAX_CELLS;

/// The winning moves found so far.
pub(super) struct History {
    /// For each player and cell, the number of positions that a move there has won.
    wins: [[u32; MAX_CELLS]; 2],
    /// For each player, the largest of these numbers.
    most_wins: [u32; 2],
    /// For each depth, the last two cells that won there.
    killers: Vec<[usize; 2]>,
}

/// When a count exceeds this, all counts of the player are halved, so that recent wins count more.
const MAX_WINS: u32 = 1000;

impl History {
    /// An empty history.
    pub fn new() -> History {
        History { wins: [[0; MAX_CELLS]; 2], most_wins: [1; 2], killers: vec![[MAX_CELLS; 2]; MAX_CELLS + 1] }
    }

    /// Records that a move by `player` on `cell` has won a position at this depth.
    pub fn record_win(&mut self, player: usize, depth: usize, cell: usize) {
        let killers = &mut self.killers[depth];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
        let wins = &mut self.wins[player];
        wins[cell] += 1;
        self.most_wins[player] = self.most_wins[player].max(wins[cell]);
        if wins[cell] > MAX_WINS {
            wins.iter_mut().for_each(|count| *count /= 2);
            self.most_wins[player] /= 2;
        }
    }

    /// The number of positions that a move on `cell` has won. Older wins count less.
    pub fn wins(&self, player: usize, cell: usize) -> u32 {
        self.wins[player][cell]
    }

    /// Estimates how many positions must be proven to show that a quiet move wins. There are `empty` empty vertices
    /// after the move.
    ///
    /// Each useful reply has to be refuted, and about a quarter of all replies are useful. A move that seldom wins gets
    /// up to 8 more, and a killer move half as many.
    pub fn estimate(&self, player: usize, depth: usize, cell: usize, empty: u32) -> u32 {
        if self.killers[depth].contains(&cell) {
            return empty / 8 + 1;
        }
        empty / 4 + 1 + 8 - 8 * self.wins[player][cell] / self.most_wins[player]
    }
}
