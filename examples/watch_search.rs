//! Watches a search while it runs beside the caller, and stops it after some seconds.
//!
//! `cargo run --release --example watch_search [SECONDS]`

use std::error::Error;
use std::time::{Duration, Instant};

use malecon::engine::search::Limits;
use malecon::engine::session::{Event, Session};
use malecon::game::Notation;

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(1.0), |word| word.parse())?;
    let patience = Duration::try_from_secs_f64(seconds)?;
    let mut session = Session::on_side(8)?;
    let board = session.game().geometry();

    // Without limits the search runs until it is stopped. The session stays free for other calls meanwhile.
    let mut thinking = session.think(session.game().to_move(), &Limits::default())?;
    let start = Instant::now();
    while let Some(event) = thinking.next_event() {
        let (state, analysis) = match event {
            Event::Progress(analysis) => ("so far", analysis),
            Event::Finished(analysis) => ("at the end", analysis?),
        };
        let report = &analysis.report;
        println!(
            "{state}: {} with {:.1} % after {} simulations",
            Notation::HavannahGui.name(board, report.best),
            100.0 * report.win_rate,
            report.simulations
        );
        if start.elapsed() >= patience {
            thinking.stop();
        }
    }
    Ok(())
}
