//! Malecon, an engine for the board game Havannah: the rules, fast playouts, a Monte Carlo tree search guided by a
//! small neural network, an exact solver for small boards, records of games, and the Go Text Protocol.
//!
//! A [`session::Session`] is the engine. This searches a position:
//!
//! ```
//! use malecon::board::Notation;
//! use malecon::search::Limits;
//! use malecon::session::{Move, Session, StopFlag};
//!
//! let mut session = Session::on_side(6)?;
//! let board = session.game().geometry();
//! for name in ["f6", "e4"] {
//!     let vertex = Notation::HavannahGui.parse(board, name)?;
//!     session.play(session.game().to_move(), Move::Place(vertex))?;
//! }
//! let limits = Limits { simulations: Some(200), ..Limits::default() };
//! let analysis = session.search(session.game().to_move(), &limits, &StopFlag::new(), None)?;
//! println!("{} wins {:.1} % with {}",
//!     analysis.to_move,
//!     100.0 * analysis.report.win_rate,
//!     Notation::HavannahGui.name(board, analysis.report.best));
//! # assert_eq!(analysis.report.simulations, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` has more: watching a search, refereeing a game, annotating a record.
//!
//! # Modules
//!
//! Each module uses only those above it in this table.
//!
//! | module | what it holds |
//! |---|---|
//! | [`files`] | replacing files in one step |
//! | [`sync`] | the flag that stops a search; mutexes that stay usable after a panic |
//! | [`options`](mod@options) | options with names, ranges and descriptions |
//! | [`board`] | the rules: geometry, chains, structures, positions, games, vertex names |
//! | [`playout`] | random games from a position to its end |
//! | [`record`] | records of games: SGF in three styles, JSON lines, lists of moves |
//! | [`simd`] | which vector instructions the kernels use |
//! | [`nn`] | the network: what it sees, its layers, its files |
//! | [`proof`] | proofs of who wins: files with a winning strategy, and their checker |
//! | [`solver`] | exact solving of positions on small boards, and writing proofs |
//! | [`search`] | the tree search, and the clock |
//! | [`analysis`] | what can be said of a position without a search |
//! | [`frames`] | virtual connections, frames, and who is ahead in the race between them |
//! | [`session`] | the engine as one typed value: game, clocks, options, searches |
//! | [`review`] | reviews of recorded games |
//! | [`gtp`] | the Go Text Protocol, an adapter of the session |
//! | [`queries`] | queries and answers in JSON, an adapter of the session |
//! | `server` | the page and the queries over HTTP and WebSockets (feature `serve`) |
//! | [`training`] | games of the engine against itself, and samples of them to train a network on |
//! | `arena` | matches between engines (feature `match`) |
//! | [`bench`](mod@bench) | what `malecon bench` measures |
//!
//! # The paper
//!
//! The engine began as an implementation of Könnecke & Waldmann, *Efficient Playouts for the Havannah Abstract Board
//! Game*, and [`Preset::Paper`](search::Preset::Paper) still plays as the paper describes. The default search shares the
//! board with it, and little else. Section by section:
//!
//! | section | where | in the default search |
//! |---|---|---|
//! | 2 The game | [`board::Geometry`], [`board::Game`] | yes |
//! | 3 Monte Carlo game tree search | [`Method::Rave`](search::Method::Rave), in `src/search/rave` | no: [`Method::Puct`](search::Method::Puct) |
//! | 4 Weighted all moves as first | [`playout::paper::AmafWeight`] | no |
//! | 5 The playout horizon | [`playout::paper::Horizon`] | no |
//! | 6 Move selection during playouts | [`playout::paper::sampler`], [`playout::paper::Weighting`] | no: uniform, with bridge replies |
//! | 7 Recognition of bridges and forks | [`board::Position::place`] | yes |
//! | 8 Recognition of rings, with every move | [`board::Position::place`] | yes |
//! | 8 Recognition of rings, after the playout | [`board::RingFinder`], [`playout::paper::Rings`] | no |
//! | 9 Measurements | [`bench`](mod@bench) | |
//! | 10 Frames | [`frames`] | no: analysis only |
//!
//! # Features and platforms
//!
//! | feature | what it adds |
//! |---|---|
//! | `cli` (default) | the program `malecon`, and the crates that serve command lines and terminals |
//! | `serve` (default) | the module `server`, with its crates for HTTP and WebSockets, and `malecon serve` |
//! | `match` (part of `cli`) | the module `arena`, which runs engines as child processes |
//!
//! Without features the library also builds for `wasm32-unknown-unknown`. There are no threads there: a search runs on
//! the thread of its caller, who waits for it. The host of the module provides two functions of the import module
//! `malecon`: `clock() -> f64`, milliseconds that never decrease, and `entropy() -> i32`, 32 random bits.

#![warn(missing_docs)]

pub mod analysis;
#[cfg(feature = "match")]
pub mod arena;
pub mod bench;
pub mod board;
pub mod files;
pub mod frames;
pub mod gtp;
mod hash;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host;
mod math;
mod memory;
pub mod nn;
pub mod options;
pub mod playout;
pub mod proof;
pub mod queries;
pub mod record;
pub mod review;
pub mod search;
#[cfg(feature = "serve")]
pub mod server;
pub mod session;
pub mod simd;
pub mod solver;
pub mod sync;
mod time;
#[cfg(not(target_family = "wasm"))]
pub mod training;
