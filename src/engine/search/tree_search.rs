//! Searches by one method, one after the other, with the tree that they keep from one to the next.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::time::Instant;
use crate::engine::solver::Solver;
use crate::game::{Game, Vertex};
use crate::network::Backend;

use super::driver::{Run, Supervisor};
use super::error::SearchError;
use super::interleaved_solver::InterleavedSolver;
use super::kept_tree::KeptTree;
use super::limits::{Deadline, Limits};
use super::method::{Context, SearchMethod, Worker};
use super::node::Node;
use super::options::SearchOptions;
use super::report::{ReportObserver, SearchReport, Verdict};
use super::root_noise::RootNoise;
use super::tree::Step;

/// What a search is about, and how it is done.
pub(crate) struct Setup<'a, 'o> {
    pub start: Instant,
    pub game: &'a Game,
    pub options: &'a SearchOptions,
    pub network: &'a dyn Backend,
    pub limits: &'a Limits,
    pub stop: &'a AtomicBool,
    pub known: KnownResults,
    pub noise: Option<RootNoise>,
    pub observer: Option<ReportObserver<'o>>,
}

/// What proofs tell about a position.
#[derive(Default)]
pub(crate) struct KnownResults {
    /// The result of the position.
    pub verdict: Option<Verdict>,
    /// The results of moves.
    pub moves: Vec<(Vertex, Verdict)>,
}

/// The searches of a [`TreeSearch`], whatever the method is.
pub(crate) trait MethodSearch: Send {
    /// Searches a game that is not over, with the tree of the last search if the position is in it.
    ///
    /// # Errors
    /// [`SearchError::NoMemory`]; the tree is then lost, as after a panic.
    fn search(&mut self, setup: Setup<'_, '_>, rng: &mut Xoshiro256PlusPlus) -> Result<SearchReport, SearchError>;

    /// A thread of a search that has no limits.
    ///
    /// # Errors
    /// [`SearchError::NoMemory`].
    fn worker<'a>(
        &'a mut self,
        game: &'a Game,
        options: &'a SearchOptions,
        network: &'a dyn Backend,
        rng: Xoshiro256PlusPlus,
    ) -> Result<Box<dyn Worker + 'a>, SearchError>;

    /// Forgets the tree, and frees most of its memory.
    fn forget(&mut self);

    /// The memory of the tree in bytes.
    fn tree_bytes(&self) -> usize;

    /// How many of the first moves of a line from the root are proven.
    fn proven_moves(&self, line: &[Vertex]) -> usize;

    /// The solver, if the board has one.
    fn solver(&mut self) -> Option<&mut Solver>;
}

/// Finding and freeing the nodes of earlier searches may take about one part in so many of the time of a search.
const SHARE_OF_FREEING: u32 = 16;

/// Whether there is so much time to free nodes before a search. After a long search of many threads, that takes seconds.
fn time_to_free<'a>(start: Instant, limits: &Limits, stop: &'a AtomicBool) -> impl Fn(Duration) -> bool + 'a {
    let limit = limits.soft.into_iter().chain(limits.hard).min();
    let most = limit.map(|time| time / SHARE_OF_FREEING);
    move |time| !stop.load(Relaxed) && most.is_none_or(|most| start.elapsed() + time < most)
}

/// Searches by the method `M`.
pub(crate) struct TreeSearch<M>(Option<KeptTree<M>>);

impl<M> Default for TreeSearch<M> {
    fn default() -> TreeSearch<M> {
        TreeSearch(None)
    }
}

impl<M: SearchMethod> MethodSearch for TreeSearch<M> {
    fn search(&mut self, setup: Setup<'_, '_>, rng: &mut Xoshiro256PlusPlus) -> Result<SearchReport, SearchError> {
        let Setup { start, game, options, network, limits, stop, known, noise, observer } = setup;
        let mut kept = KeptTree::<M>::new(self.0.take(), game, options, network, time_to_free(start, limits, stop))?;
        let root = kept.root(game);
        let deadline = &Deadline::new(start, limits, stop);
        let KeptTree { tree, solver, .. } = &mut kept;
        let context = Context { tree, options, network, root, deadline };
        let mut solver = solver.as_mut().map(|solver| InterleavedSolver::new(context, solver));
        let node = tree.node(root.node);
        if node.verdict().is_none() {
            for (vertex, verdict) in known.moves {
                tree.prove(&[Step { node: root.node, vertex }], verdict);
            }
            if let Some(verdict) = known.verdict {
                node.set_verdict(verdict);
            }
        }
        let run = Run::<M>::new(context, start, limits);
        let mut supervisor = None;
        let search = || {
            if let Some(solver) = &mut solver {
                solver.begin();
            }
            let supervisor = supervisor.insert(Supervisor::new(&run, observer, solver));
            run.run_threads(rng, &mut |simulations| supervisor.after_batch(simulations));
        };
        match &noise {
            Some(noise) => M::with_noise(node, noise, search),
            None => search(),
        }
        let report = supervisor.expect("the search has run").report();
        self.0 = Some(kept);
        Ok(report)
    }

