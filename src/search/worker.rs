//! One thread of a search, by the method that the options name.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::expand::Recent;
use super::options::{Method, Options};
use super::tree::{NodeId, Tree};
use super::{puct, rave};
use crate::board::{Color, Position};
use crate::nn::Backend;

/// Where iterations begin.
#[derive(Clone, Copy)]
pub(crate) struct Root<'a> {
    /// The node.
    pub node: NodeId,
    /// Its position.
    pub position: &'a Position,
    /// Who is to move.
    pub color: Color,
    /// The last stones.
    pub recent: Recent,
}

/// What one thread needs for itself. Made once a search: iterations do not allocate.
pub(crate) enum Worker<'a> {
    Puct(Box<puct::Worker<'a>>),
    Rave(Box<rave::Worker<'a>>),
}

impl<'a> Worker<'a> {
    /// A worker for a search of the position at `root`; `thread` counts the threads of the search from 0.
    pub fn new(
        tree: &'a Tree,
        options: &'a Options,
        network: &dyn Backend,
        root: Root<'a>,
        rng: Xoshiro256PlusPlus,
        thread: usize,
    ) -> Worker<'a> {
        match options.method {
            Method::Puct => Worker::Puct(Box::new(puct::Worker::new(tree, options, network, root, rng))),
            Method::Rave => Worker::Rave(Box::new(rave::Worker::new(tree, options, root, rng, thread))),
        }
    }

    /// One iteration: a path down the tree, what is found at its end, and the result booked along the path.
    #[inline]
    pub fn iterate(&mut self) {
        match self {
            Worker::Puct(worker) => worker.iterate(),
            Worker::Rave(worker) => worker.iterate(),
        }
    }

    /// Adds what the thread knows alone to the nodes: to be done before nodes are freed and at the end of a search.
    pub fn hand_over(&mut self) {
        match self {
            Worker::Puct(_) => (),
            Worker::Rave(worker) => worker.hand_over(),
        }
    }
}
