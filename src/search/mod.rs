//! Monte Carlo tree search, guided by a network (PUCT, the default) or by playouts (UCT with RAVE; paper, section 3),
//! with a solver beside it on small boards.
//!
//! A search goes through the modules in this order:
//!
//! 1. [`Searcher::search`] is the entry point. [`Clock`] says how long to think, [`Limits`] when to stop.
//! 2. `kept_tree` looks the position up in the tree of the last search, or starts a new tree.
//! 3. `driver` runs the threads: batches of simulations until a limit is reached, pruning when the tree (`tree`) is
//!    full (`rendezvous`), reports to the observer, and the solver's share of the work (`solving`).
//! 4. Each thread is a `worker` of one method: `puct`, or `rave` for the paper's search. A simulation goes down the
//!    tree (`descent`), selecting a move in each `node` (`kernel`), makes a new node at the end (`expand`), and backs
//!    the result up. With `puct`, moves that lead to one position in another order share its node (`transpositions`).
//!    New nodes prove what one or two stones decide; often visited ones look for sequences of threats (`threats`).
//! 5. `choice` picks the move and makes the [`Report`]. In a lost position `swindle` picks the move that is hardest to
//!    refute.
//!
//! The lower layers do not know the upper ones: a method does not know about threads, and the tree does not know how
//! moves are selected.

mod choice;
mod clock;
mod deadline;
mod descent;
mod driver;
mod expand;
mod kept_tree;
mod kernel;
mod node;
mod options;
mod puct;
mod rave;
mod rendezvous;
mod report;
mod root;
mod solving;
mod swindle;
pub(crate) mod threats;
mod transpositions;
mod tree;
mod worker;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Game, Vertex};
use crate::nn::{Backend, Network, Networks};
use crate::proof::WinningMoves;
use crate::time::Instant;
use driver::{Task, TreeSearch};
use kept_tree::KeptTree;
use threats::ThreatSearch;
use worker::Worker;

pub use clock::{Clock, TimeControl};
pub(crate) use driver::OBSERVATION_INTERVAL;
pub use driver::{Limits, Observer};
pub use options::{Method, Options, Preset};
pub use report::{MoveReport, Report, Verdict};

/// Chooses moves, keeping its tree from one move to the next. It allocates little memory and starts no thread before
/// its first search.
pub struct Searcher {
    search: TreeSearch,
}

impl Searcher {
    /// A searcher with an empty tree and the built-in networks. The seed determines its random numbers.
    pub fn new(options: Options, seed: u64) -> Searcher {
        Searcher { search: TreeSearch::new(options, Arc::new(Networks::Builtin), seed) }
    }

    /// The network that guides searches by [`Method::Puct`].
    pub fn network(&self) -> &Arc<dyn Backend> {
        self.search.network()
    }

    /// Changes the network and forgets the tree, which holds evaluations of the former one.
    pub fn set_network(&mut self, network: Arc<dyn Backend>) {
        self.search.set_network(network);
    }

    /// Changes the proofs whose winning moves are known, and forgets the tree. A position that has a move in them needs no
    /// search.
    pub fn set_proofs(&mut self, proofs: Option<Arc<WinningMoves>>) {
        self.search.set_proofs(proofs);
    }

    /// The present options.
    pub fn options(&self) -> &Options {
        self.search.options()
    }

    /// Changes the options. If one has changed, the tree is forgotten.
    pub fn set_options(&mut self, options: Options) {
        self.search.set_options(options);
    }

    /// Starts the random numbers again from a seed, and forgets the tree.
    pub fn set_seed(&mut self, seed: u64) {
        self.search.set_seed(seed);
    }

    /// Forgets the tree. Its memory is kept for the next one, if that is of the same board and size.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// The memory of the tree in bytes: at most the option `memory`, less the eighth that belongs to the solver's table
    /// if there is one, but at least one chunk of 2 MiB.
    pub fn tree_bytes(&self) -> usize {
        self.search.tree_bytes()
    }

    /// Thinks about the position of a game for the player to move, until a limit is reached, `stop` becomes true, or
    /// the result is proven. The first few simulations are made in any case.
    ///
    /// With one thread and no limit but that of simulations, the same seed always gives the same result.
    ///
    /// # Panics
    /// If the game is over, or if there is no memory for a tree of a single chunk.
    pub fn search(&mut self, game: &Game, limits: &Limits, stop: &AtomicBool) -> Report {
        self.search_observed(game, limits, stop, None)
    }

    /// Like [`Searcher::search`], with reports to an observer while it runs. The observer is called on the calling
    /// thread, about five times a second, and delays that thread's part of the search.
    ///
    /// # Panics
    /// If the game is over, or if there is no memory for a tree of a single chunk.
    pub fn search_observed(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        observer: Option<Observer<'_>>,
    ) -> Report {
        assert!(game.outcome().is_none(), "a finished game has no move to search");
        let task = Task { game, limits, start: Instant::now(), stop };
        let mut report = self.search.search(task, observer).expect("there is memory for a search tree");
        if report.verdict == Some(Verdict::Loss) {
            self.swindle(task, &mut report);
        }
        report
    }

    /// Changes the choice in a lost position to the move that is hardest to refute, in what is left of the limits.
    /// Without limits of simulations or time, or without a solver, nothing changes.
    fn swindle(&mut self, task: Task<'_>, report: &mut Report) {
        let (options, network) = (self.search.options().clone(), Arc::clone(self.search.network()));
        let Some(solver) = self.search.solver() else { return };
        let Task { game, limits, start, stop } = task;
        if limits.simulations.is_none() && limits.time.is_none() {
            return;
        }
        let simulations = limits.simulations.map(|all| all.saturating_sub(report.simulations));
        let budget = swindle::Budget { simulations, end: limits.time.and_then(|time| start.checked_add(time)) };
        let mut threats = ThreatSearch::new(game.position());
        threats.look_ahead(game.position(), game.to_move(), options.pair_threats);
        let candidates = threats.candidates().iter().enumerate();
        let moves: Vec<Vertex> = candidates.filter(|&(i, _)| !threats.is_refuted(i)).map(|(_, c)| c.vertex).collect();
        if let Some(best) = swindle::hardest_to_refute(game, &moves, &options, &network, solver, budget, stop) {
            report.best = best;
            report.pv = vec![best];
            let chosen = report.moves.iter_mut().find(|m| m.vertex == best);
            chosen.into_iter().filter(|m| m.line.is_empty()).for_each(|m| m.line = vec![best]);
        }
        report.elapsed = start.elapsed();
    }
}

/// Passes `measure` a function that makes one simulation of a single-threaded search of `game`: for benchmarks, and for
/// tests that examine single simulations. The game must not be over.
pub fn with_simulations<R>(
    game: &Game,
    options: &Options,
    seed: u64,
    measure: impl FnOnce(&mut dyn FnMut()) -> R,
) -> R {
    let network = Network::builtin_for(game.geometry().side());
    let kept = KeptTree::at(None, game, options, &*network).expect("there is memory for a search tree");
    let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut worker = Worker::new(&kept.tree, options, &*network, kept.root(game), rng, 0);
    measure(&mut || worker.simulate())
}
