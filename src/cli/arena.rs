//! `malecon match`: play matches between engines.

mod live_page;
mod progress;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use clap::Args;
use malecon::base::lines;
use malecon::base::sync::StopFlag;
use malecon::base::text::count;
use malecon::engine::solver::{SolverError, has_solver};
use malecon::game::Geometry;
use malecon::tools::arena::descendants::{self, Watchdog};
use malecon::tools::arena::openings::{Openings, Source, plies_needed};
use malecon::tools::arena::process::{EngineSpec, split_name};
use malecon::tools::arena::record::{Archive, GAMES, GameRecord};
use malecon::tools::arena::referee::{Limit, Rules};
use malecon::tools::arena::report::MatchReport;
use malecon::tools::arena::runner::{Match, MatchError, check_engines, play_games, played_games};
use malecon::tools::arena::schedule::{Schedule, Shard};
use malecon::tools::arena::statistics::Sprt;
use malecon::tools::arena::tally::Tally;
use malecon::tools::arena::transcript::Transcript;
use serde_json::json;

use super::failure::Failure;
use super::files::check_apart;
use super::output::{print, print_data};
use super::parse::{at_least, positive_seconds, seconds, side, whole};
use super::signals;
use live_page::LivePage;
use progress::Progress;

/// Options of `malecon match`.
#[derive(Args)]
#[command(after_long_help = MANUAL)]
#[group(skip)]
pub struct Arguments {
    /// An engine: its name in the report and the command that starts it
    ///
    /// The command is split into words as a shell would do, but no shell is run. `{side}` stands for the side length.
    /// With more than two engines, every engine plays every other (round robin; see --gauntlet).
    #[arg(
        long = "engine",
        value_name = "NAME=CMD",
        value_parser = EngineSpec::parse,
        required_unless_present_any = ["merge", "watchdog"]
    )]
    engines: Vec<EngineSpec>,
    /// Only the first engine plays the others
    #[arg(long)]
    gauntlet: bool,
    /// A GTP command that sets up the named engine before each game
    ///
    /// Sent after `boardsize`, `clear_board` and the time settings, in the given order. An engine that refuses it
    /// cannot play.
    #[arg(long = "init", value_name = "NAME=GTP-COMMAND")]
    init: Vec<String>,
    /// Side length of the board
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = side)]
    side: usize,
    /// Number of games per pairing of engines; each opening is played twice, with colours exchanged
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least::<usize>(0))]
    games: usize,
    /// Time per move in seconds (`time_settings 0 S 1`)
    #[arg(long, value_name = "S", value_parser = positive_seconds, group = "limit")]
    time: Option<Duration>,
    /// Simulations per move (`set_option simulations N`)
    #[arg(long, value_name = "N", group = "limit", value_parser = at_least::<u64>(1))]
    simulations: Option<u64>,
    /// A clock for each player: seconds for the game, and seconds added after each move
    ///
    /// Sent as `time_settings MAIN 0 0`, and as `time_left COLOUR SECONDS 0` before each `genmove`.
    #[arg(long, value_name = "MAIN+INC", value_parser = clock, group = "limit")]
    clock: Option<Limit>,
    /// How much longer than its limit a move may take, in seconds
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = seconds)]
    margin: Duration,
    /// How long an engine may stay silent beyond limit and margin before it counts as hung, in seconds; without --time
    /// and --clock, this is the limit of each move
    #[arg(long, value_name = "S", default_value = "60", value_parser = positive_seconds)]
    silence: Duration,
    /// Openings: `random:PLIES`, `balanced`, a file with one opening per line, or `none`
    ///
    /// Random openings are all different, even after rotation and reflection, and none is already won. Balanced
    /// openings are positions of three to six stones on sides 4 to 10 that are about even according to a search, in an
    /// order that depends on --seed; the list starts over after the last one. A line of a file has moves such as `d4
    /// e5`. The side length may stand before them, as in the files of `malecon learn balanced`; openings of other sides
    /// are then left out. The default is random openings of two plies, or of more plies if there would not be one for
    /// each pair of games; with --swap it is `none`. With `none`, every game begins on the empty board, and two
    /// successive games with colours exchanged count as a pair; engines that are deterministic then repeat the same two
    /// games, which count once.
    #[arg(long, value_name = "random:PLIES|balanced|FILE|none")]
    openings: Option<Source>,
    /// Seed for random openings, and for the order of balanced ones
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least::<u64>(0))]
    seed: u64,
    /// Number of games to play at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, u16::MAX))]
    concurrency: u16,
    /// Stop as soon as this sequential test decides; ALPHA and BETA default to 0.05
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Play with the pie rule: black may answer the first stone with `swap`
    ///
    /// The stone then becomes black's, and white moves next; the engines keep their colours. White's engine receives
    /// `play black swap`. The engines are told by `set_option swap true`; use --init for those that need another
    /// command to turn the pie rule on.
    #[arg(long)]
    swap: bool,
    /// End a game as soon as the solver proves the result within this many seconds; on boards up to side 6
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    adjudicate: Option<Duration>,
    /// Restart the engines for every game
    #[arg(long)]
    restart: bool,
    /// Save the games in this directory, as SGF files and as lines of games.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write a page for the browser to this file: the report, the strength over the games, and the games themselves
    ///
    /// It is written anew while the match runs, and shows new games by itself.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write all commands and answers of the games to this file
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Continue the match saved in the directory of --out
    #[arg(long, requires = "out")]
    resume: bool,
    /// Play only every N-th pair of games, starting with the I-th (1 ≤ I ≤ N)
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    /// Play no games; report on all games in these files (games.jsonl)
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["engines", "init", "out"])]
    merge: Vec<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress; faults are still shown
    #[arg(long, short)]
    quiet: bool,
    /// Wait for the end of stdin, then kill the engines with this mark (used by the match itself)
    #[arg(long, value_name = "MARK", hide = true, exclusive = true)]
    watchdog: Option<String>,
}

