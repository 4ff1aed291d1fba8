//! Search guided by playouts: UCT with RAVE (paper, section 3). The default search uses nothing in this directory.
//! The playouts of the paper are in [`crate::engine::playout::paper`].
//!
//! | section | module |
//! |---|---|
//! | 3 Selection by UCT and RAVE | this module |
//! | 4 Weighted all moves as first | [`backup`] |
//! | 5 The playout horizon | [`horizon`] |
//! | 6 to 8 Playouts below the tree | [`playouts`] |

mod backup;
mod copies;
mod horizon;
mod kernel;
mod node;
pub(super) mod options;
mod playouts;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::playout::paper::Horizon;
use crate::game::{Color, Game, Vertex};
use crate::network::Backend;

use super::descent::{Descent, End, Guide};
use super::kernel::Kernel;
use super::method::{Context, SearchMethod, Worker};
use super::node::Node;
use super::options::SearchOptions;
use backup::Backup;
use copies::Copies;
use options::RaveOptions;
use playouts::Playouts;

pub(crate) use node::RaveNode;

/// The mean result with which the RAVE estimate of a new move begins.
const PRIOR: f32 = 0.5;

/// The implementation of [`Method::Rave`](super::Method::Rave).
#[derive(Clone, Copy)]
pub(crate) struct Rave;

impl SearchMethod for Rave {
    const IS_SLOW: bool = false;

    /// The paper's search has a node for each sequence of moves.
    fn shares_positions(_: &SearchOptions) -> bool {
        false
    }

    /// The most visited move is played.
    fn confidence(_: &SearchOptions) -> f32 {
        0.0
    }

    fn complete_root(root: RaveNode<'_>, game: &Game, options: &SearchOptions, _: &dyn Backend) {
        if root.moves().all(|v| root.rave(v).is_none()) {
            let empty = game.geometry().vertex_count() - game.stone_count();
            complete(root, &options.rave, options.rave.horizon_rule().initial(empty));
        }
    }

    fn worker<'a>(context: Context<'a, Rave>, rng: Xoshiro256PlusPlus) -> impl Worker + 'a {
        RaveWorker::new(context, rng)
    }
}

/// Completes a node that has its legal moves and nothing else: sets its horizon, and the prior of its RAVE estimates.
fn complete(node: RaveNode<'_>, options: &RaveOptions, horizon: u32) {
    node.set_horizon(horizon);
    node.moves().for_each(|v| node.set_rave(v, options.prior_weight, PRIOR));
}

/// The state of one thread.
struct RaveWorker<'a> {
    descent: Descent<'a, Rave>,
    selection: Selection,
    playouts: Playouts,
    backup: Backup,
}

impl<'a> RaveWorker<'a> {
    fn new(context: Context<'a, Rave>, rng: Xoshiro256PlusPlus) -> RaveWorker<'a> {
        let Context { tree, options, root, .. } = context;
        let descent = Descent::new(context);
        RaveWorker {
            selection: Selection {
                kernel: Kernel::detect(),
                expand_visits: options.rave.expand_visits,
                threat_search_penalty: options.rave.threat_search_penalty,
                horizon: options.rave.horizon_rule(),
                copies: Copies::new(options.threads, tree.stride()),
            },
            playouts: Playouts::new(root.position, &options.rave, rng),
            backup: Backup::new(tree.stride(), &options.rave, descent.empties.left().len()),
            descent,
        }
    }

    /// Plays a playout from the leaf, where `color` is to move, and backs its result up along the path, unless it went
    /// beyond the horizon.
    fn play_out(&mut self, color: Color) {
        let RaveWorker { descent, selection: Selection { horizon, copies, .. }, playouts, backup } = self;
        let limit = horizon::limit(horizon, descent);
        let ending = playouts.play(descent, color, limit);
        let stopped = ending.winner.is_none() && ending.length < descent.empties.left().len();
        if stopped || ending.length > limit {
            horizon::discard(horizon, descent, copies, limit);
        } else {
            horizon::lower(horizon, descent, ending.length);
            backup.add(descent, copies, ending.winner, &playouts.moves[..ending.length]);
        }
    }
}

impl Worker for RaveWorker<'_> {
    /// Descends to a leaf, plays a playout from there, and backs the result up.
    fn simulate(&mut self) {
        match self.descent.descend(&mut self.selection) {
            End::Proven(winner) => self.backup.add(&self.descent, &self.selection.copies, winner, &[]),
            End::Leaf(color, _) | End::Shared(color, _) => self.play_out(color),
        }
    }

    fn share(&mut self) {
        self.selection.copies.merge_all(self.descent.tree);
    }
}

/// Selection by UCT and RAVE, the guide of a descent.
struct Selection {
    kernel: Kernel,
    expand_visits: u32,
    threat_search_penalty: f32,
    horizon: Horizon,
    copies: Copies,
}

impl Guide<Rave> for Selection {
    #[inline]
    fn select(&mut self, node: RaveNode<'_>, descent: &Descent<'_, Rave>) -> Vertex {
        let statistics = self.copies.come_to(node, descent.tree);
        let options = &descent.options.rave;
        let exploration = options.c_uct;
        let log_visits = if exploration == 0.0 { 0.0 } else { ((statistics.total_visits() + 1) as f32).ln() };
        let rave = options.rave_weight(descent.empties.left().len());
        let parameters = kernel::RaveParameters { rave, exploration, log_visits };
        let ([visits, points], [rave_weight, rave_wins]) = (statistics.visit_arrays(), statistics.rave_arrays());
        let arrays = [visits, points, rave_weight, rave_wins, node.biases()];
        Vertex(kernel::select(self.kernel, arrays, parameters) as u16)
    }