    fn worker<'a>(
        &'a mut self,
        game: &'a Game,
        options: &'a SearchOptions,
        network: &'a dyn Backend,
        rng: Xoshiro256PlusPlus,
    ) -> Result<Box<dyn Worker + 'a>, SearchError> {
        let kept = KeptTree::new(self.0.take(), game, options, network, |_| true)?;
        let kept = self.0.insert(kept);
        let root = kept.root(game);
        let context = Context { tree: &kept.tree, options, network, root, deadline: Deadline::never() };
        Ok(Box::new(M::worker(context, rng)))
    }

    fn forget(&mut self) {
        if let Some(kept) = &mut self.0 {
            kept.forget();
        }
    }

    fn tree_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |kept| kept.tree.bytes())
    }

    fn proven_moves(&self, line: &[Vertex]) -> usize {
        let Some(kept) = self.0.as_ref().filter(|kept| !kept.is_forgotten) else { return 0 };
        let mut node = Some(kept.root);
        let is_proven = |&&v: &&Vertex| {
            let before = node.map(|id| kept.tree.node(id));
            node = before.and_then(|before| before.link(v));
            before.is_some_and(|before| before.move_verdict(v).is_some())
        };
        line.iter().take_while(is_proven).count()
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        self.0.as_mut()?.solver.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::puct::Puct;
    use crate::game::Geometry;
    use crate::network::Network;
    use rand::SeedableRng;

    #[test]
    fn freeing_has_a_sixteenth_of_the_time() {
        let now = Instant::now();
        let [soft, hard] = [160_000, 320_000].map(|seconds| Some(Duration::from_secs(seconds)));
        let stop = AtomicBool::new(false);
        let limits = Limits { simulations: None, soft, hard };
        let has_time = time_to_free(now, &limits, &stop);
        assert_eq!([9_000, 10_001].map(|seconds| has_time(Duration::from_secs(seconds))), [true, false]);
        stop.store(true, Relaxed);
        assert!(!has_time(Duration::ZERO));
    }

    /// The nodes of earlier searches are freed, unless the search has no time for that or is interrupted.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn a_search_frees_nodes_if_it_has_time() {
        let (network, options) = (Network::builtin(), SearchOptions::default());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let first = Limits::with_simulations(500);
        let short = Limits { hard: Some(Duration::from_nanos(1)), ..Limits::with_simulations(1) };
        for (limits, is_stopped, is_freed) in [
            (Limits::with_simulations(1), false, true),
            (Limits::with_simulations(1), true, false),
            (Limits { hard: Some(Duration::from_secs(100_000)), ..short }, false, true),
            (Limits { soft: Some(Duration::from_secs(100_000)), ..short }, false, false),
        ] {
            let mut game = Game::new(Geometry::with_side(5).unwrap());
            let mut searches = TreeSearch::<Puct>::default();
            let mut search = |game: &Game, limits, stop| {
                let setup = Setup {
                    start: Instant::now(),
                    game,
                    options: &options,
                    network: &*network,
                    limits,
                    stop: &AtomicBool::new(stop),
                    known: KnownResults::default(),
                    noise: None,
                    observer: None,
                };
                let report = searches.search(setup, &mut rng).unwrap();
                (report.best, searches.0.as_ref().unwrap().tree.len())
            };
            let (best, nodes) = search(&game, &first, false);
            game.play(best).unwrap();
            let (_, left) = search(&game, &limits, is_stopped);
            assert_eq!(left < nodes, is_freed, "{limits:?} {is_stopped}: {nodes} {left}");
        }
    }
}