const MANUAL: &str = "\
The referee
  The referee keeps its own board and its own clocks and trusts neither engine. A game ends with a structure, a full \
board (a draw), `resign`, or one of these faults, which lose the game:
    illegal move      the answer to genmove is not a legal move
    error answer      the engine answers a legal command with `?`
    time forfeit      a move takes longer than its limit and --margin allow
    silence           there is no answer at all within a further --silence seconds
    crash             the engine exits with a status other than 0, or is ended by a signal
    end of pipe       the engine closes its output, or exits with status 0
    out of turn       the engine sends an answer without a command
    malformed answer  the output is not an answer of the Go Text Protocol
    no start          the program cannot be started
  After a fault, the engine is restarted for the next game. Faults are shown as they happen and are counted in the \
report. An engine may refuse `clear_board`, `time_settings`, `time_left` and `set_option`; this is noted once.
  Engines should exit when their input ends. At the end of a match, and after Ctrl-C, which reports on the games \
played so far, no engine is left running, and no program that it started in its process group. On Linux this includes \
programs that left the process group (unless they cleared their environment), and it holds even if the match itself is \
killed (kill -9). On other systems, an engine that hangs when the match is killed keeps running.

The report
  Elo differences come with a 95 % confidence interval. It is based on pairs of games with the same opening and \
exchanged colours, because such games are not independent; a game without its partner counts only for the score. If \
openings repeat, each counts once, with the mean score of its pairs. With more than two engines, the Elo difference of \
an engine is relative to all its opponents together. LOS is the likelihood of superiority. Results are \
wins-draws-losses. A stone that completes two structures counts for both.

Examples
  Two engines, 1 s per move, side 6, two games at a time:
    malecon match --engine new='malecon gtp' --engine old='./malecon-old gtp' --side 6 --time 1 --concurrency 2
  An engine with its own command for the time per move:
    malecon match --engine malecon='malecon gtp' --engine castro='castro -n' --init 'castro=time -m 1 -g 0' --time 1
  Does a change gain 10 Elo? Stop as soon as the answer is clear:
    malecon match --engine new=… --engine old=… --simulations 1000 --games 20000 --sprt 0,10 --out gain --resume
  A large match in eight parts, and a report on all of them:
    malecon match … --shard 3/8 --out part3
    malecon match --merge part*/games.jsonl";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.watchdog {
        Some(mark) => {
            descendants::watch(mark);
            Ok(())
        }
        None if arguments.merge.is_empty() => run_match(arguments),
        None => merge(arguments),
    }
}

fn clock(text: &str) -> Result<Limit, String> {
    let (main, increment) = text.split_once('+').ok_or("expected MAIN+INC, such as 60+1")?;
    Ok(Limit::Clock { main: positive_seconds(main)?, increment: seconds(increment)? })
}

