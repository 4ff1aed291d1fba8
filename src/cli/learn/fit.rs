//! `malecon learn fit`: weights fitted to games of self-play.

use std::path::PathBuf;

use clap::Args;
use malecon::nn::{Architecture, Pooling};
use malecon::training::{Fit, fit};

use super::{at, bar, read_self_play};
use crate::cli::load_network;

#[derive(Args)]
pub struct Arguments {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// The file for the network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A network to continue from, whose shape is kept [default: random weights]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["blocks", "channels"])]
    start: Option<PathBuf>,
    /// Residual blocks
    #[arg(long, value_name = "N", default_value_t = Architecture::default().blocks())]
    blocks: usize,
    /// Channels of each layer: 16, 32, 48 or 64
    #[arg(long, value_name = "N", default_value_t = Architecture::default().channels())]
    channels: usize,
    /// How often each position is seen; 0 only scales the channels
    #[arg(long, value_name = "N", default_value_t = Fit::default().passes, value_parser = passes)]
    passes: f64,
    /// The learning rate at the start
    #[arg(long, value_name = "X", default_value_t = Fit::default().rate, value_parser = positive)]
    rate: f32,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Seed of the first weights and of the order of the positions
    #[arg(long, value_name = "N", default_value_t = Fit::default().seed)]
    seed: u64,
}

fn positive(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(x) if (1e-9..1e9).contains(&x) => Ok(x),
        _ => Err("expected a number above 0".into()),
    }
}

fn passes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(passes) if (0.0..1e9).contains(&passes) => Ok(passes),
        _ => Err("expected 0 or a number above 0".into()),
    }
}

/// Runs the sub-command.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let start = arguments.start.as_deref().map(load_network).transpose()?;
    let (blocks, channels) = (arguments.blocks, arguments.channels);
    let plan = Fit {
        architecture: Architecture::new(blocks, channels, channels, Pooling::Mean).map_err(|e| e.to_string())?,
        passes: arguments.passes,
        rate: arguments.rate,
        threads: arguments.threads as usize,
        seed: arguments.seed,
        ..Fit::default()
    };
    // Games take a while to read: the other arguments are checked before.
    let games = read_self_play(&arguments.games)?;
    let bar = bar(1000, "‰");
    let network = fit(&games, &plan, start.as_deref(), |part, losses| {
        bar.set_position((1000.0 * part) as u64);
        bar.suspend(|| {
            eprintln!(
                "{:5.1} %: policy {:.4}, first choice {:.1} %, value {:.4}, winner {:.1} %",
                100.0 * part,
                losses.policy(),
                100.0 * losses.first_choice(),
                losses.value(),
                100.0 * losses.winner()
            );
        });
    })
    .map_err(|error| error.to_string())?;
    bar.finish_and_clear();
    network.save(&arguments.out).map_err(at(&arguments.out))
}
