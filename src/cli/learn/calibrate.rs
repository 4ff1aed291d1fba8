//! `malecon learn calibrate`: whether the chances shown to users are true, and a new table to make them so.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use malecon::base::files::{in_file, replace};
use malecon::base::lines::{self, LineFile};
use malecon::engine::session::chance::Scale;
use malecon::game::Geometry;
use malecon::tools::learn::calibration::{Calibration, CalibrationPlan, PlayedPosition, TABLE_HEAD};
use malecon::tools::learn::{SelfPlayPlan, Sides};

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::files::check_apart;
use crate::cli::load_networks;
use crate::cli::output::print;
use crate::cli::parse::{at_least, side};

use super::lines::write_lines;
use super::{SearchArguments, diagram, read_human, search_options};

/// Simulations of the searches in games of self-play, whose positions are drawn.
const SELF_PLAY: u64 = 40;

/// Options of `malecon learn calibrate`.
#[derive(Args)]
pub struct Arguments {
    /// The file for the positions, one per line
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Continue with the positions in the file of --out
    #[arg(long)]
    resume: bool,
    /// Side lengths
    #[arg(long, value_name = "SIDES", value_delimiter = ',', value_parser = side, default_value = "4,5,6,7,8,9,10")]
    sides: Vec<usize>,
    /// Positions of each side length
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = at_least::<u64>(0))]
    positions: u64,
    /// Simulations of the search whose value is compared
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = at_least::<u64>(1))]
    simulations: u64,
    /// Simulations of a move when the engine plays on from a position
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least::<u64>(1))]
    playing: u64,
    /// Files of human games, in any format that 'malecon sgf' reads: half of the positions are from them, on the boards
    /// that they are played on
    #[arg(long, value_name = "FILE", num_args = 1..)]
    human: Vec<PathBuf>,
    /// Write the new table of scales to this file
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Draw reliability diagrams to this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    common: SearchArguments,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Each position is searched; then the engine plays on from it against itself. For each side length a line is printed: \
the positions, and how many of them the search proved. For the others follow log loss and slope of the values of the \
search, of the chances that the program shows, and of a new fit, judged on positions that it has not seen. A slope \
above 1 means that the chances are too close to one half. Last, of the positions in ten groups by their chance, the \
greatest difference between the mean chance and the share of games won, in percentage points.

Examples:
  malecon learn calibrate --human games.jsonl --threads 2 --out positions.jsonl --resume
      Run it again after an interruption: no position is lost or played twice.
  malecon learn calibrate --positions 0 --out positions.jsonl --resume --table chance.txt --svg chance.svg
      Fit the positions of the file without playing more.
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_apart(
        arguments.human.iter().chain(&arguments.common.network),
        [&arguments.out].into_iter().chain(&arguments.table).chain(&arguments.svg),
    )?;
    let mut positions = play(arguments)?;
    positions.sort_by_key(|position| (position.side, position.number));
    let mut boards = Vec::new();
    for positions in positions.chunk_by(|a, b| a.side == b.side) {
        match Calibration::from_positions(positions) {
            Some(board) => boards.push(board),
            None => eprintln!(
                "note: left out side {}: it has fewer than {} positions that are not proven",
                positions[0].side,
                Calibration::LEAST
            ),
        }
    }
    if boards.is_empty() {
        return Err("there is no board with enough positions; you can add some with --positions and --resume".into());
    }
    let lines: String = boards.iter().map(|board| format!("{board}\n")).collect();
    print(&format!("{TABLE_HEAD}\n{lines}"))?;
    if let Some(path) = &arguments.table {
        replace(path, table(&boards).as_bytes()).map_err(in_file(path))?;
    }
    if let Some(path) = &arguments.svg {
        replace(path, diagram::reliability(&boards).as_bytes()).map_err(in_file(path))?;
    }
    Ok(())
}

/// The table of scales.
fn table(boards: &[Calibration]) -> String {
    let mut text = concat!(
        "# What the logarithm of the odds is multiplied by, from the value of a search to the chance of winning, by side ",
        "length.\n# Fitted by malecon learn calibrate.\n"
    )
    .to_owned();
    for Calibration { fit: Scale { side, slope }, .. } in boards {
        let _ = writeln!(text, "{side} {slope:.2}");
    }
    text
}

/// Plays the positions that are missing. Returns all.
fn play(arguments: &Arguments) -> Result<Vec<PlayedPosition>, Failure> {
    let (file, saved) = LineFile::open::<PlayedPosition>(&arguments.out, arguments.resume)?;
    let plan = CalibrationPlan {
        games: SelfPlayPlan {
            sides: Sides::default(),
            simulations: SELF_PLAY,
            short: SELF_PLAY,
            options: search_options(&arguments.common.set)?,
            networks: load_networks(arguments.common.network.as_deref())?,
            human: Vec::new(),
        },
        human: read_human(&arguments.human)?,
        simulations: arguments.simulations,
        playing: arguments.playing,
        seed: arguments.common.run.seed,
    };
    let settings = plan.settings();
    if arguments.positions > 0 && saved.iter().any(|position| position.settings != settings) {
        return Err(format!(
            "cannot resume {}: it has positions of another seed or network, or with other settings (--simulations, \
             --playing, --human or --set)",
            arguments.out.display()
        )
        .into());
    }
    let played: HashSet<(usize, u64)> = saved.iter().map(|position| (position.side, position.number)).collect();
    let sides: BTreeSet<usize> = arguments.sides.iter().copied().collect();
    // The boards take turns, so that an interrupted run has positions of each.
    let wanted = (0..arguments.positions).flat_map(|number| sides.iter().map(move |&side| (side, number)));
    let missing = wanted.filter(|wanted| !played.contains(wanted));
    let wanted_before = |&&(side, number): &&(usize, u64)| sides.contains(&side) && number < arguments.positions;
    let done = played.iter().filter(wanted_before).count() as u64;
    let count = arguments.positions.saturating_mul(sides.len() as u64).saturating_sub(done);
    write_lines(file, missing, Bar::new(count, "positions"), arguments.common.run.threads, |(side, number)| {
        Ok([plan.play(Geometry::with_side(side).expect("the side was checked"), number)?])
    })?;
    Ok(lines::read(&arguments.out)?)
}
