//! Annotates a recorded game: searches the position after each move and adds the chance of winning as a comment. Prints
//! the record as SGF.
//!
//! `cargo run --release --example annotate_record [FILE]`, by default a short game on side 4.

use std::error::Error;

use malecon::engine::session::{EngineOptions, Session};
use malecon::game::record::{Format, Record, read, write};

const GAME: &str = "(;FF[4]SZ[4]PW[Ada]PB[Blaise];W[d4];B[c3];W[e5];B[c4];W[d5];B[b2])";

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => GAME.into(),
    };
    let mut record = read(&bytes, None)?.into_iter().next().ok_or("there is no game in the file")?;
    annotate(&mut record)?;
    print!("{}", write(&[record], Format::Sgf));
    Ok(())
}

fn annotate(record: &mut Record) -> Result<(), Box<dyn Error>> {
    let mut options = EngineOptions::default();
    options.session.swap = true;
    let mut session = Session::new(record.board(), options);
    let nodes: Vec<_> = record.main_line().filter(|&id| record.node(id).play.is_some()).collect();
    let moves = record.moves();
    let set_up = moves.len() - nodes.len();
    for (i, &(color, m)) in moves.iter().enumerate() {
        session.play_as(color, m)?;
        if i < set_up || session.game().is_over() {
            continue;
        }
        let analysis = session.search().simulations(200).run()?;
        let chance = 100.0 * analysis.report.win_rate;
        record.node_mut(nodes[i - set_up]).add_comment(&format!("{} wins with {chance:.0} %", analysis.to_move));
    }
    Ok(())
}
