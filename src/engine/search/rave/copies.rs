//! Each thread's own copies of the busiest nodes' statistics.
//!
//! When a core has written a cache line, the next core that needs the line must fetch it, which takes as long as
//! hundreds of instructions. A simulation adds to the RAVE statistics of all moves in each node of its path. On side 8
//! that makes more than twenty lines a node, and all threads pass the root and its best moves. So with several threads,
//! each thread counts its visits of such a node in a copy, selects moves by the copy, and only now and then *merges*
//! it: adds what is new to the node, and takes over what other threads have added. The other threads see its visits
//! under way (virtual losses) no sooner. Where there are so many visits, a few make no difference.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::base::memory::AlignedWords;
use crate::engine::search::kernel::Kernel;
use crate::engine::search::node::NodeId;
use crate::engine::search::tree::Tree;

use super::node::{RaveNode, STATISTICS, Statistics};
use super::{Rave, kernel};

/// The most copies of a thread. A node can be in one place only, which its index determines.
const PLACES: usize = 64;

/// The fewest visits of a node that gets copies.
const LEAST_VISITS: u32 = 512;

/// A copy that descents have not come to for this many steps makes room for another.
const IDLE_STEPS: u64 = 1024;

/// How many visits a thread makes between two merges of a node with this many visits in all.
fn merge_interval(visits: u32) -> u32 {
    (visits / 128).clamp(8, 64)
}

/// The arrays of a copy: those of the node's [`Statistics`], and the same as they were after the last merge.
const ARRAYS: usize = 2 * STATISTICS;

/// The copies of one thread.
pub(super) struct Copies {
    kernel: Kernel,
    stride: usize,
    /// Empty if the thread has no copies.
    places: Vec<Place>,
    /// The arrays of all places, if there are any.
    words: Option<AlignedWords<AtomicU32>>,
    /// Steps of all descents.
    steps: u64,
}

/// The place of a copy.
#[derive(Default)]
struct Place {
    id: Option<NodeId>,
    /// The node's visits, and the same after the last merge.
    total: AtomicU32,
    merged_total: AtomicU32,
    /// Visits until the next merge.
    left: u32,
    /// The last step that came to the node.
    last_step: u64,
}

impl Copies {
    /// For one of this many threads, and nodes with `stride` entries. A thread that searches alone has no copies, nor
    /// does one for which there is no memory.
    pub fn new(threads: usize, stride: usize) -> Copies {
        let words = if threads > 1 { AlignedWords::zeros(PLACES * ARRAYS * stride) } else { None };
        let count = words.as_ref().map_or(0, |_| PLACES);
        let places = (0..count).map(|_| Place::default()).collect();
        Copies { kernel: Kernel::detect(), stride, places, words, steps: 0 }
    }

    /// The statistics of a node: the thread's copy, or if it has none, the node's own.
    #[inline]
    pub fn statistics<'a>(&'a self, node: RaveNode<'a>) -> Statistics<'a> {
        if self.places.is_empty() {
            return node.statistics();
        }
        let index = node.id().index() % PLACES;
        if self.places[index].id == Some(node.id()) { self.copy(index) } else { node.statistics() }
    }

    /// A descent comes to a node of the tree: makes a copy if the node deserves one, or merges the copy if it is time.
    /// Returns the statistics that the thread then has of the node.
    #[inline]
    pub fn come_to<'a>(&'a mut self, node: RaveNode<'a>, tree: &Tree<Rave>) -> Statistics<'a> {
        if self.places.is_empty() {
            return node.statistics();
        }
        self.look_after(node, tree);
        self.statistics(node)
    }

