//! `malecon learn export`: training samples for the trainer in `training/`.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::Args;
use malecon::base::files::in_file;
use malecon::tools::learn::{ExportPlan, Exported, export};

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::load_networks;

use super::{read_human, read_self_play, read_solved};
use crate::cli::parse::{at_least, whole};

/// Options of `malecon learn export`.
#[derive(Args)]
pub struct Arguments {
    /// Files of games that 'malecon learn play' wrote, the oldest first
    #[arg(long, value_name = "FILE", required_unless_present_any = ["human", "solved"], num_args = 1..)]
    games: Vec<PathBuf>,
    /// Files of human games, in any format that 'malecon sgf' reads, that come after those; the fifth that 'learn test
    /// --held-out' measures is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    human: Vec<PathBuf>,
    /// Files that 'malecon solve batch' or 'malecon learn costs' wrote, whose exact results come after those; what
    /// was not solved is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    solved: Vec<PathBuf>,
    /// Directory for the samples; it must not exist yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Network to compare the searches with, for the surprise of each position [default: those compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Play proven games on to a complete structure, with searches of this many simulations; 0 leaves them as they are
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least::<u64>(0))]
    finish: u64,
    /// Games exported at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 256))]
    threads: u16,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Each side length gets a directory with arrays that NumPy can load or map: features, policy, ending and targets. \
export.json has the tables of the board's symmetries. docs/training.md describes the files. One game in twenty is \
marked as held out.

Example:
  malecon learn export --games games.jsonl --out samples --threads 2
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plan = ExportPlan {
        networks: load_networks(arguments.network.as_deref())?,
        finish: arguments.finish,
        threads: arguments.threads.into(),
    };
    let mut games = read_self_play(&arguments.games)?;
    games.extend(read_human(&arguments.human)?);
    games.extend(read_solved(&arguments.solved)?);
    let bar = Bar::new(games.len() as u64, "games");
    let exported = export(&games, &plan, &arguments.out, |games| bar.inc(games as u64)).map_err(|error| match error
        .kind()
    {
        ErrorKind::AlreadyExists => format!("{} already exists (samples get a new directory)", arguments.out.display()),
        _ => in_file(&arguments.out)(error),
    })?;
    bar.clear();
    let Exported { games, samples, with_structure } = exported;
    eprintln!("{games} games ({with_structure} with a complete structure), {samples} samples");
    Ok(())
}
