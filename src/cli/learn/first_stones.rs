//! `malecon learn first-stones`: the table of first stones for the pie rule.

use std::path::{Path, PathBuf};

use clap::Args;
use malecon::base::encoding;
use malecon::base::files::{self, in_file};
use malecon::base::lines;
use malecon::base::sync;
use malecon::engine::session::first_stones::{FirstStones, StoneScore, classes, images};
use malecon::game::{Color, Geometry, Notation, Vertex};
use malecon::tools::arena::record::GameRecord;
use malecon::tools::learn::{SearchPlan, first_stones};

use crate::cli::bar::Bar;
use crate::cli::failure::Failure;
use crate::cli::files::check_apart;
use crate::cli::parse::{at_least, side};

use super::SearchArguments;

/// Options of `malecon learn first-stones`.
#[derive(Args)]
pub struct Arguments {
    /// File of the table; games that are already in it are not played again
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Side length of the board; may be given several times
    #[arg(long = "side", value_name = "N", required = true, value_parser = side)]
    sides: Vec<usize>,
    /// Games from each class of first stones
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = at_least::<u32>(0))]
    games: u32,
    /// Further games from the classes that look fairest, all together
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = at_least::<u32>(0))]
    close_games: u32,
    /// Games from a class after which no further ones are played from it
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least::<u32>(1))]
    enough: u32,
    /// File of games of a match (games.jsonl) whose first stones to add to the table; may be given several times
    #[arg(long, value_name = "FILE")]
    add: Vec<PathBuf>,
    /// Simulations for each move
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = at_least::<u64>(1))]
    simulations: u64,
    #[command(flatten)]
    common: SearchArguments,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Under the symmetries of the board, first stones fall into classes. The table has a line for each class: side length, \
one of its stones, games, points of the player who owns the stone, and the resulting chance of winning of that player. \
The engine plays these games against itself, and a game ends when one player is almost sure to win.

First the command plays --games games from each class, from its stones in turn. Then it plays --close-games games, \
always from the class whose chance is closest to one half so far and which has fewer than --enough games: these are \
the stones that the engine opens with.

--add counts games of matches between equal players as well: those with the pie rule, and those from openings of one \
stone. Games that ended by a fault do not count. Do not add the same games twice.

The file is kept up to date, so you can interrupt the command and run it again, without --add: those games are in the \
file already. Then all of --close-games are played once more.

The engine's own table, src/engine/session/first_stones.txt, is compiled into the program. docs/levels.md has the \
commands that made it.

Example:
  malecon learn first-stones --side 5 --games 12 --close-games 300 --simulations 200 --out first-stones.txt
";

const HEADER: &str = "\
# First stones for the pie rule, made by 'malecon learn first-stones'. All figures are for the player who owns the
# stone or one of its images. side vertex games points value
";

/// This many further games of a class are played at the same time.
const BATCH: u32 = 4;

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_apart(arguments.add.iter().chain(&arguments.common.network), [&arguments.out])?;
    let plan = arguments.common.plan(arguments.simulations)?;
    let mut table = read(&arguments.out)?;
    arguments.sides.iter().try_for_each(|&side| index_of(&mut table, side).map(drop))?;
    for path in &arguments.add {
        for game in lines::read::<GameRecord>(path)? {
            add(&game, &mut table).map_err(in_file(path))?;
        }
    }
    write(&arguments.out, &table)?;
    for &side in &arguments.sides {
        let i = index_of(&mut table, side)?;
        Measurement { arguments, plan: &plan, table: &mut table, i }.run()?;
    }
    Ok(())
}

/// The index of a board in the table, to which it is added if necessary.
fn index_of(table: &mut Vec<FirstStones>, side: usize) -> Result<usize, String> {
    let geometry = Geometry::with_side(side).map_err(|error| error.to_string())?;
    let i = table.partition_point(|board| board.geometry().side() < side);
    if table.get(i).is_none_or(|board| board.geometry() != geometry) {
        table.insert(i, FirstStones::new(geometry));
    }
    Ok(i)
}

