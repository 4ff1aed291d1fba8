//! Running a search: its threads, its limits, and what happens between simulations.

use std::cmp::Reverse;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Once, RwLock, mpsc};
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice;
use super::deadline::Deadline;
use super::kept_tree::KeptTree;
use super::node::Node;
use super::options::{Method, Options};
use super::rave::NodeCache;
use super::rendezvous::Rendezvous;
use super::report::{Report, Verdict};
use super::root::Root;
use super::solving::InterleavedSolver;
use super::tree::{Step, Tree};
use super::worker::Worker;
use crate::board::{Game, Vertex};
use crate::memory::is_free;
use crate::nn::Backend;
use crate::proof::WinningMoves;
use crate::solver::Solver;
use crate::time::Instant;

/// When a search ends: at the first limit that is reached. Without a limit it runs until it is stopped.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Simulations of this search; those in the kept tree do not count.
    pub simulations: Option<u64>,
    /// The time to think.
    pub time: Option<Duration>,
    /// The most time to think, where time saved now can be used later: the search may then end before `time` if its
    /// choice can no longer change, and go on after it, up to this, while the choice is close.
    pub longest: Option<Duration>,
}

/// Receives what a running search has found so far, several times a second.
pub type Observer<'a> = &'a mut dyn FnMut(&Report);

/// The time between two calls of an observer.
pub const OBSERVATION_INTERVAL: Duration = Duration::from_millis(200);

/// How often during its time a search checks whether its choice is settled.
const SETTLED_CHECKS: u32 = 64;

/// Simulations between two looks at the clock. Those with the network take longer, so there is a look after each.
const BATCH: u64 = 16;

/// More than the memory in bytes that a thread takes besides its stack and the node cache of a search by RAVE.
const THREAD_MEMORY: usize = 1 << 21;

/// More than the memory in bytes that a thread takes until it has started: its stack, and what the standard library
/// allocates, which ends the program if it cannot.
///
/// The GNU C library reserves a heap for each thread, 64 MiB cut out of 128, and then leaves nothing to others where memory
/// is short.
const START_MEMORY: usize = (1 << 22) + if cfg!(target_env = "gnu") { 1 << 27 } else { 0 };

/// What a search is to do.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub game: &'a Game,
    pub limits: &'a Limits,
    pub start: Instant,
    pub stop: &'a AtomicBool,
}

/// Searches positions, keeping the tree in between.
pub(crate) struct TreeSearch {
    options: Options,
    network: Arc<dyn Backend>,
    proofs: Option<Arc<WinningMoves>>,
    rng: Xoshiro256PlusPlus,
    kept: Option<KeptTree>,
}

impl TreeSearch {
    pub fn new(options: Options, network: Arc<dyn Backend>, seed: u64) -> TreeSearch {
        TreeSearch { options, network, proofs: None, rng: Xoshiro256PlusPlus::seed_from_u64(seed), kept: None }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn network(&self) -> &Arc<dyn Backend> {
        &self.network
    }

    /// Changes the network and forgets the tree, which holds evaluations of the former one.
    pub fn set_network(&mut self, network: Arc<dyn Backend>) {
        self.network = network;
        self.clear();
    }

    /// Changes the proofs whose moves are played, and forgets the tree.
    pub fn set_proofs(&mut self, proofs: Option<Arc<WinningMoves>>) {
        self.proofs = proofs;
        self.clear();
    }

    /// Changes the options. If one has changed, the tree is forgotten.
    pub fn set_options(&mut self, options: Options) {
        if options != self.options {
            self.options = options;
            self.clear();
        }
    }

    /// Starts the random numbers again from a seed, and forgets the tree.
    pub fn set_seed(&mut self, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.clear();
    }

    /// Forgets the tree. Its memory is kept for the next one.
    pub fn clear(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.forget();
        }
    }

    /// The memory of the tree in bytes.
    pub fn tree_bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.tree.bytes())
    }

    /// The solver for the board of the last search, if there is one.
    pub fn solver(&mut self) -> Option<&mut Solver> {
        self.kept.as_mut()?.solver.as_mut()
    }

    /// Searches the position of a game that is not over. `None` if there is no memory for a tree.
    pub fn search(&mut self, task: Task<'_>, observer: Option<Observer<'_>>) -> Option<Report> {
        // The built-in moves are read at the first look, while there is memory.
        let winning_move = self.winning_move(task.game);
        let mut kept = KeptTree::at(self.kept.take(), task.game, &self.options, &*self.network)?;
        let root = kept.root(task.game);
        let deadline = Deadline::new(task.start, task.limits, task.stop);
        let KeptTree { tree, solver, .. } = &mut kept;
        let solver = solver.as_mut();
        let solver = solver.map(|solver| InterleavedSolver::new(tree, &self.options, root, solver, &deadline));
        if let Some(vertex) = winning_move {
            tree.prove(&[Step { node: root.node, vertex }], Verdict::Win);
        }
        let run = Run::new(tree, &self.options, &*self.network, root, task, &deadline);
        let mut supervisor = Supervisor::new(&run, observer, solver);
        run.run_threads(&mut self.rng, &mut |simulations| supervisor.after_batch(simulations));
        let verdict = run.node().verdict().or(supervisor.solver.and_then(|solver| solver.root_verdict()));
        let report = run.report(verdict);
        self.kept = Some(kept);
        Some(report)
    }

    /// A move that wins by a proof: one of the engine's files, or a built-in one.
    fn winning_move(&self, game: &Game) -> Option<Vertex> {
        let builtin = self.options.solved_positions.then(|| WinningMoves::builtin(game.geometry())).flatten();
        let proofs = [self.proofs.as_deref(), builtin].into_iter().flatten();
        proofs.filter_map(|moves| moves.get(game.position(), game.to_move())).next()
    }
}

