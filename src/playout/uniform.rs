//! Uniform playouts: every empty vertex is as likely as any other.

use rand::Rng;

use super::{EmptyVertex, Ending};
use crate::board::{Color, Position, Structures};

/// Plays random moves on `position`, `first` moving first, until a structure that `CHECKS` (of
/// [`crate::board::checks`]) names is completed or no spot is left. Afterwards the beginning of `spots` holds the moves
/// played, in order.
///
/// `spots` must be the empty vertices of `position`, in any order.
#[inline]
pub(crate) fn uniform<const CHECKS: u8>(
    position: &mut Position,
    spots: &mut [EmptyVertex],
    first: Color,
    rng: &mut impl Rng,
) -> Ending {
    uniform_within::<CHECKS>(position, spots, first, usize::MAX, rng)
}

/// As [`uniform`], but stops after `limit` moves.
#[inline]
pub(crate) fn uniform_within<const CHECKS: u8>(
    position: &mut Position,
    spots: &mut [EmptyVertex],
    first: Color,
    limit: usize,
    rng: &mut impl Rng,
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, false, 0>(position, spots, limit, rng),
        Color::Black => alternate::<CHECKS, false, 1>(position, spots, limit, rng),
    }
}

/// As [`uniform`], but goes on until no spot is left (the full playouts of the paper's section 9); the ending is still
/// that of the first win.
pub(crate) fn fill<const CHECKS: u8>(
    position: &mut Position,
    spots: &mut [EmptyVertex],
    first: Color,
    rng: &mut impl Rng,
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, true, 0>(position, spots, usize::MAX, rng),
        Color::Black => alternate::<CHECKS, true, 1>(position, spots, usize::MAX, rng),
    }
}

/// The one loop behind all; the colours are constants, so that the board's code for each is made of constants.
#[inline(always)]
fn alternate<const CHECKS: u8, const FULL: bool, const FIRST: usize>(
    position: &mut Position,
    spots: &mut [EmptyVertex],
    limit: usize,
    rng: &mut impl Rng,
) -> Ending {
    let (first, second) = (Color::ALL[FIRST], Color::ALL[1 - FIRST]);
    let end = spots.len().min(limit);
    let mut won: Option<Ending> = None;
    let mut played = 0;
    while played < end {
        // One random number of 64 bits serves two moves.
        let random = rng.next_u64();
        let structures = play_one::<CHECKS>(position, spots, &mut played, first, random as u32);
        if !structures.is_empty() {
            won.get_or_insert(Ending { length: played, winner: Some(first), structures });
            if !FULL {
                break;
            }
        }
        if played == end {
            break;
        }
        let structures = play_one::<CHECKS>(position, spots, &mut played, second, (random >> 32) as u32);
        if !structures.is_empty() {
            won.get_or_insert(Ending { length: played, winner: Some(second), structures });
            if !FULL {
                break;
            }
        }
    }
    won.unwrap_or(Ending { length: played, winner: None, structures: Structures::NONE })
}

/// Draws one of the spots behind the first `played` with 32 random bits, uniformly up to 2⁻³² × the number of spots, and
/// plays there.
#[inline(always)]
fn play_one<const CHECKS: u8>(
    position: &mut Position,
    spots: &mut [EmptyVertex],
    played: &mut usize,
    color: Color,
    bits: u32,
) -> Structures {
    let left = spots.len() - *played;
    let drawn = *played + ((bits as u64 * left as u64) >> 32) as usize;
    let spot = exchange(spots, *played, drawn);
    *played += 1;
    position.place_checked::<CHECKS>(color, spot.cell)
}

/// Exchanges two spots and returns the one that is now first.
#[inline(always)]
fn exchange(spots: &mut [EmptyVertex], i: usize, j: usize) -> EmptyVertex {
    debug_assert!(i < spots.len() && j < spots.len());
    // SAFETY: `i` counts moves played and is below the length; `j` is `i` plus a fraction below one of what is left.
    unsafe {
        let (a, b) = (*spots.get_unchecked(i), *spots.get_unchecked(j));
        *spots.get_unchecked_mut(i) = b;
        *spots.get_unchecked_mut(j) = a;
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, RingFinder, checks};
    use crate::playout::EmptyVertices;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Mean lengths of uniform playouts until the first win, all structures checked, are those measured by an
    /// independent implementation.
    #[test]
    fn mean_lengths_are_those_known() {
        for (side, known) in [(4, 27.9), (5, 46.5), (6, 68.6), (8, 120.5), (10, 179.8)] {
            let geometry = Geometry::of(side).unwrap();
            let (empty, mut rng) = (Position::new(geometry), Xoshiro256PlusPlus::seed_from_u64(side as u64));
            let all = EmptyVertices::of(&empty);
            let mut position = empty.clone();
            let mut spots = all.left().to_vec();
            let games = 20_000;
            let moves: usize = (0..games)
                .map(|_| {
                    position.copy_from(&empty);
                    uniform::<{ checks::ALL }>(&mut position, &mut spots, Color::White, &mut rng).length
                })
                .sum();
            let mean = moves as f64 / games as f64;
            assert!((mean / known - 1.0).abs() < 0.005, "side {side}: {mean}, {known} is known");
        }
    }

    /// The first stone of a playout that stops at bridges and forks only, and of one that looks for rings: offline
    /// (section 8) and online detection give the same winner and the same length.
    #[test]
    fn rings_offline_and_online_end_playouts_alike() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for side in crate::board::MIN_SIDE..=crate::board::MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            let empty = Position::new(geometry);
            let mut spots = EmptyVertices::of(&empty).left().to_vec();
            let mut rings = RingFinder::new(geometry);
            for game in 0..200 {
                let first = Color::ALL[game % 2];
                let mut position = empty.clone();
                let ending = uniform::<{ checks::BRIDGE_FORK }>(&mut position, &mut spots, first, &mut rng);
                let moves: Vec<_> = spots[..ending.length].iter().map(|s| s.vertex).collect();
                let ring = Color::ALL.into_iter().filter_map(|c| Some((rings.earliest(&moves, first, c)?, c))).min();
                let mut online = empty.clone();
                let mut color = first;
                let mut length = 0;
                let structures = moves.iter().map(|&v| {
                    color = !color;
                    length += 1;
                    online.place(!color, v)
                });
                let structures = structures.into_iter().find(|s| !s.is_empty()).unwrap_or(Structures::NONE);
                match ring {
                    Some((at, winner)) => {
                        assert_eq!((length, !color), (at + 1, winner));
                        assert!(structures.contains(Structures::RING));
                    }
                    None => {
                        assert_eq!(length, ending.length);
                        assert_eq!(structures, ending.structures);
                        assert!(structures.is_empty() || ending.winner == Some(!color));
                    }
                }
            }
        }
    }
}
