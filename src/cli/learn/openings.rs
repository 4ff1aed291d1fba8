//! `malecon learn openings`: the table of first stones for the pie rule.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use clap::Args;
use malecon::board::Geometry;
use malecon::session::openings::{FirstStone, classes};
use malecon::training::openings::OpeningPlan;

use super::{at, bar, search_options};
use crate::cli::load_network;

/// Options of `malecon learn openings`.
#[derive(Args)]
pub struct Arguments {
    /// File of the table; games that are already in it are not played again
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Side length of the board; may be given several times
    #[arg(long = "side", value_name = "N", required = true)]
    sides: Vec<usize>,
    /// Games from each first stone
    #[arg(long, value_name = "N", default_value_t = 40)]
    games: u32,
    /// Games from each first stone whose value is between 0.3 and 0.7 after the first --games games
    #[arg(long, value_name = "N", default_value_t = 0)]
    close_games: u32,
    /// Simulations for each move of the games
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    simulations: u64,
    /// Simulations of the long search of each first stone
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    search: u64,
    /// The network that guides the search [default: the one compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Seed of the random numbers; the same seed gives the same table
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Set an option of the search; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Under the symmetries of the board, first stones fall into classes. For one stone of each class, the engine makes one \
long search of the position and then plays games against itself from it. A game ends when one player is almost sure to \
win. The table has a line for each stone: side length, vertex, games, points of the player who owns the stone, that \
player's chance of winning according to the long search, the proven result or 'open', and the resulting value. The file \
is written after each stone, so you can interrupt the command and run it again.

The engine's own table, src/session/openings.txt, is compiled into the program. docs/levels.md has the commands that \
made it.

Example:
  malecon learn openings --side 5 --games 16 --simulations 200 --search 4000 --out openings.txt
";

const HEADER: &str = "\
# First stones for the pie rule, made by 'malecon learn openings'. All figures are for the player who owns the stone.
# side vertex games points search verdict value
";

/// Runs the sub-command.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let plan = OpeningPlan {
        simulations: arguments.simulations,
        search: arguments.search,
        options: search_options(&arguments.set)?,
        network: load_network(arguments.network.as_deref())?,
        seed: arguments.seed,
    };
    let mut table = read(&arguments.out)?;
    for &side in &arguments.sides {
        let geometry = Geometry::of(side).map_err(|error| error.to_string())?;
        measure(arguments, &plan, geometry, &mut table)?;
    }
    Ok(())
}

/// The lines of the table so far; none if there is no such file.
fn read(path: &Path) -> Result<Vec<FirstStone>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(at(path))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.parse().map_err(|error| format!("{}: {error}", path.display()))).collect()
}

/// Replaces the table in one step, so that an interruption does not lose the games so far.
fn write(path: &Path, table: &[FirstStone]) -> Result<(), String> {
    let lines: String = table.iter().map(|first| format!("{first}\n")).collect();
    let new = path.with_extension("new");
    fs::write(&new, format!("{HEADER}{lines}")).and_then(|()| fs::rename(&new, path)).map_err(at(path))
}

/// Measures the first stones of a board, and writes the table after each.
fn measure(
    arguments: &Arguments,
    plan: &OpeningPlan,
    geometry: &'static Geometry,
    table: &mut Vec<FirstStone>,
) -> Result<(), String> {
    let stones = classes(geometry);
    let bar = bar(stones.len() as u64, &format!("first stones of side {}", geometry.side()));
    for v in stones {
        let is_same = |first: &FirstStone| (first.side, first.vertex) == (geometry.side(), v);
        let i = table.iter().position(is_same).unwrap_or_else(|| {
            table.push(plan.search(geometry, v));
            table.sort_by_key(|first| (first.side, first.vertex));
            table.iter().position(is_same).expect("it was just added")
        });
        let first = &mut table[i];
        play(arguments, plan, first, arguments.games);
        if (0.3..=0.7).contains(&first.estimate()) {
            play(arguments, plan, first, arguments.close_games);
        }
        write(&arguments.out, table)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Plays games from a first stone until there are `games` of them.
fn play(arguments: &Arguments, plan: &OpeningPlan, first: &mut FirstStone, games: u32) {
    let geometry = Geometry::of(first.side).expect("the table was checked");
    let (next, points) = (AtomicU32::new(first.games), Mutex::new(0.0));
    let work = || {
        loop {
            let game = next.fetch_add(1, Relaxed);
            if game >= games {
                break;
            }
            let won = plan.play(geometry, first.vertex, game);
            *points.lock().expect("no thread panics") += won;
        }
    };
    thread::scope(|scope| (0..arguments.threads).for_each(|_| _ = scope.spawn(work)));
    first.points += points.into_inner().expect("no thread panics");
    first.games = first.games.max(games);
}
