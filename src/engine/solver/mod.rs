//! Exact solving of positions on small boards.
//!
//! [`Solver`] proves who wins by depth-first proof-number search (df-pn). It needs only the rules; a network may advise
//! it on which moves to try first. The tree search runs a solver beside its simulations, because the solver settles
//! positions on small boards much faster.
//!
//! [`solve`] finds the value of a position within a budget, and [`prove`] writes a proof of who wins, which
//! [`crate::proof`] checks.
//!
//! | module | contents |
//! |---|---|
//! | `proof_search` | runs df-pn from a root, with one thread or several, and grows the table |
//! | `dfpn` | df-pn: which child to search next, and for how long |
//! | `expand` | the relevant moves of a position, or its result if one or two stones decide it |
//! | `children`, `history` | the order of moves: proof numbers, moves that won before |
//! | `guide`, `advice` | a network's advice on the order of moves |
//! | `patterns` | sequences of threats that won before |
//! | `bitboard` | small boards as sets of bits |
//! | `keys` | keys of positions, where images of each other may count as one |
//! | `table`, `shared`, `team` | the transposition table, and what else the threads of a search share |
//! | `outcome`, `positions` | the value of a position within a budget; sets of positions to solve |
//! | `prover`, `checkpoint` | writes proofs, and continues interrupted ones |
//!
//! ```
//! use malecon::game::{Color, Game, Geometry};
//! use malecon::engine::solver::{Budget, Solver, Value, solve};
//! let game = Game::new(Geometry::with_side(3)?);
//! let mut solver = Solver::new(game.geometry(), 1 << 20)?;
//! let answer = solve(&mut solver, &game, &Budget::default(), &mut |_| true);
//! assert_eq!(answer.value, Some(Value::Win(Color::White)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod bitboard;
mod checkpoint;
mod children;
mod dfpn;
mod error;
mod expand;
mod guide;
mod history;
mod keys;
mod outcome;
mod patterns;
mod positions;
mod proof_search;
mod prover;
mod shared;
mod table;
mod team;

use std::fmt;

use crate::base::sync::StopFlag;
use crate::base::time::Instant;
use crate::game::{Color, Geometry, Position, Vertex};
use crate::network::Backend;

use bitboard::{MAX_CELLS, Word, cell_count};
use proof_search::{ProofSearch, Prove};

pub use error::SolverError;
pub use outcome::{Budget, SolveOutcome, SolveProgress, Value, longest_resistance, solve, solve_for};
pub use positions::{position_after, positions_after, random_positions};
pub use proof_search::{ProofEstimate, Solution};
pub use prover::{ProofProgress, Sources, Written, prove};

/// Whether there is a solver for this board. There is one for regular boards up to side 6, and for others that have at
/// most 121 pairs of a letter and a number. Larger boards do not fit into 128 bits.
#[must_use]
pub fn has_solver(geometry: &Geometry) -> bool {
    cell_count(geometry) <= MAX_CELLS
}

/// A solver for one board. It keeps what it has found in its table, and uses it for this and later positions.
///
/// ```
/// use malecon::game::{Color, Geometry, Position};
/// use malecon::engine::solver::{Solution, Solver};
/// let board = Geometry::with_side(2)?;
/// let mut solver = Solver::new(board, 1 << 20)?;
/// let solution = solver.solve(&Position::new(board), Color::White, 1000);
/// assert!(matches!(solution, Some(Solution::Win(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    search: Box<dyn Prove>,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver").field("threads", &self.threads()).field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

impl Solver {
    /// Makes a solver for this board, with a table of at most `bytes` bytes and at least 4 KiB. The table takes memory
    /// only as it fills. If there is not enough memory for the whole table, it is smaller.
    ///
    /// # Errors
    /// If the board is too large (see [`has_solver`]), or if there is not even memory for the smallest table.
    pub fn new(geometry: &'static Geometry, bytes: usize) -> Result<Solver, SolverError> {
        Solver::with_threads(geometry, bytes, 1)
    }

    /// Like [`Solver::new`], but with this many threads (at least one) that work on each position together.
    ///
    /// With several threads, the number of positions visited differs from run to run, and the winning move may differ,
    /// too. If [`Solver::solve`] may visit only a few thousand positions, one thread works alone.
    ///
    /// # Errors
    /// Those of [`Solver::new`].
    pub fn with_threads(geometry: &'static Geometry, bytes: usize, threads: usize) -> Result<Solver, SolverError> {
        Ok(Solver::several(geometry, bytes, 1, threads)?.swap_remove(0))
    }

