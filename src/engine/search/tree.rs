//! The search tree: an arena of the heads of nodes, and one of their bodies.
//!
//! It is called a tree although a position that is reached by moves in another order has one node for all of them.

use std::mem::replace;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, RwLock};

use crate::base::memory::AlignedWords;
use crate::game::{Geometry, Vertex};

use super::node::{LINE, Layout, Node, NodeId, words};
use super::report::Verdict;
use super::transpositions::{Key, Transpositions};

/// A step of a path down the tree: a node, and the move made there.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub node: NodeId,
    pub vertex: Vertex,
}

/// Arenas grow by chunks of at most this many bytes, and more than half of it. Miri would take minutes to fill the usual
/// ones.
const CHUNK_BYTES: usize = if cfg!(miri) { 1 << 16 } else { 1 << 21 };

/// Memory for units of one size, so that a freed unit serves for any other.
struct Arena {
    /// The words of a unit: whole cache lines.
    unit: usize,
    /// A chunk has 2 to the power of this many units.
    shift: u32,
    /// How many units there may be. Falls when no more memory can be allocated.
    capacity: AtomicUsize,
    chunks: Box<[OnceLock<AlignedWords<AtomicU32>>]>,
    taken: Taken,
}

/// Which units of an arena are in use. Threads change this all the time, so it has cache lines of its own: what they read
/// to find a unit stays in all their caches.
#[repr(align(128))]
struct Taken {
    /// Units that have been taken from the unused end of the arena.
    fresh: AtomicUsize,
    /// Freed units, by index. The first `reused` of them are in use again. Locked for writing only while no thread
    /// searches.
    free: RwLock<Vec<u32>>,
    reused: AtomicUsize,
}

impl Arena {
    /// An arena for units of at least this many words that may take all of `bytes`, but at least one chunk.
    fn new(words: usize, bytes: usize) -> Arena {
        let unit = words.next_multiple_of(LINE);
        let shift = (CHUNK_BYTES / (unit * size_of::<AtomicU32>())).ilog2();
        let chunks = (bytes / (unit * size_of::<AtomicU32>() << shift)).max(1);
        Arena {
            unit,
            shift,
            capacity: AtomicUsize::new(chunks << shift),
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            taken: Taken { fresh: AtomicUsize::new(0), free: RwLock::new(Vec::new()), reused: AtomicUsize::new(0) },
        }
    }

    fn capacity(&self) -> usize {
        self.capacity.load(Relaxed)
    }

    fn chunk_bytes(&self) -> usize {
        self.unit * size_of::<AtomicU32>() << self.shift
    }

