//! Monte Carlo tree search on a tree that is kept between moves, guided by a network ([`puct`]) or by simulations alone (UCT
//! with RAVE; paper, section 3: [`rave`]); and a solver at work beside it on small boards.

mod clock;
mod descent;
mod expand;
mod kernel;
mod node_cache;
mod options;
mod prover;
mod puct;
mod rave;
mod rendezvous;
mod report;
mod swindle;
mod threats;
mod tree;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Color, Game, Geometry, Vertex};
use crate::nn::{Backend, Evaluation, Input, Network};
use crate::solver::Solver;
use prover::Prover;
use rendezvous::Rendezvous;
use threats::Reader;
use tree::{Node, NodeId, Tree};
use worker::{Root, Worker};

pub use clock::{Clock, TimeControl};
pub use options::{Method, Options, Preset};
pub use report::{MoveReport, Report, Verdict};

/// When a search ends: at the first limit that is reached. Without any limit it runs until it is stopped.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// So many simulations, those found in the kept tree not counted.
    pub simulations: Option<u64>,
    /// So much time.
    pub time: Option<Duration>,
    /// Where time that is saved is of use later: the search then ends before `time` if its choice cannot change any more,
    /// and goes on after it for as long as this while the choice is close.
    pub longest: Option<Duration>,
}

/// Is told several times a second what a running search has found so far.
pub type Observer<'a> = &'a mut dyn FnMut(&Report);

/// How long a search runs before its observer is told of it again.
const OBSERVATION_INTERVAL: Duration = Duration::from_millis(200);

/// A searcher: the tree it keeps between moves, its random numbers and its options. Takes no memory worth the name and
/// starts no thread before its first search.
pub struct Searcher {
    options: Options,
    network: Arc<dyn Backend>,
    rng: Xoshiro256PlusPlus,
    kept: Option<KeptTree>,
}

/// What a search is to do.
#[derive(Clone, Copy)]
struct Task<'a> {
    game: &'a Game,
    limits: &'a Limits,
    start: Instant,
    stop: &'a AtomicBool,
}

/// A tree, and the position at its root.
struct KeptTree {
    tree: Tree,
    /// A solver for the board, where there is one.
    solver: Option<Solver>,
    geometry: &'static Geometry,
    stones: Vec<(Color, Vertex)>,
    to_move: Color,
    root: NodeId,
}

/// How often in its time a search asks whether it is settled.
const LOOKS: u32 = 64;

/// Playouts between two looks at the clock.
const BATCH: u64 = 16;

impl Searcher {
    /// A searcher with an empty tree and the network compiled in.
    pub fn new(options: Options, seed: u64) -> Searcher {
        Searcher { options, network: Network::builtin(), rng: Xoshiro256PlusPlus::seed_from_u64(seed), kept: None }
    }

    /// The network that guides searches by [`Method::Puct`].
    pub fn network(&self) -> &Arc<dyn Backend> {
        &self.network
    }

    /// Changes the network. The tree, which holds the evaluations of the former one, is dropped.
    pub fn set_network(&mut self, network: Arc<dyn Backend>) {
        self.network = network;
        self.clear();
    }

    /// The present options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes options; the tree, which they may not fit, is dropped when one has changed.
    pub fn set_options(&mut self, options: Options) {
        if options != self.options {
            self.options = options;
            self.clear();
        }
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.kept = None;
    }

