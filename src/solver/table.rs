//! The solver's transposition table.

use crate::memory::AlignedWords;

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

/// The words of an entry: a tag and the proof numbers. The tag is the position's key with the generation in place of the
/// bits that select the bucket, which are the same for the whole bucket.
const ENTRY_WORDS: usize = 2;

/// The number of entries in a bucket, which fills a cache line.
const WAYS: usize = 4;

const BUCKET_WORDS: usize = WAYS * ENTRY_WORDS;

/// The fewest buckets of a table. There are as many generations.
const LEAST_BUCKETS: usize = 64;

/// A hash table of fixed size. If a bucket is full, the entry that is cheapest to find again is replaced.
pub(super) struct TranspositionTable {
    words: AlignedWords<u64>,
    /// The bits of a key that select the bucket.
    bucket_bits: u64,
    /// Entries of another generation are free. The first generation is 1, so that zeros are free entries.
    generation: u64,
}

impl TranspositionTable {
    /// An empty table of `bytes` bytes at most, but of 4 KiB at least; smaller if there is not enough memory, and `None` if
    /// there is not even enough for that.
    ///
    /// The system provides the memory page by page, when it is first used.
    pub fn new(bytes: usize) -> Option<TranspositionTable> {
        let wanted = 1 << (bytes / (BUCKET_WORDS * size_of::<u64>())).max(LEAST_BUCKETS).ilog2();
        let allocate = |buckets: usize| Some((AlignedWords::zeros(buckets * BUCKET_WORDS)?, buckets));
        let (words, buckets) = allocate(wanted).or_else(|| allocate(fitting_buckets(wanted)?))?;
        if buckets < wanted {
            let [wanted, got] = [wanted, buckets].map(|buckets| (buckets * BUCKET_WORDS * size_of::<u64>()) >> 10);
            log::warn!("not enough memory: the solver's table has {got} KiB instead of {wanted} KiB");
        }
        Some(TranspositionTable { words, bucket_bits: buckets as u64 - 1, generation: 1 })
    }

    /// Removes all entries, by a new generation. Only when there is none left, the table is overwritten.
    pub fn clear(&mut self) {
        self.generation += 1;
        if self.generation > self.bucket_bits {
            let len = (self.bucket_bits as usize + 1) * BUCKET_WORDS;
            self.words.words_mut(0, len).fill(0);
            self.generation = 1;
        }
    }

    /// The index of the first word of a key's bucket.
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key & self.bucket_bits) as usize * BUCKET_WORDS
    }

    #[inline]
    fn tag(&self, key: u64) -> u64 {
        key & !self.bucket_bits | self.generation
    }

    /// The proof numbers of a position, or `None` if the table does not have it.
    #[inline]
    pub fn get(&self, key: u64) -> Option<ProofNumbers> {
        let tag = self.tag(key);
        let (entries, _) = self.words.words(self.bucket(key), BUCKET_WORDS).as_chunks::<ENTRY_WORDS>();
        entries.iter().find(|entry| entry[0] == tag).map(|entry| unpacked(entry[1]))
    }

    /// Stores the proof numbers of a position. Proven positions are replaced last, because they save the most work.
    #[inline]
    pub fn put(&mut self, key: u64, numbers: ProofNumbers) {
        let (tag, bucket) = (self.tag(key), self.bucket(key));
        let TranspositionTable { words, bucket_bits, generation } = self;
        let (entries, _) = words.words_mut(bucket, BUCKET_WORDS).as_chunks_mut::<ENTRY_WORDS>();
        let worth = |entry: &[u64; ENTRY_WORDS]| match *entry {
            [other, _] if other == tag => (0, 0),
            [other, _] if other & *bucket_bits != *generation => (1, 0),
            [_, packed] => match unpacked(packed) {
                numbers if numbers.is_proven() => (3, 0),
                ProofNumbers { phi, delta } => (2, phi + delta),
            },
        };
        let least = entries.iter_mut().min_by_key(|entry| worth(entry)).expect("a bucket has entries");
        *least = [tag, packed(numbers)];
    }
}

/// The number of buckets for a table where `wanted` are too many: an eighth of those that fit, which leaves the rest of
/// the memory to the search tree.
fn fitting_buckets(wanted: usize) -> Option<usize> {
    let halves = std::iter::successors(Some(wanted / 2), |buckets| Some(buckets / 2));
    let mut sizes = halves.take_while(|&buckets| buckets >= LEAST_BUCKETS);
    let fitting = sizes.find(|buckets| AlignedWords::<u64>::zeros(buckets * BUCKET_WORDS).is_some())?;
    Some((fitting / 8).max(LEAST_BUCKETS))
}

/// Proof numbers in a word.
#[inline]
fn packed(numbers: ProofNumbers) -> u64 {
    u64::from(numbers.phi) | u64::from(numbers.delta) << 32
}

/// The inverse of [`packed`].
#[inline]
fn unpacked(word: u64) -> ProofNumbers {
    ProofNumbers { phi: word as u32, delta: (word >> 32) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: u32) -> ProofNumbers {
        ProofNumbers { phi: n, delta: n }
    }

    /// Keys with one bucket.
    fn key(n: u32) -> u64 {
        u64::from(n) << 32
    }

    #[test]
    fn a_full_bucket_drops_the_position_with_the_smallest_proof_numbers() {
        let mut table = TranspositionTable::new(0).unwrap();
        for n in [9, 3, 7] {
            table.put(key(n), numbers(n));
        }
        table.put(key(5), ProofNumbers::WON);
        assert_eq!(table.get(key(3)), Some(numbers(3)));
        table.put(key(4), numbers(4));
        assert_eq!(
            [9, 3, 7, 5, 4].map(|n| table.get(key(n))),
            [Some(numbers(9)), None, Some(numbers(7)), Some(ProofNumbers::WON), Some(numbers(4))]
        );
        table.put(key(7), ProofNumbers::LOST);
        assert_eq!((table.get(key(7)), table.get(key(4))), (Some(ProofNumbers::LOST), Some(numbers(4))));
    }

    /// Entries from before are never found again and make room first, however often the table is cleared.
    #[test]
    fn a_cleared_table_is_as_good_as_new() {
        let mut table = TranspositionTable::new(0).unwrap();
        for n in 1..=5 * LEAST_BUCKETS as u32 {
            for other in [1, 2, 3, 4] {
                assert_eq!(table.get(key(other)), None, "after {n} times");
                table.put(key(other), ProofNumbers::WON);
            }
            assert_eq!([1, 2, 3, 4].map(|other| table.get(key(other))), [Some(ProofNumbers::WON); 4]);
            table.clear();
        }
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_table_that_does_not_fit_into_memory_is_smaller() {
        // More than the address space of any processor.
        let mut table = TranspositionTable::new(1 << 60).unwrap();
        assert!(table.bucket_bits >= LEAST_BUCKETS as u64 - 1 && table.bucket_bits < 1 << 50);
        table.put(u64::MAX, ProofNumbers::WON);
        assert_eq!(table.get(u64::MAX), Some(ProofNumbers::WON));
    }
}
