//! What the network has advised so far, for all threads of a search.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::base::memory;
use crate::base::sync::lock;

use super::guide::Weights;

/// The most memory that the weights of a position take, including their share of the free entries, in bytes.
const ENTRY_BYTES: usize = 320;

/// Each part has room for at least this many positions, so that the parts themselves take little memory.
const LEAST_ENTRIES: usize = 64;

/// The weights of positions, by their keys, for several threads.
///
/// The keys are divided into parts, each with a lock of its own. There are as many parts as the square of the number of
/// threads, so two threads seldom need the same one. If a part is full, it forgets everything.
///
/// No lock is held while the network is asked. If two threads ask about a position at once, the later advice stays.
/// Advice changes only the order of the search, so it does not matter which.
pub(super) struct Advice {
    parts: Box<[Part]>,
    /// The most positions that a part remembers.
    most: usize,
}

/// Threads that use different parts must not take cache lines from each other.
#[derive(Default)]
#[repr(align(128))]
struct Part(Mutex<HashMap<u64, Weights>>);

impl Advice {
    /// Room for as many positions as fit into `bytes` bytes, but at least one.
    pub fn new(bytes: usize, threads: usize) -> Advice {
        let entries = (bytes / ENTRY_BYTES).max(1);
        let parts = threads.saturating_pow(2).min(entries / LEAST_ENTRIES).max(1);
        Advice { parts: (0..parts).map(|_| Part::default()).collect(), most: entries / parts }
    }

    fn part(&self, key: u64) -> &Mutex<HashMap<u64, Weights>> {
        &self.parts[(key >> 32) as usize % self.parts.len()].0
    }

    /// The weights of the position with this key, if they are remembered.
    pub fn get(&self, key: u64) -> Option<Weights> {
        lock(self.part(key)).get(&key).copied()
    }

    /// Remembers the weights of a position, if there is memory for them.
    pub fn put(&self, key: u64, weights: Weights) {
        let mut part = lock(self.part(key));
        if part.len() >= self.most {
            part.clear();
        }
        if memory::allow_refusal(|| part.try_reserve(1)).is_ok() {
            part.insert(key, weights);
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.parts.iter().for_each(|Part(weights)| lock(weights).clear());
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitboard::MAX_CELLS;
    use super::*;
    use crate::base::sync::on_threads;

    fn weights(n: u64) -> Weights {
        [n as u8; MAX_CELLS]
    }

    /// Keys that differ in all bits.
    fn key(n: u64) -> u64 {
        n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn all_threads_see_what_one_was_told() {
        let advice = Advice::new(1000 * ENTRY_BYTES, 3);
        assert_eq!(advice.parts.len(), 9);
        on_threads(0..3, |thread| (0..100).for_each(|n| advice.put(key(3 * n + thread), weights(3 * n + thread))));
        let remembered = on_threads(0..3, |_| (0..300).all(|n| advice.get(key(n)) == Some(weights(n))));
        assert_eq!(remembered, [true; 3]);
        assert_eq!(advice.get(key(300)), None);
        advice.clear();
        assert!((0..300).all(|n| advice.get(key(n)).is_none()));
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        for (room, threads) in [(0, 16), (1, 1), (100, 16), (1000, 1), (1000, 2), (1000, usize::MAX)] {
            let advice = Advice::new(room * ENTRY_BYTES, threads);
            for n in 0..5000 {
                advice.put(key(n), weights(n));
                assert_eq!(advice.get(key(n)), Some(weights(n)));
                let remembered: usize = advice.parts.iter().map(|part| lock(&part.0).len()).sum();
                assert!(remembered <= room.max(1), "{remembered} of {room}");
            }
        }
    }
}
