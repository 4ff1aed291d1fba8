//! Search guided by playouts: UCT with RAVE (paper, section 3). The default search uses nothing in this directory.
//! The playouts of the paper are in [`crate::playout::paper`].
//!
//! | section | module |
//! |---|---|
//! | 3 Selection by UCT and RAVE | this module |
//! | 4 Weighted all moves as first | [`backup`] |
//! | 5 The playout horizon | [`horizon`] |
//! | 6 to 8 Playouts below the tree | [`playouts`] |
//!
//! [`node_cache`] is not in the paper: it makes searches with several threads faster.

mod backup;
mod horizon;
mod node_cache;
mod playouts;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::deadline::Deadline;
use super::descent::{Descent, End, Guide};
use super::kernel::{Kernel, Rave};
use super::node::Node;
use super::options::Options;
use super::root::Root;
use super::tree::Tree;
use crate::board::{Color, Vertex};
use crate::playout::paper::Horizon;
use backup::Backup;
pub(super) use node_cache::NodeCache;
use node_cache::statistics;
use playouts::Playouts;

/// The state of one thread.
pub(crate) struct Worker<'a> {
    descent: Descent<'a>,
    selection: Selection,
    playouts: Playouts,
    backup: Backup,
}

impl<'a> Worker<'a> {
    /// A worker for a search from `root`. `thread` numbers the threads of the search from 0.
    ///
    /// Each thread but the first adds a random bonus of up to [`Options::diversity`] to the value of each vertex. So
    /// the threads seldom meet in one leaf, where they would slow each other down and find less.
    pub fn new(
        tree: &'a Tree,
        options: &'a Options,
        root: Root<'a>,
        mut rng: Xoshiro256PlusPlus,
        thread: usize,
    ) -> Worker<'a> {
        let position = root.position;
        let noisy = if thread > 0 && options.diversity > 0.0 { tree.stride() } else { 0 };
        let noise = (0..noisy).map(|_| options.diversity * rng.random_range(0.0..1.0)).collect();
        let cache = NodeCache::new(position.geometry(), options);
        let descent = Descent::new(tree, options, root);
        Worker {
            selection: Selection {
                kernel: Kernel::detect(),
                cache,
                noise,
                expand_visits: options.expand_visits,
                threat_search_penalty: options.threat_search_penalty,
                horizon: options.horizon_rule(),
            },
            playouts: Playouts::new(position, options, rng),
            backup: Backup::new(tree, options, descent.empties.left().len()),
            descent,
        }
    }

    /// As [`Descent::set_deadline`].
    pub fn set_deadline(&mut self, deadline: &'a Deadline<'a>) {
        self.descent.set_deadline(deadline);
    }

    /// One simulation: descends to a leaf, plays a playout from there, and backs the result up along the path, unless
    /// the playout went beyond the horizon.
    pub fn simulate(&mut self) {
        match self.descent.descend(&mut self.selection) {
            End::Proven(winner) => self.backup.add(&self.descent, &self.selection.cache, winner, &[]),
            End::Leaf(color, _) | End::Shared(color, _) => self.play_out(color),
        }
    }

    fn play_out(&mut self, color: Color) {
        let Worker { descent, selection: Selection { horizon, cache, .. }, playouts, backup } = self;
        let limit = horizon::limit(horizon, descent);
        let ending = playouts.play(descent, color, limit);
        let stopped = ending.winner.is_none() && ending.length < descent.empties.left().len();
        if stopped || ending.length > limit {
            horizon::discard(horizon, descent, cache, limit);
        } else {
            horizon::lower(horizon, descent, ending.length);
            backup.add(descent, cache, ending.winner, &playouts.moves[..ending.length]);
        }
    }

    /// Writes the statistics of the node cache to the shared nodes.
    pub fn flush(&mut self) {
        if let Some(cache) = &mut self.selection.cache {
            cache.flush(self.descent.tree);
        }
    }
}

/// Selection by UCT and RAVE, the guide of a descent.
struct Selection {
    kernel: Kernel,
    /// Private copies of nodes, if there are other threads.
    cache: Option<NodeCache>,
    /// The random bonus of each vertex; empty if the thread has none.
    noise: Vec<f32>,
    expand_visits: u32,
    threat_search_penalty: f32,
    horizon: Horizon,
}

impl Guide for Selection {
    #[inline]
    fn visits(&mut self, tree: &Tree, node: Node<'_>) -> u32 {
        statistics(&mut self.cache, tree, node).total_visits()
    }

    #[inline]
    fn select(&mut self, node: Node<'_>, descent: &Descent<'_>) -> Vertex {
        let statistics = statistics(&mut self.cache, descent.tree, node);
        let exploration = descent.options.c_uct;
        let log_visits = if exploration == 0.0 { 0.0 } else { ((statistics.total_visits() + 1) as f32).ln() };
        let rave = descent.options.rave_weight(descent.empties.left().len());
        let [visits, points, weight, wins, _] = statistics.selection_arrays();
        // Proofs are recorded in the node itself, not in copies.
        let [.., bias] = node.selection_arrays();
        let selection = Rave { noise: &self.noise, rave, exploration, log_visits };
        Vertex(self.kernel.rave([visits, points, weight, wins, bias], selection) as u16)
    }

    #[inline]
    fn begin_visit(&mut self, tree: &Tree, node: Node<'_>, vertex: Vertex) -> u32 {
        statistics(&mut self.cache, tree, node).begin_visit(vertex)
    }

    #[inline]
    fn expands(&self, visits: u32) -> bool {
        visits >= self.expand_visits
    }

