//! `malecon learn test`: how well a network, or a search with it, predicts human games.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use malecon::base::files::{self, MAX_RECORDS, in_file};
use malecon::game::record::read;
use malecon::network::Backend;
use malecon::tools::learn::metrics::{LeftOut, Part, Predictor, TestGame, count_positions, measure};
use serde::Serialize;
use serde_json::json;

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::load_networks;
use crate::cli::output::{print, print_data};
use crate::cli::parse::{at_least, side, whole};

use super::search_options;

/// Options of `malecon learn test`.
#[derive(Args)]
pub struct Arguments {
    /// Files of games, as JSON lines or in any other format that `malecon sgf` reads
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    games: Vec<PathBuf>,
    /// The network to measure [default: those compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Measure a search of this many simulations for each position [default: the network alone]
    #[arg(long, value_name = "N", value_parser = at_least::<u64>(1))]
    simulations: Option<u64>,
    /// Measure only games on boards of these side lengths, such as 6,8,10
    #[arg(long, value_name = "SIDES", value_delimiter = ',', value_parser = side)]
    sides: Vec<usize>,
    /// Measure only the games that are held out of training: one in five
    #[arg(long)]
    held_out: bool,
    /// Measure only the quarters of games, or only resignations
    #[arg(long, value_name = "quarters|resignations")]
    only: Option<Part>,
    /// Games measured at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 256))]
    threads: u16,
    /// Set an option of the search; may be given several times
    #[arg(long, value_name = "NAME=VALUE", requires = "simulations")]
    set: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Log loss is that of the winner of the game, in nats: a coin scores 0.693, and less is better. Error is its standard \
error: as the positions of a game are judged alike, it depends on the number of games. Scaled is the log loss after \
correcting chances that are all too close to one half, or too far from it. Of n stones, the position before stone k, \
counted from 0, is in quarter 4k/n + 1, rounded down. Resignations are the last positions of resigned games of 20 \
stones or more. Such a position is disproven, and left out, if the player who resigned is proven to win, and undecided \
if both players have a chance of 30 % or more. Held out are games whose id has a 64-bit FNV-1a hash that is a multiple \
of 5. docs/training.md has the whole definition.

The figures do not depend on --threads.

Examples:
  malecon learn test --games games.jsonl --network new.bin
      A network alone.
  malecon learn test --games games.jsonl --simulations 4000 --only resignations --sides 8,10 --threads 2
      A search of 4000 simulations in the positions in which somebody resigned.
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = search_options(&arguments.set)?;
    let networks = load_networks(arguments.network.as_deref())?;
    let (games, census) = select(arguments)?;
    let part = arguments.only.unwrap_or_default();
    let positions = count_positions(&games, part);
    if positions == 0 {
        return Err(format!("no position to measure ({census})").into());
    }
    let hash = networks.hash();
    let backend: Arc<dyn Backend> = Arc::new(networks);
    let predictor = Predictor { network: &backend, simulations: arguments.simulations, options: &options };
    let bar = Bar::new(positions as u64, "positions");
    let metrics = measure(&games, part, &predictor, arguments.threads.into(), &|| bar.inc(1))?;
    bar.clear();
    if arguments.json {
        let mut json = metrics.to_json();
        json["network"] = hash.into();
        json["simulations"] = arguments.simulations.into();
        json["held_out"] = arguments.held_out.into();
        json["games"] = json!(census);
        print_data(&format!("{json}\n"))
    } else {
        let method = arguments.simulations.map_or("alone".into(), |n| format!("in searches of {n} simulations"));
        print(&format!("network {hash} {method}\n{census}\n\n{metrics}"))
    }
}

/// How many games there are, and what became of them.
#[derive(Default, Serialize)]
struct Census {
    read: usize,
    measured: usize,
    without_winner: usize,
    by_time_or_forfeit: usize,
    with_set_up_stones: usize,
    /// Games that the arguments do not ask for: of other side lengths, or not held out.
    not_selected: usize,
}

/// Reads the games, and selects those to measure.
fn select(arguments: &Arguments) -> Result<(Vec<TestGame>, Census), String> {
    let mut games = Vec::new();
    let mut census = Census::default();
    for path in &arguments.games {
        for game in read_file(path)? {
            census.read += 1;
            match game {
                Ok(game) if !is_selected(&game, arguments) => census.not_selected += 1,
                Ok(game) => games.push(game),
                Err(LeftOut::NoWinner) => census.without_winner += 1,
                Err(LeftOut::Forfeit) => census.by_time_or_forfeit += 1,
                Err(LeftOut::SetUp) => census.with_set_up_stones += 1,
            }
        }
    }
    census.measured = games.len();
    Ok((games, census))
}

/// The games of a file, or why they cannot be measured.
pub fn read_file(path: &Path) -> Result<Vec<Result<TestGame, LeftOut>>, String> {
    let bytes = files::read_stream(path, MAX_RECORDS).map_err(in_file(path))?;
    let records = read(&bytes, None).map_err(|error| format!("{}:{error}", path.display()))?;
    Ok(records.iter().map(TestGame::try_from).collect())
}

fn is_selected(game: &TestGame, arguments: &Arguments) -> bool {
    (arguments.sides.is_empty() || arguments.sides.contains(&game.side()))
        && (!arguments.held_out || game.is_held_out())
}

impl std::fmt::Display for Census {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = format!("{} games, {} measured", self.read, self.measured);
        let reasons = [
            (self.without_winner, "without a winner"),
            (self.by_time_or_forfeit, "decided by time or forfeit"),
            (self.with_set_up_stones, "with set-up stones"),
            (self.not_selected, "not selected"),
        ];
        for (count, reason) in reasons.into_iter().filter(|(count, _)| *count > 0) {
            write!(text, ", {count} {reason}")?;
        }
        f.write_str(&text)
    }
}
