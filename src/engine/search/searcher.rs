//! The searcher: what a search begins with, and what is kept for the next one.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::time::Instant;
use crate::game::{Color, Game, Geometry, Position, Vertex};
use crate::network::{Backend, Network, Networks};
use crate::proof::{Known, WinningMoves};

use super::driver::{Run, Supervisor};
use super::interleaved_solver::InterleavedSolver;
use super::kept_tree::KeptTree;
use super::limits::{Deadline, Limits};
use super::method::Context;
use super::methods;
use super::node::{Node, NodeId};
use super::options::Options;
use super::report::{Observer, Report, Verdict};
use super::tree::{Step, Tree};
use super::winning_line::{WinningLine, winning_line};

/// The most time to complete the line of a report, where the search is limited by time alone.
const LINE_TIME: Duration = Duration::from_millis(250);
/// The time by which a line may be late, because the solver looks at the clock only between two of its searches.
const LINE_MARGIN: Duration = Duration::from_millis(20);

/// Chooses moves, keeping its tree from one move to the next. It allocates little memory and starts no thread before
/// its first search.
pub struct Searcher {
    options: Options,
    network: Arc<dyn Backend>,
    proofs: Option<Arc<WinningMoves>>,
    rng: Xoshiro256PlusPlus,
    kept: Option<KeptTree>,
    root_noise: Option<RootNoise>,
}

/// Random numbers that are mixed into the priors of the root's moves, so that self-play tries what the network
/// overlooks (Silver et al., *A general reinforcement learning algorithm*, 2018).
#[derive(Clone, Debug, PartialEq)]
pub struct RootNoise {
    /// The share of the noise in each prior, in \[0, 1\].
    pub share: f32,
    /// A number of at least 0 for each vertex, in vertex order. Those of the root's open moves are scaled so that they
    /// sum to the sum of the moves' priors.
    pub weights: Vec<f32>,
}

impl Searcher {
    /// A searcher with an empty tree and the built-in networks. The seed determines its random numbers.
    pub fn new(options: Options, seed: u64) -> Searcher {
        let (network, rng) = (Arc::new(Networks::Builtin), Xoshiro256PlusPlus::seed_from_u64(seed));
        Searcher { options, network, proofs: None, rng, kept: None, root_noise: None }
    }

    /// Changes the network that guides searches by [`Method::Puct`](super::Method::Puct), and forgets the tree, which
    /// holds evaluations of the former one.
    pub fn set_network(&mut self, network: Arc<dyn Backend>) {
        self.network = network;
        self.clear();
    }

    /// Changes the proofs whose winning moves are known, and forgets the tree. A position that has a move in them needs
    /// no search.
    pub fn set_proofs(&mut self, proofs: Option<Arc<WinningMoves>>) {
        self.proofs = proofs;
        self.clear();
    }

    /// Changes the options. If one has changed other than the number of threads, the tree is forgotten.
    pub fn set_options(&mut self, options: Options) {
        let before = std::mem::replace(&mut self.options, options);
        if self.options != (Options { threads: self.options.threads, ..before }) {
            self.clear();
        }
    }

    /// Starts the random numbers again from a seed, and forgets the tree.
    pub fn set_seed(&mut self, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.clear();
    }

    /// Adds noise to the priors of the root in the next search, if the network guides it. What that search reports are
    /// the priors without it.
    ///
    /// # Panics
    /// The search panics if there is not a weight for each vertex.
    pub fn set_root_noise(&mut self, noise: RootNoise) {
        self.root_noise = Some(noise);
    }

