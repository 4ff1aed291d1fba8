//! `malecon match`

mod progress;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use malecon::arena::openings::{Openings, Source, plies_for};
use malecon::arena::process::{EngineSpec, split_name};
use malecon::arena::record::{Archive, GameRecord, read_games};
use malecon::arena::referee::{Limit, Rules};
use malecon::arena::report::Report;
use malecon::arena::runner::{Match, check_engines, open_slots, play_games};
use malecon::arena::schedule::{Shard, schedule};
use malecon::arena::statistics::Sprt;
use malecon::arena::tally::Tally;
use malecon::board::Geometry;
use serde_json::json;

use progress::Progress;

/// Options of `malecon match`.
#[derive(Args)]
#[command(after_long_help = MANUAL)]
#[group(skip)]
pub struct Arguments {
    /// An engine: its name in the report, and the command that starts it
    ///
    /// The command is split into words as a shell does, without a shell; `{side}` in it stands for the side length.
    /// With more than two engines each plays each (round robin).
    #[arg(long = "engine", value_name = "NAME=CMD", value_parser = EngineSpec::parse, required_unless_present = "merge")]
    engines: Vec<EngineSpec>,
    /// A GTP command that sets up the engine of this name before each game
    ///
    /// Sent after `boardsize`, `clear_board` and the time settings, in the order given. An engine that refuses it
    /// cannot play.
    #[arg(long = "init", value_name = "NAME=GTP-COMMAND")]
    init: Vec<String>,
    /// Side length of the board
    #[arg(long, value_name = "N", default_value_t = 8)]
    side: usize,
    /// Games of each pairing of engines; two are played from each opening
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// Time for each move, in seconds (`time_settings 0 S 1`)
    #[arg(long, value_name = "S", value_parser = positive_seconds, group = "limit")]
    time: Option<Duration>,
    /// Playouts for each move (`set_option playouts N`)
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// A clock for each player: seconds for the game, and seconds added after each move
    ///
    /// Sent as `time_settings MAIN 0 0`, and `time_left COLOUR SECONDS 0` before each `genmove`.
    #[arg(long, value_name = "MAIN+INC", value_parser = clock, group = "limit")]
    clock: Option<Limit>,
    /// How much later than its limit a move may come, in seconds
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = seconds)]
    margin: Duration,
    /// How long an engine may be silent beyond limit and margin before it counts as hung, in seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = positive_seconds)]
    silence: Duration,
    /// Openings: `random:PLIES`, a file with one opening of vertices a line, or `none`
    ///
    /// Random openings differ from each other by more than a symmetry of the board, and none is won already. Without
    /// this option they have two plies, or as many more as the match needs to have enough of them; none with --swap.
    #[arg(long, value_name = "random:PLIES|FILE|none")]
    openings: Option<Source>,
    /// Seed of the random openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,
    /// Stop as soon as this sequential test decides; ALPHA and BETA are 0.05 if not given
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Play with the pie rule: black may answer the first stone with `swap`
    ///
    /// The stone then becomes black's and white is to move; the engines keep their colours. White's engine is told
    /// `play black swap`. Engines that must be told that the pie rule is on need an --init line for that.
    #[arg(long)]
    swap: bool,
    /// Start the engines anew for every game
    #[arg(long)]
    restart: bool,
    /// Keep the games in this directory, as SGF files and as lines of games.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the match in the directory of --out
    #[arg(long, requires = "out")]
    resume: bool,
    /// Play only every N-th pair of games, from the I-th on (1 ≤ I ≤ N)
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    /// Play nothing; report on the games in these files (games.jsonl) together
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["engines", "init", "out"])]
    merge: Vec<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress; faults are still shown
    #[arg(long, short)]
    quiet: bool,
}

const MANUAL: &str = "\
The referee
  It keeps its own board and its own clocks and believes neither engine. A game ends by a structure, a full board \
(a draw), `resign`, or a fault, which loses it:
    illegal move      genmove was answered with something that is no legal move
    error answer      a legal command was answered with `?`
    time forfeit      the move came later than its limit and --margin allow
    silence           no answer at all within --silence more
    crash             the engine ended with a status other than 0, or by a signal
    end of pipe       it closed its output, or left with status 0
    out of turn       an answer came that nothing had asked for
    malformed answer  what came is not an answer of the Go Text Protocol
    no start          the program could not be started
  After a fault the engine is started anew for the next game. Faults are shown as they happen and counted in the \