    fn look_after(&mut self, node: RaveNode<'_>, tree: &Tree<Rave>) {
        self.steps += 1;
        let index = node.id().index() % PLACES;
        let place = &mut self.places[index];
        if place.id == Some(node.id()) {
            place.last_step = self.steps;
            place.left -= 1;
            if place.left == 0 {
                self.merge(index, node);
            }
        } else if node.total_visits() >= LEAST_VISITS {
            match place.id {
                Some(_) if self.steps - place.last_step < IDLE_STEPS => return,
                Some(other) => self.merge(index, tree.node(other)),
                None => (),
            }
            self.places[index].id = Some(node.id());
            self.places[index].last_step = self.steps;
            // What is new compared with itself is nothing, whatever the copy was of.
            self.merge(index, node);
        }
    }

    /// Merges all copies and forgets them.
    pub fn merge_all(&mut self, tree: &Tree<Rave>) {
        for index in 0..self.places.len() {
            if let Some(id) = self.places[index].id.take() {
                self.merge(index, tree.node(id));
            }
        }
    }

    /// Merges the copy in a place with its node. If two threads add to one RAVE sum at the same instant, one addition
    /// can be lost.
    fn merge(&mut self, index: usize, node: RaveNode<'_>) {
        let (own, merged, shared) = (self.copy(index), self.merged(index), node.statistics());
        merge_count(own.total(), merged.total(), shared.total());
        for k in 0..2 {
            let [own_counts, merged_counts, shared_counts] = [own, merged, shared].map(|all| all.visit_arrays()[k]);
            for ((own, merged), shared) in own_counts.iter().zip(merged_counts).zip(shared_counts) {
                merge_count(own, merged, shared);
            }
            let [own_sums, merged_sums, shared_sums] = [own, merged, shared].map(|all| all.rave_arrays()[k]);
            kernel::merge(self.kernel, own_sums, merged_sums, shared_sums);
        }
        let interval = merge_interval(own.total_visits());
        self.places[index].left = interval;
    }

    fn copy(&self, index: usize) -> Statistics<'_> {
        self.arrays(index, 0, &self.places[index].total)
    }

    /// The copy as it was after the last merge.
    fn merged(&self, index: usize) -> Statistics<'_> {
        self.arrays(index, STATISTICS, &self.places[index].merged_total)
    }

    #[inline]
    fn arrays<'a>(&'a self, index: usize, first: usize, total: &'a AtomicU32) -> Statistics<'a> {
        let words = self.words.as_ref().expect("each place has arrays");
        let words = words.words((index * ARRAYS + first) * self.stride, STATISTICS * self.stride);
        Statistics::new(total, words, self.stride)
    }
}