    /// The memory that the tree takes, in bytes: no more than the option `memory` allows, less the eighth that the solver's
    /// table takes where there is one, but at least the smallest piece that it is taken in (2 MiB).
    pub fn tree_bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.tree.bytes())
    }

    /// Thinks about the position of a game that is not over, for the player to move, until a limit is reached, `stop`
    /// becomes true, or the result is proven.
    ///
    /// With one thread, the same seed and a limit of simulations alone, the result is always the same.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(&mut self, game: &Game, limits: &Limits, stop: &AtomicBool) -> Report {
        self.search_observed(game, limits, stop, None)
    }

    /// [`Searcher::search`], which tells an observer of its progress. The observer is called on the calling thread and
    /// holds up that thread's part of the search; searches shorter than a fifth of a second tell it nothing.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search_observed(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        observer: Option<Observer<'_>>,
    ) -> Report {
        assert!(game.outcome().is_none(), "a finished game has no move to search");
        let task = Task { game, limits, start: Instant::now(), stop };
        let mut kept = KeptTree::at(self.kept.take(), game, &self.options, &*self.network);
        let mut solver = kept.solver.take();
        let root = kept.root(game);
        let mut prover = solver.as_mut().map(|solver| Prover::new(&kept.tree, &self.options, root, solver));
        let simulations = self.run(&kept, task, observer, prover.as_mut());
        let root = kept.tree.node(kept.root);
        let verdict = root.verdict().or(prover.and_then(|prover| prover.hopeless()));
        let mut report = report(&kept.tree, root, verdict, simulations, task.start);
        if let (Some(Verdict::Loss), Some(solver)) = (report.verdict, &mut solver) {
            self.swindle(task, &mut report, solver);
        }
        kept.solver = solver;
        self.kept = Some(kept);
        report
    }

    /// Chooses the move anew in a position that is lost, if there is a limit and something left up to it.
    fn swindle(&self, task: Task<'_>, report: &mut Report, solver: &mut Solver) {
        let Task { game, limits, start, stop } = task;
        if limits.simulations.is_none() && limits.time.is_none() {
            return;
        }
        let simulations = limits.simulations.map(|all| all.saturating_sub(report.simulations));
        let budget = swindle::Budget { simulations, end: limits.time.map(|time| start + time) };
        let mut reader = Reader::new(game.position());
        reader.read(game.position(), game.to_move(), self.options.pair_threats);
        let sites = reader.sites().iter().enumerate();
        let moves: Vec<Vertex> = sites.filter(|&(i, _)| !reader.is_refuted(i)).map(|(_, site)| site.vertex).collect();
        if let Some(best) = swindle::best_chance(game, &moves, &self.options, solver, budget, stop) {
            report.best = best;
            report.pv = vec![best];
        }
        report.elapsed = start.elapsed();
    }

    /// Runs the workers until the search is to end, and returns the number of simulations.
    fn run(
        &mut self,
        kept: &KeptTree,
        task: Task<'_>,
        mut observer: Option<Observer<'_>>,
        mut prover: Option<&mut Prover<'_>>,
    ) -> u64 {
        let Task { game, limits, start, stop } = task;
        let root = kept.tree.node(kept.root);
        let (begun, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let visits_before = root.total_visits();
        let meeting = Rendezvous::of(self.options.threads);
        let settled = AtomicBool::new(false);
        let last_moment = limits.longest.or(limits.time);
        let claim = |first: bool| {
            let stops = || stop.load(Relaxed) || settled.load(Relaxed);
            let over = root.verdict().is_some()
                || (!first && (stops() || last_moment.is_some_and(|time| start.elapsed() >= time)));
            let limit = limits.simulations.unwrap_or(u64::MAX);
            if over { 0 } else { limit.saturating_sub(begun.fetch_add(BATCH, Relaxed)).min(BATCH) }
        };
        let (mut next_look, mut next_observation) = (Duration::ZERO, OBSERVATION_INTERVAL);
        let mut between_batches = |played| {
            if let Some(prover) = &mut prover {
                prover.follow(played);
            }
            if let (Some(time), Some(_)) = (limits.time, limits.longest)
                && start.elapsed() >= next_look
            {
                let elapsed = start.elapsed();
                let visits = root.total_visits().saturating_sub(visits_before);
                settled.store(is_settled(root, visits, elapsed, time), Relaxed);
                next_look = elapsed + time / LOOKS;
            }
            if prover.as_ref().is_some_and(|prover| prover.hopeless() == Some(Verdict::Loss)) {
                settled.store(true, Relaxed);
            }
            if let Some(observer) = &mut observer
                && start.elapsed() >= next_observation
            {
                observer(&report(&kept.tree, root, root.verdict(), done.load(Relaxed), start));
                next_observation = start.elapsed() + OBSERVATION_INTERVAL;
            }
        };
        let work = |thread, rng, after_batch: &mut dyn FnMut(u64)| {
            let mut worker = Worker::new(&kept.tree, &self.options, &*self.network, kept.root(game), rng, thread);
            // The first batch is played in any case, so that there is something to choose by.
            let mut batch = claim(true);
            while batch > 0 {
                let played = (0..batch).take_while(|_| root.verdict().is_none()).inspect(|_| worker.iterate()).count();
                done.fetch_add(played as u64, Relaxed);
                if kept.tree.is_full() {
                    worker.hand_over();
                    meeting.attend(|| kept.tree.prune(kept.root));
                }
                after_batch(played as u64);
                batch = claim(false);
            }
            worker.hand_over();
            meeting.leave();
        };
        let mut streams = (0..self.options.threads).map(|_| {
            self.rng.jump();
            self.rng.clone()
        });
        let own = streams.next().expect("there is at least one thread");
        let others: Vec<_> = streams.collect();
        std::thread::scope(|scope| {
            for (i, rng) in others.into_iter().enumerate() {
                let work = &work;
                scope.spawn(move || work(i + 1, rng, &mut |_| ()));
            }
            work(0, own, &mut between_batches);
        });
        done.into_inner()
    }
}

