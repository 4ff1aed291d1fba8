//! One thread of a search: iterations of selection, expansion, playout and backup (paper, section 3).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::expand;
use super::kernel::{Kernel, Selection};
use super::options::Options;
use super::report::Verdict;
use super::tree::{Node, NodeId, Tree, points};
use crate::board::{Color, Position, Vertex, checks};
use crate::playout::{EmptySpots, Ending, Guidance, MAX_SPOTS, Spot, guided, uniform};

/// A step of the descent: the node, and the move selected there.
#[derive(Clone, Copy)]
struct Step {
    node: NodeId,
    vertex: Vertex,
}

/// What one thread needs for itself. Made once a search: iterations do not allocate.
pub(crate) struct Worker<'a> {
    tree: &'a Tree,
    options: &'a Options,
    kernel: Kernel,
    root: NodeId,
    root_position: &'a Position,
    root_color: Color,
    rng: Xoshiro256PlusPlus,
    position: Position,
    spots: EmptySpots,
    pool: Vec<Spot>,
    playout: Vec<Spot>,
    path: Vec<Step>,
    /// For each colour the RAVE increment of each vertex: the playout's weight where the colour has played it, else 0.
    increments: [Vec<f32>; 2],
}

impl<'a> Worker<'a> {
    /// A worker for a search from `root`, whose position is `position` with `color` to move.
    pub fn new(
        tree: &'a Tree,
        options: &'a Options,
        root: NodeId,
        position: &'a Position,
        color: Color,
        rng: Xoshiro256PlusPlus,
    ) -> Worker<'a> {
        Worker {
            tree,
            options,
            kernel: Kernel::detect(),
            root,
            root_position: position,
            root_color: color,
            rng,
            position: position.clone(),
            spots: EmptySpots::of(position),
            pool: Vec::with_capacity(MAX_SPOTS),
            playout: Vec::with_capacity(MAX_SPOTS),
            path: Vec::with_capacity(MAX_SPOTS),
            increments: std::array::from_fn(|_| vec![0.0; tree.stride()]),
        }
    }

    /// One iteration: a path down the tree, a new node at its end when that is due, a playout from there, and the
    /// result booked along the path.
    pub fn iterate(&mut self) {
        self.position.copy_from(self.root_position);
        self.path.clear();
        let (winner, length) = match self.descend() {
            Descent::Proven(winner) => (winner, None),
            Descent::Leaf(color) => {
                let ending = self.play_out(color);
                (ending.winner, Some(ending.length))
            }
        };
        self.back_up(winner, length);
        self.spots.give_back();
    }

    /// Selects moves from the root down to a leaf of the tree, and makes a new node there when that is due.
    fn descend(&mut self) -> Descent {
        let mut id = self.root;
        let mut color = self.root_color;
        loop {
            let node = self.tree.node(id);
            let vertex = self.select(node);
            let visits = node.begin_visit(vertex) + 1;
            self.path.push(Step { node: id, vertex });
            let spot = self.spots.take(vertex);
            let structures = self.position.place_checked::<{ checks::ALL }>(color, spot.cell);
            if !structures.is_empty() {
                self.prove(Verdict::Win);
                return Descent::Proven(Some(color));
            }
            color = !color;
            let (next, new) = match node.link(vertex) {
                Some(next) => (Some(next), false),
                None if visits >= self.options.expand => (self.expand(node, vertex, color), true),
                None => (None, false),
            };
            let Some(next) = next else {
                return Descent::Leaf(color);
            };
            if let Some(verdict) = self.tree.node(next).verdict() {
                self.prove(verdict.of_opponent());
                return Descent::Proven(verdict.winner(color));
            }
            if new {
                return Descent::Leaf(color);
            }
            id = next;
        }
    }

    /// The move to try next in a node.
    #[inline]
    fn select(&self, node: Node<'_>) -> Vertex {
        let empty = self.spots.left().len() as f32;
        let exploration = self.options.exploration;
        let selection = Selection {
            rave: self.options.rave_base + self.options.rave_per_vertex * empty,
            exploration,
            log_playouts: if exploration == 0.0 { 0.0 } else { ((node.playouts() + 1) as f32).ln() },
        };
        Vertex(self.kernel.select(node.selection_arrays(), selection) as u16)
    }

    /// Makes the node behind a move, for `color` to move in `self.position`. `None` where there is no room for it.
    fn expand(&mut self, parent: Node<'_>, vertex: Vertex, color: Color) -> Option<NodeId> {
        let id = self.tree.allocate()?;
        let node = self.tree.node(id);
        node.reset(self.spots.left().len() as u32);
        if let Some(verdict) = expand::fill(node, &self.position, color, self.options) {
            node.set_verdict(verdict);
        }
        if parent.set_link(vertex, id) { Some(id) } else { parent.link(vertex) }
    }

    /// Books, from the end of the path upwards, what the last move is proven to lead to for the player who makes it.
    fn prove(&self, verdict: Verdict) {
        let mut verdict = verdict;
        for step in self.path.iter().rev() {
            let node = self.tree.node(step.node);
            let Some(proven) = node.prove_move(step.vertex, verdict) else { return };
            node.set_verdict(proven);
            verdict = proven.of_opponent();
        }
    }

    /// Plays from the leaf to the end. Afterwards the beginning of `self.playout` holds the moves.
    fn play_out(&mut self, color: Color) -> Ending {
        self.playout.clear();
        if self.options.reply == 0.0 && self.options.ring_moves >= 1000 {
            self.playout.extend_from_slice(self.spots.left());
            return uniform::<{ checks::ALL }>(&mut self.position, &mut self.playout, color, &mut self.rng);
        }
        self.pool.clear();
        self.pool.extend_from_slice(self.spots.left());
        let guidance =
            Guidance { reply: (self.options.reply * 65536.0) as u32, ring_moves: self.options.ring_moves as usize };
        guided(
            &mut self.position,
            &mut self.pool,
            &mut self.playout,
            self.spots.taken().last().copied(),
            color,
            &guidance,
            &mut self.rng,
        )
    }

    /// Books the result along the path: visits and points of each move made, and, of a playout, the RAVE statistics of
    /// all moves that each node's player has made from there on.
    fn back_up(&mut self, winner: Option<Color>, length: Option<usize>) {
        let length = length.unwrap_or(0);
        self.mark(length, 1.0);
        let mut color = self.root_color;
        for step in &self.path {
            let node = self.tree.node(step.node);
            node.end_visit(step.vertex, points(color, winner));
            let [weight, wins] = node.rave_arrays();
            let increments = &self.increments[color.index()];
            self.kernel.add(weight, increments);
            if winner == Some(color) {
                self.kernel.add(wins, increments);
            }
            color = !color;
        }
        self.mark(length, 0.0);
    }

    /// Writes `value` into the increments of all moves of the path and of a playout of `length` moves.
    fn mark(&mut self, length: usize, value: f32) {
        let moves = self.spots.taken().iter().chain(&self.playout[..length]);
        let mut color = self.root_color;
        for spot in moves {
            self.increments[color.index()][spot.vertex.index()] = value;
            color = !color;
        }
    }
}

/// Where a descent ended.
enum Descent {
    /// At a leaf, with this colour to move.
    Leaf(Color),
    /// At a position whose result is proven: the winner, if any.
    Proven(Option<Color>),
}
