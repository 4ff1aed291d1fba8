//! Malecon, an engine for the board game Havannah: the rules, fast playouts, a Monte Carlo tree search guided by a
//! small neural network, an exact solver for small boards, records of games, and the Go Text Protocol.
//!
//! A [`Session`] is the engine. This searches a position:
//!
//! ```
//! use malecon::{Notation, Session};
//!
//! let mut session = Session::on_side(6)?;
//! session.play("f6")?;
//! session.play("e4")?;
//! let analysis = session.search().simulations(200).run()?;
//! println!("{} wins {:.1} % with {}",
//!     analysis.to_move,
//!     100.0 * analysis.chance(),
//!     Notation::HavannahGui.name(session.game().geometry(), analysis.report.best));
//! # assert_eq!(analysis.report.simulations, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` has more: watching a search, refereeing a game, annotating a record.
//!
//! `docs/architecture.md` in the repository lists the modules, lowest first, follows a move through them, and says
//! where the sections of the paper are: Könnecke & Waldmann, *Efficient Playouts for the Havannah Abstract Board Game*.
//! [`Preset::Paper`](engine::search::Preset::Paper) has the paper's playouts and search.
//!
//! # Features and platforms
//!
//! | feature | what it adds |
//! |---|---|
//! | `cli` (default) | the program `malecon`, and the crates that serve command lines and terminals |
//! | `serve` (default) | the module `protocols::server`, with its crates for HTTP and WebSockets, and `malecon serve` |
//! | `match` (part of `cli`) | the module `tools::arena`, which runs engines as child processes |
//!
//! Without features the library also builds for `wasm32-unknown-unknown`. There are no threads there: a search runs on
//! the thread of its caller, who waits for it. The host of the module provides two functions of the import module
//! `malecon`: `clock() -> f64`, milliseconds that never decrease, and `entropy() -> i32`, 32 random bits.

#![warn(missing_debug_implementations, missing_docs)]

pub mod base;
pub mod engine;
pub mod game;
pub mod network;
pub mod proof;
pub mod protocols;
pub mod review;
pub mod tools;

pub use engine::search::Limits;
pub use engine::session::{Analysis, EngineOptions, SearchRequest, Session, StopFlag};
pub use game::record::Record;
pub use game::{Color, Game, Geometry, Move, Notation, Outcome, Position, Vertex};
