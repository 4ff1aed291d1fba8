//! Searches a position and prints the most visited moves, with visits, chance of winning and best line.
//!
//! `cargo run --release --example search_position [SIDE [MOVE...]]`, by default on side 6 after `f6 e4`.

use std::error::Error;

use malecon::{Notation, Session};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let side = words.next().map_or(Ok(6), |word| word.parse())?;
    let mut moves: Vec<String> = words.collect();
    if moves.is_empty() && side == 6 {
        moves = vec!["f6".into(), "e4".into()];
    }

    let mut session = Session::on_side(side)?;
    let board = session.game().geometry();
    for name in &moves {
        session.play(name.as_str())?;
    }

    let analysis = session.search().simulations(2000).run()?;
    let report = &analysis.report;
    let name = |v| Notation::HavannahGui.name(board, v);
    println!("{} to move, chance of winning {:.1} %", analysis.to_move, 100.0 * report.win_rate);
    let mut moves: Vec<_> = report.moves.iter().filter(|m| m.visits > 0).collect();
    moves.sort_by_key(|m| std::cmp::Reverse(m.visits));
    for m in moves.iter().take(5) {
        println!("{:>4} {:>6} visits, {:?}", name(m.vertex), m.visits, m.win_rate);
    }
    let line: Vec<String> = report.pv.iter().map(|&v| name(v)).collect();
    println!("best line: {}", line.join(" "));
    Ok(())
}
