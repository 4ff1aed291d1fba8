//! Search guided by the network: iterations of selection by PUCT, a new node that the network values, some playouts from
//! there, and backup (Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through
//! self-play*, 2018; the mean of value and playouts as in AlphaGo, Silver et al. 2016).
//!
//! Against a search guided by playouts that had the same network as a prior, at 0.2 s a move: side 6 77 % of 90 games, side 5
//! 83 % of 30, side 4 62 % of 40 (both with the solver), side 8 65 % of 20, side 10 75 % of 16 (at 0.25 s). Beside the
//! network's value four playouts that weigh 0.3 have 62 %, one that weighs 0.2 has 60 % (side 6, 0.2 s, 60 games each, against
//! none). Within the noise there: an exploration factor of 0.8 (58 %) or 1.8 (52 %) in place of 1.2, a reduction of 0 (45 %)
//! or 0.4 (50 %) in place of 0.2, sequences of threats from the second or eighth playout on (50 %); at equal playouts a factor
//! of 0.7 (54 %) or 1.4 (48 %) in place of 1, 0.5 in place of 0.8 (54 %; side 6, 2,000 a move, 100 games each), 0.7 in place of
//! 1 on side 8 (45 %, 1,200 a move, 60 games).

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::descent::Descent;
use super::expand;
use super::kernel::{Kernel, Puct};
use super::options::Options;
use super::report::Verdict;
use super::tree::{Node, NodeId, Tree};
use super::worker::Root;
use crate::board::{Color, Position, Vertex, checks};
use crate::nn::{Backend, Evaluation, Evaluator, Input, SYMMETRIES};
use crate::playout::{EmptyVertex, MAX_EMPTY, play_unweighted};

/// The probabilities of moves that do not disturb a sequence of the opponent's are left as they are: to make them a
/// twentieth scored 47 % (side 6, 2,000 playouts a move, 100 games).
const HEED: f32 = 0.0;

/// What one thread needs for itself. Made once a search: iterations do not allocate.
pub(crate) struct Worker<'a> {
    descent: Descent<'a>,
    kernel: Kernel,
    rng: Xoshiro256PlusPlus,
    evaluator: Box<dyn Evaluator>,
    evaluation: Evaluation,
    playouts: Playouts,
}

/// What playouts are played with.
struct Playouts {
    position: Position,
    pool: Vec<EmptyVertex>,
    moves: Vec<EmptyVertex>,
}

impl<'a> Worker<'a> {
    /// A worker for a search of the position at `root`, which `network` has evaluated.
    pub fn new(
        tree: &'a Tree,
        options: &'a Options,
        network: &dyn Backend,
        root: Root<'a>,
        rng: Xoshiro256PlusPlus,
    ) -> Worker<'a> {
        let position = root.position;
        let spots = || Vec::with_capacity(MAX_EMPTY);
        Worker {
            descent: Descent::new(tree, options, root),
            kernel: Kernel::detect(),
            rng,
            evaluator: network.evaluator(position.geometry()),
            evaluation: Evaluation::default(),
            playouts: Playouts { position: position.clone(), pool: spots(), moves: spots() },
        }
    }

    /// One iteration: a path down the tree, a new node at its end, what the network and playouts say of it, and that booked
    /// along the path.
    pub fn iterate(&mut self) {
        self.descent.restart();
        let (color, value) = self.descend();
        self.back_up(if color == self.descent.root.color { value } else { 1.0 - value });
    }

    /// Selects moves from the root down to a new node, and returns its value, in \[0, 1\], for the player given with it.
    /// Where only one move is open, the descent goes on at once (a macro move, as in Castro).
    fn descend(&mut self) -> (Color, f32) {
        let tree = self.descent.tree;
        let mut id = self.descent.root.node;
        let mut color = self.descent.root.color;
        loop {
            let node = tree.node(id);
            let begin_visit = |vertex| _ = node.begin_visit(vertex);
            if self.descent.is_to_study(node, node.total_visits())
                && let Some(winner) = self.descent.study(id, color, HEED, begin_visit)
            {
                return (color, points(color, winner));
            }
            let vertex = self.select(node);
            begin_visit(vertex);
            let spot = self.descent.step(id, vertex);
            let structures = self.descent.position.place_checked::<{ checks::ALL }>(color, spot.cell);
            if !structures.is_empty() {
                tree.prove(&self.descent.path, Verdict::Win);
                return (color, 1.0);
            }
            color = !color;
            let (next, new) = match node.link(vertex) {
                Some(next) => (Some(next), false),
                None => (self.expand(node, vertex, color), true),
            };
            let Some(next) = next else {
                return (color, self.assess(None, color));
            };
            let node = tree.node(next);
            if let Some(verdict) = node.verdict() {
                tree.prove(&self.descent.path, verdict.of_opponent());
                return (color, points(color, verdict.winner(color)));
            }
            // A node with one move has no value.
            if let Some(value) = node.value().filter(|_| new) {
                return (color, self.with_playouts(value, color));
            }
            id = next;
        }
    }

    /// The move to try next in a node.
    fn select(&self, node: Node<'_>) -> Vertex {
        let puct = Puct {
            value: node.value().unwrap_or(0.5),
            exploration: self.descent.options.c_puct,
            reduction: self.descent.options.fpu_reduction,
        };
        Vertex(self.kernel.puct(node.puct_arrays(), puct) as u16)
    }

    /// Makes the node behind a move, for `color` to move in `self.descent.position`, and has the network value it unless it is
    /// proven or has only one move. `None` where there is no room for it.
    fn expand(&mut self, parent: Node<'_>, vertex: Vertex, color: Color) -> Option<NodeId> {
        let id = self.descent.make_node(0, color)?;
        let node = self.descent.tree.node(id);
        if node.verdict().is_none() && !node.is_forced() {
            self.assess(Some(node), color);
        }
        if parent.set_link(vertex, id) { Some(id) } else { parent.link(vertex) }
    }

    /// The network's value of `self.descent.position` for `color`, who is to move. It is kept in the node that is given, with the
    /// probabilities of the moves. The network sees the position under a symmetry drawn by chance, so that seeds differ.
    fn assess(&mut self, node: Option<Node<'_>>, color: Color) -> f32 {
        let symmetry = self.rng.random_range(0..SYMMETRIES);
        let (position, recent) = (&self.descent.position, self.descent.recent());
        self.evaluator.evaluate(&Input { position, color, recent, symmetry }, &mut self.evaluation);
        if let Some(node) = node {
            expand::set_probabilities(node, &self.evaluation);
        }
        self.evaluation.value
    }

    /// The mean of the network's value of `self.descent.position`, for `color`, who is to move, and of the results of playouts, which
    /// weigh [`Options::leaf_playout_weight`] together.
    fn with_playouts(&mut self, value: f32, color: Color) -> f32 {
        let (count, weight) = (self.descent.options.leaf_playouts, self.descent.options.leaf_playout_weight);
        if count == 0 || weight == 0.0 {
            return value;
        }
        let answer = self.descent.options.bridge_reply_odds(self.descent.position.geometry().side());
        let Playouts { position, pool, moves } = &mut self.playouts;
        let mut sum = 0.0;
        for _ in 0..count {
            position.copy_from(&self.descent.position);
            let (spots, limit) = (&self.descent.spots, usize::MAX);
            let ending = play_unweighted::<{ checks::ALL }>(
                position,
                spots,
                (pool, moves),
                (color, limit),
                answer,
                &mut self.rng,
            );
            sum += points(color, ending.winner);
        }
        value + weight * (sum / count as f32 - value)
    }

    /// Books the value along the path, which is that for the player to move at the root.
    fn back_up(&mut self, value: f32) {
        let mut value = value;
        for step in &self.descent.path {
            self.descent.tree.node(step.node).end_evaluation(step.vertex, value);
            value = 1.0 - value;
        }
    }
}