    /// Makes so many solvers that share a table of at most `bytes` bytes, each with this many threads (at least one). Each
    /// works on positions of its own, on a thread of the caller, and uses what the others have found until then. If there
    /// are several, the table does not begin small, as that of [`Solver::new`] does. If a network guides them, it has to
    /// guide all of them: they share its advice. Of 0 solvers, the list is empty.
    ///
    /// # Errors
    /// Those of [`Solver::new`].
    pub fn several(
        geometry: &'static Geometry,
        bytes: usize,
        count: usize,
        threads: usize,
    ) -> Result<Vec<Solver>, SolverError> {
        fn boxed<W: Word + 'static>(searches: Vec<ProofSearch<W>>) -> Vec<Solver> {
            searches.into_iter().map(|search| Solver { search: Box::new(search) }).collect()
        }
        match cell_count(geometry) {
            ..=64 => ProofSearch::<u64>::several(geometry, bytes, count, threads).map(boxed),
            65..=MAX_CELLS => ProofSearch::<u128>::several(geometry, bytes, count, threads).map(boxed),
            _ => Err(SolverError::TooLarge(geometry.shape())),
        }
    }

    /// Lets a network say which moves to search first, in positions that take long to settle. The values found are as
    /// exact as without it. This takes additional memory, up to an eighth of the table's.
    #[must_use]
    pub fn guided_by(mut self, network: &dyn Backend) -> Solver {
        self.search.guide_by(network);
        self
    }

    /// Tells the solver from which position those follow that it will be asked about. If this one has symmetries, positions
    /// that are images of each other under them are then searched only once: with two symmetries, a proof often takes half
    /// the positions or less. [`solve`] and [`prove`] do this with their positions, unless those follow from the last root.
    ///
    /// It changes no value. Some of what the table has may not be found again if the last root had other symmetries, so
    /// solvers that share a table and work on parts of one tree should have the same root.
    pub fn set_root(&mut self, position: &Position) {
        self.search.set_root(position);
    }

    /// Does the same unless the position follows from the last root.
    fn go_to(&mut self, position: &Position) {
        self.search.go_to(position);
    }

    /// Tries to solve a position with `color` to move, visiting at most `nodes` positions. Nobody may have won yet, and
    /// the position must be on the solver's board.
    ///
    /// Returns `None` if `nodes` was not enough. The table keeps what was found, so another call continues the work.
    pub fn solve(&mut self, position: &Position, color: Color, nodes: u64) -> Option<Solution> {
        self.solve_until(position, color, nodes, None)
    }

    /// Like [`Solver::solve`], but also returns `None` soon after `end`.
    pub(crate) fn solve_until(
        &mut self,
        position: &Position,
        color: Color,
        nodes: u64,
        end: Option<Instant>,
    ) -> Option<Solution> {
        self.search.prove(position, color, nodes, end)
    }

    /// How far the last call of [`Solver::solve`] came, if it returned `None` after some work.
    #[must_use]
    pub fn estimate(&self) -> Option<ProofEstimate> {
        self.search.estimate()
    }

    /// The empty vertices of a position with `color` to move, in the order in which the network of
    /// [`Solver::guided_by`] would try them, the most probable one first. With each comes its weight, from 1 for the first
    /// to 12: the solver multiplies the effort that a move seems to need by it. Empty without a network.
    pub fn order_moves(&mut self, position: &Position, color: Color) -> Vec<(Vertex, f32)> {
        self.search.order_moves(position, color)
    }

    /// Makes the solver give up when this flag is raised: [`Solver::solve`] then returns `None` after at most 64 more
    /// positions per thread. While the flag stays raised, it returns `None` at once. The functions [`solve`] and
    /// [`prove`] then end, too.
    pub fn stop_on(&mut self, flag: &StopFlag) {
        self.search.stop_on(flag.clone());
    }

    /// The number of threads that work on each position.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.search.threads()
    }

    /// The number of positions visited since the solver was made.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    /// Forgets what was found, so that the solver behaves like a new one. Its memory is kept. A table that other solvers
    /// share is left as it is.
    pub fn clear(&mut self) {
        self.search.clear();
    }
}
