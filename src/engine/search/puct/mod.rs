//! Search guided by the network: selection by PUCT, a new node valued by the network, and backup of the mean value
//! (Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play*,
//! 2018). On small boards, the results of a few playouts are mixed into the value, as in AlphaGo (Silver et al. 2016).

mod kernel;
mod node;
pub(super) mod options;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::playout::{EmptyVertex, MAX_EMPTY, play_unweighted};
use crate::game::{Color, Game, Lookahead, Position, Vertex, checks};
use crate::network::{Backend, Evaluation, Evaluator, Input, SYMMETRIES};

use super::descent::{Descent, End, Guide};
use super::kernel::Kernel;
use super::method::{Context, SearchMethod, Worker};
use super::node::Node;
use super::options::SearchOptions;
use super::root_noise::RootNoise;

use options::PuctOptions;

pub(crate) use node::PuctNode;

/// The implementation of [`Method::Puct`](super::Method::Puct).
#[derive(Clone, Copy)]
pub(crate) struct Puct;

impl SearchMethod for Puct {
    const IS_SLOW: bool = true;

    fn shares_positions(options: &SearchOptions) -> bool {
        options.puct.transpositions
    }

    fn confidence(options: &SearchOptions) -> f32 {
        options.puct.lcb
    }

    /// Has the network evaluate a root that it has not seen: it skips positions with a single open move, but a root
    /// needs a value to report.
    fn complete_root(root: PuctNode<'_>, game: &Game, _: &SearchOptions, network: &dyn Backend) {
        if root.verdict().is_none() && root.value().is_none() {
            let mut evaluation = Evaluation::default();
            network.evaluator(game.geometry()).evaluate(&Input::new(game), &mut evaluation);
            root.set_evaluation(&evaluation);
        }
    }

    fn with_noise(root: PuctNode<'_>, noise: &RootNoise, search: impl FnOnce()) {
        let priors = noise.mix_into(root);
        search();
        for (v, prior) in priors {
            root.change_mark(v, |_| prior);
        }
    }

    fn worker<'a>(context: Context<'a, Puct>, rng: Xoshiro256PlusPlus) -> impl Worker + 'a {
        PuctWorker::new(context, rng)
    }
}

/// The state of one thread.
struct PuctWorker<'a> {
    descent: Descent<'a, Puct>,
    guide: Guidance,
    playouts: Playouts,
}

impl<'a> PuctWorker<'a> {
    fn new(context: Context<'a, Puct>, rng: Xoshiro256PlusPlus) -> PuctWorker<'a> {
        let network = context.network;
        let position = context.root.position;
        let moves = || Vec::with_capacity(MAX_EMPTY);
        PuctWorker {
            descent: Descent::new(context),
            guide: Guidance {
                kernel: Kernel::detect(),
                evaluator: network.evaluator(position.geometry()),
                evaluation: Evaluation::default(),
                rng,
            },
            playouts: Playouts { position: position.clone(), pool: moves(), moves: moves() },
        }
    }

    /// The value of the leaf for `color`, who is to move: the mean of the network's `value` and of the results of
    /// playouts, which have the weight [`PuctOptions::leaf_playout_weight`].
    fn with_playouts(&mut self, value: f32, color: Color) -> f32 {
        let Descent { options, position: leaf, empties, .. } = &self.descent;
        let side = leaf.geometry().side();
        let (count, weight) = (options.leaf_playouts(side), options.puct.leaf_playout_weight);
        if count == 0 || weight == 0.0 {
            return value;
        }
        let reply_odds = options.bridge_reply_odds(side);
        let Playouts { position, pool, moves } = &mut self.playouts;
        let limit = usize::MAX;
        let rng = &mut self.guide.rng;
        let mut sum = 0.0;
        for _ in 0..count {
            position.copy_from(leaf);
            let ending =
                play_unweighted::<{ checks::ALL }>(position, empties, (pool, moves), (color, limit), reply_odds, rng);
            sum += points(color, ending.winner);
        }
        value + weight * (sum / count as f32 - value)
    }

    /// Adds a value, which is for the player to move at the root, to the statistics along the path.
    fn back_up(&mut self, value: f32) {
        let mut value = value;
        for step in &self.descent.path {
            self.descent.tree.node(step.node).end_visit(step.vertex, value);
            value = 1.0 - value;
        }
    }
}

impl Worker for PuctWorker<'_> {
    /// Descends to a new node, which the network values, adds the results of playouts from there on small boards, and
    /// backs the value up along the path. If it comes to a node that other moves have led to, it ends there instead,
    /// with the mean of what has been found below that node; the next simulation goes on from there.
    fn simulate(&mut self) {
        let root = self.descent.root.color;
        let (color, value) = match self.descent.descend(&mut self.guide) {
            End::Proven(winner) => (root, points(root, winner)),
            // A node of another thread has no value if it had a single open move when it was made, and that thread has
            // just closed the move without having set the verdict yet.
            End::Leaf(color, Some(node)) => (color, self.with_playouts(node.value().unwrap_or(0.5), color)),
            End::Leaf(color, None) => (color, self.guide.evaluate(&self.descent, color, None).value),
            End::Shared(color, node) => (color, node.mean_value().unwrap_or(0.5)),
        };
        let value = if color == root { value } else { 1.0 - value };
        self.back_up(value);
    }
}

