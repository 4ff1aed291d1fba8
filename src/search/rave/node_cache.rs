//! A thread's private copies of the nodes that it visits often.
//!
//! If two threads visit one node in turn, the cache lines that hold its statistics travel between the cores at every
//! visit, which on small boards takes as long as the playout. So each of several threads keeps the statistics of often
//! visited nodes to itself, and now and then adds its gains to the shared node and copies what the others have added.
//! Nodes with few visits stay shared; there [`Options::diversity`](crate::search::Options::diversity) keeps the threads
//! apart. (Search guided by the network needs no cache: the network takes much longer than this traffic.)

use crate::board::Geometry;
use crate::search::node::{Node, NodeId};
use crate::search::options::{Method, Options};
use crate::search::tree::Tree;

/// Nodes with fewer visits are used directly: there each visit matters, and threads seldom meet.
const LEAST_VISITS: u32 = 32;

/// The most nodes of which a thread has copies. A power of two.
const MOST_SLOTS: usize = 256;

/// The caches of all threads together take at most this part of the memory for the tree, as 1 / this.
const SHARE: usize = 4;

/// A copy is synchronised whenever its visits have grown by this fraction, as 1 / this ...
const GROWTH: u32 = 8;

/// ... or by this number, if that is less.
const MOST_VISITS: u32 = 4096;

/// The copies of one thread.
pub(in crate::search) struct NodeCache {
    /// Holds the copies.
    tree: Tree,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The node whose copy this is.
    of: Option<NodeId>,
    /// The statistics as the thread sees them.
    copy: NodeId,
    /// The statistics as they were when the copy was last synchronised.
    base: NodeId,
    /// The copy is synchronised again when it has this many visits.
    until: u32,
}

impl NodeCache {
    /// The memory that the cache of a thread takes, in bytes.
    pub fn bytes(geometry: &Geometry, options: &Options) -> usize {
        2 * NodeCache::slots(geometry, options) * Tree::node_bytes(geometry, Method::Rave)
    }

    /// How many nodes the cache of a thread holds: a power of two, or 0.
    fn slots(geometry: &Geometry, options: &Options) -> usize {
        if options.threads <= 1 {
            return 0;
        }
        let bytes = (options.memory << 20) / SHARE / options.threads;
        match bytes / (2 * Tree::node_bytes(geometry, Method::Rave)) {
            0 => 0,
            room => MOST_SLOTS.min(1 << room.ilog2()),
        }
    }

    /// An empty cache for nodes of a board. `None` if there is only one thread, or not enough memory.
    pub fn new(geometry: &Geometry, options: &Options) -> Option<NodeCache> {
        let count = NodeCache::slots(geometry, options);
        if count == 0 {
            return None;
        }
        let copies = Tree::with_room_for(geometry, Method::Rave, 2 * count);
        let slot = |_| Some(Slot { of: None, copy: copies.allocate()?, base: copies.allocate()?, until: 0 });
        let slots = (0..count).map(slot).collect::<Option<_>>()?;
        Some(NodeCache { tree: copies, slots })
    }

    /// The slot for a node.
    #[inline]
    fn slot(&self, node: NodeId) -> usize {
        node.index() & (self.slots.len() - 1)
    }

    /// Where to read and write the statistics of a node of `tree`: in its copy if it is visited often, else in the
    /// node.
    #[inline]
    fn statistics<'a>(&'a mut self, tree: &'a Tree, node: Node<'a>) -> Node<'a> {
        let slot = self.slot(node.id());
        let slot = &mut self.slots[slot];
        let copy = self.tree.node(slot.copy);
        let is_copied = slot.of == Some(node.id());
        if is_copied && copy.total_visits() < slot.until {
            return copy;
        }
        let least = if slot.of.is_some() { LEAST_VISITS.max(2 * copy.total_visits()) } else { LEAST_VISITS };
        if !is_copied && node.total_visits() < least {
            return node;
        }
        slot.flush(tree, &self.tree);
        slot.fetch(node, &self.tree);
        copy
    }

    /// Where to write the statistics of a node when they need not be up to date: in its copy if there is one, else in
    /// the node.
    #[inline]
    fn current<'a>(&'a self, node: Node<'a>) -> Node<'a> {
        let slot = &self.slots[self.slot(node.id())];
        if slot.of == Some(node.id()) { self.tree.node(slot.copy) } else { node }
    }

    /// Adds the gains of all copies to their nodes, and drops the copies. Required before nodes are freed and at the
    /// end.
    pub fn flush(&mut self, tree: &Tree) {
        for slot in &mut self.slots {
            slot.flush(tree, &self.tree);
            slot.of = None;
        }
    }
}

