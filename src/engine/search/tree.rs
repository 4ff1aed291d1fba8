//! The search tree: an arena of nodes of one size, so that a freed node serves for any other.
//!
//! It is called a tree although a position that is reached by moves in another order has one node for all of them.

use std::mem::replace;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, RwLock};

use crate::base::memory::AlignedWords;
use crate::game::{Geometry, Vertex};

use super::node::{LINE, Layout, Node, NodeId, lines_per_node};
use super::report::Verdict;
use super::transpositions::{Key, Transpositions};

/// A step of a path down the tree: a node, and the move made there.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub node: NodeId,
    pub vertex: Vertex,
}

/// The size of a cache line in bytes.
const LINE_BYTES: usize = LINE * size_of::<AtomicU32>();

/// The arena grows by chunks of about this many bytes. Miri would take minutes to fill the usual ones.
const CHUNK_BYTES: usize = if cfg!(miri) { 1 << 16 } else { 1 << 21 };

/// The arena of all nodes of a tree.
pub(crate) struct Tree {
    layout: Layout,
    stride: usize,
    lines_per_node: usize,
    nodes_per_chunk: usize,
    /// How many nodes there may be. Falls when no more memory can be allocated.
    capacity: AtomicUsize,
    chunks: Box<[OnceLock<AlignedWords<AtomicU32>>]>,
    /// Nodes that have been taken from the unused end of the arena.
    fresh: AtomicUsize,
    /// Freed nodes. The first `reused` of them are in use again. Locked for writing only while no thread searches.
    free: RwLock<Vec<NodeId>>,
    reused: AtomicUsize,
    /// `None` if each sequence of moves has its own nodes.
    transpositions: Option<Transpositions>,
    /// Memory for the lists that pruning makes, enough for the chunks allocated. It is given back to the system when
    /// nodes can get no more; then this is `None`. Locked while a chunk is allocated.
    reserve: Mutex<Option<Reserve>>,
}

/// Memory that is kept for when pruning needs it.
#[derive(Default)]
struct Reserve {
    /// How many chunks it is enough for.
    chunks: usize,
    _words: Option<AlignedWords<AtomicU32>>,
}

/// The words that pruning needs for each node: its lists, and the spare room of a list that grows.
const RESERVE_WORDS: usize = 6;

/// The least reserve in words: the rest of the program needs a little memory, too.
const LEAST_RESERVE: usize = 1 << 16;

impl Tree {
    /// An empty tree. It takes no memory before the first node. Then its nodes take at most `bytes`, but at least one
    /// chunk, and the index of their positions, if moves in another order share nodes, at most 8 bytes for each.
    pub fn new(geometry: &Geometry, layout: Layout, shares_positions: bool, bytes: usize) -> Tree {
        let stride = geometry.vertex_count().next_multiple_of(LINE);
        let lines_per_node = lines_per_node(stride, layout);
        let nodes_per_chunk = CHUNK_BYTES / (lines_per_node * LINE_BYTES);
        let chunks = (bytes / (nodes_per_chunk * lines_per_node * LINE_BYTES)).max(1);
        let capacity = chunks * nodes_per_chunk;
        Tree {
            layout,
            stride,
            lines_per_node,
            nodes_per_chunk,
            capacity: AtomicUsize::new(capacity),
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            fresh: AtomicUsize::new(0),
            free: RwLock::new(Vec::new()),
            reused: AtomicUsize::new(0),
            transpositions: shares_positions.then(|| Transpositions::new(capacity)),
            reserve: Mutex::new(Some(Reserve::default())),
        }
    }

    fn capacity(&self) -> usize {
        self.capacity.load(Relaxed)
    }

    /// The length of a node's arrays: the number of vertices, rounded up to whole cache lines.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// How many nodes are in use.
    pub fn len(&self) -> usize {
        let free = self.free.read().expect("no thread panics with the lock").len();
        self.fresh_taken() - (free - self.reused.load(Relaxed).min(free))
    }

