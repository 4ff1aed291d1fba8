//! The sub-commands: each module has the arguments of one and runs it.

pub mod arena;
pub mod bench;
pub mod gtp;
pub mod learn;
pub mod play;
pub mod regress;
pub mod sgf;
mod terminal;

use malecon::gtp::protocol::CommandError;

/// The two sides of a `--set`, which is to be `NAME=VALUE`.
fn name_and_value(pair: &str) -> Result<(&str, &str), CommandError> {
    let (name, value) = pair
        .split_once('=')
        .ok_or_else(|| CommandError::new(format!("--set '{pair}' has no '=': NAME=VALUE is wanted")))?;
    Ok((name.trim(), value.trim()))
}