    /// The paper's search has a node for each sequence of moves.
    fn shares_positions(&self) -> bool {
        false
    }

    fn complete(&mut self, node: Node<'_>, descent: &Descent<'_>, _: Color) {
        node.set_horizon(self.horizon.initial(descent.empties.left().len()));
    }

    fn threat_search_penalty(&self) -> f32 {
        self.threat_search_penalty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, Position};
    use crate::playout::EmptyVertex;
    use crate::playout::paper::Schedule;
    use crate::search::expand;
    use crate::search::node::NodeId;
    use crate::search::threats::ThreatSearch;
    use crate::search::{Method, Preset};
    use rand::SeedableRng;

    /// A tree whose root is the empty board of a side.
    fn tree_of(side: usize, options: &Options) -> (Tree, NodeId, Position) {
        let geometry = Geometry::of(side).unwrap();
        let (tree, position) = (Tree::new(geometry, Method::Rave, 4 << 20), Position::new(geometry));
        let root = tree.node(tree.allocate().unwrap());
        root.set_horizon(options.horizon_rule().initial(geometry.vertex_count()));
        assert_eq!(expand::fill(root, &position, Color::White, options, &mut ThreatSearch::new(&position)), None);
        let root = root.id();
        (tree, root, position)
    }

    fn at<'a>(node: NodeId, position: &'a Position) -> Root<'a> {
        Root { node, position, color: Color::White, last_stones: [None; 2] }
    }

    fn all_statistics(tree: &Tree, nodes: usize) -> Vec<Vec<u32>> {
        tree.nodes().take(nodes).map(|node| node.statistics()).collect()
    }

    /// Runs simulations and returns how many were discarded. Each of those must leave the statistics of all nodes as
    /// they were, and may only raise the root's horizon.
    fn discarded(options: &Options, side: usize, simulations: usize) -> usize {
        let (tree, root, position) = tree_of(side, options);
        let rng = Xoshiro256PlusPlus::seed_from_u64(side as u64);
        let mut worker = Worker::new(&tree, options, at(root, &position), rng, 0);
        let mut count = 0;
        for _ in 0..simulations {
            let nodes = tree.len();
            let (before, visits) = (all_statistics(&tree, nodes), tree.node(root).total_visits());
            let horizon = tree.node(root).horizon();
            worker.simulate();
            if tree.node(root).total_visits() == visits {
                assert_eq!(all_statistics(&tree, nodes), before);
                assert!(tree.node(root).horizon() >= horizon);
                count += 1;
            } else {
                assert!(tree.node(root).horizon() <= horizon);
            }
        }
        count
    }

    #[test]
    fn discarded_playouts_leave_the_statistics_as_they_were() {
        for schedule in [Schedule::Keep, Schedule::Lower, Schedule::Drastic] {
            for expand in [1_000_000, 2] {
                // A search for threats changes its node, whatever becomes of the playout.
                let no_threats = Options { threat_search_nodes: 0, ..Options::preset(Preset::Rave) };
                let options = Options { horizon: schedule, horizon_start: 0.5, expand_visits: expand, ..no_threats };
                let count = discarded(&options, 4, 400);
                assert!((5..395).contains(&count), "{schedule:?}: {count} of 400 discarded");
            }
            let paper = Options { horizon: schedule, ..Options::preset(Preset::Paper) };
            assert!(discarded(&paper, 5, 200) < 195);
        }
        assert_eq!(discarded(&Options::preset(Preset::Rave), 4, 400), 0);
    }

    #[test]
    fn draws_count_half_in_visits_and_rave() {
        let options = Options { expand_visits: 1_000_000, prior_weight: 0.001, ..Options::preset(Preset::Rave) };
        let (tree, root, position) = tree_of(4, &options);
        let rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut worker = Worker::new(&tree, &options, at(root, &position), rng, 0);
        let vertex = position.geometry().vertex_at_cube([0; 3]).unwrap();
        let node = tree.node(root);
        for (winner, expected) in [(None, 0.5), (Some(Color::White), 0.75), (Some(Color::Black), 0.5)] {
            node.begin_visit(vertex);
            worker.descent.step(node, vertex);
            worker.backup.add(&worker.descent, &None, winner, &[]);
            worker.descent.path.clear();
            worker.descent.empties.give_back();
            assert_eq!(node.mean(vertex), Some(expected));
            assert!((node.rave(vertex).unwrap() - expected).abs() < 1e-3);
        }
    }

    /// After a playout that Black won, White's moves count as lost in a node of White's, and with the option Black's as
    /// won.
    #[test]
    fn the_winners_moves_are_credited_to_both_players_on_request() {
        for both in [false, true] {
            let options = Options { amaf_both: both, prior_weight: 0.001, ..Options::preset(Preset::Rave) };
            let (tree, root, position) = tree_of(4, &options);
            let rng = Xoshiro256PlusPlus::seed_from_u64(1);
            let mut worker = Worker::new(&tree, &options, at(root, &position), rng, 0);
            let [white, black] = [Vertex(0), Vertex(1)];
            let node = tree.node(root);
            worker.descent.step(node, white);
            let playout = [EmptyVertex { cell: position.geometry().cell(black), vertex: black }];
            worker.backup.add(&worker.descent, &None, Some(Color::Black), &playout);
            assert!(node.rave(white).unwrap() < 1e-3);
            assert!((node.rave(black).unwrap() - if both { 1.0 } else { 0.5 }).abs() < 1e-3);
        }
    }
}