    /// Forgets the tree. Its memory is kept for the next one, if that is of the same board and size.
    pub fn clear(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.forget();
        }
    }

    /// The memory of the tree in bytes: at most the option `memory`, less the eighth that belongs to the solver's table
    /// if there is one, but at least two chunks of up to 2 MiB.
    pub fn tree_bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.tree.bytes())
    }

    /// Thinks about the position of a game for the player to move, until a limit is reached, `stop` becomes true, or
    /// the result is proven. The first few simulations are made in any case.
    ///
    /// With one thread and no limit but that of simulations, the same seed always gives the same result.
    ///
    /// # Panics
    /// If the game is over, or if there is no memory for the smallest tree.
    pub fn search(&mut self, game: &Game, limits: &Limits, stop: &AtomicBool) -> Report {
        self.search_observed(game, limits, stop, None)
    }

    /// Like [`Searcher::search`], with reports to an observer while it runs. The observer is called on the calling
    /// thread, about five times a second, and delays that thread's part of the search.
    ///
    /// # Panics
    /// If the game is over, or if there is no memory for the smallest tree.
    pub fn search_observed(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        observer: Option<Observer<'_>>,
    ) -> Report {
        assert!(game.outcome().is_none(), "a finished game has no move to search");
        let start = Instant::now();
        // The built-in moves are read at the first look, while there is memory.
        let (verdict, known_moves) = self.known(game);
        let (options, network) = (&self.options, &*self.network);
        let method = methods::implementation(options.method);
        let kept = KeptTree::at(self.kept.take(), game, method, options, network);
        // Without a panic message: a backtrace would take memory, too. The tree has logged a warning.
        let mut kept = kept.unwrap_or_else(|| resume_unwind(Box::new("there is no memory for a search tree")));
        let root = kept.root(game);
        let deadline = &Deadline::new(start, limits, stop);
        let KeptTree { tree, solver, .. } = &mut kept;
        let context = Context { tree, options, network, root, deadline };
        let mut solver = solver.as_mut().map(|solver| InterleavedSolver::new(context, solver));
        let node = tree.node(root.node);
        if node.verdict().is_none() {
            known_moves
                .into_iter()
                .for_each(|(vertex, verdict)| tree.prove(&[Step { node: root.node, vertex }], verdict));
            verdict.into_iter().for_each(|verdict| node.set_verdict(verdict));
        }
        let priors = self.root_noise.take().map(|noise| (tree.node(root.node), noise.mix_into(tree.node(root.node))));
        let run = Run::new(context, method, start, limits);
        solver.iter_mut().for_each(InterleavedSolver::begin);
        let mut supervisor = Supervisor::new(&run, observer, solver);
        run.run_threads(&mut self.rng, &mut |simulations| supervisor.after_batch(simulations));
        if let Some((node, priors)) = priors {
            priors.into_iter().for_each(|(v, prior)| node.change_bias(v, |_| prior));
        }
        let report = supervisor.report();
        self.kept = Some(kept);
        report
    }

    /// Completes the line of a report of a search of `game`, if it is proven who wins: the winner only makes winning
    /// moves, and the loser resists as long as possible, as far as the proofs, the solver and threats tell. A lost
    /// position's best move is the first of that line. `limits` are those of the search: what is left of the time may be
    /// used; without a limit of simulations, at most a quarter of a second. `stop` ends the work early.
    pub fn complete(&mut self, game: &Game, report: &mut Report, limits: &Limits, stop: &AtomicBool) {
        let Some(winner) = report.verdict.and_then(|verdict| verdict.winner(report.to_move)) else { return };
        let left = limits.time.map(|time| time.saturating_sub(report.elapsed + LINE_MARGIN));
        let time =
            if limits.simulations.is_some() { left } else { Some(left.map_or(LINE_TIME, |left| left.min(LINE_TIME))) };
        let limits = Limits { time, ..Limits::default() };
        let deadline = Deadline::new(Instant::now(), &limits, stop);
        let mut kept = self.kept.take();
        let proofs: Vec<&WinningMoves> = self.proofs(game.geometry()).collect();
        let begun = kept.as_ref().map_or(&[][..], |kept| proven_part(&kept.tree, kept.root, &report.pv));
        let solver = kept.as_mut().and_then(|kept| kept.solver.as_mut());
        let WinningLine { moves, moves_to_win } = winning_line(game, winner, begun, &proofs, solver, &deadline);
        self.kept = kept;
        let Some(&first) = moves.first() else { return };
        report.best = first;
        report.moves_to_win = moves_to_win;
        if let Some(best) = report.moves.iter_mut().find(|m| m.vertex == first) {
            best.verdict = report.verdict;
            best.line.clone_from(&moves);
        }
        report.pv = moves;
    }

    /// The proofs that are known on this board: one of the engine's files, or the built-in one.
    fn proofs(&self, geometry: &Geometry) -> impl Iterator<Item = &WinningMoves> + use<'_> {
        let builtin = self.options.solved_positions.then(|| WinningMoves::builtin(geometry)).flatten();
        [self.proofs.as_deref(), builtin].into_iter().flatten()
    }

    /// The result of a position with `color` to move, where nobody has won, and a winning move, as far as proofs tell.
    fn proven(&self, position: &Position, color: Color) -> Option<(Verdict, Option<Vertex>)> {
        let known = self.proofs(position.geometry()).find_map(|proofs| proofs.known(position, color))?;
        Some(match known {
            Known::Win(v) => (Verdict::Win, Some(v)),
            Known::Loss => (Verdict::Loss, None),
        })
    }

    /// The result of the present position of a game and of its moves, as far as proofs tell.
    fn known(&self, game: &Game) -> (Option<Verdict>, Vec<(Vertex, Verdict)>) {
        let (position, color) = (game.position(), game.to_move());
        if self.proofs(game.geometry()).next().is_none() {
            return (None, Vec::new());
        }
        let mut after = position.clone();
        let mut moves: Vec<(Vertex, Verdict)> = Vec::new();
        for v in position.empty_vertices() {
            after.copy_from(position);
            after.place(color, v);
            moves.extend(self.proven(&after, !color).map(|(verdict, _)| (v, verdict.of_opponent())));
        }
        let wins = moves.iter().any(|&(_, verdict)| verdict == Verdict::Win).then_some((Verdict::Win, None));
        let known = self.proven(position, color).or(wins);
        // The move of a proof may lead to a position that the proof does not need.
        moves.extend(known.and_then(|(verdict, v)| Some((v?, verdict))));
        (known.map(|(verdict, _)| verdict), moves)
    }
}

