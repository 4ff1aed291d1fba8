//! The way of an iteration from the root down the tree, whatever guides the search.

use super::expand::{self, Recent, Sequence};
use super::options::Options;
use super::report::Verdict;
use super::threats::Reader;
use super::tree::{Node, NodeId, Step, Tree};
use super::worker::Root;
use crate::board::{Color, Position, Vertex};
use crate::playout::{EmptyVertex, EmptyVertices, MAX_EMPTY};

/// Where an iteration stands, and what is needed to go on. Made once a search: going does not allocate.
pub(crate) struct Descent<'a> {
    pub tree: &'a Tree,
    pub options: &'a Options,
    pub root: Root<'a>,
    /// Where the walk has come to.
    pub position: Position,
    /// The empty vertices of the root; those of the path are taken.
    pub spots: EmptyVertices,
    pub path: Vec<Step>,
    reader: Reader,
    /// The playouts with which a node is searched for sequences of threats.
    study_from: u32,
}

impl<'a> Descent<'a> {
    /// A walk that stands at the root.
    pub fn new(tree: &'a Tree, options: &'a Options, root: Root<'a>) -> Descent<'a> {
        Descent {
            tree,
            options,
            root,
            position: root.position.clone(),
            spots: EmptyVertices::of(root.position),
            path: Vec::with_capacity(MAX_EMPTY),
            reader: Reader::new(root.position),
            study_from: if options.threat_search_nodes > 0 { options.threat_search_visits } else { u32::MAX },
        }
    }

    /// Goes back to the root.
    #[inline]
    pub fn restart(&mut self) {
        self.spots.give_back();
        self.position.copy_from(self.root.position);
        self.path.clear();
    }

    /// Puts a move in the node of name `id` on the path. The stone is left to be placed.
    #[inline]
    pub fn step(&mut self, id: NodeId, vertex: Vertex) -> EmptyVertex {
        self.path.push(Step { node: id, vertex });
        self.spots.take(vertex)
    }

    /// The last stones before the position.
    pub fn recent(&self) -> Recent {
        let taken = self.spots.taken();
        let before = |k: usize| match taken.len().checked_sub(k) {
            Some(i) => Some(taken[i].vertex),
            None => self.root.recent[k - 1 - taken.len()],
        };
        [before(1), before(2)]
    }

    /// Whether a node of so many playouts is to be studied now, which nobody else does then.
    #[inline]
    pub fn is_to_study(&self, node: Node<'_>, playouts: u32) -> bool {
        playouts >= self.study_from && node.begin_study()
    }

    /// Searches the node of the position, of name `id`, where `color` is to move, for sequences of threats, and returns who
    /// wins, if that is proven. `heed` is as in [`expand::read_sequences`]; `begin_visit` is told of a winning move.
    pub fn study(
        &mut self,
        id: NodeId,
        color: Color,
        heed: f32,
        begin_visit: impl FnOnce(Vertex),
    ) -> Option<Option<Color>> {
        let node = self.tree.node(id);
        match expand::read_sequences(node, &self.position, color, self.options, &mut self.reader, heed) {
            Sequence::Win(vertex) => {
                begin_visit(vertex);
                self.step(id, vertex);
                self.tree.prove(&self.path, Verdict::Win);
                Some(Some(color))
            }
            Sequence::Proven(verdict) => {
                node.set_verdict(verdict);
                self.tree.prove(&self.path, verdict.of_opponent());
                Some(verdict.winner(color))
            }
            Sequence::Open => None,
        }
    }

    /// A node for the position, where `color` is to move, that is not linked yet. `None` where there is no room for it.
    pub fn make_node(&mut self, horizon: u32, color: Color) -> Option<NodeId> {
        let id = self.tree.allocate(horizon)?;
        expand::fill(self.tree.node(id), &self.position, color, self.options, &mut self.reader);
        Some(id)
    }
}
