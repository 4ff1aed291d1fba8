//! Search guided by playouts: iterations of selection by UCT and RAVE, expansion, playout and backup (paper, section 3).
//!
//! What the parts are worth, in Elo ± one standard error (80 to 160 games each, 0.1 s a move): forced moves followed at once
//! 47 ± 31 on side 6 and 17 ± 39 on side 8; for reading ahead see [`super::threats`], for playouts that answer intrusions
//! [`crate::playout::find_bridge_reply`].

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::descent::Descent;
use super::kernel::{Kernel, Rave};
use super::node_cache::NodeCache;
use super::options::Options;
use super::report::Verdict;
use super::tree::{Node, NodeId, Tree, points};
use super::worker::Root;
use crate::board::{Color, Vertex, checks};
use crate::playout::paper::{AmafWeights, Horizon, OfflineRings, Rings, WeightedPlayouts, until};
use crate::playout::{EmptyVertex, Ending, MAX_EMPTY, play_unweighted};

/// Playouts after which a node's RAVE statistics are left as they are: they tell no more by then, and single-precision
/// sums would soon be too large for what is added to them.
const RAVE_PLAYOUTS: u32 = 1 << 22;

/// What one thread needs for itself. Made once a search: iterations do not allocate.
pub(crate) struct Worker<'a> {
    descent: Descent<'a>,
    kernel: Kernel,
    rng: Xoshiro256PlusPlus,
    pool: Vec<EmptyVertex>,
    playout: Vec<EmptyVertex>,
    /// For weighted playouts.
    weighted: Option<WeightedPlayouts>,
    /// Where rings are looked for after the playout.
    rings: Option<OfflineRings>,
    amaf: AmafWeights,
    horizon: Horizon,
    /// Of nodes that are often visited, where the thread is not the only one.
    copies: Option<NodeCache>,
    /// What the thread adds to the bias of each vertex, if anything.
    leaning: Vec<f32>,
    /// For white and then for black, the RAVE increment of each vertex: the playout's weight where the colour has played
    /// it, else 0.
    increments: Vec<f32>,
}

