//! Memory for the parts of nodes: arenas of units of one size, which grow while there is memory.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, RwLock};

use crate::base::memory::{AlignedWords, LastShortage};

/// Words of a cache line.
pub(super) const LINE: usize = 16;

/// The largest size of a chunk in bytes. Arenas grow by chunks, each of more than half this size. Under Miri they are
/// small, because filling large ones takes minutes.
pub(super) const CHUNK_BYTES: usize = if cfg!(miri) { 1 << 13 } else { 1 << 21 };

/// Memory for units of one size, so that a freed unit can be used for any new one.
pub(super) struct Arena {
    /// The words of a unit: whole cache lines.
    pub unit: usize,
    /// A chunk has 2 to the power of this many units.
    pub shift: u32,
    /// The most units. Lowered when no more memory can be allocated.
    capacity: AtomicUsize,
    pub chunks: Box<[OnceLock<AlignedWords<AtomicU32>>]>,
    taken: Taken,
}

/// Which units of an arena are in use. Threads change this all the time, so it has cache lines of its own. The fields
/// that they only read then stay in the caches of all of them.
#[derive(Default)]
#[repr(align(128))]
struct Taken {
    /// Units that have been taken from the unused end of the arena.
    fresh: AtomicUsize,
    /// Freed units, by index. The first `reused` of them are in use again. Locked for writing only while no thread
    /// searches.
    free: RwLock<Vec<u32>>,
    /// The length of that list. Even locking it to read writes to memory, so threads lock it only if it may have a unit
    /// for them.
    freed: AtomicUsize,
    reused: AtomicUsize,
}

impl Arena {
    /// An arena for units of at least this many words. It may take up to `bytes` bytes, but always at least one chunk, and
    /// never more units than 32 bits can number from 1.
    pub fn new(words: usize, bytes: usize) -> Arena {
        let unit = words.next_multiple_of(LINE);
        let shift = (CHUNK_BYTES / (unit * size_of::<AtomicU32>())).ilog2();
        let most = u32::MAX as usize >> shift;
        let chunks = (bytes / ((unit * size_of::<AtomicU32>()) << shift)).clamp(1, most);
        Arena {
            unit,
            shift,
            capacity: AtomicUsize::new(chunks << shift),
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            taken: Taken::default(),
        }
    }

    pub fn capacity(&self) -> usize {
        self.capacity.load(Relaxed)
    }

    /// The memory allocated, in bytes.
    pub fn bytes(&self) -> usize {
        self.allocated() * self.unit * size_of::<AtomicU32>()
    }

    /// The units in the memory allocated.
    pub fn allocated(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.get().is_some()).count() << self.shift
    }

    /// How many units have ever been in use.
    pub fn fresh_taken(&self) -> usize {
        self.taken.fresh.load(Relaxed).min(self.capacity())
    }

    /// How many units are in use.
    pub fn len(&self) -> usize {
        let freed = self.taken.freed.load(Relaxed);
        self.fresh_taken() - (freed - self.taken.reused.load(Relaxed).min(freed))
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity()
    }

    /// Frees all units and all memory but the first chunk, as if no unit had ever been taken.
    pub fn release(&mut self) {
        self.chunks.iter_mut().skip(1).for_each(|chunk| drop(chunk.take()));
        *self.capacity.get_mut() = self.chunks.len() << self.shift;
        self.clear();
    }

    /// Frees all units.
    pub fn clear(&mut self) {
        self.taken.free.get_mut().expect("no thread panics with the lock").clear();
        *self.taken.freed.get_mut() = 0;
        *self.taken.fresh.get_mut() = 0;
        *self.taken.reused.get_mut() = 0;
    }

    /// The words of a unit that has been taken.
    #[inline]
    pub fn words(&self, index: usize) -> &[AtomicU32] {
        let chunk = self.chunks[index >> self.shift].get().expect("an index is that of an allocated unit");
        chunk.words((index & ((1 << self.shift) - 1)) * self.unit, self.unit)
    }

    /// A unit that is not in use, for one thread alone, with whatever was left in it. `None` if the memory is used up,
    /// or if the system has no more.
    pub fn take(&self, memory: &Mutex<Memory>) -> Option<usize> {
        if self.taken.reused.load(Relaxed) < self.taken.freed.load(Relaxed) {
            let free = self.taken.free.read().expect("no thread panics with the lock");
            if let Some(&index) = free.get(self.taken.reused.fetch_add(1, Relaxed)) {
                return Some(index as usize);
            }
        }
        if self.taken.fresh.load(Relaxed) >= self.capacity() {
            return None;
        }
        let index = self.taken.fresh.fetch_add(1, Relaxed);
        let chunk = index >> self.shift;
        let has_room = index < self.capacity() && (self.chunks[chunk].get().is_some() || self.grow(chunk, memory));
        has_room.then_some(index)
    }

    /// Allocates the chunks up to this one. If there is not enough memory, the arena makes do with those it has.
    #[cold]
    fn grow(&self, last: usize, memory: &Mutex<Memory>) -> bool {
        let mut memory = memory.lock().expect("no thread panics with the lock");
        for (i, chunk) in self.chunks[..=last].iter().enumerate().filter(|(_, chunk)| chunk.get().is_none()) {
            let is_exhausted = self.capacity() <= i << self.shift;
            let words = if is_exhausted { None } else { memory.chunk(self.unit, 1 << self.shift, i == 0) };
            let Some(words) = words else {
                self.capacity.fetch_min(i << self.shift, Relaxed);
                return false;
            };
            assert!(chunk.set(words).is_ok(), "chunks are allocated under the lock");
        }
        true
    }

    /// Frees all units but these.
    pub fn keep(&self, kept: impl Iterator<Item = usize>) {
        let fresh = self.fresh_taken();
        let mut used = vec![false; fresh];
        kept.for_each(|index| used[index] = true);
        let unused: Vec<u32> = (0..fresh as u32).filter(|&index| !used[index as usize]).collect();
        self.taken.freed.store(unused.len(), Relaxed);
        *self.taken.free.write().expect("no thread panics with the lock") = unused;
        self.taken.fresh.store(fresh, Relaxed);
        self.taken.reused.store(0, Relaxed);
    }
}

