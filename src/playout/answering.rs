//! Uniform playouts that answer intrusions into two-bridges: where the last stone came between two stones of the
//! player to move, or between one and the rim, on one of the two empty vertices that joined them, the other is taken.
//!
//! Castro and Lajkonik do this on large boards. Here, at equal playouts and with a probability of one half, 53 ± 24 Elo
//! on side 5 and 38 ± 24 on side 8 (200 games each, 3,000 playouts a move); always answering gave 7 ± 24 and 63 ± 24.
//! A playout takes about a tenth longer.

use rand::Rng;

use super::{Ending, Spot};
use crate::board::{Cell, Color, Position};

/// Plays random moves on `position`, `first` moving first, until a structure that `CHECKS` (of
/// [`crate::board::checks`]) names is completed or the board is full. An intrusion is answered with the probability `answer` (in 2⁻¹⁶), also that of `last`, the stone before the playout.
///
/// `pool` must be the empty vertices of `position`, in any order; `moves`, empty, is given the moves played.
#[inline]
pub(crate) fn answering<const CHECKS: u8>(
    position: &mut Position,
    (pool, moves): (&mut [Spot], &mut Vec<Spot>),
    last: Option<Cell>,
    first: Color,
    answer: u32,
    rng: &mut impl Rng,
) -> Ending {
    let (mut color, mut last, mut drawn) = (first, last, 0);
    loop {
        let random = rng.next_u64();
        let answer = last.filter(|_| random >> 48 < answer as u64).and_then(|last| find_answer(position, color, last));
        let Some(spot) = answer.or_else(|| draw(position, pool, &mut drawn, random as u32, rng)) else {
            return Ending { length: moves.len(), winner: None, structures: Default::default() };
        };
        moves.push(spot);
        let structures = position.place_checked::<CHECKS>(color, spot.cell);
        if !structures.is_empty() {
            return Ending { length: moves.len(), winner: Some(color), structures };
        }
        last = Some(spot.cell);
        color = !color;
    }
}

/// The answer of `color` to an intrusion at `last`, if it is one.
#[inline(always)]
fn find_answer(position: &Position, color: Color, last: Cell) -> Option<Spot> {
    let answers = position.bridge_answers_at(color, last);
    if answers == 0 {
        return None;
    }
    let geometry = position.geometry();
    let cell = last.step(geometry.offsets()[answers.trailing_zeros() as usize]);
    geometry.vertex_of(cell).map(|vertex| Spot { cell, vertex })
}

/// A random empty vertex. Answers stay in the pool, and are passed over here.
#[inline(always)]
fn draw(position: &Position, pool: &mut [Spot], drawn: &mut usize, random: u32, rng: &mut impl Rng) -> Option<Spot> {
    let mut random = random;
    while *drawn < pool.len() {
        let at = *drawn + ((random as u64 * (pool.len() - *drawn) as u64) >> 32) as usize;
        let spot = pool[at];
        pool[at] = pool[*drawn];
        *drawn += 1;
        if position.neighbourhood(spot.cell).is_empty() {
            return Some(spot);
        }
        random = rng.next_u32();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, MAX_SIDE, MIN_SIDE, checks};
    use crate::playout::EmptySpots;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn play(geometry: &'static Geometry, answer: u32, rng: &mut Xoshiro256PlusPlus) -> (Vec<Spot>, Ending) {
        let mut position = Position::new(geometry);
        let (mut pool, mut moves) = (EmptySpots::of(&position).left().to_vec(), Vec::new());
        let ending =
            answering::<{ checks::ALL }>(&mut position, (&mut pool, &mut moves), None, Color::White, answer, rng);
        (moves, ending)
    }

    #[test]
    fn playouts_are_legal_games_to_their_end() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            for _ in 0..50 {
                let (moves, ending) = play(geometry, 1 << 15, &mut rng);
                let mut position = Position::new(geometry);
                let mut color = Color::White;
                for (i, spot) in moves.iter().enumerate() {
                    assert!(position.is_empty(spot.vertex));
                    let structures = position.place(color, spot.vertex);
                    assert_eq!(structures.is_empty(), i + 1 < moves.len() || ending.winner.is_none());
                    assert!(structures.is_empty() || (ending.winner, ending.structures) == (Some(color), structures));
                    color = !color;
                }
                assert_eq!(ending.length, moves.len());
                assert!(ending.winner.is_some() || moves.len() == geometry.vertex_count());
            }
        }
    }

    /// With probability one every intrusion is answered, with probability zero only by chance.
    #[test]
    fn intrusions_are_answered_as_often_as_asked() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let geometry = Geometry::of(8).unwrap();
        for (answer, least, most) in [(0, 0.0, 0.1), (1 << 15, 0.45, 0.6), (1 << 16, 1.0, 1.0)] {
            let (mut intrusions, mut answered) = (0, 0);
            for _ in 0..100 {
                let (moves, _) = play(geometry, answer, &mut rng);
                let mut position = Position::new(geometry);
                let mut color = Color::White;
                for pair in moves.windows(2) {
                    position.place(color, pair[0].vertex);
                    color = !color;
                    if let Some(spot) = find_answer(&position, color, pair[0].cell) {
                        intrusions += 1;
                        answered += (spot == pair[1]) as usize;
                    }
                }
            }
            let share = answered as f64 / intrusions as f64;
            assert!(intrusions > 300 && (least..=most).contains(&share), "{answer}: {share} of {intrusions}");
        }
    }
}
