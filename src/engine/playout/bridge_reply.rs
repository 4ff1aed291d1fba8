//! Uniform playouts with bridge replies: a player saves a two-bridge into which the opponent intrudes.
//!
//! Two stones form a two-bridge if two empty vertices, the carrier, are adjacent to both of them. A stone and the rim
//! form one in the same way. If the opponent takes one vertex of the carrier, the reply is to take the other. A playout
//! replies only if that makes a new connection, and only with the probability in the option
//! [`bridge_reply`](crate::engine::search::SearchOptions::bridge_reply). Castro and Lajkonik do the same. It gains much
//! strength on large boards, and none on the smallest.

use rand::Rng;

use crate::game::{Cell, Color, Position};

use super::uniform::play_uniform_within;
use super::{EmptyVertex, EmptyVertices, Ending};

/// Plays random moves on `position` until somebody completes one of the structures in `CHECKS`, a constant of
/// [`crate::game::checks`], or the board is full. `first` moves first.
///
/// Intrusions are answered with the probability `reply_odds` / 256, beginning with one by `last`, the stone before the
/// playout. `pool` must hold the empty vertices of `position`, in any order. Afterwards `moves` begins with the moves
/// played, in order.
///
/// # Panics
/// Panics if `moves` is shorter than `pool`.
#[inline]
fn play_with_bridge_replies<const CHECKS: u8>(
    position: &mut Position,
    (pool, moves): (&mut [EmptyVertex], &mut [EmptyVertex]),
    last: Option<Cell>,
    first: Color,
    reply_odds: u32,
    rng: &mut impl Rng,
) -> Ending {
    match first {
        Color::White => alternate::<CHECKS, 0>(position, (pool, moves), last, reply_odds, rng),
        Color::Black => alternate::<CHECKS, 1>(position, (pool, moves), last, reply_odds, rng),
    }
}

/// Plays an unweighted playout from `position`, whose empty vertices are those left in `empty`: with bridge replies
/// ([`play_with_bridge_replies`]), or, if `reply_odds` is 0, a uniform one of `limit` moves at most. The vertex taken
/// last from `empty` holds the stone before the playout. Afterwards `moves` begins with the moves played, in order.
#[inline]
pub(crate) fn play_unweighted<const CHECKS: u8>(
    position: &mut Position,
    empty: &EmptyVertices,
    (pool, moves): (&mut Vec<EmptyVertex>, &mut Vec<EmptyVertex>),
    (first, limit): (Color, usize),
    reply_odds: u32,
    rng: &mut (impl Rng + Clone),
) -> Ending {
    moves.clear();
    moves.extend_from_slice(empty.left());
    if reply_odds == 0 {
        return play_uniform_within::<CHECKS>(position, moves, first, limit, rng);
    }
    pool.clear();
    pool.extend_from_slice(empty.left());
    let last = empty.taken().last().map(|taken| taken.cell);
    play_with_bridge_replies::<CHECKS>(position, (pool, moves), last, first, reply_odds, rng)
}

/// The loop of [`play_with_bridge_replies`]. The colours are constants, so that the compiler specialises the board's
/// code for each.
#[inline(always)]
fn alternate<const CHECKS: u8, const FIRST: usize>(
    position: &mut Position,
    (pool, moves): (&mut [EmptyVertex], &mut [EmptyVertex]),
    last: Option<Cell>,
    reply_odds: u32,
    rng: &mut impl Rng,
) -> Ending {
    assert!(moves.len() >= pool.len());
    let (first, second) = (Color::ALL[FIRST], Color::ALL[1 - FIRST]);
    let mut playout = Playout { pool, moves, last, drawn: 0, played: 0, reply_odds };
    loop {
        // One 64-bit random number is enough for two moves.
        let random = rng.next_u64();
        if let Some(ending) = playout.play_one::<CHECKS>(position, first, random as u32, rng) {
            return ending;
        }
        if let Some(ending) = playout.play_one::<CHECKS>(position, second, (random >> 32) as u32, rng) {
            return ending;
        }
    }
}