/// One search, as its threads share it.
struct Run<'a> {
    tree: &'a Tree,
    options: &'a Options,
    network: &'a dyn Backend,
    root: Root<'a>,
    task: Task<'a>,
    deadline: &'a Deadline<'a>,
    /// Simulations that threads have claimed.
    claimed: AtomicU64,
    /// Simulations made.
    done: AtomicU64,
    /// Whether there is nothing left to find out.
    settled: AtomicBool,
    rendezvous: Rendezvous,
}

impl<'a> Run<'a> {
    fn new(
        tree: &'a Tree,
        options: &'a Options,
        network: &'a dyn Backend,
        root: Root<'a>,
        task: Task<'a>,
        deadline: &'a Deadline<'a>,
    ) -> Run<'a> {
        Run {
            tree,
            options,
            network,
            root,
            task,
            deadline,
            claimed: AtomicU64::new(0),
            done: AtomicU64::new(0),
            settled: AtomicBool::new(false),
            rendezvous: Rendezvous::of(options.threads),
        }
    }

    /// The root's node.
    fn node(&self) -> Node<'a> {
        self.tree.node(self.root.node)
    }

    fn report(&self, verdict: Option<Verdict>) -> Report {
        let elapsed = self.task.start.elapsed();
        choice::report(
            self.tree,
            self.options.confidence(),
            self.node(),
            self.root.color,
            verdict,
            self.done.load(Relaxed),
            elapsed,
        )
    }

    /// Runs all threads until the search ends. The calling thread is the first of them and calls `after_batch` with the
    /// number of simulations after each of its batches.
    ///
    /// # Panics
    /// If a thread panics. The others end their batches first.
    fn run_threads(&self, rng: &mut Xoshiro256PlusPlus, after_batch: &mut dyn FnMut(u64)) {
        let mut streams = (0..self.options.threads).map(|_| {
            rng.jump();
            rng.clone()
        });
        let own = streams.next().expect("there is at least one thread");
        let others: Vec<_> = streams.collect();
        // The threads begin when all have what they need, so that none takes the memory that another needs to start.
        let gate = RwLock::new(());
        let own = self.worker(0, own);
        std::thread::scope(|scope| {
            let mut started = Vec::with_capacity(others.len());
            let mut missing = others.len();
            let needed = START_MEMORY + self.thread_memory();
            let is_ample = missing == 0 || is_free(missing.saturating_mul(needed));
            let closed = gate.write();
            for (i, rng) in others.into_iter().enumerate() {
                let (gate, (ready, is_ready)) = (&gate, mpsc::channel::<()>());
                let run = move || {
                    let _member = self.rendezvous.member();
                    let worker = self.worker(i + 1, rng);
                    drop(ready);
                    drop(gate.read());
                    self.run_worker(worker, &mut |_| ());
                };
                if !is_free(needed) {
                    break;
                }
                let Ok(thread) = std::thread::Builder::new().spawn_scoped(scope, run) else { break };
                started.push(thread);
                missing -= 1;
                if !is_ample {
                    // Until the thread has what it needs, no other may start. It sends nothing; the channel closes.
                    let _ = is_ready.recv();
                }
            }
            drop(closed);
            if missing > 0 {
                warn_of_missing_threads(missing);
                (0..missing).for_each(|_| self.rendezvous.leave());
            }
            let member = self.rendezvous.member();
            self.run_worker(own, after_batch);
            // Before this thread waits for the others: one of them may be waiting to prune the tree.
            drop(member);
            if let Some(panic) = started.into_iter().find_map(|thread| thread.join().err()) {
                resume_unwind(panic);
            }
        });
    }

    /// The memory in bytes that a thread is going to take once it has started.
    fn thread_memory(&self) -> usize {
        let cache = match self.options.method {
            Method::Puct => 0,
            Method::Rave => NodeCache::bytes(self.root.position.geometry(), self.options),
        };
        THREAD_MEMORY + cache
    }

    /// What a thread needs for its simulations.
    fn worker(&self, thread: usize, rng: Xoshiro256PlusPlus) -> Worker<'_> {
        let mut worker = Worker::new(self.tree, self.options, self.network, self.root, rng, thread);
        worker.set_deadline(self.deadline);
        worker
    }

    /// Runs one thread: batches of simulations, and pruning together with the other threads when the tree is full.
    fn run_worker(&self, mut worker: Worker<'_>, after_batch: &mut dyn FnMut(u64)) {
        let (root, tree) = (self.node(), self.tree);
        // The first simulation is made in any case, so that there is something to choose by.
        let mut batch = self.claim(true);
        while batch > 0 {
            let goes_on = |&i: &u64| root.verdict().is_none() && (i == 0 || !self.is_late());
            let made = (0..batch).take_while(goes_on).inspect(|_| worker.simulate()).count();
            self.done.fetch_add(made as u64, Relaxed);
            if tree.is_full() {
                worker.flush();
                self.rendezvous.meet(|| tree.prune(self.root.node));
            }
            after_batch(made as u64);
            batch = self.claim(false);
        }
        worker.flush();
    }

    /// Whether the search has to end within a batch.
    fn is_late(&self) -> bool {
        self.deadline.was_seen() || (self.options.method == Method::Puct && self.deadline.has_passed())
    }

    /// Claims the next batch of simulations for a thread, of which this may be the first. Returns 0 when the search
    /// ends.
    fn claim(&self, first: bool) -> u64 {
        let may_end = || self.settled.load(Relaxed) || self.deadline.has_passed();
        if self.node().verdict().is_some() || self.rendezvous.is_broken() || (!first && may_end()) {
            return 0;
        }
        let limit = self.task.limits.simulations.unwrap_or(u64::MAX);
        limit.saturating_sub(self.claimed.fetch_add(BATCH, Relaxed)).min(BATCH)
    }
}

