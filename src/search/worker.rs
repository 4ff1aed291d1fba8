//! One thread of a search, whatever the method.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::deadline::Deadline;
use super::options::{Method, Options};
use super::root::Root;
use super::tree::Tree;
use super::{puct, rave};
use crate::nn::Backend;

/// The state of one thread. It is allocated once per search: simulations do not allocate.
pub(crate) enum Worker<'a> {
    Puct(Box<puct::Worker<'a>>),
    Rave(Box<rave::Worker<'a>>),
}

impl<'a> Worker<'a> {
    /// A worker for a search from `root`. `thread` numbers the threads of the search from 0.
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

    /// Lets simulations that take long end early when a deadline passes.
    pub fn set_deadline(&mut self, deadline: &'a Deadline<'a>) {
        match self {
            Worker::Puct(worker) => worker.set_deadline(deadline),
            Worker::Rave(worker) => worker.set_deadline(deadline),
        }
    }

    /// One simulation: descends the tree, values what it finds at the end, and backs the result up along the path.
    #[inline]
    pub fn simulate(&mut self) {
        match self {
            Worker::Puct(worker) => worker.simulate(),
            Worker::Rave(worker) => worker.simulate(),
        }
    }

    /// Writes statistics that the thread holds privately to the shared nodes. Required before nodes are freed and at
    /// the end of a search.
    pub fn flush(&mut self) {
        match self {
            Worker::Puct(_) => (),
            Worker::Rave(worker) => worker.flush(),
        }
    }
}