/// The first moves of a line from the node `root` that are proven.
fn proven_part<'a>(tree: &Tree, root: NodeId, line: &'a [Vertex]) -> &'a [Vertex] {
    let mut node = Some(root);
    let is_proven = |&v: &Vertex| {
        let before = node.map(|id| tree.node(id));
        node = before.and_then(|before| before.link(v));
        before.is_some_and(|before| before.move_verdict(v).is_some())
    };
    let proven = line.iter().copied().take_while(is_proven).count();
    &line[..proven]
}

impl RootNoise {
    /// Mixes the noise into the priors of a node's open moves. Returns these moves with their priors before.
    fn mix_into(&self, node: Node<'_>) -> Vec<(Vertex, f32)> {
        let priors = node.moves().filter_map(|v| Some((v, node.prior(v)? as f32)));
        let priors: Vec<_> = priors.filter(|&(v, _)| node.move_verdict(v).is_none()).collect();
        let sum: f32 = priors.iter().map(|&(_, prior)| prior).sum();
        let weights: f32 = priors.iter().map(|&(v, _)| self.weights[v.index()]).sum();
        if weights > 0.0 {
            for &(v, prior) in &priors {
                let noise = self.weights[v.index()] * sum / weights;
                node.change_bias(v, |_| prior + self.share * (noise - prior));
            }
        }
        priors
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
    let network: &dyn Backend = &*Network::builtin_for(game.geometry().side());
    let method = methods::implementation(options.method);
    let kept = KeptTree::at(None, game, method, options, network).expect("there is memory for a search tree");
    let context = Context { tree: &kept.tree, options, network, root: kept.root(game), deadline: Deadline::never() };
    let mut worker = method.worker(context, Xoshiro256PlusPlus::seed_from_u64(seed));
    measure(&mut || worker.simulate())
}
