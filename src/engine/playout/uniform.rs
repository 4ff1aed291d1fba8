//! Uniform playouts: every empty vertex is equally likely.

use rand::Rng;

use crate::game::{Cell, Color, Position, Runs, Structures, checks};

use super::{EmptyVertex, Ending};

/// Plays random moves on `position` until somebody completes one of the structures in `CHECKS`, a constant of
/// [`crate::game::checks`], or the board is full. `first` moves first.
///
/// `empty` must hold the empty vertices of `position`, in any order. Afterwards it begins with the moves played, in
/// order. `position` must not be used afterwards: it may have stones that were placed after the win.
#[inline]
pub(crate) fn play_uniform<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    first: Color,
    rng: &mut (impl Rng + Clone),
) -> Ending {
    play_uniform_within::<CHECKS>(position, empty, first, usize::MAX, rng)
}

/// Like [`play_uniform`], but stops after at most `limit` moves.
#[inline]
pub(crate) fn play_uniform_within<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    first: Color,
    limit: usize,
    rng: &mut (impl Rng + Clone),
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, false, 0>(position, empty, limit, rng),
        Color::Black => alternate::<CHECKS, false, 1>(position, empty, limit, rng),
    }
}

/// Like [`play_uniform`], but continues until the board is full: a *full playout* of the paper's section 9. The ending
/// returned is the first win.
pub(crate) fn fill_board<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    first: Color,
    rng: &mut (impl Rng + Clone),
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, true, 0>(position, empty, usize::MAX, rng),
        Color::Black => alternate::<CHECKS, true, 1>(position, empty, usize::MAX, rng),
    }
}

/// With fewer empty vertices than this, blocks do not pay: the moves that they play after the win cost too much.
const FEW: usize = 64;

/// The loops of all uniform playouts. The colours are constants, so that the compiler specialises the board's code for
/// each.
#[inline(always)]
fn alternate<const CHECKS: u8, const FULL: bool, const FIRST: usize>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    limit: usize,
    rng: &mut (impl Rng + Clone),
) -> Ending {
    if CHECKS == checks::NOTHING || empty.len() < FEW {
        play_one_by_one::<CHECKS, FULL, FIRST>(position, empty, limit, rng)
    } else {
        play_in_blocks::<CHECKS, FULL, FIRST>(position, empty, limit, rng)
    }
}

/// Draws, places and joins one stone after the other.
#[inline(always)]
fn play_one_by_one<const CHECKS: u8, const FULL: bool, const FIRST: usize>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    limit: usize,
    rng: &mut impl Rng,
) -> Ending {
    let (first, second) = (Color::ALL[FIRST], Color::ALL[1 - FIRST]);
    let end = empty.len().min(limit);
    let mut won: Option<Ending> = None;
    let mut played = 0;
    while played < end {
        // One 64-bit random number is enough for two moves.
        let random = rng.next_u64();
        let structures = play_one::<CHECKS>(position, empty, &mut played, first, random as u32);
        if !structures.is_empty() {
            won.get_or_insert(Ending { length: played, winner: Some(first), structures });
            if !FULL {
                break;
            }
        }
        if played == end {
            break;
        }
        let structures = play_one::<CHECKS>(position, empty, &mut played, second, (random >> 32) as u32);
        if !structures.is_empty() {
            won.get_or_insert(Ending { length: played, winner: Some(second), structures });
            if !FULL {
                break;
            }
        }
    }
    won.unwrap_or(Ending { length: played, winner: None, structures: Structures::NONE })
}

/// Draws one of the vertices after the first `played`, and plays there.
#[inline(always)]
fn play_one<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    played: &mut usize,
    color: Color,
    random: u32,
) -> Structures {
    let (_, vertex) = draw(empty, *played, random);
    *played += 1;
    position.place_checked::<CHECKS>(color, vertex.cell)
}

