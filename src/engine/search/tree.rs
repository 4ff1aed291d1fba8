//! The search tree: an arena of the heads of nodes, and one of the pages by which they grow.
//!
//! It is called a tree although a position that is reached by moves in another order has one node for all of them.

use std::marker::PhantomData;
use std::mem::replace;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::base::time::Instant;
use crate::game::{Geometry, Vertex};

use super::arena::{Arena, LINE, Memory};
use super::node::{Header, Layout, Mark, Node, NodeId, mark};
use super::report::Verdict;
use super::transpositions::{Key, Transpositions};

/// When the root has this many visits, those of all nodes are halved. A search begins with at most half as many in each
/// node. So no move has as many as [`DRAWN_VISITS`](super::node::DRAWN_VISITS), whatever leads to it.
pub const MOST_VISITS: u32 = 1 << 28;

/// About how long it takes to free units of an arena, for each unit that was ever taken, in nanoseconds.
const NANOS_OF_FREEING: u64 = 5;

/// A step of a path down the tree: a node, and the move made there.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub node: NodeId,
    pub vertex: Vertex,
}

/// All nodes of a tree.
pub(crate) struct Tree<L> {
    stride: usize,
    heads: Arena,
    /// Stays empty if the layout has no pages.
    pages: Arena,
    /// Locked while a chunk is allocated.
    memory: Mutex<Memory>,
    /// `None` if each sequence of moves has its own nodes.
    transpositions: Option<Transpositions>,
    /// See [`Tree::time_of_pruning`], in nanoseconds.
    pruning: AtomicU64,
    layout: PhantomData<L>,
}

impl<L: Layout> Tree<L> {
    /// An empty tree, which takes no memory before the first node. Its nodes take at most `bytes`, but at least a chunk
    /// for each arena. If moves in another order share nodes, the index of positions takes at most 4 bytes more for
    /// each node.
    pub fn new(geometry: &Geometry, shares_positions: bool, bytes: usize) -> Tree<L> {
        let stride = geometry.vertex_count().next_multiple_of(LINE);
        let heads = Arena::new(L::words(stride), bytes);
        let pages = Arena::new(L::PAGE, bytes);
        // The rest of the memory goes to pages, more or less.
        let nodes = heads.capacity() / 2;
        Tree {
            stride,
            heads,
            pages,
            memory: Mutex::new(Memory::new(bytes)),
            transpositions: shares_positions.then(|| Transpositions::new(nodes)),
            pruning: AtomicU64::new(0),
            layout: PhantomData,
        }
    }

    /// The length of a node's arrays: the number of vertices, rounded up to whole cache lines.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The memory allocated for nodes, in bytes.
    pub fn bytes(&self) -> usize {
        self.heads.bytes() + self.pages.bytes()
    }

    /// Whether there is no room for another node, or for another page.
    pub fn is_full(&self) -> bool {
        self.heads.is_full() || self.pages.is_full()
    }

    /// Removes all nodes and frees their memory but for a chunk of each arena. What follows is as if the tree were new,
    /// unless the system has no memory: then what there is, is kept.
    pub fn release(&mut self) {
        let memory = self.memory.get_mut().expect("no thread panics with the lock");
        if memory.reserve.is_some() {
            self.heads.release();
            self.pages.release();
            memory.restart(self.heads.bytes() + self.pages.bytes(), self.heads.allocated() + self.pages.allocated());
        }
        self.clear();
    }