    /// The memory allocated for nodes, in bytes.
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().filter(|chunk| chunk.get().is_some()).count();
        chunks * self.chunk_bytes()
    }

    fn chunk_bytes(&self) -> usize {
        self.nodes_per_chunk * self.lines_per_node * LINE_BYTES
    }

    /// Whether there is no room for another node.
    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity()
    }

    /// How many nodes of the arena have ever been in use.
    fn fresh_taken(&self) -> usize {
        self.fresh.load(Relaxed).min(self.capacity())
    }

    /// Removes all nodes; their memory is kept for new ones.
    pub fn clear(&mut self) {
        self.free.get_mut().expect("no thread panics with the lock").clear();
        *self.fresh.get_mut() = 0;
        *self.reused.get_mut() = 0;
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

    /// A new node: no visits, no legal moves, nothing proven. `None` if the memory is used up, or if the system has no
    /// more.
    pub fn allocate(&self) -> Option<NodeId> {
        let id = self.take()?;
        // No other thread has the node, and no move leads to it yet.
        self.node(id).reset();
        Some(id)
    }

    /// A node that is not in use, for one thread alone.
    fn take(&self) -> Option<NodeId> {
        let free = self.free.read().expect("no thread panics with the lock");
        if self.reused.load(Relaxed) < free.len()
            && let Some(&id) = free.get(self.reused.fetch_add(1, Relaxed))
        {
            return Some(id);
        }
        if self.fresh.load(Relaxed) >= self.capacity() {
            return None;
        }
        let index = self.fresh.fetch_add(1, Relaxed);
        let chunk = index / self.nodes_per_chunk;
        let has_room = index < self.capacity() && (self.chunks[chunk].get().is_some() || self.grow(chunk));
        has_room.then(|| NodeId::at(index))
    }

    /// Allocates the chunks up to this one. If there is not enough memory, the tree makes do with those it has.
    #[cold]
    fn grow(&self, last: usize) -> bool {
        let mut reserve = self.reserve.lock().expect("no thread panics with the lock");
        for (i, chunk) in self.chunks[..=last].iter().enumerate().filter(|(_, chunk)| chunk.get().is_none()) {
            let exhausted = self.capacity() <= i * self.nodes_per_chunk;
            let mut allocate = || {
                let reserve = reserve.as_mut()?;
                if reserve.chunks <= i {
                    *reserve = self.reserve_for(i + 1)?;
                }
                AlignedWords::zeros(self.nodes_per_chunk * self.lines_per_node * LINE)
            };
            let Some(words) = (if exhausted { None } else { allocate() }) else {
                *reserve = None;
                if !exhausted {
                    self.capacity.store(i * self.nodes_per_chunk, Relaxed);
                    let [got, wanted] = [i, self.chunks.len()].map(|chunks| (chunks * self.chunk_bytes()) >> 20);
                    log::warn!("not enough memory: the search tree has {got} MiB instead of {wanted} MiB");
                }
                return false;
            };
            assert!(chunk.set(words).is_ok(), "chunks are allocated under the lock");
        }
        if let Some(transpositions) = self.transpositions.as_ref().filter(|_| last == 0) {
            transpositions.allocate();
        }
        true
    }

    /// A reserve for this many chunks, and for as many again if there is memory.
    fn reserve_for(&self, chunks: usize) -> Option<Reserve> {
        let reserve = |chunks: usize| {
            let words = (chunks * self.nodes_per_chunk * RESERVE_WORDS).max(LEAST_RESERVE);
            AlignedWords::zeros(words).map(|words| Reserve { chunks, _words: Some(words) })
        };
        reserve((2 * chunks).min(self.chunks.len())).or_else(|| reserve(chunks))
    }

    /// Frees every node that is not below `root`. No other thread may search meanwhile.
    pub fn keep_below(&self, root: NodeId) {
        self.free_all_but(&self.below(root));
    }

    /// Makes room: frees the least visited nodes below `root`, with all nodes below them, so that at most half of the
    /// capacity remains in use. No other thread may search meanwhile.
    ///
    /// The statistics and the proven result of a move stand in the node before it, so they remain.
    pub fn prune(&self, root: NodeId) {
        let mut kept = self.below(root);
        let mut visits: Vec<u32> = kept.iter().map(|&id| self.node(id).total_visits()).collect();
        let goal = self.capacity() / 2;
        if kept.len() > goal {
            let (_, &mut least, _) = visits.select_nth_unstable_by(goal, |a, b| b.cmp(a));
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
            let node = self.node(step.node);
            let Some(proven) = node.prove_move(step.vertex, verdict) else { return };
            node.set_verdict(proven);
            verdict = proven.of_opponent();
        }
    }

    /// All nodes of the subtree of `root`.
    fn below(&self, root: NodeId) -> Vec<NodeId> {
        let mut found = vec![root];
        let mut is_found = vec![false; self.fresh_taken()];
        let mut next = 0;
        while next < found.len() {
            let links = self.node(found[next]).links();
            found.extend(links.filter(|id| !replace(&mut is_found[id.index()], true)));
            next += 1;
        }
        found
    }

    fn free_all_but(&self, kept: &[NodeId]) {
        let fresh = self.fresh_taken();
        let mut used = vec![false; fresh];
        kept.iter().for_each(|id| used[id.index()] = true);
        let unused = (0..fresh).filter(|&i| !used[i]).map(NodeId::at);
        *self.free.write().expect("no thread panics with the lock") = unused.collect();
        if let Some(transpositions) = &self.transpositions {
            transpositions.keep(|id| self.node(id), kept);
        }
        self.fresh.store(fresh, Relaxed);
        self.reused.store(0, Relaxed);
    }

    /// The node with this id.
    #[inline]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let index = id.index();
        let node_words = self.lines_per_node * LINE;
        let chunk = self.chunks[index / self.nodes_per_chunk].get().expect("an id is that of an allocated node");
        let words = chunk.words(index % self.nodes_per_chunk * node_words, node_words);
        Node::new(words, self.stride, self.layout, id)
    }
}

#[cfg(test)]
impl Tree {
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
        assert!(found.len() == tree.capacity() && tree.is_full() && found.len() > 3 * tree.nodes_per_chunk);
    }

    /// A tree that can get no more chunks makes do with those it has, and is pruned as a smaller one would be.
    #[test]
    fn a_tree_without_memory_stays_as_it_is() {
        let mut tree = Tree::new(Geometry::of(6).unwrap(), Layout::Means, true, 4 * CHUNK_BYTES);
        assert!(tree.chunks.len() >= 3);
        let root = tree.allocate().unwrap();
        *tree.reserve.get_mut().unwrap() = None;
        let rest = std::iter::from_fn(|| tree.allocate()).count();
        assert_eq!((rest + 1, tree.capacity()), (tree.nodes_per_chunk, tree.nodes_per_chunk));
        assert!(tree.is_full() && tree.bytes() == tree.chunk_bytes());
        tree.prune(root);
        assert!(!tree.is_full() && tree.len() == 1);
        assert_eq!(std::iter::from_fn(|| tree.allocate()).count(), rest);
        tree.clear();
        assert_eq!(std::iter::from_fn(|| tree.allocate()).count(), rest + 1);
    }
}
