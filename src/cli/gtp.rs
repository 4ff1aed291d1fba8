//! `malecon gtp`

use std::process::ExitCode;

use clap::Args;

/// Options of `malecon gtp`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board at the start
    #[arg(long, default_value_t = 8)]
    side: usize,
}

/// Runs the sub-command.
pub fn run(arguments: Arguments) -> ExitCode {
    let _ = arguments.side;
    ExitCode::SUCCESS
}
