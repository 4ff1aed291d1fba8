//! The solver's transposition table.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::base::memory::{AlignedWords, LastShortage, can_allocate};
use crate::base::sync::on_threads;

/// The proof numbers of a position, from the point of view of the player to move: Nagai's φ and δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    /// An estimate of how many positions must be settled to prove that the player to move reaches the goal: 0 if that
    /// is proven, [`INFINITE`] or more if it is disproven.
    pub phi: u32,
    /// The same for the opponent.
    pub delta: u32,
}

/// The proof number ∞.
pub(super) const INFINITE: u32 = 1 << 28;

/// The proof number ∞ if one of the refutations is a draw: the attacker can no longer win.
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

/// An entry has two words: the tag XOR the content, and the content. The tag is the position's key with the generation
/// in place of the bits that select the bucket, which are the same for the whole bucket. The content is φ, δ and the
/// effort.
///
/// Threads read and write entries without locks. If the two words come from different entries, their XOR is the tag of
/// neither, so the entry is not found (Hyatt & Mann, *A lock-less transposition table implementation for parallel
/// search*, 2002).
const ENTRY_WORDS: usize = 2;

/// The number of entries in a bucket, which fills a cache line.
const WAYS: usize = 4;

const BUCKET_WORDS: usize = WAYS * ENTRY_WORDS;

/// The filter has two bits for each entry.
const BUCKETS_PER_FILTER_WORD: usize = 8;

/// The fewest buckets of a table.
const LEAST_BUCKETS: usize = 64;

/// The most buckets that a table begins with. They fit into the processor's caches. There are as many generations.
const FIRST_BUCKETS: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };

/// A table of the wanted size must leave this much memory free for the rest of the program, in bytes.
const REST: usize = 1 << 25;

/// The bits of each proof number in an entry's content. The remaining bits hold the number of bits of the effort.
const NUMBER_BITS: u32 = 29;
const _: () = assert!(INFINITE_BY_DRAW < 1 << NUMBER_BITS);

/// A hash table for any number of threads. If a bucket is full, the entry that took the least effort is replaced.
/// (Breuker, Uiterwijk & van den Herik, *Replacement schemes for transposition tables*, 1994, compare this with other
/// schemes.)
///
/// It begins small and grows with the number of positions visited. The system provides memory page by page, on first
/// use, and providing a page takes longer than searching a position. In a large table, nearly every one of the first
/// positions would need a page of its own.
pub(super) struct TranspositionTable {
    words: AlignedWords<AtomicU64>,
    /// The number of buckets that there is memory for.
    most: usize,
    /// The number of buckets that may have entries of any generation. All others are zeros.
    touched: usize,
    /// The bits of a key that select the bucket. Those above belong to the tag.
    bucket_bits: u64,
    /// A set bit for each stored position, at an index taken from its key, which other positions may share. Most
    /// positions that are looked up are not in the table, and unlike the table, the filter fits into the processor's
    /// caches.
    filter: AlignedWords<AtomicU64>,
    /// Entries of other generations are free. The first generation is 1, so zeros are free entries.
    generation: u64,
}

impl TranspositionTable {
    /// An empty table of at most `bytes` bytes and at least 4 KiB. If there is not enough memory, it is smaller, or
    /// `None` if even 4 KiB are too much.
    ///
    /// The system provides the memory page by page, on first use.
    pub fn new(bytes: usize) -> Option<TranspositionTable> {
        let wanted = 1 << (bytes / (BUCKET_WORDS * size_of::<u64>())).max(LEAST_BUCKETS).ilog2();
        let allocate = |buckets: usize| {
            let filter = AlignedWords::zeros(buckets / BUCKETS_PER_FILTER_WORD)?;
            Some((AlignedWords::zeros_in_huge_pages(buckets * BUCKET_WORDS)?, filter, buckets))
        };
        let full = allocate(wanted).filter(|_| can_allocate(REST));
        let (words, filter, buckets) = full.or_else(|| allocate(fitting_buckets(wanted)?))?;
        if buckets < wanted {
            static LAST: LastShortage = LastShortage::new();
            let [wanted, got] = [wanted, buckets].map(|buckets| (buckets * BUCKET_WORDS * size_of::<u64>()) >> 10);
            if LAST.is_new(got, wanted) {
                log::warn!("not enough memory: the solver's table has {got} KiB instead of {wanted} KiB");
            }
        }
        let first = buckets.min(FIRST_BUCKETS);
        let bucket_bits = first as u64 - 1;
        Some(TranspositionTable { words, most: buckets, touched: first, bucket_bits, filter, generation: 1 })
    }

