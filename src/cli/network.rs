//! `malecon network`: describes a network.

use std::path::PathBuf;

use clap::Args;
use malecon::base::files::in_file;
use malecon::base::simd;
use malecon::network::{Network, NetworkInfo};

use super::failure::Failure;
use super::files::check_apart;
use super::output::{print, print_data};

/// Options of `malecon network`.
#[derive(Args)]
pub struct Arguments {
    /// The network to describe [default: the one compiled in for the boards of --side]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Side length of the board whose compiled-in network is described: there is one up to side 5 and one from side 6
    /// on
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = super::parse::side, conflicts_with = "file")]
    side: usize,
    /// Describe the compiled-in network that guides the solver
    #[arg(long, conflicts_with_all = ["file", "side"])]
    solver: bool,
    /// Write the network to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
A file that is damaged, or that this version cannot use, is refused with the reason. The format is described in \
docs/model-format.md. The line 'simd' is the level of vector instructions that networks are computed with here; the \
environment variable MALECON_SIMD forces a lower one: portable, avx2, avxvnni, avx512 or amx, on ARM portable, neon \
or dotprod.

Examples:
  malecon network --side 6
      The network for boards of side 6 that is compiled into this program.
  malecon network --side 8 --out large.bin
      The same for side 8, and a copy of it.
  malecon network new.bin --json
      A network from a file, for a program to read.
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let network = match &arguments.file {
        Some(path) => super::load_network(path)?,
        None if arguments.solver => Network::builtin_solver(),
        None => Network::builtin_for(arguments.side),
    };
    check_apart(&arguments.file, &arguments.out)?;
    if let Some(path) = &arguments.out {
        network.save(path).map_err(in_file(path))?;
    }
    if arguments.json { print_data(&format!("{}\n", json(&network.info()))) } else { print(&lines(&network.info())) }
}

fn json(info: &NetworkInfo) -> serde_json::Value {
    let mut json = serde_json::to_value(info).expect("a description is plain data");
    json["simd"] = simd::Level::active().to_string().into();
    json
}

/// A line for each property: its name, and its value.
fn lines(info: &NetworkInfo) -> String {
    let properties = [
        ("format version", info.format_version.to_string()),
        ("features", format!("{} (version {})", info.features, info.feature_version)),
        ("blocks", info.blocks.to_string()),
        ("channels", info.channels.to_string()),
        ("hidden units", info.hidden.to_string()),
        ("weights", info.weights.to_string()),
        ("hash", info.hash.clone()),
        ("simd", simd::Level::active().to_string()),
        ("description", info.description.replace('\n', " ")),
    ];
    properties.iter().map(|(name, value)| format!("{name:<16}{value}\n")).collect()
}