impl<'a> Worker<'a> {
    /// A worker for a search of the position at `root`. The first thread of a search has no leanings of its own; each of
    /// the others adds up to [`Options::diversity`] to the bias of each vertex. Threads so seldom meet in one leaf: that
    /// costs time, for its words travel from core to core, and finds less. Two threads against one, side 6, 0.05 s a move:
    /// 52 % without leanings (600 games), 54 % with 0.02 and 0.03 (1,000 games), 50 % with 0.06 (800 games), which is
    /// faster by 2 to 4 % but leads the thread astray.
    pub fn new(
        tree: &'a Tree,
        options: &'a Options,
        root: Root<'a>,
        mut rng: Xoshiro256PlusPlus,
        thread: usize,
    ) -> Worker<'a> {
        let position = root.position;
        let leans = if thread > 0 && options.diversity > 0.0 { tree.stride() } else { 0 };
        let leaning = (0..leans).map(|_| options.diversity * rng.random_range(0.0..1.0)).collect();
        let (weighting, descent) = (options.weighting(), Descent::new(tree, options, root));
        let looks_back = options.rings == Rings::Offline;
        Worker {
            kernel: Kernel::detect(),
            rng,
            weighted: (!weighting.is_uniform()).then(|| WeightedPlayouts::new(position, weighting)),
            rings: looks_back.then(|| OfflineRings::new(position)),
            amaf: AmafWeights::new(options.amaf_weight, descent.spots.left().len()),
            horizon: options.horizon_rule(),
            descent,
            pool: Vec::with_capacity(MAX_EMPTY),
            playout: Vec::with_capacity(MAX_EMPTY),
            copies: (options.threads > 1).then(|| NodeCache::new(position.geometry())),
            leaning,
            increments: vec![0.0; 2 * tree.stride()],
        }
    }

    /// One iteration: a path down the tree, a new node at its end when that is due, a playout from there, and the
    /// result booked along the path, unless the playout took too long.
    pub fn iterate(&mut self) {
        self.descent.restart();
        match self.descend() {
            Outcome::Proven(winner) => self.back_up(winner, 0),
            Outcome::Leaf(color) => {
                let limit = self.playout_limit();
                let ending = self.play_out(color, limit);
                let stopped = ending.winner.is_none() && ending.length < self.descent.spots.left().len();
                if stopped || ending.length > limit {
                    self.discard(limit);
                } else {
                    self.lower_horizons(ending.length);
                    self.back_up(ending.winner, ending.length);
                }
            }
        }
    }

    /// Selects moves from the root down to a leaf of the tree, and makes a new node there when that is due. Where only one
    /// move is open, the node behind it is due at once, and the descent goes on there (a macro move, as in Castro).
    fn descend(&mut self) -> Outcome {
        let tree = self.descent.tree;
        let mut id = self.descent.root.node;
        let mut color = self.descent.root.color;
        loop {
            let node = tree.node(id);
            let mut counts = statistics(&mut self.copies, tree, id, node);
            if self.descent.is_to_study(node, counts.total_visits()) {
                if let Some(proven) = self.study(id, node, color) {
                    return proven;
                }
                counts = statistics(&mut self.copies, tree, id, node);
            }
            let rave = self.descent.options.rave_weight(self.descent.spots.left().len());
            let vertex = select(self.kernel, self.descent.options.c_uct, rave, &self.leaning, (node, counts));
            let visits = counts.begin_visit(vertex) + 1;
            let spot = self.descent.step(id, vertex);
            let structures = self.descent.position.place_checked::<{ checks::ALL }>(color, spot.cell);
            if !structures.is_empty() {
                self.descent.tree.prove(&self.descent.path, Verdict::Win);
                return Outcome::Proven(Some(color));
            }
            color = !color;
            let (next, new) = match node.link(vertex) {
                Some(next) => (Some(next), false),
                None if visits >= self.descent.options.expand_visits || node.is_forced() => {
                    (self.expand(node, vertex, color), true)
                }
                None => (None, false),
            };
            let Some(next) = next else {
                return Outcome::Leaf(color);
            };
            if let Some(verdict) = tree.node(next).verdict() {
                self.descent.tree.prove(&self.descent.path, verdict.of_opponent());
                return Outcome::Proven(verdict.winner(color));
            }
            if new && !tree.node(next).is_forced() {
                return Outcome::Leaf(color);
            }
            id = next;
        }
    }

    /// Studies the node of the position, at the end of the path, where `color` is to move. Where the descent ends, if that
    /// proves the position.
    fn study(&mut self, id: NodeId, node: Node<'_>, color: Color) -> Option<Outcome> {
        let (copies, tree, heed) = (&mut self.copies, self.descent.tree, self.descent.options.threat_search_penalty);
        let begin_visit = |vertex| _ = statistics(copies, tree, id, node).begin_visit(vertex);
        self.descent.study(id, color, heed, begin_visit).map(Outcome::Proven)
    }

    /// Adds what the thread knows alone to the nodes: to be done before nodes are freed and at the end of a search.
    pub fn hand_over(&mut self) {
        if let Some(copies) = &mut self.copies {
            copies.hand_over(self.descent.tree);
        }
    }

    /// Makes the node behind a move, for `color` to move in `self.descent.position`. `None` where there is no room for it.
    fn expand(&mut self, parent: Node<'_>, vertex: Vertex, color: Color) -> Option<NodeId> {
        let id = self.descent.make_node(self.horizon.initial(self.descent.spots.left().len()), color)?;
        if parent.set_link(vertex, id) { Some(id) } else { parent.link(vertex) }
    }

    /// Plays from the leaf, for `limit` moves at the most if that makes the playout faster. Afterwards the beginning of
    /// `self.playout` holds the moves.
    fn play_out(&mut self, color: Color, limit: usize) -> Ending {
        let ending = match self.rings {
            None => self.play_moves::<{ checks::ALL }>(color, limit),
            Some(_) => self.play_moves::<{ checks::BRIDGE_FORK }>(color, limit),
        };
        match &mut self.rings {
            None => ending,
            Some(rings) => rings.settle(
                self.descent.root.color,
                self.descent.spots.taken(),
                &self.playout[..ending.length],
                ending,
            ),
        }
    }

    /// Plays from the leaf until a structure that `CHECKS` names is completed.
    #[inline]
    fn play_moves<const CHECKS: u8>(&mut self, color: Color, limit: usize) -> Ending {
        if let Some(weighted) = &mut self.weighted {
            let last = self.descent.path.last().expect("a path has a step");
            let node = self.descent.tree.node(last.node);
            weighted
                .load(&self.descent.position, self.descent.spots.taken(), |v| node.rave(v).map_or(0.5, |r| r as f32));
            return weighted.play::<CHECKS, { until::FIRST_WIN }>(
                &mut self.descent.position,
                &mut self.playout,
                color,
                limit,
                &mut self.rng,
            );
        }
        let answer = self.descent.options.bridge_reply_odds(self.descent.position.geometry().side());
        let working = (&mut self.pool, &mut self.playout);
        play_unweighted::<CHECKS>(
            &mut self.descent.position,
            &self.descent.spots,
            working,
            (color, limit),
            answer,
            &mut self.rng,
        )
    }

    /// How many moves a playout from the leaf may take by the horizons of all nodes of the path (paper, section 5).
    fn playout_limit(&self) -> usize {
        if !self.horizon.is_on() {
            return self.descent.spots.left().len();
        }
        let steps = self.descent.path.iter().rev().enumerate();
        let limits =
            steps.map(|(i, step)| (self.descent.tree.node(step.node).horizon() as usize).saturating_sub(i + 1));
        limits.min().expect("a path has a step")
    }

    /// Lowers the horizons along the path after a playout of `length` moves that ended within them.
    fn lower_horizons(&self, length: usize) {
        if self.horizon.is_on() {
            for (i, step) in self.descent.path.iter().rev().enumerate() {
                let node = self.descent.tree.node(step.node);
                node.set_horizon(self.horizon.after(node.horizon(), (length + i + 1) as u32));
            }
        }
    }

    /// Leaves the statistics as they were before the iteration, and raises those horizons along the path that a playout
    /// of more than `limit` moves has not ended within.
    fn discard(&mut self, limit: usize) {
        let left = self.descent.spots.left().len();
        for (i, step) in self.descent.path.iter().rev().enumerate() {
            let node = self.descent.tree.node(step.node);
            current(&self.copies, self.descent.tree, step.node).cancel_visit(step.vertex);
            if node.horizon() as usize <= limit + i + 1 {
                node.set_horizon(self.horizon.raised(node.horizon(), (left + i + 1) as u32));
            }
        }
    }

    /// Books the result along the path: visits and points of each move made, and the RAVE statistics of all moves that
    /// each node's player has made from there on, in the tree and in a playout of `length` moves.
    fn back_up(&mut self, winner: Option<Color>, length: usize) {
        let weight = self.amaf.of(self.descent.path.len() + length);
        self.mark(length, weight);
        let (kernel, both) = (self.kernel, self.descent.options.amaf_both);
        let (white, black) = self.increments.split_at(self.descent.tree.stride());
        let mut color = self.descent.root.color;
        for step in &self.descent.path {
            let node = current(&self.copies, self.descent.tree, step.node);
            node.end_visit(step.vertex, points(color, winner));
            if node.total_visits() <= RAVE_PLAYOUTS {
                let [own, other] = if color == Color::White { [white, black] } else { [black, white] };
                let [weights, wins] = node.rave_arrays();
                kernel.add(weights, own);
                if winner == Some(color) {
                    kernel.add(wins, own);
                } else if both && winner.is_some() {
                    kernel.add(weights, other);
                    kernel.add(wins, other);
                }
            }
            color = !color;
        }
        if winner.is_none() {
            self.book_draw(length, weight);
        }
        self.increments.fill(0.0);
    }

    /// Counts a draw as half won in the RAVE statistics along the path.
    #[cold]
    fn book_draw(&mut self, length: usize, weight: f32) {
        self.mark(length, weight / 2.0);
        let stride = self.descent.tree.stride();
        let mut color = self.descent.root.color;
        for step in &self.descent.path {
            let node = current(&self.copies, self.descent.tree, step.node);
            let [_, wins] = node.rave_arrays();
            self.kernel.add(wins, &self.increments[color.index() * stride..][..stride]);
            color = !color;
        }
    }

    /// Writes `value` into the increments of all moves of the path and of a playout of `length` moves.
    #[inline]
    fn mark(&mut self, length: usize, value: f32) {
        let stride = self.descent.tree.stride();
        let increments = &mut self.increments[..2 * stride];
        let mut start = self.descent.root.color.index() * stride;
        for moves in [self.descent.spots.taken(), &self.playout[..length]] {
            for spot in moves {
                increments[start + spot.vertex.index()] = value;
                start = stride - start;
            }
        }
    }
}