/// Like [`play_one_by_one`], with the same results, but in blocks of moves: draws all moves of a block, places all
/// their stones, and then joins the chains of those few that can complete a structure. So the first two steps have no
/// branch that the processor could mispredict, and do not wait for the third. Afterwards the position may have stones
/// that were placed after the win.
#[inline(always)]
fn play_in_blocks<const CHECKS: u8, const FULL: bool, const FIRST: usize>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    limit: usize,
    rng: &mut (impl Rng + Clone),
) -> Ending {
    let end = empty.len().min(limit);
    let mut won: Option<Ending> = None;
    let mut block = Block::new();
    let mut played = 0;
    while played < end {
        let size = if played == 0 { FIRST_BLOCK } else { BLOCK }.min(end - played);
        let before = rng.clone();
        block.draw(empty, played, size, rng);
        if let Some((length, structures)) = block.place::<CHECKS, FULL, FIRST>(position, &empty[played..][..size]) {
            let color = Color::ALL[(FIRST + length - 1) % 2];
            won.get_or_insert(Ending { length: played + length, winner: Some(color), structures });
            if !FULL {
                block.give_back(empty, played, length, size);
                *rng = before;
                (0..length.div_ceil(2)).for_each(|_| _ = rng.next_u64());
                break;
            }
        }
        played += size;
    }
    won.unwrap_or(Ending { length: played, winner: None, structures: Structures::NONE })
}

/// The number of moves in the first block of a playout, which hardly ever has a win. Like [`BLOCK`], it is even, so
/// that every block begins with the same player.
const FIRST_BLOCK: usize = 32;
/// The number of moves in each further block.
const BLOCK: usize = 16;

/// Moves of a playout that are drawn and placed together.
struct Block {
    /// For each move, the index from which its vertex was drawn.
    drawn: [u16; FIRST_BLOCK],
    /// For each stone to join, its index in the block, and the runs around it.
    indices: [u8; FIRST_BLOCK],
    runs: [Runs; FIRST_BLOCK],
}

impl Block {
    fn new() -> Block {
        Block { drawn: [0; FIRST_BLOCK], indices: [0; FIRST_BLOCK], runs: [Runs::NONE; FIRST_BLOCK] }
    }

    /// Draws `size` of the vertices after the first `played`, and puts them there.
    #[inline(always)]
    fn draw(&mut self, empty: &mut [EmptyVertex], played: usize, size: usize, rng: &mut impl Rng) {
        let (pairs, rest) = self.drawn[..size].as_chunks_mut::<2>();
        let mut to = played;
        for [first, second] in pairs {
            // One 64-bit random number is enough for two moves.
            let random = rng.next_u64();
            *first = draw(empty, to, random as u32).0 as u16;
            *second = draw(empty, to + 1, (random >> 32) as u32).0 as u16;
            to += 2;
        }
        if let [last] = rest {
            *last = draw(empty, to, rng.next_u64() as u32).0 as u16;
        }
    }

    /// Places the stones of a block, and returns the number of moves up to the first win and its structures.
    #[inline(always)]
    fn place<const CHECKS: u8, const FULL: bool, const FIRST: usize>(
        &mut self,
        position: &mut Position,
        stones: &[EmptyVertex],
    ) -> Option<(usize, Structures)> {
        let (first, second) = (Color::ALL[FIRST], Color::ALL[1 - FIRST]);
        let mut count = 0;
        let mut place = |index: usize, color: Color, cell: Cell| {
            let runs = position.append(color, cell);
            debug_assert!(count < FIRST_BLOCK);
            // SAFETY: `count` grows by at most one with each stone, and a block has at most `FIRST_BLOCK` of them.
            unsafe {
                *self.indices.get_unchecked_mut(count) = index as u8;
                *self.runs.get_unchecked_mut(count) = runs;
            }
            count += runs.joins() as usize;
        };
        let (pairs, rest) = stones.as_chunks::<2>();
        let mut index = 0;
        for pair in pairs {
            place(index, first, pair[0].cell);
            place(index + 1, second, pair[1].cell);
            index += 2;
        }
        if let [last] = rest {
            place(index, first, last.cell);
        }
        let mut won = None;
        for (&index, &runs) in self.indices[..count].iter().zip(&self.runs) {
            let index = index as usize;
            let color = if index.is_multiple_of(2) { first } else { second };
            let later = stones[index + 1..].iter().map(|stone| stone.cell);
            let structures = position.join::<CHECKS>(color, stones[index].cell, runs, later);
            if !structures.is_empty() {
                won = won.or(Some((index + 1, structures)));
                if !FULL {
                    break;
                }
            }
        }
        won
    }

    /// Undoes the draws after the first `length` of a block of `size` moves, the last first.
    #[inline(always)]
    fn give_back(&self, empty: &mut [EmptyVertex], played: usize, length: usize, size: usize) {
        for index in (length..size).rev() {
            exchange(empty, played + index, self.drawn[index] as usize);
        }
    }
}