    /// Removes all entries by starting a new generation, and makes the table as small as at first. The memory is
    /// overwritten only when the generations are used up.
    pub fn clear(&mut self) {
        self.bucket_bits = self.most.min(FIRST_BUCKETS) as u64 - 1;
        self.clear_filter();
        self.generation += 1;
        if self.generation > self.bucket_bits {
            self.words.words_mut(0, self.touched * BUCKET_WORDS).iter_mut().for_each(|word| *word.get_mut() = 0);
            self.touched = self.buckets();
            self.generation = 1;
        }
    }

    /// Gives a table without entries all its memory at once, so that it need not grow any more.
    pub fn take_full_size(&mut self) {
        self.bucket_bits = self.most as u64 - 1;
        self.touched = self.most;
        self.clear_filter();
    }

    fn clear_filter(&mut self) {
        let filter_words = self.buckets() / BUCKETS_PER_FILTER_WORD;
        self.filter.words_mut(0, filter_words).iter_mut().for_each(|word| *word.get_mut() = 0);
    }

    /// The number of buckets in use.
    fn buckets(&self) -> usize {
        self.bucket_bits as usize + 1
    }

    /// How many positions may be visited before the table should grow: a quarter of its entries. `None` if it cannot
    /// grow.
    pub fn room(&self) -> Option<u64> {
        (self.buckets() < self.most).then_some(self.buckets() as u64)
    }

    /// Doubles the number of buckets, in this many threads. The table must be able to grow: see
    /// [`TranspositionTable::room`].
    pub fn grow(&mut self, threads: usize) {
        let half = self.buckets();
        self.bucket_bits = 2 * half as u64 - 1;
        self.clear_filter();
        let table = &*self;
        let part = half.div_ceil(threads);
        let split = |first: usize| table.split(first..half.min(first + part));
        if threads == 1 {
            split(0);
        } else {
            on_threads((0..half).step_by(part), split);
        }
        self.touched = self.touched.max(self.buckets());
    }

    /// Divides each of these buckets of the table before it grew between itself and a new one, and lets their entries
    /// pass the filter. In large tables most of the time goes into pages of memory that the system provides.
    fn split(&self, buckets: Range<usize>) {
        let half = self.buckets() / 2;
        for i in buckets {
            let [before, after] = [i, half + i].map(|i| self.words.words(i * BUCKET_WORDS, BUCKET_WORDS).as_chunks().0);
            for (entry, other) in before.iter().zip(after) {
                let (tag, content) = read(entry);
                let is_used = tag & (half as u64 - 1) == self.generation;
                let moves = is_used && tag & half as u64 != 0;
                write(other, if moves { (tag ^ half as u64, content) } else { (0, 0) });
                if moves {
                    write(entry, (0, 0));
                }
                if is_used {
                    let (word, bit) = self.filter_bit(tag & !(half as u64 - 1) | i as u64);
                    word.fetch_or(bit, Relaxed);
                }
            }
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
        self.get_with_effort(key).map(|(numbers, _)| numbers)
    }

    /// Like [`TranspositionTable::get`], but also returns the number of positions that were visited to find them,
    /// rounded down to a power of two.
    #[inline]
    pub fn get_with_effort(&self, key: u64) -> Option<(ProofNumbers, u32)> {
        if !self.may_have(key) {
            return None;
        }
        let tag = self.tag(key);
        let mut entries = self.entries(key).iter().map(read);
        let (_, content) = entries.find(|&(other, _)| other == tag)?;
        Some((numbers_of(content), (1u64 << effort_bits(content) >> 1).min(u32::MAX.into()) as u32))
    }

    /// The most memory that the table may take, in bytes.
    pub fn bytes(&self) -> usize {
        self.most * BUCKET_WORDS * size_of::<u64>()
    }

    /// The word of the filter and the bit in it that stand for a key.
    #[inline]
    fn filter_bit(&self, key: u64) -> (&AtomicU64, u64) {
        let index = key.rotate_right(32) as usize;
        let word_bits = self.bucket_bits as usize / BUCKETS_PER_FILTER_WORD;
        (&self.filter.words(index >> 6 & word_bits, 1)[0], 1 << (index & 63))
    }

    /// Whether the table may have a position. If so, also starts to load its bucket into the processor's caches.
    #[inline]
    pub fn prefetch(&self, key: u64) -> bool {
        let may_have = self.may_have(key);
        if may_have {
            self.prefetch_bucket(key);
        }
        may_have
    }

    /// Starts to load the bucket of a position into the processor's caches, if the processor has an instruction for it.
    /// This affects only the time of the next access.
    #[inline]
    #[cfg_attr(any(not(target_arch = "x86_64"), miri), allow(unused_variables, reason = "there is no such request"))]
    pub fn prefetch_bucket(&self, key: u64) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = self.words.words(self.bucket(key), BUCKET_WORDS).as_ptr();
            // SAFETY: the instruction is part of every x86-64 processor, and neither changes memory nor faults.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
    }