/// The network as the guide of a descent.
struct Guidance {
    kernel: Kernel,
    evaluator: Box<dyn Evaluator>,
    evaluation: Evaluation,
    rng: Xoshiro256PlusPlus,
}

impl Guidance {
    /// Evaluates the position that the descent has reached, for `color`, who is to move. The network sees it under a
    /// random symmetry of the board, so that searches with different seeds differ; on a board that is not regular, as it
    /// is.
    fn evaluate(&mut self, descent: &Descent<'_, Puct>, color: Color, known: Option<Lookahead<'_>>) -> &Evaluation {
        let position = &descent.position;
        let is_regular = position.geometry().shape().regular_side().is_some();
        let symmetry = if is_regular { self.rng.random_range(0..SYMMETRIES) } else { 0 };
        let recent = descent.last_stones();
        let input = Input { position, color, recent, symmetry };
        match known {
            Some(known) => self.evaluator.evaluate_known(&input, known, &mut self.evaluation),
            None => self.evaluator.evaluate(&input, &mut self.evaluation),
        }
        &self.evaluation
    }
}

impl Guide<Puct> for Guidance {
    #[inline]
    fn select(&mut self, node: PuctNode<'_>, descent: &Descent<'_, Puct>) -> Vertex {
        let PuctOptions { c_puct, fpu_reduction, .. } = descent.options.puct;
        // A node with a single open move may have no value; there it does not matter.
        let value = node.value().unwrap_or(0.5);
        let parameters = kernel::PuctParameters { value, exploration: c_puct, reduction: fpu_reduction };
        node.with_pages(|pages, priors| Vertex(kernel::select(self.kernel, pages, priors, parameters) as u16))
    }

    #[inline]
    fn expands(&self, _: u32) -> bool {
        true
    }

    /// Evaluates the node, unless it is proven or the descent goes on through its only open move.
    fn complete(&mut self, node: PuctNode<'_>, descent: &Descent<'_, Puct>, color: Color) {
        if node.verdict().is_none() && !node.is_forced() {
            node.set_evaluation(self.evaluate(descent, color, Some(descent.threats.known())));
        }
    }
}

/// The working space of playouts.
struct Playouts {
    position: Position,
    pool: Vec<EmptyVertex>,
    moves: Vec<EmptyVertex>,
}