/// Adds a game of a match, unless its opening has more than one stone, or an engine lost it by a fault.
fn add(game: &GameRecord, table: &mut Vec<FirstStones>) -> Result<(), String> {
    let counts = game.opening.len() <= 1 && game.fault.is_none();
    let Some(first) = game.moves.first().filter(|_| counts) else { return Ok(()) };
    let i = index_of(table, game.side)?;
    let v = Notation::HavannahGui.parse(table[i].geometry(), first).map_err(|error| error.to_string())?;
    let is_swapped = game.moves.get(1).is_some_and(|m| m == "swap");
    let owner = if is_swapped { Color::Black } else { Color::White };
    let points = game.winner.points(owner).into();
    table[i].add(v, StoneScore { games: 1, points });
    Ok(())
}

fn write(path: &Path, table: &[FirstStones]) -> Result<(), String> {
    let lines: String = table.iter().map(FirstStones::to_string).collect();
    files::replace(path, format!("{HEADER}{lines}").as_bytes()).map_err(in_file(path))
}

/// The table so far; empty if there is no such file.
fn read(path: &Path) -> Result<Vec<FirstStones>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = encoding::read(path)?;
    FirstStones::read(&text).map_err(in_file(path))
}

/// The games from the first stones of one board.
struct Measurement<'a> {
    arguments: &'a Arguments,
    plan: &'a SearchPlan,
    table: &'a mut [FirstStones],
    /// The index of the board in the table.
    i: usize,
}

impl Measurement<'_> {
    fn run(&mut self) -> Result<(), String> {
        let geometry = self.board().geometry();
        let side = geometry.side();
        let classes = classes(geometry);
        let games = self.arguments.games;
        let first: u32 = classes.iter().map(|&v| games.saturating_sub(self.board().score(v).games)).sum();
        let bar = Bar::new((first + self.arguments.close_games).into(), &format!("games on side {side}"));
        for v in classes {
            self.play(v, games.saturating_sub(self.board().score(v).games), &bar)?;
        }
        let mut left = self.arguments.close_games;
        while let Some(v) = self.closest().filter(|_| left > 0) {
            let batch = BATCH.min(left).min(self.arguments.enough - self.board().score(v).games);
            self.play(v, batch, &bar)?;
            left -= batch;
        }
        bar.clear();
        Ok(())
    }

    fn board(&self) -> &FirstStones {
        &self.table[self.i]
    }

    /// Of the classes that need more games, the one whose chance is closest to one half, given by one of its stones;
    /// `None` if there is none.
    fn closest(&self) -> Option<Vertex> {
        let board = self.board();
        let imbalance = |v: Vertex| (board.estimate(v) - 0.5).abs();
        let open = classes(board.geometry()).into_iter().filter(|&v| board.score(v).games < self.arguments.enough);
        open.min_by(|&a, &b| imbalance(a).total_cmp(&imbalance(b)))
    }

    /// Plays the next games of the class of `v`, from its stones in turn, and writes the table.
    fn play(&mut self, v: Vertex, games: u32, bar: &Bar) -> Result<(), String> {
        let geometry = self.board().geometry();
        let images = images(geometry, v);
        let played = self.board().score(v).games;
        let numbers: Vec<u32> = (played..played + games).collect();
        let points = sync::parallel_map(&numbers, self.arguments.common.run.threads.into(), |&number| {
            let stone = images[number as usize % images.len()];
            let points = first_stones::play(self.plan, geometry, stone, number);
            bar.inc(1);
            points
        });
        let points: Result<f64, _> = points.into_iter().sum();
        let points = points.map_err(|error| error.to_string())?;
        self.table[self.i].add(v, StoneScore { games, points });
        write(&self.arguments.out, self.table)
    }
}