/// The move to try next in a node, whose statistics stand in the second one.
#[inline]
fn select(kernel: Kernel, exploration: f32, rave: f32, leaning: &[f32], nodes: (Node<'_>, Node<'_>)) -> Vertex {
    let (node, statistics) = nodes;
    let log_playouts = if exploration == 0.0 { 0.0 } else { ((statistics.total_visits() + 1) as f32).ln() };
    // What is proven stands in the node itself.
    let [visits, points, weight, wins, _] = statistics.selection_arrays();
    let [.., bias] = node.selection_arrays();
    let selection = Rave { leaning, rave, exploration, log_playouts };
    Vertex(kernel.rave([visits, points, weight, wins, bias], selection) as u16)
}

/// Where the statistics of a node are read and written by a thread with these copies.
#[inline(always)]
fn statistics<'a>(copies: &'a mut Option<NodeCache>, tree: &'a Tree, id: NodeId, node: Node<'a>) -> Node<'a> {
    match copies {
        Some(copies) => copies.statistics(tree, id, node),
        None => node,
    }
}

/// Where the statistics of a node of the path are written.
#[inline]
fn current<'a>(copies: &'a Option<NodeCache>, tree: &'a Tree, id: NodeId) -> Node<'a> {
    let node = tree.node(id);
    match copies {
        Some(copies) => copies.current(id, node),
        None => node,
    }
}

