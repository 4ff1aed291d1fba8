//! The solver's transposition table.

/// The proof numbers of a position, from the point of view of the player to move: Nagai's φ and δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    /// An estimate of the number of positions that must be settled to prove that the player to move reaches the goal: 0
    /// if that is proven, [`INFINITE`] or more if it is disproven.
    pub phi: u32,
    /// The same for the opponent.
    pub delta: u32,
}

/// The proof number ∞.
pub(super) const INFINITE: u32 = 1 << 30;

/// The proof number ∞ where one of the refutations is a draw: the board is full, and the attacker has not won.
pub(super) const INFINITE_BY_DRAW: u32 = INFINITE + 1;

impl ProofNumbers {
    /// Proven for the player to move.
    pub const WON: ProofNumbers = ProofNumbers { phi: 0, delta: INFINITE };
    /// Proven for the opponent.
    pub const LOST: ProofNumbers = ProofNumbers { phi: INFINITE, delta: 0 };

    /// Whether the position is proven for either player.
    pub fn is_proven(self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}

/// A position's key and its proof numbers. The key 0 marks a free entry.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    numbers: ProofNumbers,
}

/// The number of entries in a bucket, which fills a cache line.
const WAYS: usize = 4;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// A hash table of fixed size. If a bucket is full, the entry that is cheapest to find again is replaced.
pub(super) struct TranspositionTable {
    buckets: Vec<Bucket>,
}

impl TranspositionTable {
    /// An empty table of `bytes` bytes at most, but of one bucket at least.
    pub fn new(bytes: usize) -> TranspositionTable {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let free = Entry { key: 0, numbers: ProofNumbers { phi: 0, delta: 0 } };
        TranspositionTable { buckets: vec![Bucket([free; WAYS]); 1 << count.ilog2()] }
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// The proof numbers of a position, or `None` if the table does not have it.
    #[inline]
    pub fn get(&self, key: u64) -> Option<ProofNumbers> {
        let Bucket(entries) = &self.buckets[self.bucket(key)];
        entries.iter().find(|entry| entry.key == key).map(|entry| entry.numbers)
    }

    /// Stores the proof numbers of a position. Proven positions are replaced last, because they save the most work.
    #[inline]
    pub fn put(&mut self, key: u64, numbers: ProofNumbers) {
        let bucket = self.bucket(key);
        let Bucket(entries) = &mut self.buckets[bucket];
        let worth = |entry: &Entry| match entry {
            Entry { key: other, .. } if *other == key => (0, 0),
            Entry { key: 0, .. } => (1, 0),
            Entry { numbers, .. } if numbers.is_proven() => (3, 0),
            Entry { numbers, .. } => (2, numbers.phi + numbers.delta),
        };
        let least = entries.iter_mut().min_by_key(|entry| worth(entry)).expect("a bucket has entries");
        *least = Entry { key, numbers };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_drops_the_position_with_the_smallest_proof_numbers() {
        let mut table = TranspositionTable::new(0);
        let numbers = |n: u32| ProofNumbers { phi: n, delta: n };
        for n in [9, 3, 7] {
            table.put(n as u64, numbers(n));
        }
        table.put(5, ProofNumbers::WON);
        assert_eq!(table.get(3), Some(numbers(3)));
        table.put(4, numbers(4));
        assert_eq!(
            [9, 3, 7, 5, 4].map(|key| table.get(key)),
            [Some(numbers(9)), None, Some(numbers(7)), Some(ProofNumbers::WON), Some(numbers(4))]
        );
        table.put(7, ProofNumbers::LOST);
        assert_eq!((table.get(7), table.get(4)), (Some(ProofNumbers::LOST), Some(numbers(4))));
    }
}