/// A playout in progress.
struct Playout<'a> {
    pool: &'a mut [EmptyVertex],
    moves: &'a mut [EmptyVertex],
    last: Option<Cell>,
    /// The number of vertices drawn from the pool.
    drawn: usize,
    /// The number of moves played.
    played: usize,
    reply_odds: u32,
}

impl Playout<'_> {
    /// Plays a move of `color`. 8 bits of `random` decide whether an intrusion is answered. If not, the other 24 draw
    /// the move. Returns the ending if the playout is over.
    #[inline(always)]
    fn play_one<const CHECKS: u8>(
        &mut self,
        position: &mut Position,
        color: Color,
        random: u32,
        rng: &mut impl Rng,
    ) -> Option<Ending> {
        let intrusion = self.last.filter(|_| random & 0xff < self.reply_odds);
        let reply = intrusion.and_then(|last| find_bridge_reply(position, color, last));
        let Some(vertex) = reply.or_else(|| self.draw(position, random >> 8, rng)) else {
            return Some(Ending { length: self.played, winner: None, structures: Default::default() });
        };
        self.moves[self.played] = vertex;
        self.played += 1;
        self.last = Some(vertex.cell);
        let structures = position.place_checked::<CHECKS>(color, vertex.cell);
        let ending = Ending { length: self.played, winner: Some(color), structures };
        (!structures.is_empty()).then_some(ending)
    }

    /// Draws an empty vertex, or returns `None` if the board is full. `random` has 24 bits; of *n* vertices in the
    /// pool, each is drawn with a probability of 1/*n*, up to 2⁻²⁴. Vertices taken by replies are still in the pool; if
    /// one of them is drawn, it is dropped and another is drawn.
    #[inline(always)]
    fn draw(&mut self, position: &Position, random: u32, rng: &mut impl Rng) -> Option<EmptyVertex> {
        let mut random = random;
        while self.drawn < self.pool.len() {
            let left = self.pool.len() - self.drawn;
            let at = self.drawn + ((random as u64 * left as u64) >> 24) as usize;
            let vertex = self.pool[at];
            self.pool[at] = self.pool[self.drawn];
            self.drawn += 1;
            if position.neighbourhood(vertex.cell).is_empty() {
                return Some(vertex);
            }
            random = rng.next_u32() >> 8;
        }
        None
    }
}

