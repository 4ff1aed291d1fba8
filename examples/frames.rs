//! Measures frames.
//!
//! * `cargo run --release --example frames FILE [SIDE]`: in the positions of recorded games in which somebody resigned,
//!   how often the winner's frame is ahead, and how often the loser's. `--list` prints a line for each game.
//! * `cargo run --release --example frames -- --claim SIDE COUNT`: in random positions of a small board, how often the
//!   solver agrees with who is ahead. Without arguments: in 100 positions of side 3.
//! * `cargo run --release --example frames -- --solver FILE SIDE`: in positions that follow from those of a file by
//!   random moves, how many nodes of the solver a proven race would spare. The file is such as `tests/data/hard.jsonl`.
//! * `cargo run --release --example frames -- --numbers FILE`: a line of numbers in CSV for seven positions of each
//!   recorded game of sides 6, 8 and 10: the network's value, the race, widths and edge frames, and who won.
//! * `cargo run --release --example frames -- --picture FILE NUMBER MOVES`: a picture of the frames in a game of a
//!   file, after this many moves.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

use malecon::analysis::prediction::predict;
use malecon::board::{Color, Game, Geometry, Mark, Notation, Picture};
use malecon::frames::{Basis, Edge, Race, edge_frames, frames};
use malecon::nn::Networks;
use malecon::record::{How, Record, read};
use malecon::session::Move;
use malecon::solver::{Solution, Solver};
use malecon::training::metrics::TestGame;
use rand::rngs::SmallRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

/// Games with fewer stones are left out: nobody resigns so early for what is on the board.
const FEWEST_STONES: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let has = |name: &str| flags.iter().any(|flag| flag == name);
    let argument = |i: usize| arguments.get(i).ok_or("an argument is missing (see the comment of this example)");
    if flags.is_empty() && arguments.is_empty() {
        return claim(3, 100);
    }
    if has("--claim") {
        return claim(argument(0)?.parse()?, argument(1)?.parse()?);
    }
    if has("--solver") {
        return spared_by_race(argument(0)?, argument(1)?.parse()?);
    }
    if has("--numbers") {
        return numbers(argument(0)?);
    }
    if has("--picture") {
        return picture(argument(0)?, argument(1)?.parse()?, argument(2)?.parse()?);
    }
    let path = argument(0)?;
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
            if has("--list") {
                println!("game {number}: {line}");
            }
        }
        println!("{}", count.report(side));
    }
    Ok(())
}

/// Compares the race with the solver in random positions.
fn claim(side: usize, positions: usize) -> Result<(), Box<dyn Error>> {
    let geometry = Geometry::of(side)?;
    let mut rng = SmallRng::seed_from_u64(side as u64);
    let mut solver = Solver::new(geometry, 1 << 26).ok_or("the board is too large for the solver")?;
    let mut kinds: BTreeMap<&str, Agreement> = BTreeMap::new();
    let mut solved = 0;
    while solved < positions {
        let game = random_game(geometry, &mut rng);
        let Some(solution) = solver.solve(game.position(), game.to_move(), 200_000) else { continue };
        solved += 1;
        let winner = match solution {
            Solution::Win(_) => Some(game.to_move()),
            Solution::Loss => Some(!game.to_move()),
            Solution::Draw => None,
        };
        let race = Race::new(game.position(), game.to_move());
        if let Some((leader, basis)) = race.leader {
            let kind = match basis {
                Basis::Threats => "Race, by threats",
                Basis::Stones => "Race, by stones",
                Basis::Widths => "Race, by widths",
            };
            kinds.entry(kind).or_default().add(leader, winner, &game);
        }
        if let Some((kind, leader)) = lowest(&race) {
            kinds.entry(kind).or_default().add(leader, winner, &game);
        }
    }
    println!("side {side}, {solved} positions");
    for (kind, agreement) in kinds {
        let Agreement { right, wrong, examples } = agreement;
        println!("  {kind}: {right} right, {wrong} wrong");
        examples.iter().for_each(|example| println!("    {example}"));
    }
    Ok(())
}

