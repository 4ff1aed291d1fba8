//! The games of a match: a round robin of pairs of games with colours exchanged, which may be split into shards.

use std::fmt;
use std::str::FromStr;

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
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
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
///
/// `games` is the number of games per pairing. If it is odd, the last opening is played only once.
pub fn schedule(engines: usize, games: usize, shard: Shard) -> Vec<Slot> {
    let pairings: Vec<[usize; 2]> = (0..engines).flat_map(|i| (i + 1..engines).map(move |j| [i, j])).collect();
    let mut slots = Vec::new();
    for opening in 0..games.div_ceil(2) {
        for (number, &[first, second]) in pairings.iter().enumerate() {
            let pair = opening * pairings.len() + number;
            if !shard.has(pair) {
                continue;
            }
            slots.push(Slot { game: 2 * pair, opening, players: [first, second] });
            if 2 * opening + 1 < games {
                slots.push(Slot { game: 2 * pair + 1, opening, players: [second, first] });
            }
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pairing_plays_each_opening_with_both_colours() {
        let slots = schedule(3, 4, Shard::WHOLE);
        assert_eq!(slots.len(), 3 * 4);
        assert!(slots.iter().enumerate().all(|(i, slot)| slot.game == i));
        for pair in slots.chunks(2) {
            let [white, black] = pair[0].players;
            assert_eq!((pair[1].players, pair[1].opening), ([black, white], pair[0].opening));
        }
        assert_eq!(slots[6].opening, 1);
    }

    #[test]
    fn an_odd_number_of_games_leaves_the_last_pair_incomplete() {
        let slots = schedule(2, 3, Shard::WHOLE);
        assert_eq!(slots.iter().map(|s| s.game).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn shards_partition_the_match_by_pairs() {
        let mut union: Vec<Slot> = (1..=3).flat_map(|index| schedule(3, 20, Shard { index, of: 3 })).collect();
        assert!(union.chunks(2).all(|pair| pair[0].game + 1 == pair[1].game));
        union.sort_by_key(|slot| slot.game);
        assert_eq!(union, schedule(3, 20, Shard::WHOLE));
    }

    #[test]
    fn shard_numbers_start_at_one() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for bad in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
