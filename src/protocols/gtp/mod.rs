//! The Go Text Protocol, version 2, with extensions for Havannah: an adapter between lines of text and a
//! [`Session`](crate::engine::session::Session).
//!
//! | module | what it does |
//! |---|---|
//! | [`protocol`] | parses request lines and formats responses |
//! | [`dialect`] | where HavannahGui, GoGui and Little Golem differ |
//! | [`command`] | what a command is, and the parsers of its arguments |
//! | [`engine`] | the session, with what only the protocol needs: dialect, live graphics, interrupts |
//! | `commands` | the commands, by subject: game and search, handicap, records, GoGui's rules, analysis |
//! | [`options`] | the options of an engine as one value |
//! | [`dispatch`] | the table of all commands: finds one by its name and runs it |
//! | `gfx`, `pictures`, `frames`, `live` | GoGui's graphics language; pictures of searches, of frames, and of a running search |
//! | [`server`], `lines` | the conversation over a pair of streams, interrupts, and the queue of lines that wait (not on WebAssembly, which has no threads) |
//! | `script` | regression scripts: commands and what their responses have to match (feature `cli`) |
//! | [`suggest`] | "did you mean" |
//!
//! ```
//! use malecon::game::Geometry;
//! use malecon::protocols::gtp::{Engine, GtpOptions};
//! let mut engine = Engine::new(Geometry::with_side(8)?, GtpOptions::default());
//! assert_eq!(engine.respond("7 boardsize 5").unwrap(), "=7\n\n");
//! assert_eq!(engine.respond("play white e5").unwrap(), "=\n\n");
//! assert_eq!(engine.respond("history # so far").unwrap(), "= e5\n\n");
//! assert_eq!(engine.respond("play black e5").unwrap(), "? illegal move: e5 is occupied by white\n\n");
//! # Ok::<(), malecon::game::SideError>(())
//! ```

pub mod command;
mod commands;
pub mod dialect;
pub mod dispatch;
pub mod engine;
mod frames;
mod gfx;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod lines;
mod live;
pub mod options;
mod pictures;
pub mod protocol;
#[cfg(feature = "cli")]
pub mod script;
#[cfg(not(target_family = "wasm"))]
pub mod server;
pub mod suggest;

pub use dialect::Dialect;
pub use engine::Engine;
pub use options::GtpOptions;
#[cfg(not(target_family = "wasm"))]
pub use server::serve;