/// Where a descent ended.
enum Outcome {
    /// At a leaf, with this colour to move.
    Leaf(Color),
    /// At a position whose result is proven: the winner, if any.
    Proven(Option<Color>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, Position};
    use crate::playout::paper::Schedule;
    use crate::search::expand;
    use crate::search::threats::Reader;
    use crate::search::tree::Step;
    use crate::search::{Method, Preset};
    use rand::SeedableRng;

    /// A root for the empty board of a side, and the tree around it.
    fn planted(side: usize, options: &Options) -> (Tree, NodeId, Position) {
        let geometry = Geometry::of(side).unwrap();
        let (tree, position) = (Tree::new(geometry, Method::Rave, 4 << 20), Position::new(geometry));
        let root = tree.allocate(options.horizon_rule().initial(geometry.vertex_count())).unwrap();
        assert_eq!(expand::fill(tree.node(root), &position, Color::White, options, &mut Reader::new(&position)), None);
        (tree, root, position)
    }

    fn at<'a>(node: NodeId, position: &'a Position) -> Root<'a> {
        Root { node, position, color: Color::White, recent: [None; 2] }
    }

    fn all_statistics(tree: &Tree, nodes: usize) -> Vec<Vec<u32>> {
        tree.nodes().take(nodes).map(|node| node.statistics()).collect()
    }

    /// Runs iterations and returns how many were discarded; after those the statistics of all nodes must be what they
    /// were before, and the root's horizon may have risen only.
    fn discarded(options: &Options, side: usize, iterations: usize) -> usize {
        let (tree, root, position) = planted(side, options);
        let rng = Xoshiro256PlusPlus::seed_from_u64(side as u64);
        let mut worker = Worker::new(&tree, options, at(root, &position), rng, 0);
        let mut count = 0;
        for _ in 0..iterations {
            let nodes = tree.len();
            let (before, playouts) = (all_statistics(&tree, nodes), tree.node(root).total_visits());
            let horizon = tree.node(root).horizon();
            worker.iterate();
            if tree.node(root).total_visits() == playouts {
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
                // A node that is studied changes, whatever comes of the playout.
                let unstudied = Options { threat_search_nodes: 0, ..Options::preset(Preset::Rave) };
                let options = Options { horizon: schedule, horizon_start: 0.5, expand_visits: expand, ..unstudied };
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
        let (tree, root, position) = planted(4, &options);
        let rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut worker = Worker::new(&tree, &options, at(root, &position), rng, 0);
        let vertex = position.geometry().vertex_at_cube([0; 3]).unwrap();
        let node = tree.node(root);
        for (winner, expected) in [(None, 0.5), (Some(Color::White), 0.75), (Some(Color::Black), 0.5)] {
            node.begin_visit(vertex);
            worker.descent.path.push(Step { node: root, vertex });
            worker.descent.spots.take(vertex);
            worker.back_up(winner, 0);
            worker.descent.path.clear();
            worker.descent.spots.give_back();
            assert_eq!(node.mean(vertex), Some(expected));
            assert!((node.rave(vertex).unwrap() - expected).abs() < 1e-3);
        }
    }

    /// The moves of a playout that Black won, seen from a node of White's: White's own count as lost, and with the
    /// option Black's as won.
    #[test]
    fn the_winners_moves_are_favoured_for_both_if_so_wanted() {
        for both in [false, true] {
            let options = Options { amaf_both: both, prior_weight: 0.001, ..Options::preset(Preset::Rave) };
            let (tree, root, position) = planted(4, &options);
            let rng = Xoshiro256PlusPlus::seed_from_u64(1);
            let mut worker = Worker::new(&tree, &options, at(root, &position), rng, 0);
            let [white, black] = [Vertex(0), Vertex(1)];
            worker.descent.path.push(Step { node: root, vertex: white });
            let cell = |v| position.geometry().cell(v);
            worker.descent.spots.take(white);
            worker.playout = vec![EmptyVertex { cell: cell(black), vertex: black }];
            worker.back_up(Some(Color::Black), 1);
            let node = tree.node(root);
            assert!(node.rave(white).unwrap() < 1e-3);
            assert!((node.rave(black).unwrap() - if both { 1.0 } else { 0.5 }).abs() < 1e-3);
        }
    }
}