    /// Removes all nodes; their memory is kept for new ones.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.pages.clear();
        *self.pruning.get_mut() = 0;
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
        self.transpositions.as_ref()?.find(|id| self.header(id), key)
    }

    /// Makes a complete node the one for the position with this key.
    pub fn set_position(&self, key: Key, id: NodeId) {
        if let Some(transpositions) = &self.transpositions {
            transpositions.add(|id| self.header(id), key, id);
        }
    }

    /// A new node: no visits, no legal moves, nothing proven, and no pages. `None` if the memory is used up, or if the
    /// system has no more.
    pub fn allocate(&self) -> Option<NodeId> {
        let index = self.heads.take(&self.memory)?;
        if index == 0
            && let Some(transpositions) = &self.transpositions
        {
            transpositions.allocate();
        }
        // No other thread has the node, and no move leads to it yet.
        self.heads.words(index).iter().for_each(|word| word.store(0, Relaxed));
        let id = NodeId::from_index(index);
        let node = self.node(id);
        (0..self.stride as u16).for_each(|i| node.mark(Vertex(i)).set(mark::ILLEGAL));
        Some(id)
    }

    /// The node with room for what visits of a move change. `None` if it has none and there is no memory for it.
    #[inline]
    pub fn with_room<'a>(&'a self, node: L::Node<'a>, v: Vertex) -> Option<L::Node<'a>> {
        node.with_room(v, || self.blank_page())
    }

    /// The index of a page of zeros.
    fn blank_page(&self) -> Option<usize> {
        let index = self.pages.take(&self.memory)?;
        self.pages.words(index).iter().for_each(|word| word.store(0, Relaxed));
        Some(index)
    }

    /// Frees every node that is not below `root`, and returns the most visits of a node: not more than half of
    /// [`MOST_VISITS`]. No other thread may search meanwhile. Changes nothing and returns nothing if there is no time to
    /// find them or to free them: `has_time` is asked now and then whether this much time is left.
    pub fn keep_below(&self, root: NodeId, has_time: impl Fn(Duration) -> bool) -> Option<u32> {
        let time_of_freeing = self.time_of_freeing(Instant::now());
        let kept = self.below_while(root, || has_time(time_of_freeing()))?;
        let most = || kept.iter().map(|&id| self.node(id).total_visits()).max().unwrap_or(0);
        let mut most_visits = most();
        // What other moves led to may have more visits than the root.
        while most_visits > MOST_VISITS / 2 {
            self.halve_visits(&kept);
            most_visits = most();
        }
        self.free_all_but(&kept);
        Some(most_visits)
    }

    /// How long it may take to free nodes, as far as is known after a search for those to keep that began at `begun`.
    /// All units are looked at, and the kept nodes once more.
    fn time_of_freeing(&self, begun: Instant) -> impl Fn() -> Duration {
        let units = self.heads.fresh_taken() + self.pages.fresh_taken();
        let least = Duration::from_nanos(NANOS_OF_FREEING * units as u64);
        move || least.max(begun.elapsed())
    }

    /// Whether [`Tree::make_room`] has something to do.
    #[inline]
    pub fn needs_room(&self, root: NodeId) -> bool {
        self.is_full() || self.header(root).total_visits() >= MOST_VISITS
    }

    /// Prunes a full tree, and halves all visits if the root has [`MOST_VISITS`]. Returns whether there was time for
    /// that; see [`Tree::prune`]. No other thread may search meanwhile.
    pub fn make_room(&self, root: NodeId, ends_within: impl Fn(Duration) -> bool) -> bool {
        if self.is_full() && !self.prune(root, ends_within) {
            return false;
        }
        if self.header(root).total_visits() >= MOST_VISITS {
            self.halve_visits(&self.below(root));
        }
        true
    }

    /// Halves the visits of nodes and of their moves. Means and proofs stay.
    fn halve_visits(&self, nodes: &[NodeId]) {
        for &id in nodes {
            let node = self.node(id);
            node.halve_visits();
            node.total_word().store(node.total_visits() / 2, Relaxed);
        }
    }

    /// How long a pruning is expected to take: as long as the last one, or as the last one that was given up would have
    /// taken at least; zero if there was none. What was expected when there was no time for it is
    /// [doubted](Tree::doubt_time_of_pruning), and for a new root only [a part](Tree::expect_part_of_pruning) may be
    /// expected.
    pub fn time_of_pruning(&self) -> Duration {
        Duration::from_nanos(self.pruning.load(Relaxed))
    }

    /// Expects somewhat less of the next pruning: perhaps the machine was busy during the last one, and with less time
    /// for each search there would never be another one.
    pub fn doubt_time_of_pruning(&self) {
        let before = self.pruning.load(Relaxed);
        self.pruning.store(before - before / 8, Relaxed);
    }

    /// Expects less of the next pruning, because a new root has `visits` visits, and the one before has `before`.
    pub fn expect_part_of_pruning(&self, visits: u32, before: u32) {
        let part = f64::from(visits) / f64::from(before.max(1));
        self.pruning.store((self.pruning.load(Relaxed) as f64 * part.min(1.0)) as u64, Relaxed);
    }

    /// Makes room: frees the least visited nodes below `root`, with all nodes below them, so that at most half of the
    /// heads and half of the pages remain in use. No other thread may search meanwhile. Gives up, changes nothing and
    /// returns false if it would probably not be done before the search ends, as `ends_within` says of a time from now.
    ///
    /// The statistics and the proven result of a move stand in the node before it, so they remain.
    pub fn prune(&self, root: NodeId, ends_within: impl Fn(Duration) -> bool) -> bool {
        let begun = Instant::now();
        let time_of_freeing = self.time_of_freeing(begun);
        let found = self.below_while(root, || !ends_within(time_of_freeing()));
        let chosen = found.map(|found| (self.least_visits(&found), found));
        let Some((least, mut kept)) = chosen.filter(|_| !ends_within(time_of_freeing())) else {
            self.pruning.fetch_max((begun.elapsed() + time_of_freeing()).as_nanos() as u64, Relaxed);
            return false;
        };
        if let Some(least) = least {
            // A node that is kept may lose those above it; it is then no longer below the root.
            for &id in &kept {
                self.node(id).unlink(|next| next != root && self.node(next).total_visits() <= least);
            }
            kept = self.below(root);
        }
        self.free_all_but(&kept);
        self.pruning.store(begun.elapsed().as_nanos() as u64, Relaxed);
        true
    }

    /// The visits of the first of these nodes, the most visited first, that does not fit into half of the heads and
    /// half of the pages.
    fn least_visits(&self, nodes: &[NodeId]) -> Option<u32> {
        let cost = |&id: &NodeId| (self.node(id).total_visits(), self.node(id).pages().count() as u32);
        let mut costs: Vec<(u32, u32)> = nodes.iter().map(cost).collect();
        costs.sort_unstable_by(|a, b| b.cmp(a));
        let mut heads = (self.heads.capacity() / 2).max(1);
        let mut pages = self.pages.capacity() / 2;
        let does_not_fit = |&(_, needed): &(u32, u32)| {
            let fits = heads > 0 && pages >= needed as usize;
            (heads, pages) = (heads.saturating_sub(1), pages.saturating_sub(needed as usize));
            !fits
        };
        let at = costs.iter().position(does_not_fit)?;
        Some(costs[at].0)
    }

    /// Records the proven result of the last move of a path, from the point of view of the player who makes it, and
    /// whatever follows from it for the nodes above.
    pub fn prove(&self, path: &[Step], verdict: Verdict) {
        let mut verdict = verdict;
        for step in path.iter().rev() {
            let mut node = self.node(step.node);
            if verdict == Verdict::Draw {
                let Some(roomy) = self.with_room(node, step.vertex) else { return };
                node = roomy;
            }
            let Some(proven) = node.prove_move(step.vertex, verdict) else { return };
            node.set_verdict(proven);
            verdict = proven.of_opponent();
        }
    }

    /// All nodes of the subtree of `root`.
    fn below(&self, root: NodeId) -> Vec<NodeId> {
        self.below_while(root, || true).expect("nothing ends the walk")
    }

    /// All nodes of the subtree of `root`, or nothing if the walk may not go on. That is asked now and then.
    fn below_while(&self, root: NodeId, goes_on: impl Fn() -> bool) -> Option<Vec<NodeId>> {
        const NODES_BETWEEN_LOOKS: usize = 1024;
        let mut found = vec![root];
        let mut is_found = vec![false; self.heads.fresh_taken()];
        let mut next = 0;
        while next < found.len() {
            if next.is_multiple_of(NODES_BETWEEN_LOOKS) && !goes_on() {
                return None;
            }
            let links = self.node(found[next]).links();
            found.extend(links.filter(|id| !replace(&mut is_found[id.index()], true)));
            next += 1;
        }
        Some(found)
    }

    fn free_all_but(&self, kept: &[NodeId]) {
        self.heads.keep(kept.iter().map(|id| id.index()));
        self.pages.keep(kept.iter().flat_map(|&id| self.node(id).pages()));
        if let Some(transpositions) = &self.transpositions {
            transpositions.keep(|id| self.header(id), kept);
        }
    }

    /// The node with this id.
    #[inline]
    pub fn node(&self, id: NodeId) -> L::Node<'_> {
        L::node(self.heads.words(id.index()), &self.pages, self.stride, id)
    }

    /// The header of the node with this id.
    #[inline]
    fn header(&self, id: NodeId) -> Header<'_> {
        Header::split(self.heads.words(id.index()), id).0
    }
}