/// Where a thread with this cache, if it has one, reads and writes the statistics of a node.
#[inline(always)]
pub(super) fn statistics<'a>(cache: &'a mut Option<NodeCache>, tree: &'a Tree, node: Node<'a>) -> Node<'a> {
    match cache {
        Some(cache) => cache.statistics(tree, node),
        None => node,
    }
}

/// Where a thread with this cache, if it has one, writes the statistics of a node when they need not be up to date.
#[inline]
pub(super) fn current<'a>(cache: &'a Option<NodeCache>, node: Node<'a>) -> Node<'a> {
    match cache {
        Some(cache) => cache.current(node),
        None => node,
    }
}

impl Slot {
    /// Adds the gains of the copy to its node.
    fn flush(&self, tree: &Tree, copies: &Tree) {
        if let Some(id) = self.of {
            tree.node(id).add_difference(copies.node(self.copy), copies.node(self.base));
        }
    }

    /// Copies the statistics of a node.
    fn fetch(&mut self, node: Node<'_>, copies: &Tree) {
        let copy = copies.node(self.copy);
        copy.copy_statistics(node);
        copies.node(self.base).copy_statistics(copy);
        self.of = Some(node.id());
        self.until = copy.total_visits() + (copy.total_visits() / GROWTH).min(MOST_VISITS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Vertex};
    use crate::nn::Network;
    use crate::search::kept_tree::KeptTree;
    use crate::search::rave::Worker;
    use crate::search::{Options, Preset};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A thread sees its own visits at once: if it is the only thread, copies change nothing.
    #[test]
    fn one_thread_searches_the_same_with_copies_and_without() {
        let game = Game::new(Geometry::of(4).unwrap());
        let statistics = |threads| {
            let options = Options { threads, ..Options::preset(Preset::Rave) };
            let kept = KeptTree::at(None, &game, &options, &*Network::builtin()).unwrap();
            let mut worker =
                Worker::new(&kept.tree, &options, kept.root(&game), Xoshiro256PlusPlus::seed_from_u64(7), 0);
            (0..30_000).for_each(|_| worker.simulate());
            worker.flush();
            kept.tree.nodes().map(|node| node.statistics()).collect::<Vec<_>>()
        };
        let (without, with) = (statistics(1), statistics(2));
        assert!(without.len() > MOST_SLOTS, "there are more nodes than slots");
        assert!(without == with);
    }

    #[test]
    fn many_threads_take_no_more_than_their_share_of_the_memory() {
        for side in [4, 13] {
            let geometry = Geometry::of(side).unwrap();
            for (threads, memory) in [(1, 1024), (2, 4), (64, 16), (64, 4), (4, 1024)] {
                let options = Options { threads, memory, ..Options::preset(Preset::Rave) };
                let bytes = NodeCache::bytes(geometry, &options);
                assert!(
                    threads * bytes <= (memory << 20) / SHARE,
                    "{threads} threads, {memory} MiB: {bytes} bytes each"
                );
                assert_eq!(NodeCache::new(geometry, &options).is_some(), bytes > 0);
            }
        }
    }

    #[test]
    fn what_other_threads_add_is_kept_and_copied() {
        let geometry = Geometry::of(3).unwrap();
        let tree = Tree::new(geometry, Method::Rave, 1 << 20);
        let (node, v) = (tree.node(tree.allocate().unwrap()), Vertex(5));
        let visit = |node: Node<'_>, times: u32| {
            for _ in 0..times {
                node.begin_visit(v);
            }
        };
        let options = Options { threads: 2, ..Options::preset(Preset::Rave) };
        let mut cache = NodeCache::new(geometry, &options).unwrap();
        visit(cache.statistics(&tree, node), LEAST_VISITS);
        assert_eq!(node.visits(v), LEAST_VISITS);
        visit(cache.statistics(&tree, node), 3);
        visit(node, 50);
        assert_eq!((node.visits(v), cache.statistics(&tree, node).visits(v)), (LEAST_VISITS + 50, LEAST_VISITS + 3));
        visit(cache.statistics(&tree, node), 1);
        let all = LEAST_VISITS + 54;
        assert_eq!((cache.statistics(&tree, node).visits(v), node.visits(v)), (all, all));
        visit(cache.statistics(&tree, node), 2);
        cache.flush(&tree);
        assert_eq!((node.visits(v), node.total_visits()), (all + 2, all + 2));
    }
}
