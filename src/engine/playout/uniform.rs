//! Uniform playouts: every empty vertex is equally likely.

use rand::Rng;

use crate::game::{Color, Position, Structures};

use super::{EmptyVertex, Ending};

/// Plays random moves on `position` until somebody completes one of the structures in `CHECKS`, a constant of
/// [`crate::game::checks`], or the board is full. `first` moves first.
///
/// `empty` must hold the empty vertices of `position`, in any order. Afterwards it begins with the moves played, in
/// order.
#[inline]
pub(crate) fn play_uniform<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    first: Color,
    rng: &mut impl Rng,
) -> Ending {
    play_uniform_within::<CHECKS>(position, empty, first, usize::MAX, rng)
}

/// As [`play_uniform`], but stops after `limit` moves at the latest.
#[inline]
pub(crate) fn play_uniform_within<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    first: Color,
    limit: usize,
    rng: &mut impl Rng,
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, false, 0>(position, empty, limit, rng),
        Color::Black => alternate::<CHECKS, false, 1>(position, empty, limit, rng),
    }
}

/// As [`play_uniform`], but goes on until the board is full: a *full playout* of the paper's section 9. The ending
/// returned is the first win.
pub(crate) fn fill_board<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    first: Color,
    rng: &mut impl Rng,
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, true, 0>(position, empty, usize::MAX, rng),
        Color::Black => alternate::<CHECKS, true, 1>(position, empty, usize::MAX, rng),
    }
}

/// The loop of all uniform playouts. The colours are constants, so that the compiler specialises the board's code for
/// each.
#[inline(always)]
fn alternate<const CHECKS: u8, const FULL: bool, const FIRST: usize>(
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

/// Draws one of the vertices after the first `played`, and plays there. Of *n* vertices, each is drawn with a
/// probability of 1/*n*, up to 2⁻³².
#[inline(always)]
fn play_one<const CHECKS: u8>(
    position: &mut Position,
    empty: &mut [EmptyVertex],
    played: &mut usize,
    color: Color,
    random: u32,
) -> Structures {
    let left = empty.len() - *played;
    let drawn = *played + ((random as u64 * left as u64) >> 32) as usize;
    let vertex = exchange(empty, *played, drawn);
    *played += 1;
    position.place_checked::<CHECKS>(color, vertex.cell)
}

/// Exchanges the vertices at `i` and `j`, and returns the one that is now at `i`.
#[inline(always)]
fn exchange(empty: &mut [EmptyVertex], i: usize, j: usize) -> EmptyVertex {
    debug_assert!(i < empty.len() && j < empty.len());
    // SAFETY: `i` is the number of moves played, which is below the length, and `j` is `i` plus less than what is left.
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
    use crate::game::{Geometry, checks};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The expected mean lengths were measured by an independent implementation.
    #[test]
    fn uniform_playouts_have_the_known_mean_lengths() {
        for (side, known) in [(4, 27.9), (5, 46.5), (6, 68.6), (8, 120.5), (10, 179.8)] {
            let geometry = Geometry::of(side).unwrap();
            let (empty, mut rng) = (Position::new(geometry), Xoshiro256PlusPlus::seed_from_u64(side as u64));
            let mut position = empty.clone();
            let mut vertices = EmptyVertices::of(&empty).left().to_vec();
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
