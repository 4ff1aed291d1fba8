//! What a search method has to provide. Each method is a folder; [`methods`](super::methods) lists them.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::Game;
use crate::network::Backend;

use super::limits::Deadline;
use super::node::{Layout, Node};
use super::options::Options;
use super::root::Root;
use super::tree::Tree;

/// A search method: what its nodes hold, and how its threads search.
pub(crate) trait SearchMethod: Sync {
    /// What the nodes of its trees hold.
    fn layout(&self) -> Layout;

    /// Whether moves that lead to one position in another order share its node.
    fn shares_positions(&self, options: &Options) -> bool;

    /// Completes the root of a search of `game`. The node has its legal moves; if it is from the tree of an earlier
    /// search, it may have all else as well.
    fn complete_root(&self, root: Node<'_>, game: &Game, options: &Options, network: &dyn Backend);

    /// A new thread of a search, whose root is complete, with its own random numbers.
    fn worker<'a>(&self, context: Context<'a>, rng: Xoshiro256PlusPlus) -> Box<dyn Worker + 'a>;

    /// Whether a simulation takes so long that a search with a deadline looks at the clock after each.
    fn is_slow(&self) -> bool;

    /// How much the choice of the move to play distrusts few visits: this, divided by the square root of a move's
    /// visits, is taken off its mean. With 0, the most visited move is played.
    fn confidence(&self, options: &Options) -> f32;
}

/// One thread of a search. It is allocated once per search: simulations do not allocate.
pub(crate) trait Worker {
    /// One simulation: descends the tree, values what it finds at the end, and backs the result up along the path.
    fn simulate(&mut self);
}

/// What the threads of a search share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub tree: &'a Tree,
    pub options: &'a Options,
    pub network: &'a dyn Backend,
    pub root: Root<'a>,
    /// When simulations that take long end early.
    pub deadline: &'a Deadline<'a>,
}
