//! What a search method has to provide. Each method is a folder; [`methods`](super::methods) lists them.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::Game;
use crate::network::Backend;

use super::limits::Deadline;
use super::node::Layout;
use super::options::SearchOptions;
use super::root::SearchRoot;
use super::root_noise::RootNoise;
use super::tree::Tree;

/// A search method: how its nodes are laid out, and how its threads search.
pub(crate) trait SearchMethod: Layout {
    /// Whether a simulation takes so long that a search with a deadline looks at the clock after each.
    const IS_SLOW: bool;

    /// Whether moves that lead to one position in another order share its node.
    fn shares_positions(options: &SearchOptions) -> bool;

    /// How much the choice of the move to play distrusts few visits: this, divided by the square root of a move's
    /// visits, is taken off its mean. With 0, the most visited move is played.
    fn confidence(options: &SearchOptions) -> f32;

    /// Completes the root of a search of `game`. The node has its legal moves; if it is from the tree of an earlier
    /// search, it may have all else as well.
    fn complete_root(root: Self::Node<'_>, game: &Game, options: &SearchOptions, network: &dyn Backend);

    /// Runs a search with noise in the priors of its root, if the method has any.
    fn with_noise(_root: Self::Node<'_>, _noise: &RootNoise, search: impl FnOnce()) {
        search();
    }

    /// A new thread of a search, whose root is complete, with its own random numbers.
    fn worker<'a>(context: Context<'a, Self>, rng: Xoshiro256PlusPlus) -> impl Worker + 'a;
}

/// One thread of a search. It is allocated once per search: simulations do not allocate.
pub(crate) trait Worker {
    /// One simulation: descends the tree, values what it finds at the end, and backs the result up along the path.
    fn simulate(&mut self);

    /// Adds to the tree what the thread has kept to itself so far. The tree may be pruned after that.
    fn share(&mut self) {}
}

/// What the threads of a search share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a, L> {
    pub tree: &'a Tree<L>,
    pub options: &'a SearchOptions,
    pub network: &'a dyn Backend,
    pub root: SearchRoot<'a>,
    /// When long simulations end early.
    pub deadline: &'a Deadline<'a>,
}
