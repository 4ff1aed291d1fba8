//! The command line.

mod cli;

use clap::{Parser, Subcommand};

/// A Havannah engine that speaks the Go Text Protocol.
#[derive(Parser)]
#[command(name = "malecon", version, args_conflicts_with_subcommands = true)]
#[group(skip)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a sub-command: the options of `gtp`.
    #[command(flatten)]
    gtp: cli::gtp::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Play over the Go Text Protocol on stdin and stdout (the default)
    Gtp(cli::gtp::Arguments),
    /// Play a match between engines and report on it
    Match(Box<cli::arena::Arguments>),
}

fn main() -> std::process::ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let arguments = Arguments::parse();
    match arguments.command.unwrap_or(Command::Gtp(arguments.gtp)) {
        Command::Gtp(arguments) => cli::gtp::run(arguments),
        Command::Match(arguments) => cli::arena::run(*arguments),
    }
}