/// Plays a match and reports on it.
fn run_match(arguments: &Arguments) -> Result<(), Failure> {
    let stop = StopFlag::new();
    let handler = stop.clone();
    let has_engines = Arc::new(AtomicBool::new(false));
    let ends_engines = Arc::clone(&has_engines);
    // Once engines run, the match ends them and prints its report, even after a second signal. Before, it may wait for a
    // file without looking at the flag.
    signals::catch(move |_, status| {
        if handler.is_stopped() && !ends_engines.load(Relaxed) {
            std::process::exit(status);
        }
        handler.stop();
    })?;

    let (mut plan, source) = plan(arguments).map_err(Failure::usage)?;
    let read = if let Source::File(file) = &source { Some(file) } else { None };
    let games = arguments.out.as_ref().map(|directory| directory.join(GAMES));
    check_apart(read, games.iter().chain(&arguments.html).chain(&arguments.transcript))?;
    let new_schedule = if arguments.gauntlet { Schedule::gauntlet } else { Schedule::new };
    let schedule = new_schedule(plan.engines.len(), arguments.games, arguments.shard);
    let (archive, played) = match &arguments.out {
        None => (None, vec![]),
        Some(directory) => {
            let settings = settings(arguments, &plan, &source);
            let (archive, played) = Archive::open(directory, &settings, arguments.resume)?;
            (Some(archive), played)
        }
    };
    plan.transcript =
        arguments.transcript.as_deref().map(|path| Transcript::open(path, arguments.resume)).transpose()?;
    warn_of_concurrency(arguments);
    let title = title(arguments, &plan, &source);
    let done = played_games(&plan, &schedule, &played, &stop)?;
    let page = arguments.html.clone().map(|path| LivePage::new(path, played.clone()));
    let mut progress = Progress::new(&plan, title, arguments.sprt, schedule.count(), &played, page);
    progress.write_page()?;
    if done.len() < schedule.count() && !progress.decided() {
        has_engines.store(true, Relaxed);
        let _watchdog = start_watchdog();
        match check_engines(&plan, &stop) {
            Ok(notes) => notes.iter().for_each(|(engine, note)| progress.note(*engine, note)),
            Err(MatchError::Stopped) => {}
            Err(error) => return Err(error.into()),
        }
        progress.begin(archive, arguments.quiet);
        let remaining = schedule.slots().filter(|slot| !done.contains(&slot.game));
        play_games(&plan, remaining, &stop, |event| progress.event(event))?;
    }
    let interrupted = stop.is_stopped();
    let (report, error) = progress.end(interrupted);
    print_report(arguments, &report)?;
    match error {
        _ if interrupted => Err(Failure::Interrupted(error)),
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// Starts the process that kills the engines if the match cannot do so itself. A match without it works as well.
pub(super) fn start_watchdog() -> Option<Watchdog> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.args(["match", "--watchdog", descendants::match_mark()]);
        Watchdog::start(command)
    });
    started.inspect_err(|error| eprintln!("WARNING: cannot start the watchdog for hung engines: {error}")).ok()
}

/// Warns if engines have to share a core, so that they get less time than they should.
fn warn_of_concurrency(arguments: &Arguments) {
    let cores = std::thread::available_parallelism().map_or(usize::MAX, |cores| cores.get());
    if arguments.simulations.is_none() && usize::from(arguments.concurrency) > cores {
        eprintln!(
            "WARNING: {} games at a time on {cores} cores: the engines get less time than they should",
            arguments.concurrency
        );
    }
}

/// Reports on the games of earlier matches.
fn merge(arguments: &Arguments) -> Result<(), Failure> {
    check_apart(&arguments.merge, &arguments.html)?;
    let mut games: Vec<GameRecord> = Vec::new();
    // The number of games up to the end of each file.
    let mut ends = Vec::new();
    let mut lines = HashSet::new();
    let mut duplicates = 0;
    for path in &arguments.merge {
        let first = games.len();
        for game in lines::read(path)? {
            if lines.insert(serde_json::to_string(&game).expect("a record is JSON")) {
                games.push(game);
            } else {
                duplicates += 1;
            }
        }
        games[first..].sort_by_key(|game| game.game);
        ends.push(games.len());
    }
    if games.is_empty() {
        let files: Vec<String> = arguments.merge.iter().map(|path| path.display().to_string()).collect();
        return Err(format!("{}: no games (expected games.jsonl of a match)", files.join(", ")).into());
    }
    if duplicates > 0 {
        eprintln!("note: ignored {}", count(duplicates, "duplicate game"));
    }
    let mut tally = Tally::default();
    let mut in_order: Vec<&GameRecord> = games.iter().collect();
    in_order.sort_by_key(|game| game.game);
    in_order.into_iter().for_each(|game| tally.add_engines(game));
    let mut first = 0;
    for &end in &ends {
        games[first..end].iter().for_each(|game| tally.add(game));
        tally.end_run();
        first = end;
    }
    check_sprt(arguments, tally.engines.len())?;
    let sides: Vec<String> = tally.sides.iter().map(usize::to_string).collect();
    let title = format!("Side {}, from {}", sides.join(", "), count(arguments.merge.len(), "file"));
    let report = MatchReport::new(title, &tally, None, false, arguments.sprt);
    if let Some(path) = &arguments.html {
        LivePage::of_runs(path.clone(), games, ends).write(&report, false)?;
    }
    print_report(arguments, &report)
}

/// Checks that a sequential test is only asked about two engines.
fn check_sprt(arguments: &Arguments, engines: usize) -> Result<(), String> {
    if arguments.sprt.is_some() && engines > 2 {
        return Err("--sprt compares two engines and cannot be used with more".into());
    }
    Ok(())
}