/// What a result is worth to `color`: 1 a win, 0.5 a draw.
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
    use crate::board::{Game, Geometry};
    use crate::nn::Network;
    use crate::search::KeptTree;
    use rand::SeedableRng;

    /// What is booked of a move is the value of the node behind it and what is booked of that node's moves.
    #[test]
    fn a_moves_mean_is_that_of_all_values_below_it() {
        let game = Game::new(Geometry::of(5).unwrap());
        let network = Network::builtin();
        for leaf_playouts in [0, 3] {
            let options = Options { threat_search_nodes: 0, leaf_playouts, ..Options::default() };
            let kept = KeptTree::at(None, &game, &options, &*network);
            let rng = Xoshiro256PlusPlus::seed_from_u64(3);
            let mut worker = Worker::new(&kept.tree, &options, &*network, kept.root(&game), rng);
            (0..1000).for_each(|_| worker.iterate());
            assert_eq!(kept.tree.node(kept.root).total_visits(), 1000);
            let (mut checked, mut deep) = (0, 0);
            for node in kept.tree.nodes() {
                for v in node.moves() {
                    let Some(next) = node.link(v).map(|id| kept.tree.node(id)) else { continue };
                    // Proven nodes and those with one move have no value of their own.
                    let Some(value) = next.value().filter(|_| next.verdict().is_none()) else { continue };
                    assert_eq!(node.visits(v), next.total_visits() + 1);
                    let below = |w| f64::from(next.visits(w)) * (1.0 - next.mean(w).unwrap_or(0.0));
                    let sum = f64::from(1.0 - value) + next.moves().map(below).sum::<f64>();
                    let mean = sum / f64::from(node.visits(v));
                    // Of the value alone, playouts took a part.
                    let slack = if leaf_playouts == 0 { 1e-4 } else { 0.3 / f64::from(node.visits(v)) + 1e-4 };
                    assert!((node.mean(v).unwrap() - mean).abs() < slack, "{:?} {mean}", node.mean(v));
                    checked += 1;
                    deep += (next.total_visits() > 5) as u32;
                }
            }
            assert!(checked > 500 && deep > 10, "{checked} {deep}");
        }
    }

    /// A playout under way counts as lost, and once it has ended as what it found.
    #[test]
    fn a_visit_under_way_is_a_loss() {
        let geometry = Geometry::of(3).unwrap();
        let tree = Tree::new(geometry, crate::search::Method::Puct, 1 << 20);
        let (node, v) = (tree.node(tree.allocate(0).unwrap()), Vertex(4));
        node.add_move(v, 0.5);
        // What is found, and the means before and after it is booked.
        for (visits, [found, before, after]) in [(1, [1.0, 0.0, 1.0]), (2, [0.5, 0.5, 0.75]), (3, [0.0, 0.5, 0.5])] {
            assert_eq!(node.begin_visit(v), visits - 1);
            assert!((node.mean(v).unwrap() - before).abs() < 1e-6);
            node.end_evaluation(v, found as f32);
            assert!((node.mean(v).unwrap() - after).abs() < 1e-6);
        }
    }
}