/// Gives `measure` a function that makes one iteration of a search from the position of `game`, on one thread: for
/// benchmarks and for tests that watch single iterations. The game must not be over.
pub fn with_iterations<R>(game: &Game, options: &Options, seed: u64, measure: impl FnOnce(&mut dyn FnMut()) -> R) -> R {
    let network = Network::builtin();
    let kept = KeptTree::at(None, game, options, &*network);
    let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut worker = Worker::new(&kept.tree, options, &*network, kept.root(game), rng, 0);
    measure(&mut || worker.iterate())
}

impl KeptTree {
    /// A tree whose root is the position of `game`: what a former tree knows of it is kept.
    fn at(former: Option<KeptTree>, game: &Game, options: &Options, network: &dyn Backend) -> KeptTree {
        let stones: Vec<_> = game.stones().collect();
        let (geometry, to_move) = (game.geometry(), game.to_move());
        let (mut tree, solver) = match former {
            Some(kept) if kept.geometry == geometry => {
                if let Some(root) = kept.find(&stones, to_move) {
                    kept.tree.keep_below(root);
                    return KeptTree { stones, to_move, root, ..kept };
                }
                (kept.tree, kept.solver)
            }
            _ => {
                let bytes = options.memory << 20;
                let table = if options.solver_nodes_per_simulation(geometry.side()) > 0.0 { bytes / 8 } else { 0 };
                let solver = if table > 0 { Solver::new(geometry, table) } else { None };
                (Tree::new(geometry, options.method, bytes - table), solver)
            }
        };
        tree.clear();
        let horizon = options.horizon_rule().initial(geometry.vertex_count() - stones.len());
        let root = tree.allocate(horizon).expect("an empty tree has room for a root");
        let node = tree.node(root);
        let position = game.position();
        let verdict = expand::fill(node, position, to_move, options, &mut Reader::new(position));
        if verdict.is_none() && options.method == Method::Puct {
            let mut evaluation = Evaluation::default();
            network.evaluator(geometry).evaluate(&Input::of(game), &mut evaluation);
            expand::set_probabilities(node, &evaluation);
        }
        KeptTree { tree, solver, geometry, stones, to_move, root }
    }

