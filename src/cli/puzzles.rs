//! `malecon puzzles`: makes puzzles from games, and checks puzzles.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::Args;
use malecon::base::files::in_file;
use malecon::base::lines::{self, LineFile};
use malecon::base::text::count;
use malecon::game::Geometry;
use malecon::game::record::{Hints, Record};
use malecon::tools::puzzles::{Judge, Maker, Puzzle};

use super::bar::Bar;
use super::failure::{Failure, unless_stopped};
use super::files::check_apart;
use super::games::{GameReader, warn};
use super::output::print;
use super::parse::whole;
use super::signals::stop_flag;

/// Options of `malecon puzzles`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct Arguments {
    /// Add the puzzles to this file; those that are in it keep their numbers
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Make puzzles until there are N of the same side, theme and grade in --out; of grade 1 a quarter of that
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole::<u16>(1, u16::MAX))]
    most: u16,
    /// Check the puzzles of this file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "games"])]
    check: Option<PathBuf>,
    /// Files of games, in any format that 'malecon sgf' reads, and of self-play; - is the standard input
    #[arg(value_name = "GAME", required_unless_present = "check")]
    games: Vec<PathBuf>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
A puzzle is a position on a board of side 4 to 8 in which one move wins and every other move loses. Both are proven, \
by the solver up to side 6, by searches for threats on larger boards. The last positions of each game are examined, \
and a game gives four puzzles at most, those already in --out included. Positions that are nearly the same as one \
already in --out, even turned or mirrored, are left out.

Each line of the file is a JSON object:
  id                a number that never changes
  side, moves       the board and the moves to the position; White begins, and the colours alternate
  to_move           white or black, who wins
  solution          a list with the winning move
  line              the game from there to the end, with the opponent's longest resistance
  moves_to_win      the winner's moves in it
  theme             ring, fork or bridge, which ends the line; double threat, if the move makes
                    two; defence, if it only stops the opponent's win
  grade             1: the move wins at once; 2 to 5: a search without solver, threat search and
                    replays proves the win with fewer than 8, 64 or 512 simulations, or needs more

With --check, everything but the grade is proven again. The exit status is 1 if a puzzle \
is wrong.

Examples:
  malecon puzzles --out puzzles.jsonl games.jsonl
      Make puzzles. Run it again with other games to add more.
  malecon puzzles --check puzzles.jsonl
      Prove them again.
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match (&arguments.check, &arguments.out) {
        (Some(file), _) => check(file),
        (None, Some(out)) => make(arguments, out),
        (None, None) => unreachable!("one of them is required"),
    }
}

fn make(arguments: &Arguments, out: &PathBuf) -> Result<(), Failure> {
    check_apart(&arguments.games, [out])?;
    let (mut file, known) = LineFile::open::<Puzzle>(out, true)?;
    let mut reader = GameReader::default();
    let mut games: Vec<Record> = Vec::new();
    for file in &arguments.games {
        for (number, game) in (1..).zip(reader.read(file, Hints::default())) {
            let Some(game) = game else { continue };
            warn(&format!("{}: game {number}", file.display()), &game);
            games.push(game);
        }
    }
    let mut maker = Maker::new(&known, arguments.most.into()).map_err(in_file(out))?;
    let stop = stop_flag();
    let bar = Bar::new(games.len() as u64, "games");
    let mut added = 0;
    for game in &games {
        for puzzle in maker.make(game, &stop)? {
            file.add(&puzzle)?;
            added += 1;
        }
        if stop.is_stopped() {
            break;
        }
        bar.inc(1);
    }
    bar.clear();
    eprintln!("added {} to {}", count(added, "puzzle"), out.display());
    reader.end(unless_stopped(&stop, Ok(())))
}

fn check(file: &Path) -> Result<(), Failure> {
    let puzzles: Vec<Puzzle> = lines::read(file)?;
    let mut judges = HashMap::new();
    let mut ids = HashSet::new();
    let mut wrong = 0;
    let bar = Bar::new(puzzles.len() as u64, "puzzles");
    for puzzle in &puzzles {
        let checked = match Geometry::with_side(puzzle.side) {
            _ if !ids.insert(puzzle.id) => Err("the number is used twice".into()),
            Ok(geometry) => puzzle.check(judges.entry(puzzle.side).or_insert_with(|| Judge::new(geometry))),
            Err(error) => Err(error.to_string().into()),
        };
        if let Err(error) = checked {
            wrong += 1;
            bar.print(&format!("puzzle {}: {error}\n", puzzle.id))?;
        }
        bar.inc(1);
    }
    bar.clear();
    let good = puzzles.len() - wrong;
    print(&format!("{}: {good} of {} puzzles are proven\n", file.display(), puzzles.len()))?;
    if wrong == 0 { Ok(()) } else { Err(Failure::Reported) }
}
