//! Running a search: its threads, its limits, and what happens between simulations.

use std::cmp::Reverse;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Once, RwLock, mpsc};
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::memory::can_allocate;
use crate::base::sync::{START_MEMORY, start_scoped_thread};
use crate::base::time::Instant;
use crate::game::Vertex;

use super::choice;
use super::interleaved_solver::InterleavedSolver;
use super::limits::Limits;
use super::method::{Context, SearchMethod, Worker};
use super::node::Node;
use super::options::SearchOptions;
use super::rendezvous::Rendezvous;
use super::report::{OBSERVATION_INTERVAL, ReportObserver, SearchReport, Verdict};

/// How often a search with a soft limit checks, up to that limit, whether its choice is settled.
const SETTLED_CHECKS: u32 = 64;

/// The choice of a search is not settled at its soft limit if open moves have less than 1 / this of the root's visits:
/// then the moves that had the others were refuted.
const LEAST_SHARE: f64 = 8.0;

/// Simulations that a thread claims at a time. It looks at the clock before each batch, and with a slow method before
/// each simulation.
const BATCH: u64 = 16;

/// An upper bound on the memory in bytes that a thread takes once it has started, without its stack.
const THREAD_MEMORY: usize = 1 << 21;

/// One search, as its threads share it.
pub(crate) struct Run<'a, M> {
    context: Context<'a, M>,
    start: Instant,
    limits: &'a Limits,
    counts: Counts,
    /// Whether more simulations would not change the choice.
    settled: AtomicBool,
    rendezvous: Rendezvous,
    /// Whether there was no time to make room in the tree. Then the search goes on without.
    has_no_time: AtomicBool,
    /// For how many nanoseconds all threads have waited until there was room in the tree.
    paused: AtomicU64,
}

/// What all threads count. It has cache lines of its own, so that the other fields of a run, which threads only read,
/// stay in the caches of all of them.
#[derive(Default)]
#[repr(align(128))]
struct Counts {
    /// Simulations that threads have claimed.
    claimed: AtomicU64,
    /// Simulations made.
    done: AtomicU64,
}