/// What is left of the memory of a tree.
pub(super) struct Memory {
    /// The bytes that chunks may take in all.
    pub limit: usize,
    /// The bytes that they take.
    taken: usize,
    /// The units in them.
    units: usize,
    /// Memory for the lists that pruning makes, enough for the chunks allocated. It is freed when the system has no
    /// more memory for chunks; then this is `None`.
    pub reserve: Option<Reserve>,
}

impl Memory {
    /// Memory of which chunks may take `limit` bytes.
    pub fn new(limit: usize) -> Memory {
        Memory { limit, taken: 0, units: 0, reserve: Some(Reserve::default()) }
    }

    /// What is left when chunks take `taken` bytes in all, for `units` units.
    pub fn restart(&mut self, taken: usize, units: usize) {
        (self.taken, self.units) = (taken, units);
    }

    /// A chunk of zeros for `units` units of `words` words. The limit does not apply to the first chunk of an arena.
    fn chunk(&mut self, words: usize, units: usize, is_first: bool) -> Option<AlignedWords<AtomicU32>> {
        let bytes = words * units * size_of::<AtomicU32>();
        if !is_first && self.taken + bytes > self.limit {
            return None;
        }
        let chunk = self.allocate(words, units);
        match &chunk {
            Some(_) => (self.taken, self.units) = (self.taken + bytes, self.units + units),
            None if self.reserve.take().is_some() => {
                static LAST: LastShortage = LastShortage::new();
                let [got, wanted] = [self.taken >> 20, self.limit >> 20];
                if LAST.is_new(got, wanted) {
                    log::warn!("not enough memory: the search tree has {got} MiB instead of {wanted} MiB");
                }
            }
            None => (),
        }
        chunk
    }

    fn allocate(&mut self, words: usize, units: usize) -> Option<AlignedWords<AtomicU32>> {
        let reserve = self.reserve.as_mut()?;
        let all = self.units + units;
        if reserve.units < all {
            *reserve = Reserve::new(2 * all).or_else(|| Reserve::new(all))?;
        }
        AlignedWords::zeros(words * units)
    }
}

/// Memory that is set aside for pruning.
#[derive(Default)]
pub(super) struct Reserve {
    /// The number of units that it suffices for.
    units: usize,
    _words: Option<AlignedWords<AtomicU32>>,
}

/// The words that pruning needs for each unit: its entries in lists, and the spare room of a list that grows.
const RESERVE_WORDS: usize = 6;

/// The least reserve in words: the rest of the program needs a little memory too. Under Miri it is small.
const LEAST_RESERVE: usize = if cfg!(miri) { 1 << 10 } else { 1 << 18 };

impl Reserve {
    /// A reserve for this many units.
    fn new(units: usize) -> Option<Reserve> {
        let words = (units * RESERVE_WORDS).max(LEAST_RESERVE);
        Some(Reserve { units: words / RESERVE_WORDS, _words: Some(AlignedWords::zeros(words)?) })
    }
}
