//! Counts the cache lines that the threads of a search take from each other, for tests of how well it will run on many
//! cores, wherever they run.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use super::arena::LINE;
use super::node::{Layout, NodeId};
use super::tree::Tree;

/// What was last seen in a cache line, and which thread changed it last, if that is known.
type Seen = ([u32; LINE], Option<usize>);

/// How many cache lines of nodes a simulation changes that another thread changed last: the mean over this many
/// simulations of each thread. Every such line has to be fetched from another core. The threads take turns.
///
/// `simulate` makes a simulation of a thread, and returns the nodes that it came to.
pub(super) fn fetched_lines<L: Layout>(
    tree: &Tree<L>,
    threads: usize,
    simulations: usize,
    mut simulate: impl FnMut(usize) -> Vec<NodeId>,
) -> f64 {
    let mut lines: HashMap<usize, Seen> = HashMap::new();
    let ids: Vec<NodeId> = tree.nodes().map(|node| node.id()).collect();
    ids.into_iter().flat_map(|id| tree.lines(id)).for_each(|(at, words)| _ = lines.insert(at, (words, None)));
    let mut fetched = 0;
    for _ in 0..simulations {
        for thread in 0..threads {
            for (at, words) in simulate(thread).into_iter().flat_map(|id| tree.lines(id)) {
                // A line that was never seen before belongs to a node that this thread has just made.
                let (before, last) = lines.entry(at).or_insert((words, Some(thread)));
                if *before != words {
                    *before = words;
                    fetched += u32::from(last.replace(thread).is_some_and(|last| last != thread));
                }
            }
        }
    }
    f64::from(fetched) / (simulations * threads) as f64
}

impl<L: Layout> Tree<L> {
    /// The cache lines of a node and of its pages: the address of each, and what it holds.
    fn lines(&self, id: NodeId) -> impl Iterator<Item = (usize, [u32; LINE])> {
        self.words(id).flat_map(|words| words.as_chunks::<LINE>().0).map(|line| {
            let words = std::array::from_fn(|i| line[i].load(Relaxed));
            (line.as_ptr().addr(), words)
        })
    }
}
