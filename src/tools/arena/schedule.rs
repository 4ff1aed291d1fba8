//! The games of a match: a round robin or a gauntlet of pairs of games with colours exchanged, which may be split into
//! shards.

use std::fmt;
use std::str::FromStr;

use crate::tools::ToolError;

/// One game of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of the game in the whole match, from 0. It does not depend on the shard.
    pub game: usize,
    /// The number of the opening, from 0.
    pub opening: usize,
    /// The indices of the engines that play white and black.
    pub players: [usize; 2],
}

/// A part of a match, of a run of self-play, or of a list of positions: every `of`-th item, starting with the
/// `index`-th (counted from 1). The items of a match are pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The part, from 1.
    pub index: usize,
    /// The number of parts.
    pub of: usize,
}

impl Shard {
    /// The whole.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Whether the item with this number, counted from 0, is in the part.
    pub fn has(self, number: usize) -> bool {
        number % self.of == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Shard, ToolError> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            _ => Err("expected I/N with 1 ≤ I ≤ N, such as 3/8".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// The games of a shard, in the order in which they start. Every pairing plays the first opening with both colours,
/// then the second, and so on, so that all pairings advance at the same rate.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    games: usize,
    shard: Shard,
}

impl Schedule {
    /// The games between this many engines, `games` of each pairing. If that is odd, the last opening is played only
    /// once.
    pub fn new(engines: usize, games: usize, shard: Shard) -> Schedule {
        let pairings = (0..engines).flat_map(|i| (i + 1..engines).map(move |j| [i, j])).collect();
        Schedule { pairings, games, shard }
    }

    /// Like [`Schedule::new`], but only the first engine plays the others.
    pub fn gauntlet(engines: usize, games: usize, shard: Shard) -> Schedule {
        Schedule { pairings: (1..engines).map(|j| [0, j]).collect(), games, shard }
    }

    /// The number of games.
    pub fn count(&self) -> usize {
        let per_opening = self.pairings.len();
        let of_shard = |pairs: usize| (pairs + self.shard.of - self.shard.index) / self.shard.of;
        let whole = of_shard((self.games / 2).saturating_mul(per_opening));
        let with_last = of_shard(self.games.div_ceil(2).saturating_mul(per_opening));
        (2 * whole).saturating_add(with_last - whole)
    }

    /// The game with this number, counted from 0 in the whole match, if it is one of these.
    pub fn slot(&self, game: usize) -> Option<Slot> {
        let pair = game / 2;
        let is_second = game % 2 == 1;
        let opening = pair / self.pairings.len();
        let is_there = self.shard.has(pair) && opening < self.games.div_ceil(2);
        let [first, second] = self.pairings[pair % self.pairings.len()];
        if is_second {
            (is_there && opening < self.games / 2).then_some(Slot { game, opening, players: [second, first] })
        } else {
            is_there.then_some(Slot { game, opening, players: [first, second] })
        }
    }

    /// All games.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        let pairs = self.games.div_ceil(2).saturating_mul(self.pairings.len());
        let pairs = (self.shard.index - 1..pairs).step_by(self.shard.of);
        pairs.flat_map(|pair| [2 * pair, 2 * pair + 1]).filter_map(|game| self.slot(game))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pairing_plays_each_opening_with_both_colours() {
        let schedule = Schedule::new(3, 4, Shard::WHOLE);
        let slots: Vec<Slot> = schedule.slots().collect();
        assert_eq!((slots.len(), schedule.count()), (3 * 4, 3 * 4));
        assert!(slots.iter().enumerate().all(|(i, slot)| slot.game == i));
        for pair in slots.chunks(2) {
            let [white, black] = pair[0].players;
            assert_eq!((pair[1].players, pair[1].opening), ([black, white], pair[0].opening));
        }
        assert_eq!(slots[6].opening, 1);
    }

    #[test]
    fn in_a_gauntlet_the_first_engine_plays_all_others() {
        let schedule = Schedule::gauntlet(4, 4, Shard::WHOLE);
        let slots: Vec<Slot> = schedule.slots().collect();
        assert_eq!((slots.len(), schedule.count()), (3 * 4, 3 * 4));
        assert!(slots.iter().all(|slot| slot.players.contains(&0)));
        for engine in 1..4 {
            assert_eq!(slots.iter().filter(|slot| slot.players.contains(&engine)).count(), 4);
        }
    }

    #[test]
    fn an_odd_number_of_games_leaves_the_last_pair_incomplete() {
        let schedule = Schedule::new(2, 3, Shard::WHOLE);
        assert_eq!(schedule.slots().map(|slot| slot.game).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((schedule.count(), schedule.slot(3)), (3, None));
    }

    #[test]
    fn shards_partition_the_match_by_pairs() {
        let shards = [1, 2, 3].map(|index| Schedule::new(3, 21, Shard { index, of: 3 }));
        let mut union = Vec::new();
        for shard in &shards {
            let slots: Vec<Slot> = shard.slots().collect();
            assert_eq!(slots.len(), shard.count());
            assert!(slots.iter().all(|slot| shard.slot(slot.game) == Some(*slot)));
            union.extend(slots);
        }
        union.sort_by_key(|slot| slot.game);
        assert_eq!(union, Schedule::new(3, 21, Shard::WHOLE).slots().collect::<Vec<_>>());
    }

    #[test]
    fn a_match_may_be_longer_than_any_memory() {
        let schedule = Schedule::new(2, usize::MAX, Shard::WHOLE);
        assert_eq!((schedule.count(), schedule.slots().nth(7).unwrap().game), (usize::MAX, 7));
        assert_eq!(schedule.slot(usize::MAX - 1).unwrap().opening, usize::MAX / 2);
    }

    #[test]
    fn shard_numbers_start_at_one() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for bad in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
