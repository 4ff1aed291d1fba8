//! `malecon bench`: measure the engine's speed and compare it with the paper's figures.

use std::fmt::{self, Write};
use std::time::Duration;

use clap::Args;
use malecon::engine::playout::paper::{Rings, SamplerKind};
use malecon::game::Geometry;
use malecon::tools::bench::{self, BenchPlan, Figures, ThreadFigures};
use serde::Serialize;

use super::bar::Bar;
use super::failure::Failure;
use super::output::print;
use super::parse::{side, whole, word};

/// Options of `malecon bench`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board, 2 to 13 [default: 4, 6, 8 and 10, as in the paper; 8 with --json]
    #[arg(long, value_name = "N", value_parser = side)]
    side: Option<usize>,
    /// Seconds to spend on each row
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Measure with 1, 2, 4 and so on up to N threads, and print what they do together in a second
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1, 256))]
    threads: Option<u16>,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
    /// Data structure from which the paper's weighted playouts draw their moves: sum-tree (the paper's) or block-sums
    #[arg(long, value_name = "SAMPLER", default_value = "sum-tree", value_parser = word::<SamplerKind>)]
    sampler: SamplerKind,
    /// When the paper's rows look for rings: offline (after the playout, as in the paper) or online (with every move)
    #[arg(long, value_name = "WHEN", default_value = "offline", value_parser = word::<Rings>)]
    rings: Rings,
    /// Print one number that changes if the engine behaves differently, and measure nothing
    #[arg(long, conflicts_with_all = ["side", "seconds", "threads", "json", "sampler", "rings"])]
    signature: bool,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
The first five rows are those of the table in section 9 of Könnecke & Waldmann, Efficient Playouts \
for the Havannah Abstract Board Game, next to the paper's figures, played as the preset paper plays \
them. All rows are measured from the empty board, in one thread unless --threads is given.

Examples:
  malecon bench
      Sides 4, 6, 8 and 10, in half a minute.
  malecon bench --side 8 --seconds 10 --json
      A more precise measurement, for processing by a program.
  malecon bench --side 8 --threads 16
      Playouts, simulations and positions of the solver per second, with 1, 2, 4, 8 and 16 threads.
  malecon bench --signature
      Check whether a change has made the engine behave differently.
";

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=86400.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds from 0.001 to 86400".into()),
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.signature {
        return print(&format!("{}\n", bench::signature()?));
    }
    let default = if arguments.json { vec![8] } else { vec![4, 6, 8, 10] };
    let sides = arguments.side.map_or(default, |side| vec![side]);
    let boards: Vec<&Geometry> =
        sides.into_iter().map(Geometry::with_side).collect::<Result<_, _>>().map_err(Failure::usage)?;
    let measurements = arguments.threads.map_or(bench::ROWS, |most| bench::thread_measurements(most.into()));
    let bar = Bar::new((boards.len() * measurements) as u64, "measurements");
    for geometry in boards {
        let time = Duration::from_secs_f64(arguments.seconds);
        let plan = BenchPlan { geometry, time, sampler: arguments.sampler, rings: arguments.rings };
        let begin = |what: &str| {
            bar.set_message(&format!("side {}: {what}", geometry.side()));
            bar.inc(1);
        };
        let text = match arguments.threads {
            Some(most) => {
                let begin = |row: &str, threads: usize| begin(&format!("{row}, threads: {threads}"));
                let figures = bench::measure_threads(&plan, most.into(), begin)?;
                show(&figures, arguments.json, thread_table)
            }
            None => show(&bench::measure(&plan, begin)?, arguments.json, table),
        };
        bar.print(&text)?;
    }
    Ok(())
}

/// The figures as a JSON object or as a table.
fn show<F: Serialize>(figures: &F, json: bool, table: fn(&F) -> Result<String, fmt::Error>) -> String {
    if json {
        serde_json::to_string(figures).expect("figures can be serialized") + "\n"
    } else {
        table(figures).expect("a string takes any text")
    }
}

/// The figures by threads as a table. The figures of several threads are followed by their ratio to those of one
/// thread.
fn thread_table(figures: &ThreadFigures) -> Result<String, fmt::Error> {
    let mut text = String::new();
    let heads = figures.threads.iter().map(|threads| format!("{threads:>14}        "));
    writeln!(
        text,
        "side {:<53}{}",
        format!("{}, in a second, by threads", figures.side),
        heads.collect::<String>().trim_end()
    )?;
    for row in &figures.rows {
        let one = row.per_second[0];
        let cells = row.per_second.iter().enumerate().map(|(i, &rate)| {
            let ratio = rate.zip(one).filter(|_| i > 0).map(|(rate, one)| format!("{:.2}×", rate / one));
            let rate = rate.map_or("–".to_owned(), |rate| format!("{rate:.0}"));
            format!("  {rate:>12} {:<7}", ratio.unwrap_or_default())
        });
        writeln!(text, "  {:<56}{}", row.name, cells.collect::<String>().trim_end())?;
    }
    writeln!(text)?;
    Ok(text)
}

/// The figures as a table.
fn table(figures: &Figures) -> Result<String, fmt::Error> {
    let mut text = String::new();
    writeln!(text, "side {:<52} {:>10} {:>10} {:>8}", figures.side, "µs/playout", "paper", "ratio")?;
    for row in &figures.rows {
        let (paper, ratio) = match row.paper_us {
            Some(paper) => (format!("{paper:.0}"), format!("{:.0}", paper / row.us_per_playout)),
            None => Default::default(),
        };
        writeln!(text, "  {:<55} {:>10.3} {paper:>10} {ratio:>8}", row.name, row.us_per_playout)?;
    }
    let engine = &figures.engine;
    writeln!(text, "  {:<55} {:>10.3}", "random playout until the first win", 1e6 / engine.playouts_per_s)?;
    writeln!(
        text,
        "    {:.0} playouts/s, {:.2} ns/move, {:.2} moves/playout",
        engine.playouts_per_s, engine.ns_per_move, engine.mean_length
    )?;
    let [bridge, fork, ring, draw] =
        [engine.endings.bridge, engine.endings.fork, engine.endings.ring, engine.endings.draw]
            .map(|share| 100.0 * share);
    writeln!(text, "    bridge {bridge:.1} %, fork {fork:.1} %, ring {ring:.1} %, draw {draw:.2} %")?;
    for (name, search) in [("plain", &figures.search), ("default", &figures.search_default)] {
        match search.simulations_per_s {
            Some(rate) => writeln!(text, "  search, {name} settings: {rate:.0} simulations/s")?,
            None => writeln!(text, "  search, {name} settings: solved before the first simulation")?,
        }
    }
    writeln!(text)?;
    Ok(text)
}
