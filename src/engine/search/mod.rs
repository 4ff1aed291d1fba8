//! Monte Carlo tree search, guided by a network (PUCT, the default) or by playouts (UCT with RAVE; paper, section 3),
//! with a solver beside it on small boards.
//!
//! A search goes through the modules in this order:
//!
//! 1. `searcher`: [`Searcher::search`] is the entry point. [`Clock`] decides how long to think, [`Limits`] when to
//!    stop.
//! 2. `tree_search` searches by one method. `kept_tree` looks the position up in the tree of the last search, or starts
//!    a new tree.
//! 3. `driver` runs the threads: batches of simulations until a limit is reached, pruning when the tree (`tree`) is
//!    full (`rendezvous`), the solver's share of the work (`interleaved_solver`), and reports to the observer.
//! 4. A method is a folder: `puct`, or `rave` for the paper's search, each with its nodes, its options and its loops
//!    over moves. `method` says what a method provides, and `methods` lists them. What they share is generic over the
//!    method. A simulation goes down the tree (`descent`), selecting a move in each `node`, makes a new node at the end
//!    (`expand`), and backs the result up. With `puct`, moves that lead to one position in another order share its node
//!    (`transpositions`). New nodes prove what one or two stones decide; often visited ones look for sequences of
//!    threats (`threats`). What refutes one move is tried against the others (`replay`).
//! 5. `choice` picks the move and makes the [`SearchReport`]. If the result is proven, `winning_line` completes its
//!    line.
//!
//! Lower layers know nothing of upper ones: a method knows nothing of threads, and the tree nothing of how moves are
//! selected.

mod arena;
mod choice;
mod clock;
mod descent;
mod driver;
mod error;
mod expand;
#[cfg(test)]
mod fetched_lines;
mod interleaved_solver;
mod kept_tree;
mod kernel;
mod limits;
mod method;
mod methods;
mod node;
mod options;
mod puct;
mod rave;
mod rendezvous;
mod replay;
mod report;
mod root;
mod root_noise;
mod searcher;
pub(crate) mod threats;
mod transpositions;
mod tree;
mod tree_search;
mod winning_line;

pub use clock::{Clock, TimeControl};
pub use error::SearchError;
pub use limits::Limits;
pub use options::{MAX_THREADS, Method, Preset, SearchOptions};
pub use puct::options::PuctOptions;
pub use rave::options::RaveOptions;
pub(crate) use report::OBSERVATION_INTERVAL;
pub use report::{MoveReport, ReportObserver, SearchReport, Verdict};
pub use root_noise::RootNoise;
pub use searcher::{Searcher, with_simulations};
