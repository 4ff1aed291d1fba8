//! The descent of a simulation from the root to a leaf of the tree. Both methods share it; [`Guide`] holds what they do
//! differently.

use crate::engine::playout::{EmptyVertex, EmptyVertices, MAX_EMPTY};
use crate::game::{Color, Position, Vertex, checks};

use super::expand::{self, ThreatResult};
use super::method::Context;
use super::node::{Layout, Node, NodeId};
use super::options::SearchOptions;
use super::replay::Replay;
use super::report::Verdict;
use super::root::{LastStones, SearchRoot};
use super::threats::ThreatSearch;
use super::transpositions::{Key, position_key, stone_key};
use super::tree::{Step, Tree};

/// Below the root, one in so many selections of a move that is proven to draw becomes one of another move.
const DRAW_INTERVAL: u32 = 16;

/// What a method decides during a descent.
pub(crate) trait Guide<L: Layout> {
    /// Selects the move to try in a node, which the descent has reached.
    fn select(&mut self, node: L::Node<'_>, descent: &Descent<'_, L>) -> Vertex;

    /// Counts a visit of a move, as [`Node::begin_visit`] does.
    #[inline]
    fn begin_visit(&mut self, node: L::Node<'_>, v: Vertex) -> u32 {
        node.begin_visit(v)
    }

    /// Whether a move that has been visited this often gets a node of its own.
    fn expands(&self, visits: u32) -> bool;

    /// Completes a new node, which has its moves, before other threads see it. `color` is to move there.
    fn complete(&mut self, node: L::Node<'_>, descent: &Descent<'_, L>, color: Color);

    /// Makes a move less likely to be selected, because it leaves a winning sequence of the opponent alone.
    fn discourage(&self, _node: L::Node<'_>, _v: Vertex) {}
}

/// Where a descent ended.
pub(crate) enum End<'a, L: Layout> {
    /// At a leaf, with this player to move: at a new node, or at none if the move gets no node yet.
    Leaf(Color, Option<L::Node<'a>>),
    /// At a node with this player to move that has been reached before, but never through the last move of this path;
    /// or at a node where there is no memory for another visit.
    Shared(Color, L::Node<'a>),
    /// At a position with a proven result: the winner, or `None` for a draw.
    Proven(Option<Color>),
}

/// Where a move of a descent has led.
enum Arrival {
    /// A node that the move has led to before.
    Again(NodeId),
    /// A node that only other moves have led to.
    AtShared(NodeId),
    /// A new node.
    AtNew(NodeId),
    /// No node yet.
    Nowhere,
}

/// The state of a descent. It is allocated once per search: descending does not allocate.
pub(crate) struct Descent<'a, L> {
    pub tree: &'a Tree<L>,
    pub options: &'a SearchOptions,
    pub root: SearchRoot<'a>,
    /// The position that the descent has reached.
    pub position: Position,
    /// The root's empty vertices; those on the path are taken.
    pub empties: EmptyVertices,
    pub path: Vec<Step>,
    /// The key of the root's position.
    root_key: Key,
    pub threats: ThreatSearch<'a>,
    replay: Replay<'a>,
    /// Visits at which a node is searched for sequences of threats.
    threat_search_visits: u32,
}

impl<'a, L: Layout> Descent<'a, L> {
    /// A descent that stands at the root.
    pub fn new(context: Context<'a, L>) -> Descent<'a, L> {
        let Context { tree, options, root, deadline, .. } = context;
        let is_on = options.threat_search_nodes > 0;
        Descent {
            tree,
            options,
            root,
            position: root.position.clone(),
            empties: EmptyVertices::new(root.position),
            path: Vec::with_capacity(MAX_EMPTY),
            root_key: position_key(root.position),
            threats: ThreatSearch::until(deadline, root.position),
            replay: Replay::new(root.position, options.replay_nodes, options.pair_threats, deadline),
            threat_search_visits: if is_on { options.threat_search_visits } else { u32::MAX },
        }
    }

    /// Selects moves from the root down to a leaf or a proven position, and makes a node there if one is due. A node
    /// with a single open move is not a leaf: the descent follows that move at once (a macro move, as in Castro).
    #[inline]
    pub fn descend(&mut self, guide: &mut impl Guide<L>) -> End<'a, L> {
        self.restart();
        let tree = self.tree;
        let mut node = tree.node(self.root.node);
        let mut color = self.root.color;
        loop {
            if node.total_visits() >= self.threat_search_visits
                && node.claim_threat_search()
                && let Some(winner) = self.search_threats(node, color, guide)
            {
                return End::Proven(winner);
            }
            let mut vertex = guide.select(node, self);
            if node.has_draw() && node.move_verdict(vertex) == Some(Verdict::Draw) {
                vertex = self.instead_of_draw(node).unwrap_or(vertex);
            }
            let Some(roomy) = tree.with_room(node, vertex) else { return End::Shared(color, node) };
            node = roomy;
            let visits = guide.begin_visit(node, vertex) + 1;
            let stone = self.step(node, vertex);
            if !self.position.place_checked::<{ checks::ALL }>(color, stone.cell).is_empty() {
                self.prove(Verdict::Win);
                return End::Proven(Some(color));
            }
            color = !color;
            let arrival = match node.link(vertex) {
                Some(id) => Arrival::Again(id),
                None => self.enter(node, vertex, visits, color, guide),
            };
            let (Arrival::Again(id) | Arrival::AtShared(id) | Arrival::AtNew(id)) = arrival else {
                return End::Leaf(color, None);
            };
            node = tree.node(id);
            if let Some(verdict) = node.verdict() {
                self.prove(verdict.of_opponent());
                return End::Proven(verdict.winner(color));
            }
            match arrival {
                Arrival::AtNew(_) if !node.is_forced() => return End::Leaf(color, Some(node)),
                Arrival::AtShared(_) if !node.is_forced() => return End::Shared(color, node),
                _ => (),
            }
        }
    }