fn print_report(arguments: &Arguments, report: &MatchReport) -> Result<(), Failure> {
    if arguments.json {
        return print_data(&(serde_json::to_string_pretty(report).expect("a report is JSON") + "\n"));
    }
    print(&report.to_string())
}

/// The plan of the match, and the source of its openings.
fn plan(arguments: &Arguments) -> Result<(Match, Source), String> {
    let engines = engines(arguments)?;
    check_sprt(arguments, engines.len())?;
    if arguments.sprt.is_some() && arguments.shard != Shard::WHOLE {
        return Err("--sprt needs the whole match and cannot be used with --shard".into());
    }
    let geometry = Geometry::with_side(arguments.side).map_err(|e| e.to_string())?;
    let pairs = arguments.games.div_ceil(2);
    let source = arguments.openings.clone().unwrap_or_else(|| {
        if arguments.swap { Source::None } else { Source::Random(plies_needed(geometry, 2, pairs)) }
    });
    let openings = Openings::new(&source, geometry, pairs, arguments.seed)?;
    let has_second_move = matches!(source, Source::Random(2..)) || openings.longest().is_some_and(|stones| stones > 1);
    if arguments.swap && has_second_move {
        return Err(format!(
            "--swap cannot be used with openings {source}, because only the second move may be a swap"
        ));
    }
    let distinct = openings.distinct(geometry).filter(|&distinct| source != Source::None && distinct < pairs);
    if let Some(distinct) = distinct {
        eprintln!(
            "warning: {} for {pairs} pairs of games: pairs from the same opening are not independent, so the intervals \
             count each opening once",
            count(distinct, "distinct opening")
        );
    }
    let limit = match (arguments.time, arguments.simulations, arguments.clock) {
        (Some(time), ..) => Limit::Move(time),
        (_, Some(count), _) => Limit::Simulations(count),
        (.., Some(clock)) => clock,
        _ => Limit::Own,
    };
    if arguments.adjudicate.is_some() && !has_solver(geometry) {
        return Err(SolverError::TooLarge(geometry.shape()).to_string());
    }
    let Arguments { margin, silence, swap, adjudicate, .. } = *arguments;
    let rules = Rules { geometry, limit, margin, silence, swap, adjudicate };
    let concurrency = usize::from(arguments.concurrency);
    Ok((Match { engines, rules, openings, concurrency, restart: arguments.restart, transcript: None }, source))
}

/// The engines with their set-up commands.
fn engines(arguments: &Arguments) -> Result<Vec<EngineSpec>, String> {
    let mut engines = arguments.engines.clone();
    if engines.len() < 2 {
        return Err("a match needs two engines: --engine NAME=CMD --engine NAME=CMD".into());
    }
    for (i, engine) in engines.iter().enumerate() {
        if engines[..i].iter().any(|other| other.name == engine.name) {
            return Err(format!("two engines are named '{}'", engine.name));
        }
    }
    for text in &arguments.init {
        let (name, command) =
            split_name(text).ok_or_else(|| format!("invalid value '{text}' for --init (expected NAME=GTP-COMMAND)"))?;
        let engine = engines.iter_mut().find(|engine| engine.name == name);
        let engine = engine.ok_or_else(|| format!("--init '{text}': no engine is named '{name}'"))?;
        if command.is_empty() {
            return Err(format!("--init '{text}': the command is missing"));
        }
        engine.init.push(command.to_owned());
    }
    Ok(engines)
}

/// The settings that must not change when a match is resumed. The number of games may grow, and the number of games at
/// a time does not matter.
fn settings(arguments: &Arguments, plan: &Match, source: &Source) -> serde_json::Value {
    let file = plan.openings.to_text(plan.rules.geometry).filter(|_| *source != Source::None);
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
        "adjudicate": arguments.adjudicate.map(|time| time.as_secs_f64()),
        "gauntlet": arguments.gauntlet.then_some(true),
        "shard": arguments.shard.to_string(),
        "sprt": arguments.sprt,
    })
}

/// A description of the match.
fn title(arguments: &Arguments, plan: &Match, source: &Source) -> String {
    let mut title = format!("Side {}, {}, openings {source}", arguments.side, plan.rules.limit);
    if matches!(source, Source::Random(_) | Source::Balanced) {
        title += &format!(" (seed {})", arguments.seed);
    }
    if arguments.gauntlet {
        title += ", gauntlet";
    }
    if arguments.swap {
        title += ", pie rule";
    }
    if let Some(time) = arguments.adjudicate {
        title += &format!(", adjudicated after {} s", time.as_secs_f64());
    }
    if arguments.shard != Shard::WHOLE {
        title += &format!(", shard {}", arguments.shard);
    }
    title
}
