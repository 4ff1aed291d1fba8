//! The tree that a searcher keeps between moves, with the position at its root.

use super::expand;
use super::node::{Node, NodeId};
use super::options::{Method, Options};
use super::root::Root;
use super::threats::ThreatSearch;
use super::tree::Tree;
use crate::board::{Color, Game, Geometry, Vertex};
use crate::nn::{Backend, Evaluation, Input};
use crate::solver::Solver;

/// A tree, and the position at its root.
pub(crate) struct KeptTree {
    pub tree: Tree,
    pub root: NodeId,
    /// The solver for the board, if the options and the size of the board allow one.
    pub solver: Option<Solver>,
    shape: Shape,
    stones: Vec<(Color, Vertex)>,
    to_move: Color,
    /// Whether nothing but the memory is of use to the next search.
    is_forgotten: bool,
}

impl KeptTree {
    /// A tree whose root is the position of `game`. If a former tree has that position, the part below it is kept; if
    /// not, its memory is used again where it fits the board and the options. `None` if there is no memory for a tree.
    pub fn at(former: Option<KeptTree>, game: &Game, options: &Options, network: &dyn Backend) -> Option<KeptTree> {
        let stones: Vec<_> = game.stones().collect();
        let (shape, to_move) = (Shape::of(game.geometry(), options), game.to_move());
        let (mut tree, solver) = match former {
            Some(kept) if kept.shape == shape => {
                if let Some(root) = kept.find(&stones, to_move) {
                    kept.tree.keep_below(root);
                    evaluate(kept.tree.node(root), game, options, network);
                    return Some(KeptTree { stones, to_move, root, ..kept });
                }
                (kept.tree, kept.solver)
            }
            other => {
                drop(other);
                shape.allocate()
            }
        };
        tree.clear();
        let root = make_root(&tree, game, options, network)?;
        Some(KeptTree { tree, root, solver, shape, stones, to_move, is_forgotten: false })
    }

    /// Forgets all that was found. The next search begins as if it were the first, but in the same memory.
    pub fn forget(&mut self) {
        self.is_forgotten = true;
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    /// The root, for a search of `game`, whose position it stands for.
    pub fn root<'a>(&self, game: &'a Game) -> Root<'a> {
        let last_stones = game.last_stones();
        Root { node: self.root, position: game.position(), color: game.to_move(), last_stones }
    }

    /// The node of the position after `stones` with `to_move` to move, if the tree has one.
    fn find(&self, stones: &[(Color, Vertex)], to_move: Color) -> Option<NodeId> {
        if self.is_forgotten {
            return None;
        }
        let new = stones.strip_prefix(&self.stones[..])?;
        let mut turn = self.to_move;
        let mut id = self.root;
        for &(color, v) in new {
            if color != turn {
                return None;
            }
            id = self.tree.node(id).link(v)?;
            turn = !turn;
        }
        (turn == to_move).then_some(id)
    }
}

/// The board and the options that decide how memory is divided.
#[derive(PartialEq)]
struct Shape {
    geometry: &'static Geometry,
    method: Method,
    tree_bytes: usize,
    /// An eighth of the memory if there is a solver, else 0.
    table_bytes: usize,
}

impl Shape {
    fn of(geometry: &'static Geometry, options: &Options) -> Shape {
        let bytes = options.memory << 20;
        let table_bytes = if options.solver_nodes_per_simulation(geometry.side()) > 0.0 { bytes / 8 } else { 0 };
        Shape { geometry, method: options.method, tree_bytes: bytes - table_bytes, table_bytes }
    }

    fn allocate(&self) -> (Tree, Option<Solver>) {
        let solver = if self.table_bytes > 0 { Solver::new(self.geometry, self.table_bytes) } else { None };
        (Tree::new(self.geometry, self.method, self.tree_bytes), solver)
    }
}

/// Makes the root of an empty tree. `None` if there is no memory for it.
fn make_root(tree: &Tree, game: &Game, options: &Options, network: &dyn Backend) -> Option<NodeId> {
    let position = game.position();
    let node = tree.node(tree.allocate()?);
    node.set_horizon(options.horizon_rule().initial(game.geometry().vertex_count() - game.stone_count()));
    expand::fill(node, position, game.to_move(), options, &mut ThreatSearch::new(position));
    evaluate(node, game, options, network);
    Some(node.id())
}

/// Has the network evaluate a root, if it guides the search and has not seen the position: it skips positions with a
/// single open move, but a root needs a value to report.
fn evaluate(root: Node<'_>, game: &Game, options: &Options, network: &dyn Backend) {
    if options.method == Method::Puct && root.verdict().is_none() && root.value().is_none() {
        let mut evaluation = Evaluation::default();
        network.evaluator(game.geometry()).evaluate(&Input::of(game), &mut evaluation);
        expand::set_evaluation(root, &evaluation);
    }
}