report. Refusing `clear_board`, `time_settings`, `time_left` or `set_option playouts` is no fault; it is noted once. \
Engines are expected to end when their input does; at the end of a match, and after Ctrl-C, which reports on the games \
played so far, none is left.

The report
  Elo differences have an interval that holds the true one with 95 % probability. It is computed on pairs of games from \
one opening with colours exchanged, as such games are not independent; a pair half played counts for the score only. \
With more than two engines, an engine's Elo difference is to all its opponents together. LOS is the likelihood of \
superiority. Results are wins, draws and losses; a stone that \
completes two structures counts for both.

Examples
  Two engines, 1 s a move, side 6, two games at a time:
    malecon match --engine new='malecon gtp' --engine old='./malecon-old gtp' --side 6 --time 1 --concurrency 2
  An engine with a time command of its own:
    malecon match --engine malecon='malecon gtp' --engine castro='castro -n' --init 'castro=time -m 1 -g 0' --time 1
  Is a change worth 10 Elo? Stop as soon as it is clear:
    malecon match --engine new=… --engine old=… --playouts 1000 --games 20000 --sprt 0,10 --out gain --resume
  A big match in eight parts, and the report on all:
    malecon match … --shard 3/8 --out part3
    malecon match --merge part*/games.jsonl";

/// Runs the sub-command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let result = if arguments.merge.is_empty() { run_match(arguments) } else { merge(arguments) };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is wanted".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string()).and_then(|time| match time.as_secs() {
        0..1_000_000_000 => Ok(time),
        _ => Err("this is too long".into()),
    })
}

fn positive_seconds(text: &str) -> Result<Duration, String> {
    seconds(text).and_then(|time| if time.is_zero() { Err("more than 0 is wanted".into()) } else { Ok(time) })
}

fn clock(text: &str) -> Result<Limit, String> {
    let (main, increment) = text.split_once('+').ok_or("MAIN+INC is wanted, such as 60+1")?;
    Ok(Limit::Clock { main: positive_seconds(main)?, increment: seconds(increment)? })
}

