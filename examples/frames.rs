//! Measures the frames in the positions of recorded games in which somebody resigned: how often the winner's frame is
//! ahead, and how often the loser's.
//!
//! `cargo run --release --example frames FILE [SIDE]`; `--list` prints a line for each game.

use std::error::Error;
use std::time::{Duration, Instant};

use malecon::board::{Color, Game, Notation};
use malecon::frames::{Basis, Race, frames};
use malecon::record::{How, Record, read};
use malecon::session::Move;

/// Games with fewer stones are left out: nobody resigns so early for what is on the board.
const FEWEST_STONES: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let path = arguments.first().ok_or("expected a file with recorded games")?;
    let sides = match arguments.get(1) {
        Some(side) => vec![side.parse()?],
        None => vec![8, 10],
    };
    let records = read(&std::fs::read(path)?, None)?;
    for side in sides {
        let mut count = Count::default();
        for (number, record) in (1..).zip(&records).filter(|(_, record)| record.board().side() == side) {
            let Some((game, winner)) = resignation(record) else { continue };
            let line = count.add(&game, winner);
            if flags.iter().any(|flag| flag == "--list") {
                println!("game {number}: {line}");
            }
        }
        println!("{}", count.report(side));
    }
    Ok(())
}

/// The last position of a game that ended by resignation, and its winner.
fn resignation(record: &Record) -> Option<(Game, Color)> {
    let result = record.result().filter(|result| result.how == How::Resignation)?;
    let mut game = Game::new(record.board());
    for (color, m) in record.moves() {
        match m {
            Move::Place(v) => _ = game.place(color, v).ok()?,
            Move::Swap => {
                game.allow_swap(true);
                game.swap().ok()?;
                game.allow_swap(false);
            }
            _ => {}
        }
    }
    let counts = game.stone_count() >= FEWEST_STONES && game.outcome().is_none();
    counts.then_some((game, result.winner?))
}

#[derive(Default)]
struct Count {
    games: usize,
    /// Games in which the winner is ahead: by threats, by stones, by widths.
    winner: [usize; 3],
    loser: [usize; 3],
    /// The winner is ahead and has a full frame.
    winner_has_frame: usize,
    loser_has_frame: usize,
    time: Duration,
}

impl Count {
    fn add(&mut self, game: &Game, winner: Color) -> String {
        let start = Instant::now();
        Color::ALL.into_iter().for_each(|color| _ = frames(game.position(), color));
        self.time += start.elapsed();
        let race = Race::new(game.position(), game.to_move());
        self.games += 1;
        if let Some((leader, basis)) = race.leader {
            let has_frame = race.tightest(leader).is_some();
            let (by, with_frame) = match leader == winner {
                true => (&mut self.winner, &mut self.winner_has_frame),
                false => (&mut self.loser, &mut self.loser_has_frame),
            };
            by[basis as usize] += 1;
            *with_frame += usize::from(has_frame);
        }
        let width = |color| race.tightest(color).map_or("-".into(), |f| format!("{} {}", f.width, f.structures));
        let leader = race.leader.map_or("open".into(), |(color, basis)| {
            format!("{} ahead by {}", if color == winner { "winner" } else { "loser" }, basis.name())
        });
        let mover = if game.to_move() == winner { "winner" } else { "loser" };
        let last = game.last_stone().map(|v| Notation::HavannahGui.name(game.geometry(), v)).unwrap_or_default();
        format!(
            "{} stones, last {last}, {mover} to move, winner {}, loser {}: {leader}",
            game.stone_count(),
            width(winner),
            width(!winner)
        )
    }

    fn report(&self, side: usize) -> String {
        let percent = |count: usize| 100.0 * count as f64 / self.games.max(1) as f64;
        let line = |name, by: &[usize; 3], with_frame| {
            let [threats, stones, widths] = [Basis::Threats, Basis::Stones, Basis::Widths].map(|b| by[b as usize]);
            let all = threats + stones + widths;
            format!(
                "  {name} ahead: {all} ({:.1} %), by threats {threats}, by stones {stones}, by widths {widths}; \
                 with a full frame {with_frame} ({:.1} %)",
                percent(all),
                percent(with_frame)
            )
        };
        format!(
            "side {side}, {} games\n{}\n{}\n  {:.2} ms for the frames of a position",
            self.games,
            line("winner", &self.winner, self.winner_has_frame),
            line("loser", &self.loser, self.loser_has_frame),
            1000.0 * self.time.as_secs_f64() / self.games.max(1) as f64
        )
    }
}
