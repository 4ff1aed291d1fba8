//! The tree that a searcher keeps between moves, with the position at its root.

use std::time::Duration;

use crate::engine::solver::Solver;
use crate::game::{Color, Game, Geometry, Vertex};
use crate::network::Backend;

use super::error::SearchError;
use super::expand;
use super::method::SearchMethod;
use super::node::{Layout, Node, NodeId};
use super::options::SearchOptions;
use super::root::SearchRoot;
use super::threats::ThreatSearch;
use super::tree::{MOST_VISITS, Tree};

/// A tree, and the position at its root.
pub(crate) struct KeptTree<M> {
    pub tree: Tree<M>,
    /// Not that of any node once the tree is forgotten.
    pub root: NodeId,
    /// The solver for the board, if the options and the size of the board allow one.
    pub solver: Option<Solver>,
    shape: TreeShape,
    /// No node has more visits than the root's plus this many.
    excess: u32,
    stones: Vec<(Color, Vertex)>,
    to_move: Color,
    /// Whether the next search reuses nothing that was found.
    pub is_forgotten: bool,
}

impl<M: SearchMethod> KeptTree<M> {
    /// A tree whose root is the position of `game`. If the former tree has that position, the part below it is kept.
    /// Otherwise its memory is reused, if it fits the board and the options.
    ///
    /// To free what is not below the root, all nodes below it have to be visited. `has_time` is asked now and then
    /// whether this much time is left. If not, those nodes stay until the tree is full and pruned. They are found again
    /// if another order of moves leads to one of their positions.
    ///
    /// # Errors
    /// [`SearchError::NoMemory`].
    pub fn new(
        former: Option<KeptTree<M>>,
        game: &Game,
        options: &SearchOptions,
        network: &dyn Backend,
        has_time: impl Fn(Duration) -> bool,
    ) -> Result<KeptTree<M>, SearchError> {
        let stones: Vec<_> = game.stones().collect();
        let to_move = game.to_move();
        let shape = TreeShape::new::<M>(game.geometry(), options);
        let (mut tree, solver) = match former {
            Some(kept) if kept.shape == shape => {
                if let Some(root) = kept.find(&stones, to_move) {
                    let tree = &kept.tree;
                    let visits = |id| tree.node(id).total_visits();
                    // If they are many, they have to be halved, whatever the time.
                    let bound = kept.excess + visits(kept.root);
                    let has_time = |time| bound > MOST_VISITS / 2 || has_time(time);
                    let most = tree.keep_below(root, has_time).unwrap_or_else(|| {
                        tree.expect_part_of_pruning(visits(root), visits(kept.root));
                        bound
                    });
                    let excess = most.saturating_sub(visits(root));
                    M::complete_root(tree.node(root), game, options, network);
                    return Ok(KeptTree { stones, to_move, root, excess, ..kept });
                }
                (kept.tree, kept.solver)
            }
            other => {
                drop(other);
                shape.allocate()
            }
        };
        tree.clear();
        let root = make_root(&tree, game, options).ok_or(SearchError::NoMemory)?;
        M::complete_root(tree.node(root), game, options, network);
        Ok(KeptTree { tree, root, solver, shape, excess: 0, stones, to_move, is_forgotten: false })
    }

    /// Forgets all that was found. The next search begins as if it were the first, however full the tree was.
    pub fn forget(&mut self) {
        self.is_forgotten = true;
        self.tree.release();
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    /// The root, for a search of `game`, whose position it stands for.
    pub fn root<'a>(&self, game: &'a Game) -> SearchRoot<'a> {
        let last_stones = game.last_stones();
        SearchRoot { node: self.root, position: game.position(), color: game.to_move(), last_stones }
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
struct TreeShape {
    geometry: &'static Geometry,
    shares_positions: bool,
    tree_bytes: usize,
    /// An eighth of the memory if there is a solver, else 0.
    table_bytes: usize,
}

impl TreeShape {
    fn new<M: SearchMethod>(geometry: &'static Geometry, options: &SearchOptions) -> TreeShape {
        let bytes = options.memory_bytes();
        let table_bytes = if options.solver_nodes_per_simulation(geometry.side()) > 0.0 { bytes / 8 } else { 0 };
        let shares_positions = M::shares_positions(options);
        TreeShape { geometry, shares_positions, tree_bytes: bytes - table_bytes, table_bytes }
    }

    fn allocate<L: Layout>(&self) -> (Tree<L>, Option<Solver>) {
        let solver = if self.table_bytes > 0 { Solver::new(self.geometry, self.table_bytes).ok() } else { None };
        (Tree::new(self.geometry, self.shares_positions, self.tree_bytes), solver)
    }
}

/// Makes the root of an empty tree, with its legal moves. `None` if there is no memory for it.
fn make_root<L: Layout>(tree: &Tree<L>, game: &Game, options: &SearchOptions) -> Option<NodeId> {
    let node = tree.node(tree.allocate()?);
    expand::fill(node, game.position(), game.to_move(), options, &mut ThreatSearch::new(game.position()));
    Some(node.id())
}