    /// The memory allocated, in bytes.
    fn bytes(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.get().is_some()).count() * self.chunk_bytes()
    }

    /// How many units have ever been in use.
    fn fresh_taken(&self) -> usize {
        self.taken.fresh.load(Relaxed).min(self.capacity())
    }

    /// How many units are in use.
    fn len(&self) -> usize {
        let free = self.taken.free.read().expect("no thread panics with the lock").len();
        self.fresh_taken() - (free - self.taken.reused.load(Relaxed).min(free))
    }

    fn is_full(&self) -> bool {
        self.len() >= self.capacity()
    }

    fn clear(&mut self) {
        self.taken.free.get_mut().expect("no thread panics with the lock").clear();
        *self.taken.fresh.get_mut() = 0;
        *self.taken.reused.get_mut() = 0;
    }

    /// The words of a unit that has been taken.
    #[inline]
    fn words(&self, index: usize) -> &[AtomicU32] {
        let chunk = self.chunks[index >> self.shift].get().expect("an index is that of an allocated unit");
        chunk.words((index & ((1 << self.shift) - 1)) * self.unit, self.unit)
    }

    /// A unit that is not in use, for one thread alone, with whatever was left in it. `None` if the memory is used up,
    /// or if the system has no more.
    fn take(&self, memory: &Mutex<Memory>) -> Option<usize> {
        let free = self.taken.free.read().expect("no thread panics with the lock");
        if self.taken.reused.load(Relaxed) < free.len()
            && let Some(&index) = free.get(self.taken.reused.fetch_add(1, Relaxed))
        {
            return Some(index as usize);
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
    fn keep(&self, kept: impl Iterator<Item = usize>) {
        let fresh = self.fresh_taken();
        let mut used = vec![false; fresh];
        kept.for_each(|index| used[index] = true);
        let unused = (0..fresh as u32).filter(|&index| !used[index as usize]);
        *self.taken.free.write().expect("no thread panics with the lock") = unused.collect();
        self.taken.fresh.store(fresh, Relaxed);
        self.taken.reused.store(0, Relaxed);
    }
}

/// What is left of the memory of a tree.
struct Memory {
    /// The bytes that chunks may take in all.
    limit: usize,
    /// The bytes that they take.
    taken: usize,
    /// The units in them.
    units: usize,
    /// Memory for the lists that pruning makes, enough for the chunks allocated. It is given back to the system when it
    /// has no more for chunks; then this is `None`.
    reserve: Option<Reserve>,
}

impl Memory {
    /// A chunk of zeros for so many units of so many words, within the limit if it is not the first of an arena.
    fn chunk(&mut self, words: usize, units: usize, is_first: bool) -> Option<AlignedWords<AtomicU32>> {
        let bytes = words * units * size_of::<AtomicU32>();
        if !is_first && self.taken + bytes > self.limit {
            return None;
        }
        let chunk = self.allocate(words, units);
        match &chunk {
            Some(_) => (self.taken, self.units) = (self.taken + bytes, self.units + units),
            None if self.reserve.take().is_some() => {
                let [got, wanted] = [self.taken >> 20, self.limit >> 20];
                log::warn!("not enough memory: the search tree has {got} MiB instead of {wanted} MiB");
            }
            None => (),
        }
        chunk
    }

    fn allocate(&mut self, words: usize, units: usize) -> Option<AlignedWords<AtomicU32>> {
        let reserve = self.reserve.as_mut()?;
        let all = self.units + units;
        if reserve.units < all {
            *reserve = Reserve::of(2 * all).or_else(|| Reserve::of(all))?;
        }
        AlignedWords::zeros(words * units)
    }
}

/// Memory that is kept for when pruning needs it.
#[derive(Default)]
struct Reserve {
    /// For how many units it is enough.
    units: usize,
    _words: Option<AlignedWords<AtomicU32>>,
}

/// The words that pruning needs for each unit: its entries in lists, and the spare room of a list that grows.
const RESERVE_WORDS: usize = 6;

/// The least reserve in words: the rest of the program needs a little memory, too.
const LEAST_RESERVE: usize = 1 << 16;

impl Reserve {
    /// A reserve for so many units.
    fn of(units: usize) -> Option<Reserve> {
        let words = AlignedWords::zeros((units * RESERVE_WORDS).max(LEAST_RESERVE))?;
        Some(Reserve { units, _words: Some(words) })
    }
}

/// All nodes of a tree.
pub(crate) struct Tree {
    layout: Layout,
    stride: usize,
    heads: Arena,
    /// `None` if heads and bodies are one.
    bodies: Option<Arena>,
    /// Locked while a chunk is allocated.
    memory: Mutex<Memory>,
    /// `None` if each sequence of moves has its own nodes.
    transpositions: Option<Transpositions>,
}

impl Tree {
    /// An empty tree. It takes no memory before the first node. Then its nodes take at most `bytes`, but at least a
    /// chunk for each arena, and the index of their positions, if moves in another order share nodes, at most 4 bytes
    /// for each.
    pub fn new(geometry: &Geometry, layout: Layout, shares_positions: bool, bytes: usize) -> Tree {
        let stride = geometry.vertex_count().next_multiple_of(LINE);
        let (heads, bodies) = match words(stride, layout) {
            [head, body] if layout == Layout::Means => (Arena::new(head, bytes), Some(Arena::new(body, bytes))),
            [head, body] => (Arena::new(head + body, bytes), None),
        };
        // The rest of the memory goes to bodies, more or less.
        let nodes = heads.capacity() / 2;
        Tree {
            layout,
            stride,
            heads,
            bodies,
            memory: Mutex::new(Memory { limit: bytes, taken: 0, units: 0, reserve: Some(Reserve::default()) }),
            transpositions: shares_positions.then(|| Transpositions::new(nodes)),
        }
    }

    /// The length of a node's arrays: the number of vertices, rounded up to whole cache lines.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The memory allocated for nodes, in bytes.
    pub fn bytes(&self) -> usize {
        self.heads.bytes() + self.bodies.as_ref().map_or(0, Arena::bytes)
    }

    /// Whether there is no room for another node, or for another body.
    pub fn is_full(&self) -> bool {
        self.heads.is_full() || self.bodies.as_ref().is_some_and(Arena::is_full)
    }

    /// Removes all nodes; their memory is kept for new ones.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.bodies.iter_mut().for_each(Arena::clear);
        if let Some(transpositions) = &mut self.transpositions {
            transpositions.clear();
        }
    }

    /// Whether moves that lead to one position in another order share its node.
    pub fn shares_positions(&self) -> bool {
        self.transpositions.is_some()
    }

    /// The node for the position with this key, if one was given to [`Tree::set_position`] and is still known.
    pub fn find_position(&self, key: Key) -> Option<NodeId> {
        self.transpositions.as_ref()?.find(|id| self.node(id), key)
    }

    /// Makes a complete node the one for the position with this key.
    pub fn set_position(&self, key: Key, id: NodeId) {
        if let Some(transpositions) = &self.transpositions {
            transpositions.add(|id| self.node(id), key, id);
        }
    }

    /// A new node: no visits, no legal moves, nothing proven, and no body. `None` if the memory is used up, or if the
    /// system has no more.
    pub fn allocate(&self) -> Option<NodeId> {
        let index = self.heads.take(&self.memory)?;
        if index == 0
            && let Some(transpositions) = &self.transpositions
        {
            transpositions.allocate();
        }
        // No other thread has the node, and no move leads to it yet.
        Node::reset_head(self.heads.words(index), self.stride, self.layout);
        Some(NodeId::at(index))
    }

    /// A new node with a body.
    pub fn allocate_whole(&self) -> Option<NodeId> {
        self.with_body(self.node(self.allocate()?)).map(|node| node.id())
    }

    /// The node with a body, without which its moves cannot be visited. `None` if it has none and there is no memory for
    /// one.
    #[inline]
    pub fn with_body<'a>(&'a self, node: Node<'a>) -> Option<Node<'a>> {
        if node.has_body() { Some(node) } else { self.add_body(node) }
    }

    fn add_body(&self, node: Node<'_>) -> Option<Node<'_>> {
        let bodies = self.bodies.as_ref()?;
        let index = bodies.take(&self.memory)?;
        bodies.words(index).iter().for_each(|word| word.store(0, Relaxed));
        node.set_body(index);
        Some(self.node(node.id()))
    }

    /// Frees every node that is not below `root`. No other thread may search meanwhile.
    pub fn keep_below(&self, root: NodeId) {
        self.free_all_but(&self.below(root));
    }

    /// Makes room: frees the least visited nodes below `root`, with all nodes below them, so that at most half of the
    /// heads and half of the bodies remain in use. No other thread may search meanwhile.
    ///
    /// The statistics and the proven result of a move stand in the node before it, so they remain.
    pub fn prune(&self, root: NodeId) {
        let mut kept = self.below(root);
        // All nodes with visits have bodies.
        let bodies = self.bodies.as_ref().map_or(usize::MAX, Arena::capacity);
        let goal = (self.heads.capacity().min(bodies) / 2).max(1);
        let whole = kept.iter().filter(|&&id| self.node(id).has_body()).count();
        if kept.len() > self.heads.capacity() / 2 || whole > goal {
            let mut visits: Vec<u32> = kept.iter().map(|&id| self.node(id).total_visits()).collect();
            let mut visits_at = |goal: usize| {
                let is_more = visits.len() > goal;
                if is_more { *visits.select_nth_unstable_by(goal, |a, b| b.cmp(a)).1 } else { 0 }
            };
            let least = visits_at(self.heads.capacity() / 2).max(visits_at(goal));
            // A node that is kept may lose those above it; it is then no longer below the root.
            for &id in &kept {
                self.node(id).unlink(|next| next != root && self.node(next).total_visits() <= least);
            }
            kept = self.below(root);
        }
        self.free_all_but(&kept);
    }

    /// Records the proven result of the last move of a path, from the point of view of the player who makes it, and
    /// whatever follows from it for the nodes above.
    pub fn prove(&self, path: &[Step], verdict: Verdict) {
        let mut verdict = verdict;
        for step in path.iter().rev() {
            let mut node = self.node(step.node);
            if verdict == Verdict::Draw {
                let Some(whole) = self.with_body(node) else { return };
                node = whole;
            }
            let Some(proven) = node.prove_move(step.vertex, verdict) else { return };
            node.set_verdict(proven);
            verdict = proven.of_opponent();
        }
    }

    /// All nodes of the subtree of `root`.
    fn below(&self, root: NodeId) -> Vec<NodeId> {
        let mut found = vec![root];
        let mut is_found = vec![false; self.heads.fresh_taken()];
        let mut next = 0;
        while next < found.len() {
            let links = self.node(found[next]).links();
            found.extend(links.filter(|id| !replace(&mut is_found[id.index()], true)));
            next += 1;
        }
        found
    }

    fn free_all_but(&self, kept: &[NodeId]) {
        self.heads.keep(kept.iter().map(|id| id.index()));
        if let Some(bodies) = &self.bodies {
            bodies.keep(kept.iter().filter_map(|&id| self.node(id).body()));
        }
        if let Some(transpositions) = &self.transpositions {
            transpositions.keep(|id| self.node(id), kept);
        }
    }

    /// The node with this id.
    #[inline]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let body = |index| self.bodies.as_ref().expect("only nodes of such a tree refer to bodies").words(index);
        Node::new(self.heads.words(id.index()), body, self.stride, self.layout, id)
    }
}