    /// The root, for the workers of a search of `game`, whose position it is.
    fn root<'a>(&self, game: &'a Game) -> Root<'a> {
        Root { node: self.root, position: game.position(), color: game.to_move(), recent: game.last_stones() }
    }

    /// The node of the position after `stones` with `to_move` to move, if the tree has it.
    fn find(&self, stones: &[(Color, Vertex)], to_move: Color) -> Option<NodeId> {
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

/// Whether a search that has added so many `visits` to the root in the time `elapsed` need not go on. Before `time`: if
/// no other move can get as many visits as the best one has. After it: if the best move has by far the most visits, or
/// the better results.
fn is_settled(root: Node<'_>, visits: u32, elapsed: Duration, time: Duration) -> bool {
    if root.is_forced() {
        return true;
    }
    let mut open: Vec<Vertex> = root.moves().filter(|&v| root.move_verdict(v).is_none()).collect();
    open.sort_unstable_by_key(|&v| std::cmp::Reverse(root.visits(v)));
    let [best, second, ..] = open[..] else { return true };
    // In floats: other threads may have changed the order since.
    let lead = root.visits(best) as f64 - root.visits(second) as f64;
    if elapsed < time {
        let rate = visits as f64 / elapsed.as_secs_f64().max(1e-6);
        return lead > rate * (time - elapsed).as_secs_f64();
    }
    lead > root.visits(second) as f64 || root.mean(best) >= root.mean(second)
}

/// The move to play from a node: a winning one if there is one, else the one with the most simulations among those not
/// proven lost. When all is lost, the one after which the loss takes longest.
fn best_move(tree: &Tree, node: Node<'_>) -> Option<Vertex> {
    let mut budget = LENGTH_BUDGET;
    node.moves().max_by_key(|&v| {
        let (rank, length) = match node.move_verdict(v) {
            Some(Verdict::Win) => (3, 0),
            Some(Verdict::Draw) => (1, 0),
            Some(Verdict::Loss) if node.verdict() == Some(Verdict::Loss) => {
                (0, length_after(tree, node, v, &mut budget))
            }
            Some(Verdict::Loss) => (0, 0),
            None => (2, 0),
        };
        let estimate = node.rave(v).or(node.mean(v)).map(|x| (x * 1e6) as u64);
        (rank, length, node.is_last_stand(v), node.visits(v), estimate)
    })
}

/// At how many nodes the lengths of a node's proofs are told from.
const LENGTH_BUDGET: u32 = 20_000;

/// How many stones follow a proven move, as far as the tree has its proof: what was proven by reading ahead counts as
/// over. Looks at no more than `budget` nodes.
fn length_after(tree: &Tree, node: Node<'_>, v: Vertex, budget: &mut u32) -> u32 {
    let Some(id) = node.link(v).filter(|_| *budget > 0) else { return 0 };
    *budget -= 1;
    let next = tree.node(id);
    let Some(proof @ (Verdict::Win | Verdict::Loss)) = next.verdict() else { return 0 };
    let moves = next.moves().filter(|&w| next.move_verdict(w) == Some(proof));
    1 + moves.map(|w| length_after(tree, next, w, budget)).max().unwrap_or(0)
}

/// What is known of a root, the verdict given, after so many simulations.
fn report(tree: &Tree, root: Node<'_>, verdict: Option<Verdict>, simulations: u64, start: Instant) -> Report {
    let best = best_move(tree, root).expect("a game that is not over has a move");
    let mut pv = vec![best];
    let mut node = root;
    while let Some(next) = node.link(*pv.last().expect("the best move is there")) {
        node = tree.node(next);
        match best_move(tree, node) {
            Some(v) if node.total_visits() > 0 || node.verdict().is_some() => pv.push(v),
            _ => break,
        }
    }
    let moves = root.moves().map(|v| MoveReport {
        vertex: v,
        visits: root.visits(v) as u64,
        win_rate: root.mean(v).unwrap_or(0.5),
        rave: root.rave(v),
        verdict: root.move_verdict(v),
    });
    let win_rate = match verdict {
        Some(Verdict::Win) => 1.0,
        Some(Verdict::Loss) => 0.0,
        Some(Verdict::Draw) => 0.5,
        None => root.mean(best).unwrap_or(0.5),
    };
    Report { best, win_rate, verdict, pv, simulations, elapsed: start.elapsed(), moves: moves.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree::bias;

    /// Of two moves that lose the one is played that loses later, though the other has more simulations.
    #[test]
    fn the_longest_loss_is_chosen() {
        let tree = Tree::new(Geometry::of(3).unwrap(), Method::Puct, 1 << 20);
        let [v, w] = [Vertex(3), Vertex(7)];
        let node = |verdict, moves: &[(Vertex, f32)]| {
            let id = tree.allocate(0).unwrap();
            moves.iter().for_each(|&(v, bias)| tree.node(id).add_move(v, bias));
            tree.node(id).set_verdict(verdict);
            id
        };
        let root = tree.node(node(Verdict::Loss, &[(v, bias::LOST), (w, bias::LOST)]));
        let slow = node(Verdict::Win, &[(w, bias::WON)]);
        let doomed = node(Verdict::Loss, &[(Vertex(9), bias::LOST)]);
        tree.node(doomed).set_link(Vertex(9), node(Verdict::Win, &[(Vertex(11), bias::WON)]));
        tree.node(slow).set_link(w, doomed);
        root.set_link(w, node(Verdict::Win, &[(v, bias::WON)]));
        root.begin_visit(w);
        assert_eq!(best_move(&tree, root), Some(w));
        root.set_link(v, slow);
        assert_eq!(best_move(&tree, root), Some(v));
    }
}