impl<'a, M: SearchMethod> Run<'a, M> {
    /// A search that began at `start`.
    pub fn new(context: Context<'a, M>, start: Instant, limits: &'a Limits) -> Run<'a, M> {
        Run {
            context,
            start,
            limits,
            counts: Counts::default(),
            settled: AtomicBool::new(false),
            rendezvous: Rendezvous::new(thread_count(context.options)),
            has_no_time: AtomicBool::new(false),
            paused: AtomicU64::new(0),
        }
    }

    /// The root's node.
    fn node(&self) -> M::Node<'a> {
        self.context.tree.node(self.context.root.node)
    }

    fn report(&self, verdict: Option<Verdict>) -> SearchReport {
        let Context { tree, options, root, .. } = self.context;
        let confidence = M::confidence(options);
        let simulations = self.counts.done.load(Relaxed);
        choice::report(tree, confidence, self.node(), root.color, verdict, simulations, self.start.elapsed())
    }

    /// Runs all threads until the search ends. The calling thread is the first of them and calls `after_batch` with the
    /// number of simulations after each of its batches.
    ///
    /// # Panics
    /// If a thread panics. The others end their batches first.
    pub fn run_threads(&self, rng: &mut Xoshiro256PlusPlus, after_batch: &mut dyn FnMut(u64)) {
        let mut streams = (0..thread_count(self.context.options)).map(|_| {
            rng.jump();
            rng.clone()
        });
        let own = streams.next().expect("there is at least one thread");
        let others: Vec<_> = streams.collect();
        // The threads begin when all have what they need, so that none takes the memory that another needs to start.
        let gate = RwLock::new(());
        let own = M::worker(self.context, own);
        std::thread::scope(|scope| {
            let mut started = Vec::with_capacity(others.len());
            let mut missing = others.len();
            let is_ample = missing == 0 || can_allocate(missing.saturating_mul(START_MEMORY + THREAD_MEMORY));
            let closed = gate.write();
            for rng in others {
                let (gate, (ready, is_ready)) = (&gate, mpsc::channel::<()>());
                let run = move || {
                    let _member = self.rendezvous.member();
                    let worker = M::worker(self.context, rng);
                    drop(ready);
                    drop(gate.read());
                    self.run_worker(worker, &mut |_| ());
                };
                if !can_allocate(START_MEMORY + THREAD_MEMORY) {
                    break;
                }
                let Ok(thread) = start_scoped_thread(scope, "search", run) else { break };
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

    /// Runs one thread: batches of simulations. When the tree needs room, all threads meet.
    fn run_worker(&self, mut worker: impl Worker, after_batch: &mut dyn FnMut(u64)) {
        let root = self.node();
        let tree = self.context.tree;
        // The first simulation is made in any case, so that there is something to choose by.
        let mut batch = self.claim(true);
        while batch > 0 {
            let goes_on = |&i: &u64| root.verdict().is_none() && (i == 0 || !self.is_late());
            let made = (0..batch).take_while(goes_on).inspect(|_| worker.simulate()).count();
            self.counts.done.fetch_add(made as u64, Relaxed);
            after_batch(made as u64);
            batch = self.claim(false);
            // A search that ends does not need it.
            if batch > 0 && !self.has_no_time.load(Relaxed) && tree.needs_room(self.context.root.node) {
                worker.share();
                self.rendezvous.meet(|| self.make_room());
            }
        }
        worker.share();
    }

    /// Makes room in the tree, if there is time for it: a full tree can still be searched.
    #[cold]
    fn make_room(&self) {
        let begun = Instant::now();
        let Context { tree, deadline, .. } = self.context;
        let ends_within =
            |time| deadline.has_passed() || deadline.end().is_some_and(|end| Instant::now() + time >= end);
        let is_done = if ends_within(tree.time_of_pruning()) {
            tree.doubt_time_of_pruning();
            false
        } else {
            tree.make_room(self.context.root.node, ends_within)
        };
        self.has_no_time.store(!is_done, Relaxed);
        self.paused.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
    }

    /// Whether the search has to end within a batch.
    fn is_late(&self) -> bool {
        let deadline = self.context.deadline;
        deadline.was_seen() || (M::IS_SLOW && deadline.has_passed())
    }

    /// Claims the next batch of simulations for a thread and returns its size: 0 when the search ends. `first` says
    /// that the thread has made none yet.
    fn claim(&self, first: bool) -> u64 {
        let may_end = || self.settled.load(Relaxed) || self.context.deadline.has_passed();
        if self.node().verdict().is_some() || self.rendezvous.is_broken() || (!first && may_end()) {
            return 0;
        }
        let limit = self.limits.simulations.unwrap_or(u64::MAX);
        limit.saturating_sub(self.counts.claimed.fetch_add(BATCH, Relaxed)).min(BATCH)
    }
}

/// How many threads search: at least one, whatever a program has written into the options.
fn thread_count(options: &SearchOptions) -> usize {
    options.threads.max(1)
}

/// Warns once that searches have fewer threads than the options ask for.
fn warn_of_missing_threads(missing: usize) {
    static WARNING: Once = Once::new();
    WARNING.call_once(|| log::warn!("not enough memory or threads: {missing} search threads cannot be started"));
}

/// What the first thread does between its batches: the solver's share of the work, the check whether the choice is
/// settled, and reports to the observer.
pub(crate) struct Supervisor<'a, 'o, M> {
    run: &'a Run<'a, M>,
    observer: Option<ReportObserver<'o>>,
    solver: Option<InterleavedSolver<'a, M>>,
    /// The time and the simulations after the first batch. From then on simulations have a steady rate. Before, the
    /// kept tree was looked through and threads were started.
    first_batch: Option<(Duration, u64)>,
    next_check: Duration,
    next_observation: Duration,
}

impl<'a, 'o, M: SearchMethod> Supervisor<'a, 'o, M> {
    /// The supervisor of a search that has not begun.
    pub fn new(
        run: &'a Run<'a, M>,
        observer: Option<ReportObserver<'o>>,
        solver: Option<InterleavedSolver<'a, M>>,
    ) -> Self {
        let next_observation = OBSERVATION_INTERVAL;
        Supervisor { run, observer, solver, first_batch: None, next_check: Duration::ZERO, next_observation }
    }

    /// Does what is due after a batch of simulations.
    pub fn after_batch(&mut self, simulations: u64) {
        if let Some(solver) = &mut self.solver {
            solver.work(simulations);
        }
        self.check_settled();
        if self.observer.is_some() && self.run.start.elapsed() >= self.next_observation {
            let report = self.report();
            if let Some(observer) = &mut self.observer {
                observer(&report);
            }
            self.next_observation = self.run.start.elapsed() + OBSERVATION_INTERVAL;
        }
    }

    /// What the search has found so far.
    pub fn report(&self) -> SearchReport {
        let by_solver = || self.solver.as_ref().and_then(InterleavedSolver::root_verdict);
        self.run.report(self.run.node().verdict().or_else(by_solver))
    }

    /// Ends the search if its choice is settled or the solver has proven a loss.
    fn check_settled(&mut self) {
        let elapsed = self.run.start.elapsed();
        if let Some(soft) = self.run.limits.soft
            && elapsed >= self.next_check
        {
            let done = self.run.counts.done.load(Relaxed);
            let (begun, before) = *self.first_batch.get_or_insert((elapsed, done));
            let paused = Duration::from_nanos(self.run.paused.load(Relaxed));
            let rate = match (elapsed - begun).saturating_sub(paused) {
                Duration::ZERO => f64::INFINITY,
                time => (done - before) as f64 / time.as_secs_f64(),
            };
            let is_settled = self.is_settled(rate, soft.saturating_sub(elapsed));
            self.run.settled.store(is_settled, Relaxed);
            self.next_check = elapsed + soft / SETTLED_CHECKS;
        }
        if self.solver.as_ref().is_some_and(|solver| solver.root_verdict() == Some(Verdict::Loss)) {
            self.run.settled.store(true, Relaxed);
        }
    }

    /// Whether the search may end, if it makes `rate` simulations in a second and `left` is left until the soft
    /// limit. Before that limit: if no other move can catch up with the most visited one, and that is the choice. After
    /// it: if the most visited move has more than twice the visits of the second, or a mean at least as high, unless
    /// almost all visits were of moves that have been refuted since.
    fn is_settled(&self, rate: f64, left: Duration) -> bool {
        let root = self.run.node();
        let mut open: Vec<Vertex> = root.open_moves().collect();
        open.sort_unstable_by_key(|&v| Reverse(root.visits(v)));
        let [best, second, ..] = open[..] else {
            // One open move is the choice, unless a drawn move beside it may be better.
            return open.is_empty() || !root.has_draw() || left.is_zero();
        };
        // As floats, because other threads may have changed the order meanwhile.
        let [visits, others] = [best, second].map(|v| root.visits(v) as f64);
        if !left.is_zero() {
            let Context { tree, options, .. } = self.run.context;
            let is_choice = || choice::best(tree, M::confidence(options), root) == Some(best);
            return visits - others > rate * left.as_secs_f64() && is_choice();
        }
        let known: u32 = open.iter().map(|&v| root.visits(v)).sum();
        known as f64 * LEAST_SHARE >= root.total_visits() as f64
            && (visits > 2.0 * others || root.mean(best) >= root.mean(second))
    }
}