/// Whom the claim about the lowest n says to win, if n is the width of the tightest full frame.
fn lowest(race: &Race) -> Option<(&'static str, Color)> {
    let width = |color| race.tightest(color).map_or(usize::MAX, |frame| frame.width);
    let (own, other) = (width(race.to_move), width(!race.to_move));
    let kind = match (race.tightest(race.to_move), race.tightest(!race.to_move)) {
        (None, None) => return None,
        (Some(a), Some(b)) if a.carrier.iter().any(|v| b.carrier.contains(v)) => "Claim, carriers intersect",
        (Some(_), Some(_)) => "Claim, carriers are disjoint",
        _ => "Claim, one player has a frame",
    };
    Some((kind, if own <= other { race.to_move } else { !race.to_move }))
}

#[derive(Default)]
struct Agreement {
    right: usize,
    wrong: usize,
    examples: Vec<String>,
}

impl Agreement {
    fn add(&mut self, leader: Color, winner: Option<Color>, game: &Game) {
        if winner == Some(leader) {
            self.right += 1;
            return;
        }
        self.wrong += 1;
        if self.examples.len() < 3 {
            let names = game.stones().map(|(_, v)| Notation::HavannahGui.name(game.geometry(), v));
            self.examples.push(format!("{}: not {leader}", names.collect::<Vec<_>>().join(" ")));
        }
    }
}

