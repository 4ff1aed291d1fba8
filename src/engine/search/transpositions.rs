//! Which node of a tree stands for a position, whatever the order of the moves that led to it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use crate::base::memory::{AlignedWords, can_allocate};
use crate::game::{Color, Position, Vertex};

use super::node::{Header, NodeId};

/// The key of a position: the sum of the keys of its stones, modulo 2^64. In one tree, equal stones mean that the same
/// player is to move.
pub(crate) type Key = u64;

/// The key of a stone: one of the random numbers of SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom
/// number generators*, 2014).
#[inline]
pub(crate) fn stone_key(color: Color, v: Vertex) -> Key {
    let n = 2 * u64::from(v.0) + color.index() as u64 + 1;
    let mut key = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

/// The key of a position.
pub(crate) fn position_key(position: &Position) -> Key {
    position.stones().map(|(color, v)| stone_key(color, v)).fold(0, Key::wrapping_add)
}

/// A position is looked for in this many entries of the index.
const BUCKET: usize = 4;

/// For at least this many entries, it is faster to ask the system for new zeros than to write them.
const MANY: usize = 1 << 18;

/// The memory in bytes that must remain for the rest of the program: a search can do without the index.
const REST: usize = 1 << 24;

/// The difference between one mask of the keys and the next. It is odd, so that all 2^64 masks are used.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// An index of a tree's nodes by the keys of their positions. Threads share it without locks.
///
/// An entry is only a hint; the key in the node decides. So an entry may be overwritten, or name a node that now stands
/// for another position. The keys in nodes are combined by exclusive or with a mask, which changes whenever nodes are
/// freed. So a freed node is never found.
pub(crate) struct Transpositions {
    /// The number of entries, a power of two.
    len: usize,
    /// Ids of nodes, or 0. Nothing is ever found before they are allocated.
    ids: OnceLock<AlignedWords<AtomicU32>>,
    mask: AtomicU64,
}

impl Transpositions {
    /// An empty index for a tree of this many nodes.
    pub fn new(nodes: usize) -> Transpositions {
        let len = nodes.next_power_of_two().max(BUCKET);
        Transpositions { len, ids: OnceLock::new(), mask: AtomicU64::new(STEP) }
    }

    /// Allocates the index, unless the rest of the program needs the memory.
    pub fn allocate(&self) {
        if self.ids.get().is_none()
            && let Some(ids) = AlignedWords::zeros(self.len).filter(|_| can_allocate(REST))
        {
            let _ = self.ids.set(ids);
        }
    }

    /// The node for the position with this key, if the index has one. `header` returns the header of a node.
    pub fn find<'a>(&self, header: impl Fn(NodeId) -> Header<'a>, key: Key) -> Option<NodeId> {
        let masked = key ^ self.mask.load(Relaxed);
        let mut ids = self.bucket(key)?.iter().filter_map(|word| NodeId::from_word(word.load(Acquire)));
        ids.find(|&id| header(id).key() == masked)
    }

    /// Makes a complete node the one for the position with this key.
    pub fn add<'a>(&self, header: impl Fn(NodeId) -> Header<'a>, key: Key, id: NodeId) {
        let Some(bucket) = self.bucket(key) else { return };
        let mask = self.mask.load(Relaxed);
        header(id).set_key(key ^ mask);
        // An entry is useless if its node now belongs in another bucket.
        let is_stale = |id| self.start(header(id).key() ^ mask) != self.start(key);
        let is_unused = |word: &&AtomicU32| NodeId::from_word(word.load(Acquire)).is_none_or(is_stale);
        let entry = bucket.iter().find(is_unused).unwrap_or(&bucket[key as usize % BUCKET]);
        entry.store(id.word(), Release);
    }

    /// Forgets all nodes. What follows is as if the index were new.
    pub fn clear(&mut self) {
        if self.len >= MANY {
            self.ids = OnceLock::new();
        } else if let Some(ids) = self.ids.get_mut() {
            ids.words_mut(0, self.len).iter_mut().for_each(|word| *word.get_mut() = 0);
        }
        *self.mask.get_mut() = STEP;
    }

    /// Forgets all nodes but these. No other thread may use the index meanwhile.
    pub fn keep<'a>(&self, header: impl Fn(NodeId) -> Header<'a>, kept: &[NodeId]) {
        let old = self.mask.load(Relaxed);
        self.mask.store(old.wrapping_add(STEP), Relaxed);
        let keys = kept.iter().map(|&id| (id, header(id).key()));
        keys.filter(|(_, key)| *key != 0).for_each(|(id, key)| self.add(&header, key ^ old, id));
    }

    /// The entries where the node of a position can be. `None` if the index is not allocated.
    fn bucket(&self, key: Key) -> Option<&[AtomicU32]> {
        Some(self.ids.get()?.words(self.start(key), BUCKET))
    }

    /// The index of the first of these entries.
    fn start(&self, key: Key) -> usize {
        (key >> 32) as usize & (self.len - 1) & !(BUCKET - 1)
    }
}