#[cfg(test)]
impl<L: Layout> Tree<L> {
    /// How many nodes are in use.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// The words of a node's head, and those of its pages.
    pub fn words(&self, id: NodeId) -> impl Iterator<Item = &[std::sync::atomic::AtomicU32]> {
        let pages = self.node(id).pages().map(|index| self.pages.words(index));
        std::iter::once(self.heads.words(id.index())).chain(pages)
    }

    /// All nodes of a tree that has freed none, in the order in which they were made.
    pub fn nodes(&self) -> impl Iterator<Item = L::Node<'_>> {
        (0..self.len()).map(|index| self.node(NodeId::from_index(index)))
    }

    /// A new node with room for visits of all moves.
    pub fn allocate_whole(&self) -> Option<NodeId> {
        let id = self.allocate()?;
        (0..self.stride as u16).try_for_each(|i| self.with_room(self.node(id), Vertex(i)).map(|_| ()))?;
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::arena::CHUNK_BYTES;
    use crate::engine::search::puct::Puct;
    use crate::engine::search::rave::Rave;
    use std::collections::HashSet;

    /// Threads that need a new chunk at the same time agree on it, and no node is given to two of them.
    #[test]
    fn threads_share_the_chunks() {
        let tree = Tree::<Puct>::new(Geometry::with_side(6).unwrap(), true, 4 * CHUNK_BYTES);
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
        let mut tree = Tree::<Puct>::new(Geometry::with_side(6).unwrap(), true, 4 * CHUNK_BYTES);
        assert!(tree.heads.chunks.len() >= 3);
        let root = tree.allocate().unwrap();
        tree.memory.get_mut().unwrap().reserve = None;
        let rest = std::iter::from_fn(|| tree.allocate()).count();
        assert_eq!((rest + 1, tree.heads.capacity()), (1 << tree.heads.shift, 1 << tree.heads.shift));
        assert!(tree.is_full() && tree.bytes() == (tree.heads.unit * size_of::<u32>()) << tree.heads.shift);
        assert!(!tree.prune(root, |_| true));
        assert!(tree.is_full() && tree.time_of_pruning() > Duration::ZERO, "a search that ends does not wait for it");
        assert!(tree.prune(root, |_| false));
        assert!(!tree.is_full() && tree.len() == 1);
        assert_eq!(std::iter::from_fn(|| tree.allocate()).count(), rest);
        tree.clear();
        assert_eq!(std::iter::from_fn(|| tree.allocate()).count(), rest + 1);
    }

    /// The visits of all nodes are halved before those of a move can be taken for a proven draw. Means and proofs stay.
    #[test]
    fn visits_are_halved_when_they_are_many() {
        fn check<L: Layout>(end_visit: impl Fn(L::Node<'_>, Vertex)) {
            let tree = Tree::<L>::new(Geometry::with_side(3).unwrap(), false, 1 << 24);
            let [root, next] = [(); 2].map(|()| tree.allocate_whole().unwrap());
            let [v, drawn, lost] = [Vertex(4), Vertex(5), Vertex(6)];
            let rare = [(Vertex(7), 1), (Vertex(8), 3)];
            let visit = |node: L::Node<'_>, v| {
                node.begin_visit(v);
                end_visit(node, v);
            };
            for node in [root, next].map(|id| tree.node(id)) {
                [v, drawn, lost].into_iter().for_each(|v| node.add_move(v, 0.5));
                for v in [v, drawn, lost] {
                    for k in 0..100 {
                        node.begin_visit(v);
                        if k % 4 != 0 {
                            end_visit(node, v);
                        }
                    }
                }
                node.prove_move(drawn, Verdict::Draw);
                node.prove_move(lost, Verdict::Loss);
                for (v, visits) in rare {
                    node.add_move(v, 0.5);
                    (0..visits).for_each(|_| visit(node, v));
                }
            }
            tree.node(root).set_link(v, next);
            let found = |id| {
                let node = tree.node(id);
                let moves = [v, drawn, lost].map(|v| (node.visits(v), node.mean(v).unwrap(), node.move_verdict(v)));
                (node.total_visits(), moves)
            };
            let before = found(root);
            assert!(before.0 == 304 && !tree.needs_room(root));
            tree.make_room(root, |_| false);
            assert_eq!(found(root), before);
            tree.node(root).total_word().store(MOST_VISITS, Relaxed);
            assert!(tree.needs_room(root));
            tree.make_room(root, |_| false);
            assert!(!tree.needs_room(root) && tree.node(root).total_visits() == MOST_VISITS / 2);
            let after = found(next);
            assert_eq!(after.0, 152);
            for (v, visits) in rare {
                // Each visit was a win, before and after.
                let node = tree.node(next);
                assert_eq!(node.visits(v), visits / 2);
                visit(node, v);
                assert_eq!((node.visits(v), node.mean(v)), (visits / 2 + 1, Some(1.0)));
            }
            for ((visits, mean, verdict), (before, mean_before, verdict_before)) in after.1.into_iter().zip(before.1) {
                assert_eq!((visits, verdict), (before / 2, verdict_before));
                assert!((mean - mean_before).abs() < 0.01, "{mean} {mean_before}");
            }
            // A search begins with few enough visits in all nodes.
            tree.node(next).total_word().store(3 * MOST_VISITS, Relaxed);
            assert_eq!(tree.keep_below(root, |_| false), None);
            assert_eq!(tree.node(next).total_visits(), 3 * MOST_VISITS);
            assert_eq!(tree.keep_below(root, |time| time > Duration::ZERO), Some(3 * MOST_VISITS / 8));
            assert!([root, next].into_iter().all(|id| tree.node(id).total_visits() <= MOST_VISITS / 2));
            assert_eq!((found(next).1[1].2, found(next).1[2].2), (Some(Verdict::Draw), Some(Verdict::Loss)));
        }
        check::<Puct>(|node, v| node.end_visit(v, 1.0));
        check::<Rave>(|node, v| node.statistics().end_visit(v, 2));
    }

    /// Where nothing is added any more, the sums of RAVE are halved as long as the tree lives. Their ratio stays.
    #[test]
    fn means_of_rave_survive_any_number_of_halvings() {
        let tree = Tree::<Rave>::new(Geometry::with_side(3).unwrap(), false, 1 << 24);
        let root = tree.allocate_whole().unwrap();
        let v = Vertex(4);
        let node = tree.node(root);
        node.add_move(v, 0.5);
        let [weights, wins] = node.statistics().rave_arrays();
        for (sum, value) in [(weights, 3e6_f32), (wins, 1e6)] {
            sum[v.index()].store(value.to_bits(), Relaxed);
        }
        let before = node.rave(v).unwrap();
        (0..500).for_each(|_| tree.halve_visits(&[root]));
        assert!((tree.node(root).rave(v).unwrap() - before).abs() < 1e-6);
    }

    /// What a pruning that was given up would have taken is remembered, and doubted: else a search would lose the same
    /// time again and again, or there would never be another pruning.
    #[test]
    fn a_pruning_that_was_given_up_is_not_tried_at_once_again() {
        let mut tree = Tree::<Puct>::new(Geometry::with_side(6).unwrap(), true, CHUNK_BYTES);
        let root = tree.allocate().unwrap();
        while tree.allocate().is_some() {}
        let given_up = std::cell::Cell::new(Duration::ZERO);
        let ends_within = |time: Duration| {
            given_up.set(time);
            true
        };
        assert!(!tree.prune(root, ends_within));
        assert!(given_up.get() > Duration::ZERO && tree.time_of_pruning() >= given_up.get());
        tree.pruning.store(800, Relaxed);
        tree.doubt_time_of_pruning();
        assert_eq!(tree.time_of_pruning(), Duration::from_nanos(700));
        tree.expect_part_of_pruning(10, 35);
        assert_eq!(tree.time_of_pruning(), Duration::from_nanos(200));
        tree.expect_part_of_pruning(2, 0);
        assert_eq!(tree.time_of_pruning(), Duration::from_nanos(200));
        tree.clear();
        assert_eq!(tree.time_of_pruning(), Duration::ZERO);
    }

    /// A leaf is small. A tree whose memory is used up by pages is full, and pruning frees pages as well.
    #[test]
    fn leaves_take_little_memory_and_pages_are_freed_with_their_nodes() {
        let tree = Tree::<Puct>::new(Geometry::with_side(8).unwrap(), false, 2 * CHUNK_BYTES);
        assert_eq!(tree.heads.unit * size_of::<u32>(), 384);
        let root = tree.allocate().unwrap();
        let fill = || {
            let (mut above, mut i) = (root, 0);
            while let Some(node) = tree.with_room(tree.node(above), Vertex(i % 160)) {
                node.begin_visit(Vertex(i % 160));
                if i % 40 == 0 {
                    let Some(id) = tree.allocate() else { break };
                    node.set_link(Vertex(i % 160), id);
                    above = id;
                }
                i += 1;
            }
        };
        fill();
        let pages = &tree.pages;
        assert!(tree.is_full() && pages.is_full() && !tree.heads.is_full());
        tree.prune(root, |_| false);
        assert!(!tree.is_full() && pages.len() <= pages.capacity() / 2 && tree.node(root).visits(Vertex(0)) == 1);
        let rest = std::iter::from_fn(|| tree.blank_page()).count();
        assert_eq!(pages.len(), pages.capacity());
        assert!(rest >= pages.capacity() / 2);
    }
}
