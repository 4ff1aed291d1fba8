//! `malecon learn`: self-play, samples for the trainer, and what a network is worth.

mod balanced;
mod calibrate;
mod costs;
mod diagram;
mod export;
mod first_stones;
mod lines;
mod play;
mod test;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use malecon::base::lines::read as read_lines;
use malecon::base::text::count;
use malecon::engine::search::SearchOptions;
use malecon::tools::ToolError;
use malecon::tools::learn::{SearchPlan, SelfPlayGame, SolvedLine};

use super::failure::Failure;
use super::load_networks;
use super::parse::whole;

/// Options of `malecon learn`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
The engine's own networks are compiled into it. To make another one, let the engine play games, export samples from \
them, and train on these in PyTorch, with the trainer in the folder 'training' of the sources:

  malecon learn play --games 10000 --threads 2 --out games.jsonl
  malecon learn export --games games.jsonl --threads 2 --out samples
  PYTHONPATH=training python3 -m malecon_training --samples samples --out network.bin
  malecon play --network network.bin

docs/training.md has the whole procedure. Games of the new engine can train the next network. Only a match shows \
whether the new engine plays better; 'malecon learn test' measures how well a network predicts games that it was not \
trained on.
";

#[derive(Subcommand)]
enum Command {
    /// Let the engine play games against itself and write what its searches found
    #[command(after_long_help = play::MANUAL)]
    Play(play::Arguments),
    /// Turn games of self-play into samples for the trainer in PyTorch
    #[command(after_long_help = export::MANUAL)]
    Export(export::Arguments),
    /// Measure how well a network, or a search with it, predicts recorded games
    #[command(after_long_help = test::MANUAL)]
    Test(test::Arguments),
    /// Measure whether the chances of winning shown to users are true, and fit new ones
    #[command(after_long_help = calibrate::MANUAL)]
    Calibrate(calibrate::Arguments),
    /// Measure what it costs the solver to prove winning moves, for the network that guides it
    #[command(after_long_help = costs::MANUAL)]
    Costs(costs::Arguments),
    /// Make the table of first stones for the pie rule: what each is worth
    #[command(after_long_help = first_stones::MANUAL)]
    FirstStones(first_stones::Arguments),
    /// Find balanced openings for matches
    #[command(after_long_help = balanced::MANUAL)]
    Balanced(balanced::Arguments),
}

/// The options of every subcommand that plays games or searches positions.
#[derive(Args)]
struct SearchArguments {
    /// The network that guides the search [default: those compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    #[command(flatten)]
    run: RunArguments,
    /// Set an option of the search; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// The options of every subcommand whose results depend on random numbers.
#[derive(Args)]
struct RunArguments {
    /// Games played, or positions searched, at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 256))]
    threads: u16,
    /// Seed of the random numbers, below 2^32; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0, u32::MAX.into()))]
    seed: u64,
}

impl SearchArguments {
    /// A plan for searches with these options and this many simulations.
    fn plan(&self, simulations: u64) -> Result<SearchPlan, Failure> {
        let options = search_options(&self.set)?;
        let network = Arc::new(load_networks(self.network.as_deref())?);
        Ok(SearchPlan { simulations, options, network, seed: self.run.seed })
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Play(arguments) => play::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Test(arguments) => test::run(arguments),
        Command::Calibrate(arguments) => calibrate::run(arguments),
        Command::Costs(arguments) => costs::run(arguments),
        Command::FirstStones(arguments) => first_stones::run(arguments),
        Command::Balanced(arguments) => balanced::run(arguments),
    }
}

/// The games of these files, without duplicates.
fn read_self_play(paths: &[PathBuf]) -> Result<Vec<SelfPlayGame>, String> {
    let mut games = Vec::new();
    let mut seen = HashSet::new();
    let mut duplicates = 0;
    for path in paths {
        for (number, game) in (1..).zip(read_lines::<SelfPlayGame>(path)?) {
            game.check().map_err(in_game(path, number))?;
            if seen.insert(hash(&serde_json::to_string(&game).expect("a game is plain data"))) {
                games.push(game);
            } else {
                duplicates += 1;
            }
        }
    }
    if duplicates > 0 {
        eprintln!("note: ignored {}", count(duplicates, "duplicate game"));
    }
    Ok(games)
}

/// Prefixes an error in a game or a position with its file and its number there. For `map_err`.
fn in_game(path: &Path, number: usize) -> impl Fn(ToolError) -> String {
    move |error| format!("{}: number {number}: {error}", path.display())
}

/// A hash of a line. Among a million lines, two have the same one with a probability of 1 in 30 million.
fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// The human games in these files that are not held out.
fn read_human(paths: &[PathBuf]) -> Result<Vec<SelfPlayGame>, String> {
    let mut games = Vec::new();
    for path in paths {
        let human = test::read_file(path)?.into_iter().flatten().filter(|game| !game.is_held_out());
        games.extend(human.filter_map(|game| game.for_training()));
    }
    Ok(games)
}

/// The positions in these files that were solved.
fn read_solved(paths: &[PathBuf]) -> Result<Vec<SelfPlayGame>, String> {
    let mut games = Vec::new();
    for path in paths {
        for (number, line) in (1..).zip(read_lines::<SolvedLine>(path)?) {
            games.extend(line.game().map_err(in_game(path, number))?);
        }
    }
    Ok(games)
}

/// The options of the search, with the values of `--set`. Each search of self-play or of a test has a tree of its own,
/// which is small.
fn search_options(settings: &[String]) -> Result<SearchOptions, Failure> {
    let mut options = SearchOptions { memory: 256, ..SearchOptions::default() };
    for setting in settings {
        let (name, value) = super::name_and_value(setting).map_err(Failure::usage)?;
        options.assign(name, value).map_err(Failure::usage)?;
    }
    Ok(options)
}
