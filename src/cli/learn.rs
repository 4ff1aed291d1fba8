//! `malecon learn`: games to learn from, and weights fitted to them.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use malecon::nn::{Architecture, Network, Pooling};
use malecon::search::Options;
use malecon::training::{Fit, Plan, SelfPlayGame, Sides, fit, play_game};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Options of `malecon learn`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
The weights of the network that the engine comes with are compiled into it, from the file
src/nn/network.bin. To make better ones, let the engine play games and fit weights to them:

  malecon learn play --games 10000 --threads 2 --out games.jsonl
  malecon learn fit games.jsonl --threads 2 --out src/nn/network.bin
  cargo build --release

The new engine plays better games to learn from. Whether it plays better, a match tells.
";

#[derive(Subcommand)]
enum Command {
    /// Let the engine play games against itself and write what its searches found
    Play(Play),
    /// Fit weights to such games
    Fit(FitArguments),
}

#[derive(Args)]
struct Play {
    /// How many games
    #[arg(long, value_name = "N")]
    games: usize,
    /// The file that the games are added to, one a line
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Side lengths, each with how often it is played, such as 4:1,6:2 [default: mostly 4 to 6, up to 10]
    #[arg(long, value_name = "SIDES")]
    sides: Option<Sides>,
    /// Simulations of the searches whose moves are learned: one half of all
    #[arg(long, value_name = "N", alias = "playouts", default_value_t = 800, value_parser = clap::value_parser!(u64).range(1..))]
    simulations: u64,
    /// Simulations of the others
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    short: u64,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// For the random numbers; the same seed gives the same games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Set an option of the search; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

#[derive(Args)]
struct FitArguments {
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
    /// How often each position is seen
    #[arg(long, value_name = "N", default_value_t = Fit::default().passes, value_parser = positive)]
    passes: f64,
    /// The learning rate at the start
    #[arg(long, value_name = "X", default_value_t = Fit::default().rate as f64, value_parser = positive)]
    rate: f64,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Seed of the first weights and of the order of the positions
    #[arg(long, value_name = "N", default_value_t = Fit::default().seed)]
    seed: u64,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (1e-9..1e9).contains(&x) => Ok(x),
        _ => Err("a number above 0 is wanted".into()),
    }
}

/// Runs the sub-command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Command::Play(arguments) => play(arguments),
        Command::Fit(arguments) => fit_weights(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn play(arguments: &Play) -> Result<(), String> {
    let mut options = Options { memory: 256, ..Options::default() };
    for setting in &arguments.set {
        let (name, value) = super::name_and_value(setting).map_err(|refusal| refusal.to_string())?;
        options.assign(name, value).map_err(|error| error.to_string())?;
    }
    let sides = arguments.sides.clone().unwrap_or_default();
    let plan = Plan { sides, simulations: arguments.simulations, short: arguments.short, options };
    let out = OpenOptions::new().create(true).append(true).open(&arguments.out).map_err(at(&arguments.out))?;
    let bar = bar(arguments.games as u64, "games");
    let (next, out) = (AtomicUsize::new(0), Mutex::new(out));
    let work = || {
        loop {
            let game = next.fetch_add(1, Relaxed);
            if game >= arguments.games {
                return Ok::<(), String>(());
            }
            let seed = arguments.seed.wrapping_mul(1 << 32).wrapping_add(game as u64);
            let game = play_game(&plan, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            let line = serde_json::to_string(&game).expect("a game is plain data");
            let mut file = out.lock().expect("no thread panics");
            writeln!(file, "{line}").map_err(at(&arguments.out))?;
            bar.inc(1);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    bar.finish_and_clear();
    eprintln!("{} games are in {}", arguments.games, arguments.out.display());
    Ok(())
}

fn fit_weights(arguments: &FitArguments) -> Result<(), String> {
    let load = |path: &PathBuf| Network::load(path).map_err(|error| format!("{}: {error}", path.display()));
    let start = arguments.start.as_ref().map(load).transpose()?;
    let (blocks, channels) = (arguments.blocks, arguments.channels);
    let plan = Fit {
        architecture: Architecture::new(blocks, channels, channels, Pooling::Mean).map_err(|e| e.to_string())?,
        passes: arguments.passes,
        rate: arguments.rate as f32,
        threads: arguments.threads as usize,
        seed: arguments.seed,
        ..Fit::default()
    };
    // Games take a while to read: the other arguments are checked before.
    let mut games = Vec::new();
    for path in &arguments.games {
        for (i, line) in BufReader::new(File::open(path).map_err(at(path))?).lines().enumerate() {
            let game: Result<SelfPlayGame, _> = line.map_err(at(path))?.parse();
            games.push(game.map_err(|error| format!("{}:{}: {error}", path.display(), i + 1))?);
        }
    }
    let bar = bar(1000, "‰");
    let network = fit(&games, &plan, start.as_ref(), |part, losses| {
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

/// A bar on stderr, which does not show where that is no terminal.
fn bar(length: u64, unit: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}, {eta} left").expect("a legal template");
    ProgressBar::new(length).with_style(style).with_message(unit.to_owned())
}