    #[inline]
    fn begin_visit(&mut self, node: RaveNode<'_>, v: Vertex) -> u32 {
        self.copies.statistics(node).begin_visit(v)
    }

    #[inline]
    fn expands(&self, visits: u32) -> bool {
        visits >= self.expand_visits
    }

    fn complete(&mut self, node: RaveNode<'_>, descent: &Descent<'_, Rave>, _: Color) {
        complete(node, &descent.options.rave, self.horizon.initial(descent.empties.left().len()));
    }

    fn discourage(&self, node: RaveNode<'_>, v: Vertex) {
        node.change_mark(v, |bias| bias - self.threat_search_penalty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::playout::EmptyVertex;
    use crate::engine::playout::paper::HorizonSchedule;
    use crate::engine::search::expand;
    use crate::engine::search::limits::Deadline;
    use crate::engine::search::node::NodeId;
    use crate::engine::search::options::Preset;
    use crate::engine::search::root::SearchRoot;
    use crate::engine::search::threats::ThreatSearch;
    use crate::engine::search::tree::Tree;
    use crate::game::{Geometry, Position};
    use crate::network::Networks;
    use rand::SeedableRng;

    /// A tree whose root is the empty board of a side.
    fn tree_of(side: usize, options: &SearchOptions) -> (Tree<Rave>, NodeId, Position) {
        let geometry = Geometry::with_side(side).unwrap();
        let (tree, position) = (Tree::new(geometry, false, 4 << 20), Position::new(geometry));
        let root = tree.node(tree.allocate().unwrap());
        assert_eq!(expand::fill(root, &position, Color::White, options, &mut ThreatSearch::new(&position)), None);
        complete(root, &options.rave, options.rave.horizon_rule().initial(geometry.vertex_count()));
        let root = root.id();
        (tree, root, position)
    }

    /// A worker for a search from the root, where White is to move.
    fn worker<'a>(
        tree: &'a Tree<Rave>,
        options: &'a SearchOptions,
        node: NodeId,
        position: &'a Position,
        seed: u64,
    ) -> RaveWorker<'a> {
        let root = SearchRoot { node, position, color: Color::White, last_stones: [None; 2] };
        let context = Context { tree, options, network: &Networks::Builtin, root, deadline: Deadline::never() };
        RaveWorker::new(context, Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn all_statistics(tree: &Tree<Rave>, nodes: usize) -> Vec<Vec<u32>> {
        tree.nodes().take(nodes).map(|node| node.all_statistics()).collect()
    }

    /// Runs simulations and returns how many were discarded. Each of those must leave the statistics of all nodes as
    /// they were, and may only raise the root's horizon.
    fn discarded(options: &SearchOptions, side: usize, simulations: usize) -> usize {
        let (tree, root, position) = tree_of(side, options);
        let mut worker = worker(&tree, options, root, &position, side as u64);
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
        for schedule in [HorizonSchedule::Keep, HorizonSchedule::Lower, HorizonSchedule::Drastic] {
            for expand in [1_000_000, 2] {
                // A search for threats changes its node, whatever becomes of the playout.
                let mut options = SearchOptions { threat_search_nodes: 0, ..SearchOptions::preset(Preset::Rave) };
                let schedule = RaveOptions { horizon: schedule, horizon_start: 0.5, ..options.rave };
                options.rave = RaveOptions { expand_visits: expand, ..schedule };
                let count = discarded(&options, 4, 400);
                assert!((5..395).contains(&count), "{schedule:?}: {count} of 400 discarded");
            }
            let mut paper = SearchOptions::preset(Preset::Paper);
            paper.rave.horizon = schedule;
            assert!(discarded(&paper, 5, 200) < 195);
        }
        assert_eq!(discarded(&SearchOptions::preset(Preset::Rave), 4, 400), 0);
    }

    #[test]
    fn draws_count_half_in_visits_and_rave() {
        let mut options = SearchOptions::preset(Preset::Rave);
        options.rave = RaveOptions { expand_visits: 1_000_000, prior_weight: 0.001, ..options.rave };
        let (tree, root, position) = tree_of(4, &options);
        let mut worker = worker(&tree, &options, root, &position, 1);
        let vertex = position.geometry().vertex_at_cube([0; 3]).unwrap();
        let node = tree.node(root);
        for (winner, expected) in [(None, 0.5), (Some(Color::White), 0.75), (Some(Color::Black), 0.5)] {
            node.begin_visit(vertex);
            worker.descent.step(node, vertex);
            worker.backup.add(&worker.descent, &worker.selection.copies, winner, &[]);
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
            let mut options = SearchOptions::preset(Preset::Rave);
            options.rave = RaveOptions { amaf_both: both, prior_weight: 0.001, ..options.rave };
            let (tree, root, position) = tree_of(4, &options);
            let mut worker = worker(&tree, &options, root, &position, 1);
            let [white, black] = [Vertex(0), Vertex(1)];
            let node = tree.node(root);
            worker.descent.step(node, white);
            let playout = [EmptyVertex { cell: position.geometry().cell(black), vertex: black }];
            worker.backup.add(&worker.descent, &worker.selection.copies, Some(Color::Black), &playout);
            assert!(node.rave(white).unwrap() < 1e-3);
            assert!((node.rave(black).unwrap() - if both { 1.0 } else { 0.5 }).abs() < 1e-3);
        }
    }
}
