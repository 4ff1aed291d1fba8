//! Uniform playouts that answer intrusions into two-bridges: where the last stone came between two stones of the
//! player to move, or between one and the rim, on one of the two empty vertices that joined them, the other is taken.
//!
//! Castro and Lajkonik do this on large boards. Here, with a probability of one half and 0.1 s a move, 117 ± 45 Elo on
//! side 8; with 0.8 instead another 70 ± 36 on side 8, 14 ± 35 on side 6, -23 ± 25 on side 5 and -68 ± 28 on side 4, so
//! small boards keep one half. Only answers that join what is not joined yet, 6 % fewer than all: 100 ± 36 more on side
//! 6. Always instead of 0.8, of those only: 58 ± 32 on side 6 and 53 ± 39 on side 8, at 0.15 s (one standard error, 80 to
//! 200 games each). A playout takes about a tenth longer.

use rand::Rng;

use super::uniform::uniform_within;
use super::{EmptyVertex, EmptyVertices, Ending};
use crate::board::{Cell, Color, Position};

/// Plays random moves on `position`, `first` moving first, until a structure that `CHECKS` (of
/// [`crate::board::checks`]) names is completed or the board is full. An intrusion is answered with the probability
/// `answer` (in 1/256), also that of `last`, the stone before the playout. Afterwards the beginning of `moves` holds the
/// moves played.
///
/// `pool` must be the empty vertices of `position`, in any order.
///
/// # Panics
/// If `moves` is shorter than `pool`.
#[inline]
pub(crate) fn with_bridge_replies<const CHECKS: u8>(
    position: &mut Position,
    (pool, moves): (&mut [EmptyVertex], &mut [EmptyVertex]),
    last: Option<Cell>,
    first: Color,
    answer: u32,
    rng: &mut impl Rng,
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, 0>(position, (pool, moves), last, answer, rng),
        Color::Black => alternate::<CHECKS, 1>(position, (pool, moves), last, answer, rng),
    }
}

/// A playout by [`with_bridge_replies`] from `position`, whose empty vertices are those left in `spots`, of which the last one taken
/// holds the stone before the playout; or, where nothing is to be answered, a uniform one of `limit` moves at the most.
/// Afterwards the beginning of `moves` holds the moves played.
#[inline]
pub(crate) fn unweighted<const CHECKS: u8>(
    position: &mut Position,
    spots: &EmptyVertices,
    (pool, moves): (&mut Vec<EmptyVertex>, &mut Vec<EmptyVertex>),
    (first, limit): (Color, usize),
    answer: u32,
    rng: &mut impl Rng,
) -> Ending {
    moves.clear();
    moves.extend_from_slice(spots.left());
    if answer == 0 {
        return uniform_within::<CHECKS>(position, moves, first, limit, rng);
    }
    pool.clear();
    pool.extend_from_slice(spots.left());
    let last = spots.taken().last().map(|spot| spot.cell);
    with_bridge_replies::<CHECKS>(position, (pool, moves), last, first, answer, rng)
}

/// As [`with_bridge_replies`]; the colours are constants, so that the board's code for each is made of constants.
#[inline(always)]
fn alternate<const CHECKS: u8, const FIRST: usize>(
    position: &mut Position,
    (pool, moves): (&mut [EmptyVertex], &mut [EmptyVertex]),
    last: Option<Cell>,
    answer: u32,
    rng: &mut impl Rng,
) -> Ending {
    assert!(moves.len() >= pool.len());
    let (first, second) = (Color::ALL[FIRST], Color::ALL[1 - FIRST]);
    let mut game = Progress { pool, moves, last, drawn: 0, played: 0, answer };
    loop {
        // One random number of 64 bits serves two moves.
        let random = rng.next_u64();
        if let Some(ending) = game.play_one::<CHECKS>(position, first, random as u32, rng) {
            return ending;
        }
        if let Some(ending) = game.play_one::<CHECKS>(position, second, (random >> 32) as u32, rng) {
            return ending;
        }
    }
}

/// A playout under way.
struct Progress<'a> {
    pool: &'a mut [EmptyVertex],
    moves: &'a mut [EmptyVertex],
    last: Option<Cell>,
    /// How many spots of the pool have been drawn.
    drawn: usize,
    played: usize,
    answer: u32,
}