/// Adds to a count what is new in the thread's own one, and takes over the sum.
#[inline]
fn merge_count(own: &AtomicU32, merged: &AtomicU32, shared: &AtomicU32) {
    let new = own.load(Relaxed).wrapping_sub(merged.load(Relaxed));
    let before = if new == 0 { shared.load(Relaxed) } else { shared.fetch_add(new, Relaxed) };
    let sum = before.wrapping_add(new);
    own.store(sum, Relaxed);
    merged.store(sum, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::expand;
    use crate::engine::search::fetched_lines::fetched_lines;
    use crate::engine::search::limits::Deadline;
    use crate::engine::search::method::{Context, SearchMethod, Worker};
    use crate::engine::search::options::{Preset, SearchOptions};
    use crate::engine::search::rave::{RaveOptions, RaveWorker};
    use crate::engine::search::root::SearchRoot;
    use crate::engine::search::threats::ThreatSearch;
    use crate::game::{Color, Game, Geometry, Position};
    use crate::network::Networks;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A tree whose root is the empty board.
    fn tree_of(game: &Game, options: &SearchOptions) -> (Tree<Rave>, NodeId) {
        let tree = Tree::new(game.geometry(), false, 1 << 30);
        let root = tree.node(tree.allocate().unwrap());
        let mut threats = ThreatSearch::new(game.position());
        assert_eq!(expand::fill(root, game.position(), Color::White, options, &mut threats), None);
        Rave::complete_root(root, game, options, &Networks::Builtin);
        let root = root.id();
        (tree, root)
    }

    /// Workers that search the tree together. They have copies if the options say that there are several threads.
    fn workers<'a>(
        tree: &'a Tree<Rave>,
        options: &'a SearchOptions,
        node: NodeId,
        position: &'a Position,
        count: u64,
    ) -> Vec<RaveWorker<'a>> {
        let root = SearchRoot { node, position, color: Color::White, last_stones: [None; 2] };
        let context = Context { tree, options, network: &Networks::Builtin, root, deadline: Deadline::never() };
        (0..count).map(|seed| RaveWorker::new(context, Xoshiro256PlusPlus::seed_from_u64(seed))).collect()
    }

    /// With weights that floats hold exactly, a search with copies is the same as one without them.
    #[test]
    fn a_search_with_copies_finds_the_same() {
        let game = Game::new(Geometry::with_side(4).unwrap());
        let found = [1, 2].map(|threads| {
            let mut options = SearchOptions { threads, ..SearchOptions::preset(Preset::Plain) };
            options.rave = RaveOptions { prior_weight: 1.0, ..options.rave };
            let (tree, root) = tree_of(&game, &options);
            let mut workers = workers(&tree, &options, root, game.position(), 1);
            (0..20_000).for_each(|_| workers[0].simulate());
            let copies = &workers[0].selection.copies;
            assert_eq!(copies.places.iter().any(|place| place.id.is_some()), threads == 2);
            workers[0].share();
            tree.nodes().map(|node| node.all_statistics()).collect::<Vec<_>>()
        });
        assert!(found[0] == found[1] && found[0].len() > 1000);
    }

    #[test]
    fn no_visit_is_lost_when_copies_are_merged() {
        let game = Game::new(Geometry::with_side(4).unwrap());
        let options = SearchOptions { threads: 3, ..SearchOptions::preset(Preset::Rave) };
        let (tree, root) = tree_of(&game, &options);
        let mut workers = workers(&tree, &options, root, game.position(), 3);
        (0..5000).for_each(|_| workers.iter_mut().for_each(RaveWorker::simulate));
        workers.iter_mut().for_each(RaveWorker::share);
        assert_eq!(tree.node(root).total_visits(), 15_000);
        for node in tree.nodes() {
            let statistics = node.statistics();
            let visits: u32 = statistics.visit_arrays()[0].iter().map(|word| word.load(Relaxed)).sum();
            assert_eq!(statistics.total_visits(), visits);
        }
    }

    /// The cache lines that a simulation takes from other threads, of this many, on side 8.
    fn lines_of(options: &SearchOptions, threads: usize) -> f64 {
        let game = Game::new(Geometry::with_side(8).unwrap());
        let (tree, root) = tree_of(&game, options);
        let mut workers = workers(&tree, options, root, game.position(), threads as u64);
        (0..40_000 / threads).for_each(|_| workers.iter_mut().for_each(RaveWorker::simulate));
        fetched_lines(&tree, threads, 16_000 / threads, |thread| {
            workers[thread].simulate();
            workers[thread].descent.path.iter().map(|step| step.node).collect()
        })
    }

    /// Prints the lines for each preset: `cargo test --release take_few_lines -- --nocapture`.
    ///
    /// With a fixed seed the figures are always the same. One more line that every simulation writes adds about one. A
    /// search with more threads comes to more nodes without copies.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn threads_with_copies_take_few_lines_from_each_other() {
        let measured = [(Preset::Plain, [16.1, 29.1]), (Preset::Rave, [11.2, 24.7]), (Preset::Paper, [8.7, 15.8])];
        for (preset, lines) in measured {
            for (count, lines) in [2, 16].into_iter().zip(lines) {
                let [without, with] = [1, count].map(|threads| {
                    let options = SearchOptions { threads, ..SearchOptions::preset(preset) };
                    lines_of(&options, count)
                });
                println!("{preset:?}, {count} threads: {without:.1} lines a simulation without copies, {with:.1} with");
                assert!(with < lines + 0.8, "{preset:?}, {count} threads: {with} lines, and before {lines}");
                assert!(1.7 * with < without, "{preset:?}, {count} threads: {with} of {without}");
            }
        }
    }
}
