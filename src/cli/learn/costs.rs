//! `malecon learn costs`: samples for the network that guides the solver.

use std::path::PathBuf;

use clap::Args;
use malecon::base::lines::LineFile;
use malecon::engine::solver::{SolverError, has_solver};
use malecon::game::Geometry;
use malecon::tools::learn::costs::{CostPlan, CostedPosition, costed_positions};

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::files::check_apart;
use crate::cli::load_solver_network;
use crate::cli::parse::{at_least, side};

use super::RunArguments;
use super::lines::write_lines;

/// Options of `malecon learn costs`.
#[derive(Args)]
pub struct Arguments {
    /// File of the positions, as JSON lines; it must not have any yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Side length of the board
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = side)]
    side: usize,
    /// Searches begin from positions with this many random stones, at least and at most
    #[arg(long, value_names = ["LEAST", "MOST"], num_args = 2, default_values_t = [3, 8], value_parser = at_least::<usize>(0))]
    stones: Vec<usize>,
    /// Searches from which positions are taken, up to 40 from each
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = at_least::<u64>(0))]
    searches: u64,
    /// The network that guides the solver [default: the one compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    #[command(flatten)]
    run: RunArguments,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
While it works on a random position, the solver asks its network about some of the positions that it meets. This \
command draws from those. It keeps those that take 64 to 30,000 positions to solve, and solves the position after each \
of their moves: this shows which moves win, and what each proof costs. 'malecon learn export --solved' makes samples \
from the file: the cheaper a winning move, the greater its share of the policy.

Example:
  malecon learn costs --side 5 --stones 8 22 --searches 500 --threads 2 --out costs.jsonl
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_apart(&arguments.network, [&arguments.out])?;
    let geometry = Geometry::with_side(arguments.side).map_err(|error| error.to_string())?;
    if !has_solver(geometry) {
        return Err(Failure::usage(SolverError::TooLarge(geometry.shape())));
    }
    // With many random stones, somebody has nearly always won.
    let limit = geometry.vertex_count() / 2;
    let (least, most) = (arguments.stones[0], arguments.stones[1]);
    if least > most || most > limit {
        return Err(Failure::Usage(format!(
            "invalid --stones '{least} {most}' (expected two numbers up to {limit}, the smaller one first)"
        )));
    }
    let network = load_solver_network(arguments.network.as_deref())?;
    let plan = CostPlan { geometry, stones: least..=most, network, seed: arguments.run.seed };
    let (file, _) = LineFile::open::<CostedPosition>(&arguments.out, false)?;
    let bar = Bar::new(arguments.searches, "searches");
    Ok(write_lines(file, 0..arguments.searches, bar, arguments.run.threads, |number| {
        Ok(costed_positions(&plan, number))
    })?)
}