    /// Whether the table may have a position; if `false`, it does not.
    #[inline]
    fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.filter_bit(key);
        word.load(Relaxed) & bit != 0
    }

    /// The entries of a key's bucket.
    #[inline]
    fn entries(&self, key: u64) -> &[[AtomicU64; ENTRY_WORDS]] {
        self.words.words(self.bucket(key), BUCKET_WORDS).as_chunks().0
    }

    /// Stores the proof numbers of a position. `effort` is the number of positions visited since the numbers stored
    /// before. Among entries with about the same effort, proven positions are replaced last, because they save the most
    /// work.
    #[inline]
    pub fn put(&self, key: u64, numbers: ProofNumbers, effort: u64) {
        let tag = self.tag(key);
        let worth = |entry: &[AtomicU64; ENTRY_WORDS]| match read(entry) {
            (other, _) if other == tag => (0, 0),
            (other, _) if other & self.bucket_bits != self.generation => (1, 0),
            (_, content) => match numbers_of(content) {
                numbers if numbers.is_proven() => (2 + effort_bits(content), u32::MAX),
                ProofNumbers { phi, delta } => (2 + effort_bits(content), phi + delta),
            },
        };
        let least = self.entries(key).iter().min_by_key(|entry| worth(entry)).expect("a bucket has entries");
        let before = match read(least) {
            (other, content) if other == tag => (1 << effort_bits(content)) >> 1,
            _ => 0,
        };
        let content = content(numbers, effort.saturating_add(before));
        self.pass_filter(key);
        write(least, (tag, content));
    }

    /// Lets a key pass the filter. If it does already, nothing is written: other threads need not load the word anew.
    ///
    /// If another thread sets a bit of the same word meanwhile, that bit may be lost. Its position is then missing, as
    /// if its entry had been replaced, until it is stored again. This is rare, and `fetch_or` would make each thread
    /// wait for its earlier writes to memory.
    #[inline]
    fn pass_filter(&self, key: u64) {
        let (word, bit) = self.filter_bit(key);
        let before = word.load(Relaxed);
        if before & bit == 0 {
            word.store(before | bit, Relaxed);
        }
    }
}

/// The tag and the content of an entry.
#[inline]
fn read(entry: &[AtomicU64; ENTRY_WORDS]) -> (u64, u64) {
    let [mixed, content] = [&entry[0], &entry[1]].map(|word| word.load(Relaxed));
    (mixed ^ content, content)
}

/// Sets the tag and the content of an entry.
#[inline]
fn write(entry: &[AtomicU64; ENTRY_WORDS], (tag, content): (u64, u64)) {
    entry[0].store(tag ^ content, Relaxed);
    entry[1].store(content, Relaxed);
}

/// The number of buckets if there is not enough memory for `wanted`: an eighth of those that fit. The rest of the
/// memory is left to the search tree.
fn fitting_buckets(wanted: usize) -> Option<usize> {
    let halves = std::iter::successors(Some(wanted / 2), |buckets| Some(buckets / 2));
    let mut sizes = halves.take_while(|&buckets| buckets >= LEAST_BUCKETS);
    let fitting = sizes.find(|buckets| can_allocate(buckets * BUCKET_WORDS * size_of::<u64>()))?;
    Some((fitting / 8).max(LEAST_BUCKETS))
}

/// The content of an entry.
#[inline]
fn content(ProofNumbers { phi, delta }: ProofNumbers, effort: u64) -> u64 {
    let bits = (u64::BITS - effort.leading_zeros()).min((1 << (u64::BITS - 2 * NUMBER_BITS)) - 1);
    u64::from(phi) | u64::from(delta) << NUMBER_BITS | u64::from(bits) << (2 * NUMBER_BITS)
}

/// The proof numbers of an entry.
#[inline]
fn numbers_of(content: u64) -> ProofNumbers {
    let number = |word: u64| (word & ((1 << NUMBER_BITS) - 1)) as u32;
    ProofNumbers { phi: number(content), delta: number(content >> NUMBER_BITS) }
}

