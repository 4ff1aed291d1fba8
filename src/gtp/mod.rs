//! The Go Text Protocol, version 2, and Havannah's additions to it.
//!
//! | module | what it knows |
//! |---|---|
//! | [`protocol`] | lines: what is a request, what an answer looks like |
//! | [`dialect`] | where HavannahGui, GoGui and Little Golem differ |
//! | [`engine`] | the state: the game, the clocks, the search, the options |
//! | [`commands`] | the table of commands, and what each does; GoGui's own are in `gogui`, its pictures in `analysis`, those for records of games in `files` |
//! | `gfx`, `live` | GoGui's graphics language, and what is shown while a search runs |
//! | [`script`] | regression scripts: commands and what their answers have to match |
//! | [`suggest`] | what was probably meant by a name that does not exist |
//! | [`server`] | the conversation over a pair of streams, and interrupting a search |
//!
//! ```
//! use malecon::gtp::{Engine, Settings};
//! let mut engine = Engine::new(Settings::default());
//! assert_eq!(engine.answer("7 boardsize 5").unwrap(), "=7\n\n");
//! assert_eq!(engine.answer("play white e5").unwrap(), "=\n\n");
//! assert_eq!(engine.answer("history # so far").unwrap(), "= e5\n\n");
//! assert_eq!(engine.answer("play black e5").unwrap(), "? illegal move: e5 is occupied by white, \
//!     an empty vertex is wanted\n\n");
//! ```

mod analysis;
pub mod commands;
pub mod dialect;
pub mod engine;
mod files;
mod gfx;
mod gogui;
mod live;
pub mod options;
pub mod protocol;
pub mod record;
#[cfg(feature = "cli")]
pub mod script;
pub mod server;
pub mod suggest;

pub use dialect::Dialect;
pub use engine::{Engine, Settings};
pub use options::Options;
pub use server::serve;