/// The reply of `color` to the opponent's stone on `last`, if that intrudes into a two-bridge and the reply makes a new
/// connection. Of several replies, the one with the lowest direction is returned.
#[inline(always)]
fn find_bridge_reply(position: &Position, color: Color, last: Cell) -> Option<EmptyVertex> {
    let replies = position.needed_bridge_replies(color, last);
    if replies == 0 {
        return None;
    }
    let geometry = position.geometry();
    let cell = last.step(geometry.offsets()[replies.trailing_zeros() as usize]);
    geometry.vertex_of(cell).map(|vertex| EmptyVertex { cell, vertex })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::playout::EmptyVertices;
    use crate::game::{Geometry, MAX_SIDE, MIN_SIDE, Vertex, checks};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn play(geometry: &'static Geometry, reply_odds: u32, rng: &mut Xoshiro256PlusPlus) -> (Vec<EmptyVertex>, Ending) {
        let mut position = Position::new(geometry);
        let mut pool = EmptyVertices::new(&position).left().to_vec();
        let mut moves = pool.clone();
        let ending = play_with_bridge_replies::<{ checks::ALL }>(
            &mut position,
            (&mut pool, &mut moves),
            None,
            Color::White,
            reply_odds,
            rng,
        );
        moves.truncate(ending.length);
        (moves, ending)
    }

    #[test]
    fn playouts_are_legal_games_that_end_when_they_are_over() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        // Miri takes a second for each playout.
        let (largest, games) = if cfg!(miri) { (4, 5) } else { (MAX_SIDE, 50) };
        for side in MIN_SIDE..=largest {
            let geometry = Geometry::with_side(side).unwrap();
            for _ in 0..games {
                let (moves, ending) = play(geometry, 128, &mut rng);
                let mut position = Position::new(geometry);
                let mut color = Color::White;
                for (i, played) in moves.iter().enumerate() {
                    assert!(position.is_empty(played.vertex));
                    let structures = position.place(color, played.vertex);
                    assert_eq!(structures.is_empty(), i + 1 < moves.len() || ending.winner.is_none());
                    assert!(structures.is_empty() || (ending.winner, ending.structures) == (Some(color), structures));
                    color = !color;
                }
                assert_eq!(ending.length, moves.len());
                assert!(ending.winner.is_some() || moves.len() == geometry.vertex_count());
            }
        }
    }

    /// There is a reply if and only if the intrusion threatens a connection that no chain makes yet.
    #[test]
    fn replies_connect_something_new() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut answered, mut needless) = (0, 0);
        for side in [4, 6, 8].repeat(50) {
            let geometry = Geometry::with_side(side).unwrap();
            let (moves, _) = play(geometry, 128, &mut rng);
            let (mut position, mut color) = (Position::new(geometry), Color::White);
            for intrusion in moves {
                position.place(color, intrusion.vertex);
                color = !color;
                let needed = |reply: Vertex| {
                    let both = |v: &&Vertex| geometry.neighbours(reply).contains(v);
                    let around = geometry.neighbours(intrusion.vertex);
                    let ends: Vec<Vertex> = around.iter().filter(both).copied().collect();
                    let chains = ends.iter().map(|&v| (position.stone(v) == Some(color)).then(|| position.chain(v)));
                    match chains.collect::<Vec<_>>()[..] {
                        [Some((one, _)), Some((other, _))] => Some(one != other),
                        [Some((_, held))] => Some(geometry.rim(reply) & !held != 0),
                        _ => None,
                    }
                };
                let empty = geometry.neighbours(intrusion.vertex).iter().copied().filter(|&v| position.is_empty(v));
                let replies: Vec<(Vertex, bool)> = empty.filter_map(|v| Some((v, needed(v)?))).collect();
                match find_bridge_reply(&position, color, intrusion.cell) {
                    Some(reply) => assert!(replies.contains(&(reply.vertex, true))),
                    None => assert!(replies.iter().all(|(_, needed)| !needed)),
                }
                answered += replies.iter().any(|(_, needed)| *needed) as u32;
                needless += (!replies.is_empty() && replies.iter().all(|(_, needed)| !needed)) as u32;
            }
        }
        assert!(answered > 300 && needless > 30, "{answered} and {needless}");
    }

    /// With probability 1 every intrusion is answered, with probability 0 only by coincidence.
    #[test]
    fn intrusions_are_answered_with_the_given_probability() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let geometry = Geometry::with_side(8).unwrap();
        for (reply_odds, least, most) in [(0, 0.0, 0.1), (128, 0.45, 0.6), (256, 1.0, 1.0)] {
            let (mut intrusions, mut answered) = (0, 0);
            for _ in 0..100 {
                let (moves, _) = play(geometry, reply_odds, &mut rng);
                let mut position = Position::new(geometry);
                let mut color = Color::White;
                for pair in moves.windows(2) {
                    position.place(color, pair[0].vertex);
                    color = !color;
                    if let Some(reply) = find_bridge_reply(&position, color, pair[0].cell) {
                        intrusions += 1;
                        answered += (reply == pair[1]) as usize;
                    }
                }
            }
            let share = answered as f64 / intrusions as f64;
            assert!(intrusions > 300 && (least..=most).contains(&share), "{reply_odds}: {share} of {intrusions}");
        }
    }
}
