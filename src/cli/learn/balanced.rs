//! `malecon learn balanced`: balanced openings for matches.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use malecon::base::files::{Replacement, in_file, replace};
use malecon::base::sync::on_threads;
use malecon::engine::search::SearchError;
use malecon::game::{Geometry, Notation};
use malecon::tools::learn::{SearchPlan, balanced};

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::files::check_apart;
use crate::cli::parse::{at_least, side};

use super::SearchArguments;

/// Options of `malecon learn balanced`.
#[derive(Args)]
pub struct Arguments {
    /// File of the openings
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Side length of the board; may be given several times
    #[arg(long = "side", value_name = "N", required = true, value_parser = side)]
    sides: Vec<usize>,
    /// Openings for each side length
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = at_least::<usize>(0))]
    count: usize,
    /// Positions that are tried for each side length before it gets fewer openings
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = at_least::<u64>(0))]
    tries: u64,
    /// Simulations of the search that decides
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = at_least::<u64>(1))]
    simulations: u64,
    #[command(flatten)]
    common: SearchArguments,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
An opening has three to six stones: the first anywhere, the others drawn from the network's policy. It is kept if the \
search gives the player to move a chance from 0.4 to 0.6 and proves nothing. No two openings are images of each other \
under the symmetries of the board. A line has the side length and the vertices. 'malecon match --openings FILE' plays \
those of its side.

The engine's own openings, src/tools/arena/balanced.txt, are compiled into the program for 'malecon match --openings \
balanced'. docs/matches.md has the command that made them.

Example:
  malecon learn balanced --side 8 --count 100 --out openings.txt
";

/// Positions that a thread tries before the next are handed out.
const CHUNK: u64 = 8;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_apart(&arguments.common.network, [&arguments.out])?;
    let plan = arguments.common.plan(arguments.simulations)?;
    // If the file cannot be written, the command fails now and not after the first board.
    Replacement::new(&arguments.out).map(drop).map_err(in_file(&arguments.out))?;
    let mut text = String::from("# Balanced openings, made by 'malecon learn balanced': side length and vertices.\n");
    for &side in &arguments.sides {
        let geometry = Geometry::with_side(side).map_err(|error| error.to_string())?;
        find(arguments, &plan, geometry, &mut text)?;
        replace(&arguments.out, text.as_bytes()).map_err(in_file(&arguments.out))?;
    }
    Ok(())
}

/// Adds the openings of a board to the text.
fn find(
    arguments: &Arguments,
    plan: &SearchPlan,
    geometry: &'static Geometry,
    text: &mut String,
) -> Result<(), SearchError> {
    let bar = Bar::new(arguments.count as u64, &format!("openings of side {}", geometry.side()));
    let mut seen = HashSet::new();
    let mut next = 0;
    while next < arguments.tries && seen.len() < arguments.count {
        let starts = (0..u64::from(arguments.common.run.threads)).map(|i| next + i * CHUNK);
        let found = on_threads(starts, |start| balanced::find(plan, geometry, start..start + CHUNK));
        next += u64::from(arguments.common.run.threads) * CHUNK;
        for chunk in found {
            for (opening, _) in chunk? {
                if seen.len() < arguments.count && seen.insert(geometry.canonical(&opening)) {
                    let names = Notation::HavannahGui.names(geometry, &opening).join(" ");
                    let _ = writeln!(text, "{} {names}", geometry.side());
                    bar.inc(1);
                }
            }
        }
    }
    bar.clear();
    eprintln!("side {}: {} openings from {next} positions", geometry.side(), seen.len());
    Ok(())
}