/// Plays a match and reports on it.
fn run_match(arguments: &Arguments) -> Result<ExitCode, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed)).map_err(|e| e.to_string())?;

    let (plan, source) = plan(arguments)?;
    let slots = schedule(plan.engines.len(), arguments.games, arguments.shard);
    let (archive, played) = match &arguments.out {
        None => (None, vec![]),
        Some(directory) => {
            let settings = settings(arguments, &plan, &source);
            let (archive, played) = Archive::open(directory, &settings, arguments.resume)?;
            (Some(archive), played)
        }
    };
    warn_of_concurrency(arguments);
    let mut progress = Progress::new(&plan, arguments.sprt, slots.len(), &played);
    let open = open_slots(&plan, &slots, &played)?;
    if !open.is_empty() && !progress.decided() {
        match check_engines(&plan, &stop) {
            Ok(notes) => notes.iter().for_each(|(engine, note)| progress.note(*engine, note)),
            Err(Some(error)) => return Err(error),
            Err(None) => {}
        }
        progress.begin(archive, arguments.quiet);
        play_games(&plan, &open, &stop, |event| progress.event(event));
    }
    let interrupted = stop.load(Ordering::Relaxed);
    let (tally, error) = progress.end();
    let title = title(arguments, &plan, &source);
    let broken_off = interrupted || error.is_some();
    print_report(arguments, &Report::new(title, &tally, Some(slots.len()), broken_off, arguments.sprt))?;
    match error {
        Some(error) => Err(error),
        None if interrupted => Ok(ExitCode::from(130)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Engines that share a core do not get the time that they are given.
fn warn_of_concurrency(arguments: &Arguments) {
    let cores = std::thread::available_parallelism().map_or(usize::MAX, |cores| cores.get());
    if arguments.playouts.is_none() && usize::from(arguments.concurrency) > cores {
        eprintln!("WARNING: {} games at a time on {cores} cores: the engines get less time", arguments.concurrency);
    }
}

/// Reports on games played before.
fn merge(arguments: &Arguments) -> Result<ExitCode, String> {
    let mut games: Vec<GameRecord> = Vec::new();
    let (mut lines, mut twice) = (HashSet::new(), 0);
    for path in &arguments.merge {
        for game in read_games(path)?.0 {
            match lines.insert(serde_json::to_string(&game).expect("a record is JSON")) {
                true => games.push(game),
                false => twice += 1,
            }
        }
    }
    if twice > 0 {
        eprintln!("note: {twice} games came up twice and count once");
    }
    games.sort_by_key(|game| game.game);
    let mut tally = Tally::default();
    games.iter().for_each(|game| tally.add(game));
    let sides: Vec<String> = tally.sides.iter().map(usize::to_string).collect();
    let files = arguments.merge.len();
    let title = format!("Side {}, from {files} {}", sides.join(", "), if files == 1 { "file" } else { "files" });
    print_report(arguments, &Report::new(title, &tally, None, false, arguments.sprt))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a report; that nobody reads it (a closed pipe) is no matter.
fn print_report(arguments: &Arguments, report: &Report) -> Result<(), String> {
    let text = match arguments.json {
        true => serde_json::to_string_pretty(report).expect("a report is JSON") + "\n",
        false => report.to_string(),
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("the report cannot be printed: {e}")),
        _ => Ok(()),
    }
}

/// The match that the arguments ask for, and where its openings come from.
fn plan(arguments: &Arguments) -> Result<(Match, Source), String> {
    let engines = engines(arguments)?;
    if arguments.sprt.is_some() && engines.len() > 2 {
        return Err("--sprt tests one engine against another: with more than two there is nothing to decide".into());
    }
    if arguments.sprt.is_some() && arguments.shard != Shard::WHOLE {
        return Err("--sprt decides on the whole match: a shard alone has not enough games to".into());
    }
    let geometry = Geometry::of(arguments.side).map_err(|e| e.to_string())?;
    let pairs = arguments.games.div_ceil(2);
    let source = arguments.openings.clone().unwrap_or_else(|| match arguments.swap {
        true => Source::None,
        false => Source::Random(plies_for(geometry, 2, pairs)),
    });
    if arguments.swap && matches!(source, Source::Random(2..)) {
        return Err(format!("--swap has no effect after openings {source}: only the second move may be a swap"));
    }
    let openings = Openings::new(&source, geometry, pairs, arguments.seed)?;
    let limit = match (arguments.time, arguments.playouts, arguments.clock) {
        (Some(time), ..) => Limit::Move(time),
        (_, Some(count), _) => Limit::Playouts(count),
        (.., Some(clock)) => clock,
        _ => Limit::Own,
    };
    let rules = Rules { geometry, limit, margin: arguments.margin, silence: arguments.silence, swap: arguments.swap };
    let concurrency = usize::from(arguments.concurrency);
    Ok((Match { engines, rules, openings, concurrency, restart: arguments.restart }, source))
}

/// The engines with their set-up lines.
fn engines(arguments: &Arguments) -> Result<Vec<EngineSpec>, String> {
    let mut engines = arguments.engines.clone();
    if engines.len() < 2 {
        return Err("a match needs two engines: --engine NAME=CMD --engine NAME=CMD".into());
    }
    for (i, engine) in engines.iter().enumerate() {
        if engines[..i].iter().any(|other| other.name == engine.name) {
            return Err(format!("two engines have the name '{}'", engine.name));
        }
    }
    for text in &arguments.init {
        let (name, command) = split_name(text)?;
        let engine = engines.iter_mut().find(|engine| engine.name == name);
        let engine = engine.ok_or_else(|| format!("--init '{text}': there is no engine '{name}'"))?;
        if command.is_empty() {
            return Err(format!("--init '{text}': there is no command"));
        }
        engine.init.push(command.to_owned());
    }
    Ok(engines)
}

/// Everything that must be as before when a match is resumed. The number of games may grow, and how many are played at
/// a time is no matter.
fn settings(arguments: &Arguments, plan: &Match, source: &Source) -> serde_json::Value {
    let file = matches!(source, Source::File(_)).then(|| plan.openings.to_text(plan.rules.geometry));
    json!({
        "engines": plan.engines,
        "side": arguments.side,
        "limit": plan.rules.limit.to_string(),
        "margin": arguments.margin.as_secs_f64(),
        "silence": arguments.silence.as_secs_f64(),
        "openings": source.to_string(),
        "openings_in_file": file,
        "seed": arguments.seed,
        "swap": arguments.swap,
        "restart": arguments.restart,
        "shard": arguments.shard.to_string(),
        "sprt": arguments.sprt,
    })
}

/// The match in words.
fn title(arguments: &Arguments, plan: &Match, source: &Source) -> String {
    let mut title = format!("Side {}, {}, openings {source}", arguments.side, plan.rules.limit);
    if matches!(source, Source::Random(_)) {
        title += &format!(" (seed {})", arguments.seed);
    }
    if arguments.swap {
        title += ", pie rule";
    }
    if arguments.shard != Shard::WHOLE {
        title += &format!(", shard {}", arguments.shard);
    }
    title
}