/// A game of random moves that is not over.
fn random_game(geometry: &'static Geometry, rng: &mut SmallRng) -> Game {
    loop {
        let mut game = Game::new(geometry);
        let stones = rng.random_range(geometry.vertex_count() / 5..geometry.vertex_count() * 3 / 4);
        while game.outcome().is_none() && game.stone_count() < stones {
            let v = game.position().empty_vertices().choose(rng).expect("the board is not full");
            game.play(v).expect("the vertex is empty");
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

/// Looks at races in positions after some random moves, and at what the solver needs for those that are proven.
fn spared_by_race(path: &str, side: usize) -> Result<(), Box<dyn Error>> {
    let geometry = Geometry::of(side)?;
    let records = read(&std::fs::read(path)?, None)?;
    let mut rng = SmallRng::seed_from_u64(1);
    let mut solver = Solver::new(geometry, 1 << 26).ok_or("the board is too large for the solver")?;
    for moves in [0, 1, 2, 3, 4, 6] {
        let mut looked = 0;
        // By threats and by stones.
        let mut nodes: [Vec<u64>; 2] = Default::default();
        for record in records.iter().filter(|record| record.board().side() == side) {
            for _ in 0..if moves == 0 { 1 } else { 20 } {
                let mut game = position(record, usize::MAX).ok_or("the moves of a game are not legal")?;
                for _ in 0..moves {
                    if game.outcome().is_none() {
                        game.play(game.position().empty_vertices().choose(&mut rng).expect("the board is not full"))?;
                    }
                }
                if game.outcome().is_some() {
                    continue;
                }
                looked += 1;
                let race = Race::new(game.position(), game.to_move());
                let Some((_, basis)) = race.leader.filter(|(_, basis)| basis.is_proof()) else { continue };
                let before = solver.nodes();
                solver.clear();
                solver.solve(game.position(), game.to_move(), 3_000_000);
                nodes[usize::from(basis == Basis::Stones)].push(solver.nodes() - before);
            }
        }
        nodes.iter_mut().for_each(|list| list.sort_unstable());
        let [threats, stones] = nodes.each_ref().map(|list| match list.get(list.len() / 2) {
            Some(median) => format!("{} (median of nodes {median})", list.len()),
            None => "0".into(),
        });
        let mean = nodes.iter().flatten().sum::<u64>() as f64 / f64::from(looked.max(1));
        println!(
            "side {side}, {moves} moves: {looked} positions, by threats {threats}, by stones {stones}, \
             {mean:.1} nodes spared on average"
        );
    }
    Ok(())
}

/// Prints what the network and the frames say of positions of recorded games, for the player to move.
fn numbers(path: &str) -> Result<(), Box<dyn Error>> {
    println!(
        "game,side,held_out,stones,of,value,won,leader,basis,own,other,own_full,other_full,own_z,own_w,other_z,other_w"
    );
    for (number, record) in (1..).zip(&read(&std::fs::read(path)?, None)?) {
        let side = record.board().side();
        let (Ok(test), true) = (TestGame::try_from(record), [6, 8, 10].contains(&side)) else { continue };
        let Some(winner) = record.result().and_then(|result| result.winner) else { continue };
        let count = record.moves().len();
        for tenths in [3, 5, 6, 7, 8, 9, 10] {
            let Some(game) = position(record, count * tenths / 10).filter(|game| game.outcome().is_none()) else {
                continue;
            };
            let color = game.to_move();
            let value = predict(&game, &Networks::Builtin).win;
            let race = Race::new(game.position(), color);
            let (leader, basis) = match race.leader {
                Some((leader, basis)) => (if leader == color { 1 } else { -1 }, basis.name()),
                None => (0, "none"),
            };
            let [own, other] = [color, !color].map(|color| race.frames[color.index()].first().map_or(0, |f| f.width));
            let full = [color, !color].map(|color| u8::from(race.tightest(color).is_some()));
            let [near, far] = [color, !color].map(|color| nearest_sides(&game, color));
            println!(
                "{number},{side},{},{},{count},{value:.5},{},{leader},{basis},{own},{other},{},{},{},{},{},{}",
                u8::from(test.is_held_out()),
                game.stone_count(),
                u8::from(winner == color),
                full[0],
                full[1],
                near.0,
                near.1,
                far.0,
                far.1
            );
        }
    }
    Ok(())
}

/// The sum of the negative z, and of w, of the three nearest sides.
fn nearest_sides(game: &Game, color: Color) -> (i32, usize) {
    let Some(edges) = edge_frames(game.position(), color) else { return (-20, 0) };
    let mut numbers = edges.sides.each_ref().map(|edge| match edge {
        Edge::Reached => (0, 0),
        Edge::Frame(frame) => (-frame.z.min(0), frame.width),
        Edge::Unknown => (8, 0),
    });
    numbers.sort_unstable();
    numbers[..3].iter().fold((0, 0), |(z, w), near| (z - near.0, w + near.1))
}

/// Draws the tightest frames of both colours: W and B on their carriers, X where both need the vertex, and circles on
/// the stones that they connect.
fn picture(path: &str, number: usize, moves: usize) -> Result<(), Box<dyn Error>> {
    let records = read(&std::fs::read(path)?, None)?;
    let record = number.checked_sub(1).and_then(|i| records.get(i)).ok_or("there is no game of this number")?;
    let game = position(record, moves).ok_or("the moves of the game are not legal")?;
    let race = Race::new(game.position(), game.to_move());
    let mut drawing = Picture::of(&game, Notation::HavannahGui);
    for color in Color::ALL {
        let Some(frame) = race.tightest(color) else { continue };
        let other = race.tightest(!color).map_or(&[][..], |frame| &frame.carrier);
        for &v in &frame.carrier {
            let letter = if other.contains(&v) { "X" } else { &color.to_string()[..1].to_uppercase() };
            drawing = drawing.mark(v, Mark::Label(letter.to_owned()));
        }
        for v in frame.stones(game.position(), color) {
            drawing = drawing.mark(v, Mark::Circle);
        }
    }
    println!("{drawing}");
    eprintln!("{race}");
    Ok(())
}

/// The position of a game after this many moves, or fewer if it has fewer.
fn position(record: &Record, moves: usize) -> Option<Game> {
    let mut game = Game::new(record.board());
    for (color, m) in record.moves().into_iter().take(moves) {
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
    Some(game)
}

/// The last position of a game that ended by resignation, and its winner.
fn resignation(record: &Record) -> Option<(Game, Color)> {
    let result = record.result().filter(|result| result.how == How::Resignation)?;
    let game = position(record, usize::MAX)?;
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