/// What a result is worth to `color`: 1 for a win, 0.5 for a draw, 0 for a loss.
fn points(color: Color, winner: Option<Color>) -> f32 {
    match winner {
        Some(winner) if winner == color => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::fetched_lines::fetched_lines;
    use crate::engine::search::kept_tree::KeptTree;
    use crate::engine::search::limits::Deadline;
    use crate::engine::search::node::NodeId;
    use crate::engine::search::report::Verdict;
    use crate::engine::search::transpositions::position_key;
    use crate::engine::search::tree::{MOST_VISITS, Tree};
    use crate::game::{Game, Geometry};
    use crate::network::Network;
    use rand::SeedableRng;
    use std::cell::Cell;
    use std::collections::HashMap;
    use std::sync::atomic::Ordering::Relaxed;

    /// Makes this many simulations with the built-in network.
    fn simulate(kept: &KeptTree<Puct>, game: &Game, options: &SearchOptions, seed: u64, count: usize) {
        let (network, root): (&dyn Backend, _) = (&*Network::builtin(), kept.root(game));
        let context = Context { tree: &kept.tree, options, network, root, deadline: Deadline::never() };
        let mut worker = Puct::worker(context, Xoshiro256PlusPlus::seed_from_u64(seed));
        (0..count).for_each(|_| worker.simulate());
    }

    /// A move's mean is that of the value of the node behind it and of the results of that node's moves.
    #[test]
    fn a_moves_mean_is_that_of_all_values_below_it() {
        let game = Game::new(Geometry::with_side(4).unwrap());
        let network = Network::builtin();
        for leaf_playouts in [0, 3] {
            let puct = PuctOptions { leaf_playouts, transpositions: false, ..PuctOptions::default() };
            let options =
                SearchOptions { threat_search_nodes: 0, solved_positions: false, puct, ..SearchOptions::default() };
            let kept = KeptTree::<Puct>::new(None, &game, &options, &*network, |_| true).unwrap();
            simulate(&kept, &game, &options, 3, 1000);
            assert_eq!(kept.tree.node(kept.root).total_visits(), 1000);
            let (mut checked, mut deep) = (0, 0);
            for node in kept.tree.nodes() {
                for v in node.moves() {
                    let Some(next) = node.link(v).map(|id| kept.tree.node(id)) else { continue };
                    // Proven nodes and those with a single open move have no value of their own.
                    let Some(value) = next.value().filter(|_| next.verdict().is_none()) else { continue };
                    assert_eq!(node.visits(v), next.total_visits() + 1);
                    let below = |w| f64::from(next.visits(w)) * (1.0 - next.mean(w).unwrap_or(0.0));
                    let sum = f64::from(1.0 - value) + next.moves().map(below).sum::<f64>();
                    let mean = sum / f64::from(node.visits(v));
                    // Playouts changed part of the value.
                    let slack = if leaf_playouts == 0 { 1e-4 } else { 0.3 / f64::from(node.visits(v)) + 1e-4 };
                    assert!((node.mean(v).unwrap() - mean).abs() < slack, "{:?} {mean}", node.mean(v));
                    checked += 1;
                    deep += (next.total_visits() > 5) as u32;
                }
            }
            assert!(checked > 500 && deep > 10, "{checked} {deep}");
        }
    }

    /// How many nodes there are below a root, and how many of them behind two moves or more. Panics if a node stands
    /// for another position than one that leads to it.
    fn count_nodes(tree: &Tree<Puct>, root: NodeId, game: &Game) -> (usize, usize) {
        let mut arrivals = HashMap::from([(root.index(), (position_key(game.position()), 1))]);
        let mut open = vec![(root, game.clone())];
        while let Some((id, game)) = open.pop() {
            let node = tree.node(id);
            if node.verdict() != Some(Verdict::Win) {
                assert!(node.moves().eq(game.position().empty_vertices()));
            }
            for (v, next) in node.moves().filter_map(|v| Some((v, node.link(v)?))) {
                let mut game = game.clone();
                game.play(v).unwrap();
                let key = position_key(game.position());
                let (first, count) = arrivals.entry(next.index()).or_insert((key, 0));
                assert_eq!(*first, key);
                *count += 1;
                if *count == 1 {
                    open.push((next, game));
                }
            }
        }
        (arrivals.len(), arrivals.values().filter(|(_, count)| *count > 1).count())
    }

    /// Also after nodes have been freed and used again.
    #[test]
    fn positions_share_nodes_and_each_node_stands_for_one_position() {
        let network = Network::builtin();
        for transpositions in [false, true] {
            let mut game = Game::new(Geometry::with_side(4).unwrap());
            let puct = PuctOptions { transpositions, leaf_playouts: 0, ..PuctOptions::default() };
            let options = SearchOptions { memory: 4, solved_positions: false, puct, ..SearchOptions::default() };
            let mut kept = KeptTree::<Puct>::new(None, &game, &options, &*network, |_| true).unwrap();
            for round in 0..6 {
                simulate(&kept, &game, &options, round, if cfg!(miri) { 40 } else { 2000 });
                let (nodes, shared) = count_nodes(&kept.tree, kept.root, &game);
                assert!(nodes <= kept.tree.len());
                assert_eq!(shared > 0, transpositions && !cfg!(miri), "{shared} of {nodes}");
                if round % 3 < 2 {
                    kept.tree.prune(kept.root, |_| false);
                    let (nodes, _) = count_nodes(&kept.tree, kept.root, &game);
                    assert_eq!(nodes, kept.tree.len());
                } else {
                    let root = kept.tree.node(kept.root);
                    game.play(root.moves().max_by_key(|&v| root.visits(v)).unwrap()).unwrap();
                    kept = KeptTree::new(Some(kept), &game, &options, &*network, |_| true).unwrap();
                    assert_eq!(count_nodes(&kept.tree, kept.root, &game).0, kept.tree.len());
                }
            }
        }
    }

    /// A search with little time does not walk through a large tree before it begins.
    #[test]
    fn nodes_that_are_not_freed_for_lack_of_time_do_no_harm() {
        let mut game = Game::new(Geometry::with_side(5).unwrap());
        let (network, options) = (Network::builtin(), SearchOptions::default());
        let mut kept = KeptTree::<Puct>::new(None, &game, &options, &*network, |_| true).unwrap();
        for round in 0..4 {
            simulate(&kept, &game, &options, round, if cfg!(miri) { 40 } else { 2000 });
            let nodes = kept.tree.len();
            let root = kept.tree.node(kept.root);
            let best = root.moves().max_by_key(|&v| root.visits(v)).unwrap();
            let after = root.link(best).unwrap();
            game.play(best).unwrap();
            kept = KeptTree::new(Some(kept), &game, &options, &*network, |_| false).unwrap();
            assert!(kept.root == after && kept.tree.len() == nodes);
            assert!(count_nodes(&kept.tree, kept.root, &game).0 < nodes);
        }
        assert!(kept.tree.prune(kept.root, |_| false));
        assert_eq!(count_nodes(&kept.tree, kept.root, &game).0, kept.tree.len());
        // The tree below the next root is smaller, and so is the time that a pruning is expected to take.
        let before = kept.tree.time_of_pruning();
        let root = kept.tree.node(kept.root);
        game.play(root.moves().max_by_key(|&v| root.visits(v)).unwrap()).unwrap();
        kept = KeptTree::new(Some(kept), &game, &options, &*network, |_| false).unwrap();
        assert!(kept.tree.time_of_pruning() < before);
    }

    /// Whatever the time, visits are halved before they are too many, but only then.
    #[test]
    fn many_visits_need_time() {
        let game = Game::new(Geometry::with_side(4).unwrap());
        let (network, options) = (Network::builtin(), SearchOptions::default());
        let mut kept = KeptTree::<Puct>::new(None, &game, &options, &*network, |_| true).unwrap();
        simulate(&kept, &game, &options, 1, 40);
        let root = kept.root;
        let next = kept.tree.node(root).moves().find_map(|v| kept.tree.node(root).link(v)).unwrap();
        // The visits of both, whether there is time, whether that is asked, and the visits afterwards.
        for (visits, has_time, is_asked, expected) in [
            ([MOST_VISITS / 4, 10], false, true, [MOST_VISITS / 4, 10]),
            ([MOST_VISITS / 4, 10], false, true, [MOST_VISITS / 4, 10]),
            ([MOST_VISITS / 4, 10], false, true, [MOST_VISITS / 4, 10]),
            ([MOST_VISITS / 2 + 2, 10], false, false, [MOST_VISITS / 4 + 1, 5]),
            ([10, MOST_VISITS / 2], true, true, [10, MOST_VISITS / 2]),
            ([11, MOST_VISITS / 2 + 1], false, false, [5, MOST_VISITS / 4]),
        ] {
            let words = [root, next].map(|id| kept.tree.node(id));
            words.iter().zip(visits).for_each(|(node, visits)| node.total_word().store(visits, Relaxed));
            let asked = Cell::new(false);
            let ask = |_| {
                asked.set(true);
                has_time
            };
            kept = KeptTree::new(Some(kept), &game, &options, &*network, ask).unwrap();
            assert_eq!([root, next].map(|id| kept.tree.node(id).total_visits()), expected);
            assert_eq!(asked.get(), is_asked, "{visits:?}");
        }
    }

    /// The cache lines that a simulation takes from other threads are few beside the time that it takes. Prints them:
    /// `cargo test --release take_few_lines -- --nocapture`. One more line that every simulation writes adds about one.
    /// So does a network with longer paths, so this asks the small one, which seldom changes.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn threads_take_few_lines_from_each_other() {
        let game = Game::new(Geometry::with_side(8).unwrap());
        let (network, options) = (Network::builtin(), SearchOptions::default());
        for (threads, measured) in [(2, 9.4), (16, 14.6)] {
            let kept = KeptTree::<Puct>::new(None, &game, &options, &*network, |_| true).unwrap();
            let root = kept.root(&game);
            let context =
                Context { tree: &kept.tree, options: &options, network: &*network, root, deadline: Deadline::never() };
            let seeds = (0..threads as u64).map(Xoshiro256PlusPlus::seed_from_u64);
            let mut workers: Vec<_> = seeds.map(|rng| PuctWorker::new(context, rng)).collect();
            (0..2000 / threads).for_each(|_| workers.iter_mut().for_each(PuctWorker::simulate));
            let lines = fetched_lines(&kept.tree, threads, 1000 / threads, |thread| {
                workers[thread].simulate();
                workers[thread].descent.path.iter().map(|step| step.node).collect()
            });
            println!("default, {threads} threads: {lines:.1} lines a simulation");
            assert!(lines < measured + 0.8, "{threads} threads: {lines} lines, and before {measured}");
        }
    }
}