/// Says once that searches have fewer threads than the options ask for.
fn warn_of_missing_threads(missing: usize) {
    static WARNING: Once = Once::new();
    WARNING.call_once(|| log::warn!("not enough memory or threads: {missing} search threads cannot be started"));
}

/// What the first thread does between its batches: the solver's share of the work, the check whether the choice is
/// settled, and reports to the observer.
struct Supervisor<'a, 'o> {
    run: &'a Run<'a>,
    observer: Option<Observer<'o>>,
    solver: Option<InterleavedSolver<'a>>,
    /// The root's visits before this search.
    visits_before: u32,
    next_check: Duration,
    next_observation: Duration,
}

impl<'a, 'o> Supervisor<'a, 'o> {
    fn new(run: &'a Run<'a>, observer: Option<Observer<'o>>, solver: Option<InterleavedSolver<'a>>) -> Self {
        let visits_before = run.node().total_visits();
        let next_observation = OBSERVATION_INTERVAL;
        Supervisor { run, observer, solver, visits_before, next_check: Duration::ZERO, next_observation }
    }

    fn after_batch(&mut self, simulations: u64) {
        if let Some(solver) = &mut self.solver {
            solver.work(simulations);
        }
        self.check_settled();
        if let Some(observer) = &mut self.observer
            && self.run.task.start.elapsed() >= self.next_observation
        {
            observer(&self.run.report(self.run.node().verdict()));
            self.next_observation = self.run.task.start.elapsed() + OBSERVATION_INTERVAL;
        }
    }

    /// Ends the search if its choice is settled or the solver has proven a loss.
    fn check_settled(&mut self) {
        let Task { limits, start, .. } = self.run.task;
        if let (Some(time), Some(_)) = (limits.time, limits.longest)
            && start.elapsed() >= self.next_check
        {
            let elapsed = start.elapsed();
            let visits = self.run.node().total_visits().saturating_sub(self.visits_before);
            self.run.settled.store(is_settled(self.run.node(), visits, elapsed, time), Relaxed);
            self.next_check = elapsed + time / SETTLED_CHECKS;
        }
        if self.solver.as_ref().is_some_and(|solver| solver.root_verdict() == Some(Verdict::Loss)) {
            self.run.settled.store(true, Relaxed);
        }
    }
}

/// Whether a search that has added `visits` to the root within `elapsed` may end. Before `time`: if no other move can
/// catch up with the most visited one. After it: if the most visited move has more than twice the visits of the second,
/// or a mean at least as high.
fn is_settled(root: Node<'_>, visits: u32, elapsed: Duration, time: Duration) -> bool {
    if root.is_forced() {
        return true;
    }
    let mut open: Vec<Vertex> = root.moves().filter(|&v| root.move_verdict(v).is_none()).collect();
    open.sort_unstable_by_key(|&v| Reverse(root.visits(v)));
    let [best, second, ..] = open[..] else { return true };
    // As floats, because other threads may have changed the order meanwhile.
    let lead = root.visits(best) as f64 - root.visits(second) as f64;
    if elapsed < time {
        let rate = visits as f64 / elapsed.as_secs_f64().max(1e-6);
        return lead > rate * (time - elapsed).as_secs_f64();
    }
    lead > root.visits(second) as f64 || root.mean(best) >= root.mean(second)
}