    /// The move to try in place of one that is proven to draw: nothing is left to learn about that one. Below the root,
    /// it is nevertheless selected most of the time, so that the node's mean does not fall below one half.
    #[cold]
    fn instead_of_draw(&self, node: L::Node<'_>) -> Option<Vertex> {
        let is_due = self.path.is_empty() || node.total_visits().is_multiple_of(DRAW_INTERVAL);
        if is_due { node.open_moves().min_by_key(|&v| node.visits(v)) } else { None }
    }

    /// The last stones before the position.
    pub fn last_stones(&self) -> LastStones {
        let path = self.empties.taken();
        let before = |k: usize| match path.len().checked_sub(k) {
            Some(i) => Some(path[i].vertex),
            None => self.root.last_stones[k - 1 - path.len()],
        };
        [before(1), before(2)]
    }

    #[inline]
    fn restart(&mut self) {
        self.empties.give_back();
        self.position.copy_from(self.root.position);
        self.path.clear();
    }

    /// Appends a move to the path. The caller places the stone.
    #[inline]
    pub fn step(&mut self, node: L::Node<'_>, vertex: Vertex) -> EmptyVertex {
        self.path.push(Step { node: node.id(), vertex });
        self.empties.take(vertex)
    }

    /// Records the proven result of the last move of the path, and all that follows from it.
    fn prove(&mut self, verdict: Verdict) {
        self.tree.prove(&self.path, verdict);
        self.replay.refute_others(self.tree, self.root, &self.path, &mut self.threats);
    }

    /// Searches the node of the present position, where `color` is to move, for sequences of threats. If that proves
    /// the position, returns the winner, which is `None` for a draw; the path then ends with the proof.
    fn search_threats(&mut self, node: L::Node<'a>, color: Color, guide: &mut impl Guide<L>) -> Option<Option<Color>> {
        let discourage = |v| guide.discourage(node, v);
        match expand::search_threats(node, &self.position, color, self.options, &mut self.threats, discourage) {
            ThreatResult::Win(vertex) => {
                if let Some(node) = self.tree.with_room(node, vertex) {
                    node.begin_visit(vertex);
                }
                self.step(node, vertex);
                self.prove(Verdict::Win);
                Some(Some(color))
            }
            ThreatResult::Proven(verdict) => {
                node.set_verdict(verdict);
                self.prove(verdict.of_opponent());
                Some(verdict.winner(color))
            }
            ThreatResult::Open => None,
            ThreatResult::CutShort => {
                // It is made again.
                node.release_threat_search();
                None
            }
        }
    }

    /// Finds or makes the node behind a move that has none, if it is due.
    fn enter(
        &mut self,
        parent: L::Node<'_>,
        vertex: Vertex,
        visits: u32,
        color: Color,
        guide: &mut impl Guide<L>,
    ) -> Arrival {
        let key = self.tree.shares_positions().then(|| self.key());
        if let Some(id) = key.and_then(|key| self.tree.find_position(key)) {
            parent.set_link(vertex, id);
            return Arrival::AtShared(id);
        }
        if guide.expands(visits) || parent.is_forced() {
            return self.expand(parent, vertex, color, key, guide).map_or(Arrival::Nowhere, Arrival::AtNew);
        }
        Arrival::Nowhere
    }

    /// The key of the position that the path has led to.
    fn key(&self) -> Key {
        let colors = [self.root.color, !self.root.color].into_iter().cycle();
        let stones = self.path.iter().zip(colors).map(|(step, color)| stone_key(color, step.vertex));
        stones.fold(self.root_key, Key::wrapping_add)
    }

    /// Makes the node behind a move that leads to the present position, with `color` to move. With a key, other moves
    /// can share the node. If another thread was faster, returns that thread's node; if the memory is used up, `None`.
    fn expand(
        &mut self,
        parent: L::Node<'_>,
        vertex: Vertex,
        color: Color,
        key: Option<Key>,
        guide: &mut impl Guide<L>,
    ) -> Option<NodeId> {
        let node = self.tree.node(self.tree.allocate()?);
        if expand::fill(node, &self.position, color, self.options, &mut self.threats).is_none() {
            expand::look_up(node, &self.position, color, self.options);
        }
        guide.complete(node, self, color);
        if let Some(key) = key {
            self.tree.set_position(key, node.id());
        }
        if parent.set_link(vertex, node.id()) { Some(node.id()) } else { parent.link(vertex) }
    }
}
