//! The searcher: what a search begins with, and what is kept for the next one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::time::Instant;
use crate::game::{Color, Game, Geometry, Position, Vertex};
use crate::network::{Backend, Network, Networks};
use crate::proof::{Known, WinningMoves};

use super::error::SearchError;
use super::limits::{Deadline, Limits};
use super::methods;
use super::options::SearchOptions;
use super::report::{ReportObserver, SearchReport, Verdict};
use super::root_noise::RootNoise;
use super::tree_search::{KnownResults, MethodSearch, Setup};
use super::winning_line::{WinningLine, winning_line};

/// The most time to complete the line of a report, where the search is limited by time alone.
const LINE_TIME: Duration = Duration::from_millis(250);
/// How much time a line leaves unused, because the solver looks at the clock only between two of its searches.
const LINE_MARGIN: Duration = Duration::from_millis(20);

/// Chooses moves, and keeps its tree from one move to the next. Before its first search, it takes little memory and
/// starts no thread.
pub struct Searcher {
    options: SearchOptions,
    network: Arc<dyn Backend>,
    proofs: Option<Arc<WinningMoves>>,
    rng: Xoshiro256PlusPlus,
    searches: Box<dyn MethodSearch>,
    root_noise: Option<RootNoise>,
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Searcher {
    /// A searcher with an empty tree and the built-in networks. The seed determines its random numbers.
    pub fn new(options: SearchOptions, seed: u64) -> Searcher {
        let network = Arc::new(Networks::Builtin);
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let searches = methods::searches(options.method);
        Searcher { options, network, proofs: None, rng, searches, root_noise: None }
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
    pub fn set_options(&mut self, options: SearchOptions) {
        let before = std::mem::replace(&mut self.options, options);
        if self.options.method != before.method {
            self.searches = methods::searches(self.options.method);
        } else if self.options != (SearchOptions { threads: self.options.threads, ..before }) {
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

    /// Forgets the tree, and frees most of its memory.
    pub fn clear(&mut self) {
        self.searches.forget();
    }

    /// The memory of the tree in bytes: at most the option `memory`, less the eighth that belongs to the solver's table
    /// if there is one, but at least two chunks of up to 2 MiB.
    pub fn tree_bytes(&self) -> usize {
        self.searches.tree_bytes()
    }

    /// Thinks about the position of a game for the player to move, until a limit is reached, `stop` becomes true, or
    /// the result is proven. The first few simulations are made in any case.
    ///
    /// With one thread and no limit but that of simulations, the same seed always gives the same result.
    ///
    /// # Errors
    /// If the game is over, or if there is no memory for the smallest tree.
    pub fn search(&mut self, game: &Game, limits: &Limits, stop: &AtomicBool) -> Result<SearchReport, SearchError> {
        self.search_observed(game, limits, stop, None)
    }

    /// Like [`Searcher::search`], with reports to an observer while it runs. The observer is called on the calling
    /// thread, about five times a second, and delays that thread's part of the search.
    ///
    /// # Errors
    /// Those of [`Searcher::search`].
    pub fn search_observed(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        observer: Option<ReportObserver<'_>>,
    ) -> Result<SearchReport, SearchError> {
        if game.outcome().is_some() {
            return Err(SearchError::GameOver);
        }
        let start = Instant::now();
        // The first look reads the built-in moves. It comes before the tree takes the memory.
        let known = self.known(game);
        let Searcher { options, network, searches, rng, root_noise, .. } = self;
        let noise = root_noise.take();
        let setup = Setup { start, game, options, network: &**network, limits, stop, known, noise, observer };
        searches.search(setup, rng)
    }

    /// Completes the line of a report of a search of `game`, if it is proven who wins: the winner only makes winning
    /// moves, and the loser resists as long as possible, as far as the proofs, the solver and threats tell. A lost
    /// position's best move is the first of that line. `limits` are those of the search: what is left of the time may
    /// be used; without a limit of simulations, at most a quarter of a second. `stop` ends the work early.
    pub fn complete(&mut self, game: &Game, report: &mut SearchReport, limits: &Limits, stop: &AtomicBool) {
        let Some(winner) = report.verdict.and_then(|verdict| verdict.winner(report.to_move)) else { return };
        let left = limits.usual_time().map(|time| time.saturating_sub(report.elapsed + LINE_MARGIN));
        let hard =
            if limits.simulations.is_some() { left } else { Some(left.map_or(LINE_TIME, |left| left.min(LINE_TIME))) };
        let limits = Limits { hard, ..Limits::default() };
        let deadline = Deadline::new(Instant::now(), &limits, stop);
        let begun = &report.pv[..self.searches.proven_moves(&report.pv)];
        let proofs: Vec<&WinningMoves> = proofs(&self.options, self.proofs.as_deref(), game.geometry()).collect();
        let solver = self.searches.solver();
        let WinningLine { moves, moves_to_win } = winning_line(game, winner, begun, &proofs, solver, &deadline);
        let Some(&first) = moves.first() else { return };
        report.best = first;
        report.moves_to_win = moves_to_win;
        if let Some(best) = report.moves.iter_mut().find(|m| m.vertex == first) {
            best.verdict = report.verdict;
            best.line.clone_from(&moves);
        }
        report.pv = moves;
    }

    /// What proofs tell about the present position of a game.
    fn known(&self, game: &Game) -> KnownResults {
        let proofs: Vec<_> = proofs(&self.options, self.proofs.as_deref(), game.geometry()).collect();
        if proofs.is_empty() {
            return KnownResults::default();
        }
        // The result of a position where nobody has won, for the player to move, and a winning move.
        let proven = |position: &Position, color: Color| -> Option<(Verdict, Option<Vertex>)> {
            match proofs.iter().find_map(|proofs| proofs.known(position, color))? {
                Known::Win(v) => Some((Verdict::Win, Some(v))),
                Known::Loss => Some((Verdict::Loss, None)),
            }
        };
        let position = game.position();
        let color = game.to_move();
        let mut after = position.clone();
        let mut moves: Vec<(Vertex, Verdict)> = Vec::new();
        for v in position.empty_vertices() {
            after.copy_from(position);
            after.place(color, v);
            moves.extend(proven(&after, !color).map(|(verdict, _)| (v, verdict.of_opponent())));
        }
        let wins = moves.iter().any(|&(_, verdict)| verdict == Verdict::Win).then_some((Verdict::Win, None));
        let known = proven(position, color).or(wins);
        // The move of a proof may lead to a position that the proof does not need.
        moves.extend(known.and_then(|(verdict, v)| Some((v?, verdict))));
        KnownResults { verdict: known.map(|(verdict, _)| verdict), moves }
    }
}

/// The proofs that are known on this board: those of the engine's files, and the built-in one.
fn proofs<'a>(
    options: &SearchOptions,
    files: Option<&'a WinningMoves>,
    geometry: &Geometry,
) -> impl Iterator<Item = &'a WinningMoves> + use<'a> {
    let builtin = options.solved_positions.then(|| WinningMoves::builtin(geometry)).flatten();
    [files, builtin].into_iter().flatten()
}

/// Passes `measure` a function that makes one simulation of a single-threaded search of `game`: for benchmarks, and for
/// tests that examine single simulations. The game must not be over.
///
/// # Errors
/// If there is no memory for the smallest tree.
pub fn with_simulations<R>(
    game: &Game,
    options: &SearchOptions,
    seed: u64,
    measure: impl FnOnce(&mut dyn FnMut()) -> R,
) -> Result<R, SearchError> {
    let network: &dyn Backend = &*Network::builtin_for(game.geometry().side());
    let mut searches = methods::searches(options.method);
    let mut worker = searches.worker(game, options, network, Xoshiro256PlusPlus::seed_from_u64(seed))?;
    Ok(measure(&mut || worker.simulate()))
}
