//! The subcommands. Each module defines the arguments of one subcommand and runs it.

pub mod arena;
pub mod bench;
pub mod gtp;
pub mod learn;
pub mod network;
pub mod play;
pub mod regress;
pub mod sgf;
mod terminal;

use malecon::gtp::protocol::CommandError;

/// Splits the value of `--set`, which must have the form `NAME=VALUE`.
fn name_and_value(pair: &str) -> Result<(&str, &str), CommandError> {
    let (name, value) = pair
        .split_once('=')
        .ok_or_else(|| CommandError::new(format!("invalid value '{pair}' for --set (expected NAME=VALUE)")))?;
    Ok((name.trim(), value.trim()))
}