impl Progress<'_> {
    /// Plays a move of `color`: 8 bits of `random` decide whether an intrusion is answered, 24 draw the move otherwise.
    #[inline(always)]
    fn play_one<const CHECKS: u8>(
        &mut self,
        position: &mut Position,
        color: Color,
        random: u32,
        rng: &mut impl Rng,
    ) -> Option<Ending> {
        let intrusion = self.last.filter(|_| random & 0xff < self.answer);
        let answer = intrusion.and_then(|last| find_bridge_reply(position, color, last));
        let Some(spot) = answer.or_else(|| self.draw(position, random >> 8, rng)) else {
            return Some(Ending { length: self.played, winner: None, structures: Default::default() });
        };
        debug_assert!(self.played < self.moves.len());
        // SAFETY: each move takes a vertex of the pool that was empty till then, so there are no more moves than the
        // pool has spots, and `moves` is no shorter than that.
        unsafe { *self.moves.get_unchecked_mut(self.played) = spot };
        self.played += 1;
        self.last = Some(spot.cell);
        let structures = position.place_checked::<CHECKS>(color, spot.cell);
        let ending = Ending { length: self.played, winner: Some(color), structures };
        (!structures.is_empty()).then_some(ending)
    }

    /// An empty vertex drawn by 24 random bits, or `None` where none is left. Answers stay in the pool, and are passed
    /// over here. The draw is uniform up to 2⁻²⁴ × the number of spots.
    #[inline(always)]
    fn draw(&mut self, position: &Position, random: u32, rng: &mut impl Rng) -> Option<EmptyVertex> {
        let mut random = random;
        while self.drawn < self.pool.len() {
            let left = self.pool.len() - self.drawn;
            let at = self.drawn + ((random as u64 * left as u64) >> 24) as usize;
            debug_assert!(at < self.pool.len());
            // SAFETY: `drawn` is below the length, and `at` is that plus a fraction below one of what is left.
            let spot = unsafe {
                let spot = *self.pool.get_unchecked(at);
                *self.pool.get_unchecked_mut(at) = *self.pool.get_unchecked(self.drawn);
                spot
            };
            self.drawn += 1;
            if position.neighbourhood(spot.cell).is_empty() {
                return Some(spot);
            }
            random = rng.next_u32() >> 8;
        }
        None
    }
}

/// The answer of `color` to an intrusion at `last`, if it is one.
#[inline(always)]
pub(crate) fn find_bridge_reply(position: &Position, color: Color, last: Cell) -> Option<EmptyVertex> {
    let answers = position.needed_bridge_replies(color, last);
    if answers == 0 {
        return None;
    }
    let geometry = position.geometry();
    let cell = last.step(geometry.offsets()[answers.trailing_zeros() as usize]);
    geometry.vertex_of(cell).map(|vertex| EmptyVertex { cell, vertex })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, MAX_SIDE, MIN_SIDE, Vertex, checks};
    use crate::playout::EmptyVertices;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn play(geometry: &'static Geometry, answer: u32, rng: &mut Xoshiro256PlusPlus) -> (Vec<EmptyVertex>, Ending) {
        let mut position = Position::new(geometry);
        let mut pool = EmptyVertices::of(&position).left().to_vec();
        let mut moves = pool.clone();
        let ending = with_bridge_replies::<{ checks::ALL }>(
            &mut position,
            (&mut pool, &mut moves),
            None,
            Color::White,
            answer,
            rng,
        );
        moves.truncate(ending.length);
        (moves, ending)
    }

    #[test]
    fn playouts_are_legal_games_to_their_end() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            for _ in 0..50 {
                let (moves, ending) = play(geometry, 128, &mut rng);
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

    /// An intrusion is answered if, and only if, there is an answer that joins what no chain has joined yet.
    #[test]
    fn answers_join_what_is_not_joined() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut answered, mut needless) = (0, 0);
        for side in [4, 6, 8].repeat(50) {
            let geometry = Geometry::of(side).unwrap();
            let (moves, _) = play(geometry, 128, &mut rng);
            let (mut position, mut color) = (Position::new(geometry), Color::White);
            for spot in moves {
                position.place(color, spot.vertex);
                color = !color;
                let needed = |answer: Vertex| {
                    let both = |v: &&Vertex| geometry.neighbours(answer).contains(v);
                    let flanks: Vec<Vertex> = geometry.neighbours(spot.vertex).iter().filter(both).copied().collect();
                    let chains = flanks.iter().map(|&v| (position.stone(v) == Some(color)).then(|| position.chain(v)));
                    match chains.collect::<Vec<_>>()[..] {
                        [Some((one, _)), Some((other, _))] => Some(one != other),
                        [Some((_, held))] => Some(geometry.rim(answer) & !held != 0),
                        _ => None,
                    }
                };
                let empty = geometry.neighbours(spot.vertex).iter().copied().filter(|&v| position.is_empty(v));
                let answers: Vec<(Vertex, bool)> = empty.filter_map(|v| Some((v, needed(v)?))).collect();
                match find_bridge_reply(&position, color, spot.cell) {
                    Some(answer) => assert!(answers.contains(&(answer.vertex, true))),
                    None => assert!(answers.iter().all(|(_, needed)| !needed)),
                }
                answered += answers.iter().any(|(_, needed)| *needed) as u32;
                needless += (!answers.is_empty() && answers.iter().all(|(_, needed)| !needed)) as u32;
            }
        }
        assert!(answered > 300 && needless > 30, "{answered} and {needless}");
    }

    /// With probability one every intrusion is answered, with probability zero only by chance.
    #[test]
    fn intrusions_are_answered_as_often_as_asked() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let geometry = Geometry::of(8).unwrap();
        for (answer, least, most) in [(0, 0.0, 0.1), (128, 0.45, 0.6), (256, 1.0, 1.0)] {
            let (mut intrusions, mut answered) = (0, 0);
            for _ in 0..100 {
                let (moves, _) = play(geometry, answer, &mut rng);
                let mut position = Position::new(geometry);
                let mut color = Color::White;
                for pair in moves.windows(2) {
                    position.place(color, pair[0].vertex);
                    color = !color;
                    if let Some(spot) = find_bridge_reply(&position, color, pair[0].cell) {
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
