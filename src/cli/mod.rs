//! The subcommands. Each module defines the arguments of one subcommand and runs it.

// Before the others, which use its macro.
#[macro_use]
pub mod output;

pub mod allocator;
pub mod analyze;
pub mod arena;
mod bar;
pub mod bench;
pub mod failure;
mod files;
mod games;
pub mod gtp;
pub mod learn;
pub mod network;
mod options;
mod parse;
pub mod play;
pub mod puzzles;
pub mod regress;
pub mod review;
#[cfg(feature = "serve")]
pub mod serve;
pub mod sgf;
pub mod shell;
mod signals;
pub mod solve;
mod terminal;

use std::path::Path;
use std::sync::Arc;

use malecon::base::files::in_file;
use malecon::network::{Network, Networks};
use malecon::protocols::gtp::protocol::CommandError;

/// Splits the value of `--set`, which must have the form `NAME=VALUE`.
fn name_and_value(pair: &str) -> Result<(&str, &str), CommandError> {
    let (name, value) = pair
        .split_once('=')
        .ok_or_else(|| CommandError::new(format!("invalid value '{pair}' for --set (expected NAME=VALUE)")))?;
    Ok((name.trim(), value.trim()))
}

/// The network of a file, or those compiled in. An error names the file.
fn load_networks(path: Option<&Path>) -> Result<Networks, String> {
    path.map_or(Ok(Networks::Builtin), |path| load_network(path).map(Networks::One))
}

/// The network of a file, or the one compiled in that guides the solver. An error names the file.
fn load_solver_network(path: Option<&Path>) -> Result<Arc<Network>, String> {
    path.map_or_else(|| Ok(Network::builtin_solver()), load_network)
}

/// The network of a file. An error names it.
fn load_network(path: &Path) -> Result<Arc<Network>, String> {
    Network::load(path).map(Arc::new).map_err(in_file(path))
}