/// Draws one of the vertices at index `to` or later, and exchanges it with the one at `to`. Returns its old index and
/// the vertex. Of *n* vertices, each is drawn with a probability of 1/*n*, up to 2⁻³².
#[inline(always)]
fn draw(empty: &mut [EmptyVertex], to: usize, random: u32) -> (usize, EmptyVertex) {
    let from = to + ((random as u64 * (empty.len() - to) as u64) >> 32) as usize;
    (from, exchange(empty, to, from))
}

/// Exchanges the vertices at `i` and `j`, and returns the one that is now at `i`.
#[inline(always)]
fn exchange(empty: &mut [EmptyVertex], i: usize, j: usize) -> EmptyVertex {
    debug_assert!(i < empty.len() && j < empty.len());
    // SAFETY: `i` is the index of a move, which is below the length, and `j` is `i` plus less than what is left.
    unsafe {
        let (a, b) = (*empty.get_unchecked(i), *empty.get_unchecked(j));
        *empty.get_unchecked_mut(i) = b;
        *empty.get_unchecked_mut(j) = a;
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::playout::EmptyVertices;
    use crate::game::{Geometry, MAX_SIDE, MIN_SIDE};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// From positions of all boards, at all stages, for each way to look for structures.
    #[test]
    fn playouts_in_blocks_are_those_move_by_move() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let (largest, games) = if cfg!(miri) { (4, 2) } else { (MAX_SIDE, 200) };
        for side in MIN_SIDE..=largest {
            for game in 0..games {
                let mut start = Position::new(Geometry::with_side(side).unwrap());
                let mut vertices = EmptyVertices::new(&start).left().to_vec();
                let before = rng.random_range(0..vertices.len());
                play_uniform_within::<{ checks::ALL }>(&mut start, &mut vertices, Color::Black, before / 2, &mut rng);
                let root = vertices[..before / 2].iter().enumerate();
                let mut start = Position::new(start.geometry());
                let won = root.map(|(i, stone)| start.place(Color::ALL[(i + 1) % 2], stone.vertex));
                if won.fold(false, |won, structures| won | !structures.is_empty()) {
                    continue;
                }
                let vertices = EmptyVertices::new(&start).left().to_vec();
                let limit = if game % 4 == 0 { rng.random_range(0..vertices.len() + 5) } else { usize::MAX };
                type Play = fn(&mut Position, &mut [EmptyVertex], usize, &mut Xoshiro256PlusPlus) -> Ending;
                let pairs: [[Play; 2]; 3] = [
                    [play_one_by_one::<{ checks::ALL }, false, 0>, play_in_blocks::<{ checks::ALL }, false, 0>],
                    [play_one_by_one::<{ checks::ALL }, true, 1>, play_in_blocks::<{ checks::ALL }, true, 1>],
                    [
                        play_one_by_one::<{ checks::BRIDGE_FORK }, false, 1>,
                        play_in_blocks::<{ checks::BRIDGE_FORK }, false, 1>,
                    ],
                ];
                for plays in pairs {
                    let [one, other] = plays.map(|play| {
                        let (mut position, mut vertices, mut rng) = (start.clone(), vertices.clone(), rng.clone());
                        let ending = play(&mut position, &mut vertices, limit, &mut rng);
                        (ending, vertices, rng)
                    });
                    assert_eq!(one, other, "side {side}");
                }
            }
        }
    }

    /// The expected mean lengths were measured by an independent implementation.
    #[test]
    fn uniform_playouts_have_the_known_mean_lengths() {
        for (side, known) in [(4, 27.9), (5, 46.5), (6, 68.6), (8, 120.5), (10, 179.8)] {
            let geometry = Geometry::with_side(side).unwrap();
            let (empty, mut rng) = (Position::new(geometry), Xoshiro256PlusPlus::seed_from_u64(side as u64));
            let mut position = empty.clone();
            let mut vertices = EmptyVertices::new(&empty).left().to_vec();
            let games = 20_000;
            let moves: usize = (0..games)
                .map(|_| {
                    position.copy_from(&empty);
                    play_uniform::<{ checks::ALL }>(&mut position, &mut vertices, Color::White, &mut rng).length
                })
                .sum();
            let mean = moves as f64 / games as f64;
            assert!((mean / known - 1.0).abs() < 0.005, "side {side}: {mean} (expected {known})");
        }
    }
}
