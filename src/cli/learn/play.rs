//! `malecon learn play`: games of the engine against itself, in a file that grows by a line with each game.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use clap::Args;
use malecon::base::sync::on_threads;
use malecon::workshop::arena::record::read_games;
use malecon::workshop::arena::schedule::Shard;
use malecon::workshop::learn::{Origin, Plan, SelfPlayGame, Sides};

use crate::cli::load_networks;

use super::{SearchArguments, at, bar, read_human, search_options};

/// Options of `malecon learn play`.
#[derive(Args)]
pub struct Arguments {
    /// The number of games, those of all shards together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 32))]
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
    /// Simulations of full searches, whose visits are training targets; half of the searches are full
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = clap::value_parser!(u64).range(1..))]
    simulations: u64,
    /// Simulations of the other searches
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    short: u64,
    /// Files of human games, in any format that 'malecon sgf' reads: games begin with a position of one of them, drawn
    /// at random, on the boards that they are played on. The fifth that 'learn test --held-out' measures is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    human: Vec<PathBuf>,
    #[command(flatten)]
    common: SearchArguments,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
With one thread the lines are in the order of their game numbers. With more, the games are the same
but their order is not. --resume drops an unfinished last line and plays what is missing. It refuses
a file whose games have another seed, shard or network, or were played with other settings.

Examples:
  malecon learn play --games 10000 --threads 2 --out games.jsonl --resume
      Run it again after an interruption: no game is lost or played twice.
  malecon learn play --games 10000 --shard 3/8 --out games-3.jsonl --resume
      One of eight shards. The lines of all eight, in any order, are the games of a run without
      --shard: cat games-*.jsonl > games.jsonl
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let plan = Plan {
        sides: arguments.sides.clone().unwrap_or_default(),
        simulations: arguments.simulations,
        short: arguments.short,
        options: search_options(&arguments.common.set)?,
        networks: load_networks(arguments.common.network.as_deref())?,
        human: read_human(&arguments.human)?,
    };
    let (file, played) = open(arguments, &plan)?;
    let is_missing = |game: &u64| arguments.shard.has(*game as usize) && !played.contains(game);
    let missing: Vec<u64> = (0..arguments.games).filter(is_missing).collect();
    play(arguments, &plan, &missing, file)?;
    let (new, all, out) = (missing.len(), missing.len() + played.len(), arguments.out.display());
    eprintln!("{new} games played, {all} games in {out}");
    Ok(())
}

/// Opens the file for the games, ready for the next line. Returns the numbers of the games that it has.
fn open(arguments: &Arguments, plan: &Plan) -> Result<(File, HashSet<u64>), String> {
    let path = &arguments.out;
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(at(path))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(format!("{}: another process is writing to this file", path.display()));
    }
    let saved = read_games::<SelfPlayGame>(path)?;
    if !saved.games.is_empty() && !arguments.resume {
        let (path, games) = (path.display(), saved.games.len());
        return Err(format!("{path} already has {games} games (use --resume to continue, or another file)"));
    }
    let expected = plan.origin(arguments.common.seed, 0);
    let mut played = HashSet::new();
    for (i, game) in saved.games.iter().enumerate() {
        let number = number(game, arguments, &expected).map_err(|error| refusal(path, i, &error))?;
        if !played.insert(number) {
            return Err(refusal(path, i, &format!("game {number} is there twice")));
        }
    }
    saved.repair(&mut file).map_err(at(path))?;
    Ok((file, played))
}

fn refusal(path: &Path, i: usize, error: &str) -> String {
    format!("cannot resume {}: game {} of the file: {error}", path.display(), i + 1)
}

/// The number of a saved game, if it belongs to this run, whose games come from `expected` but for their numbers.
fn number(game: &SelfPlayGame, arguments: &Arguments, expected: &Origin) -> Result<u64, String> {
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

/// Plays the games of these numbers and adds them to the file.
fn play(arguments: &Arguments, plan: &Plan, numbers: &[u64], file: File) -> Result<(), String> {
    let bar = bar(numbers.len() as u64, "games");
    let (next, lines) = (AtomicUsize::new(0), Lines::new(file));
    let work = || {
        while let Some(&number) = numbers.get(next.fetch_add(1, Relaxed)) {
            let game = plan.play(arguments.common.seed, number);
            let line = serde_json::to_string(&game).expect("a game is plain data") + "\n";
            if !lines.add(&line).map_err(at(&arguments.out))? {
                break;
            }
            bar.inc(1);
        }
        Ok::<(), String>(())
    };
    on_threads(0..arguments.common.threads, |_| work()).into_iter().collect::<Result<(), _>>()?;
    bar.finish_and_clear();
    Ok(())
}

/// A file that several threads add lines to, until a line cannot be written.
struct Lines(Mutex<Option<File>>);

impl Lines {
    fn new(file: File) -> Lines {
        Lines(Mutex::new(Some(file)))
    }

    /// Adds a line, which ends with a line feed. After an error nothing more is added. Returns whether the line was
    /// added.
    fn add(&self, line: &str) -> io::Result<bool> {
        let mut file = self.0.lock().expect("no thread panics");
        let written = file.as_mut().map(|file| append(file, line));
        if let Some(Err(error)) = written {
            *file = None;
            return Err(error);
        }
        Ok(written.is_some())
    }
}

/// Adds a line to a file. If there is no room for all of it, the file is cut back to what it was.
fn append(file: &mut File, line: &str) -> io::Result<()> {
    let before = file.metadata()?;
    // One write, so that a line is whole unless the process dies within it.
    file.write_all(line.as_bytes()).inspect_err(|_| {
        if before.is_file() {
            // If this fails, too, --resume drops the part of a line.
            let _ = file.set_len(before.len());
        }
    })
}
