//! `malecon learn play`: games of the engine against itself, in a file that grows by a line with each game.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use malecon::base::lines::{Line, LineFile};
use malecon::tools::arena::schedule::Shard;
use malecon::tools::learn::{Origin, SelfPlayGame, SelfPlayPlan, Sides};
use serde::Deserialize;

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::files::check_apart;
use crate::cli::load_networks;

use super::lines::write_lines;
use super::{SearchArguments, read_human, search_options};
use crate::cli::parse::{at_least, whole};

/// Options of `malecon learn play`.
#[derive(Args)]
pub struct Arguments {
    /// The number of games, those of all shards together
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0, u32::MAX.into()))]
    games: u64,
    /// The file for the games, one per line
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Continue the games in the file of --out
    #[arg(long)]
    resume: bool,
    /// Play only every N-th game, starting with the I-th (1 ≤ I ≤ N)
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    /// Side lengths, each with how often it is played, such as 4:1,6:2 [default: mostly 4 to 6, up to 10]
    #[arg(long, value_name = "SIDES")]
    sides: Option<Sides>,
    /// Simulations of full searches, whose visits are training targets; a quarter of the searches are full
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = at_least::<u64>(1))]
    simulations: u64,
    /// Simulations of the other searches
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least::<u64>(1))]
    short: u64,
    /// Files of human games, in any format that 'malecon sgf' reads: on their boards, two games in five begin with a
    /// position drawn at random from one of them. The fifth that 'learn test --held-out' measures is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    human: Vec<PathBuf>,
    #[command(flatten)]
    common: SearchArguments,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
With one thread the lines are in the order of their game numbers. With more, the games are the same but their order \
is not. --resume drops an unfinished last line and plays what is missing. It refuses a file whose games have another \
seed, shard or network, or were played with other settings.

Examples:
  malecon learn play --games 10000 --threads 2 --out games.jsonl --resume
      Run it again after an interruption: no game is lost or played twice.
  malecon learn play --games 10000 --shard 3/8 --out games-3.jsonl --resume
      One of eight shards. The lines of all eight, in any order, are the games of a run without
      --shard: cat games-*.jsonl > games.jsonl
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_apart(arguments.human.iter().chain(&arguments.common.network), [&arguments.out])?;
    let plan = SelfPlayPlan {
        sides: arguments.sides.clone().unwrap_or_default(),
        simulations: arguments.simulations,
        short: arguments.short,
        options: search_options(&arguments.common.set)?,
        networks: load_networks(arguments.common.network.as_deref())?,
        human: read_human(&arguments.human)?,
    };
    let (file, played) = open(arguments, &plan)?;
    let Shard { index, of } = arguments.shard;
    let of_shard = (index as u64 - 1..arguments.games).step_by(of);
    let new = of_shard.size_hint().0 as u64 - played.iter().filter(|&&game| game < arguments.games).count() as u64;
    let missing = of_shard.filter(|game| !played.contains(game));
    let seed = arguments.common.run.seed;
    write_lines(file, missing, Bar::new(new, "games"), arguments.common.run.threads, |game| {
        Ok([plan.play(seed, game)?])
    })?;
    let all = new + played.len() as u64;
    eprintln!("{new} games played, {all} games in {}", arguments.out.display());
    Ok(())
}

/// A game that was played before, as far as it is needed to go on: the whole games would take much memory.
#[derive(Deserialize)]
struct Played {
    #[serde(flatten)]
    origin: Option<Origin>,
}

impl Line for Played {
    const BEGINNINGS: &'static [&'static str] = SelfPlayGame::BEGINNINGS;
    const UNIT: &'static str = SelfPlayGame::UNIT;
    const WRITER: &'static str = SelfPlayGame::WRITER;
}

/// Opens the file for the games, ready for the next line. Returns the numbers of the games that it has.
fn open(arguments: &Arguments, plan: &SelfPlayPlan) -> Result<(LineFile, HashSet<u64>), String> {
    let path = &arguments.out;
    let (file, games) = LineFile::open::<Played>(path, arguments.resume)?;
    let expected = plan.origin(arguments.common.run.seed, 0);
    let mut played = HashSet::new();
    for (i, game) in games.iter().enumerate() {
        let number = number(game, arguments, &expected).map_err(|error| refusal(path, i, &error))?;
        if !played.insert(number) {
            return Err(refusal(path, i, &format!("game {number} is there twice")));
        }
    }
    Ok((file, played))
}

fn refusal(path: &Path, i: usize, error: &str) -> String {
    format!("cannot resume {}: game {} of the file: {error}", path.display(), i + 1)
}

/// The number of a saved game. It must belong to this run: its origin is `expected`, except for the number.
fn number(game: &Played, arguments: &Arguments, expected: &Origin) -> Result<u64, String> {
    let Some(Origin { game, seed, network, settings }) = &game.origin else {
        return Err("it has no number (the file is of an older version)".into());
    };
    if *seed != expected.seed {
        return Err(format!("its seed is {seed} (expected {})", expected.seed));
    }
    if *network != expected.network {
        return Err(format!("its network is {network} (expected {})", expected.network));
    }
    if *settings != expected.settings {
        return Err("it was played with other settings (--sides, --simulations, --short, --human or --set)".into());
    }
    if !arguments.shard.has(*game as usize) {
        return Err(format!("game {game} is not in shard {}", arguments.shard));
    }
    Ok(*game)
}