#[cfg(test)]
impl Tree {
    /// How many nodes are in use.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// All nodes of a tree that has freed none, in the order in which they were made.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.len()).map(|index| self.node(NodeId::at(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Threads that need a new chunk at the same time agree on it, and no node is given to two of them.
    #[test]
    fn threads_share_the_chunks() {
        let tree = Tree::new(Geometry::of(6).unwrap(), Layout::Means, true, 4 * CHUNK_BYTES);
        let nodes = || std::iter::from_fn(|| tree.allocate()).map(NodeId::index).collect::<Vec<_>>();
        let found: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(nodes)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
        assert!(found.len() == tree.heads.capacity() && tree.is_full() && found.len() > 3 << tree.heads.shift);
    }

    /// A tree that can get no more chunks makes do with those it has, and is pruned as a smaller one would be.
    #[test]
    fn a_tree_without_memory_stays_as_it_is() {
        let mut tree = Tree::new(Geometry::of(6).unwrap(), Layout::Means, true, 4 * CHUNK_BYTES);
        assert!(tree.heads.chunks.len() >= 3);
        let root = tree.allocate().unwrap();
        tree.memory.get_mut().unwrap().reserve = None;
        let rest = std::iter::from_fn(|| tree.allocate()).count();
        assert_eq!((rest + 1, tree.heads.capacity()), (1 << tree.heads.shift, 1 << tree.heads.shift));
        assert!(tree.is_full() && tree.bytes() == tree.heads.chunk_bytes());
        tree.prune(root);
        assert!(!tree.is_full() && tree.len() == 1);
        assert_eq!(std::iter::from_fn(|| tree.allocate()).count(), rest);
        tree.clear();
        assert_eq!(std::iter::from_fn(|| tree.allocate()).count(), rest + 1);
    }

    /// A leaf is small. A tree whose memory is used up by bodies is full, and pruning frees bodies as well.
    #[test]
    fn leaves_take_little_memory_and_bodies_are_freed_with_their_nodes() {
        let tree = Tree::new(Geometry::of(8).unwrap(), Layout::Means, false, 2 * CHUNK_BYTES);
        assert_eq!(tree.heads.unit * size_of::<AtomicU32>(), 384);
        let root = tree.allocate_whole().unwrap();
        let fill = || {
            let mut above = root;
            while let Some(id) = tree.allocate_whole() {
                tree.node(above).begin_visit(Vertex(3));
                tree.node(above).set_link(Vertex(3), id);
                above = id;
            }
        };
        fill();
        let bodies = tree.bodies.as_ref().unwrap();
        assert!(tree.is_full() && bodies.is_full() && !tree.heads.is_full());
        tree.prune(root);
        assert!(!tree.is_full() && bodies.len() == 1 && tree.len() == 1);
        assert!(!tree.node(root).links().any(|_| true) && tree.node(root).visits(Vertex(3)) == 1);
        fill();
        assert!(tree.is_full());
    }
}