/// The number of bits of an entry's effort.
#[inline]
fn effort_bits(content: u64) -> u32 {
    (content >> (2 * NUMBER_BITS)) as u32
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
    fn a_full_bucket_drops_the_position_that_took_the_least_effort() {
        let table = TranspositionTable::new(0).unwrap();
        for n in [90, 30, 700] {
            table.put(key(n), numbers(1), n.into());
        }
        table.put(key(5), ProofNumbers::WON, 5);
        table.put(key(40), numbers(9), 40);
        let found = [90, 30, 700, 5, 40].map(|n| table.get(key(n)));
        assert_eq!(found, [Some(numbers(1)), Some(numbers(1)), Some(numbers(1)), None, Some(numbers(9))]);
        // The effort of a position adds up.
        table.put(key(30), numbers(2), 1000);
        table.put(key(90), ProofNumbers::LOST, 0);
        table.put(key(50), numbers(3), 60);
        let found = [90, 30, 700, 50, 40].map(|n| table.get(key(n)));
        assert_eq!(found, [Some(ProofNumbers::LOST), Some(numbers(2)), Some(numbers(1)), Some(numbers(3)), None]);
    }

    #[test]
    fn all_proof_numbers_can_be_stored() {
        let table = TranspositionTable::new(0).unwrap();
        let by_draw = ProofNumbers { phi: INFINITE_BY_DRAW, delta: 0 };
        for (i, numbers) in (0..).zip([ProofNumbers::WON, ProofNumbers::LOST, by_draw, numbers(INFINITE - 1)]) {
            table.put(i, numbers, u64::MAX);
            assert_eq!(table.get(i), Some(numbers));
        }
    }

    #[test]
    fn a_position_that_was_stored_passes_the_filter() {
        let mut table = TranspositionTable::new(1 << 16).unwrap();
        (0..2).for_each(|_| table.grow(1));
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..1000).for_each(|n| table.put(key(n), ProofNumbers::WON, 1));
        assert!((0..1000).all(|n| table.may_have(key(n))));
        // Few others do.
        assert!((1000..2000).filter(|&n| table.may_have(key(n))).count() < 300);
        table.clear();
        assert!(!(0..2000).any(|n| table.may_have(key(n))));
    }

    /// Entries from before are never found again and make room first, however often the table is cleared.
    #[test]
    fn a_cleared_table_is_as_good_as_new() {
        let mut table = TranspositionTable::new(0).unwrap();
        for n in 1..=5 * LEAST_BUCKETS as u32 {
            for other in [1, 2, 3, 4] {
                assert_eq!(table.get(key(other)), None, "after {n} times");
                table.put(key(other), ProofNumbers::WON, 0);
            }
            assert_eq!([1, 2, 3, 4].map(|other| table.get(key(other))), [Some(ProofNumbers::WON); 4]);
            table.clear();
        }
    }

    /// What was stored is found after the table has grown, what was removed before is not, and nothing passes the
    /// filter needlessly.
    #[test]
    #[cfg_attr(miri, ignore = "it takes too long, and has no unsafe code of its own")]
    fn a_table_that_grows_keeps_its_entries() {
        let mut table = TranspositionTable::new(1 << 20).unwrap();
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let found = |table: &TranspositionTable| (0..300).filter(|&n| table.get(key(n)).is_some()).count();
        for round in 0..3 * FIRST_BUCKETS as u64 {
            assert_eq!(table.buckets(), FIRST_BUCKETS);
            assert_eq!(found(&table), 0, "in round {round}");
            (0..300).for_each(|n| table.put(key(n), ProofNumbers { phi: 1 + n as u32, delta: 9 }, n));
            let before = found(&table);
            assert!(before > 290);
            if round % 50 == 0 {
                while table.room().is_some() {
                    table.grow(3);
                    assert_eq!(found(&table), before);
                }
                let numbers = |n: u64| ProofNumbers { phi: 1 + n as u32, delta: 9 };
                assert!((0..300).all(|n| table.get(key(n)).is_none_or(|found| found == numbers(n))));
                assert!((1000..2000).filter(|&n| table.may_have(key(n))).count() < 20);
                assert_eq!(table.buckets() * BUCKET_WORDS * size_of::<u64>(), 1 << 20);
            }
            table.clear();
        }
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    #[cfg_attr(miri, ignore = "Miri ends a program that asks for too much memory")]
    fn a_table_that_does_not_fit_into_memory_is_smaller() {
        // More than the address space of any processor.
        let table = TranspositionTable::new(1 << 60).unwrap();
        assert!((LEAST_BUCKETS..1 << 50).contains(&table.most));
        table.put(u64::MAX, ProofNumbers::WON, 0);
        assert_eq!(table.get(u64::MAX), Some(ProofNumbers::WON));
    }
}
