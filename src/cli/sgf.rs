//! `malecon sgf`: check and convert game records.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use malecon::base::files::{in_file, replace};
use malecon::base::text::count;
use malecon::game::record::{Format, Hints, How, NodeId, Record, write};
use malecon::game::{Game, Picture};
use malecon::protocols::gtp::Dialect;

use super::failure::Failure;
use super::files::is_same_file;
use super::games::{GameReader, pick, warn, winner_of};
use super::output::{print, print_data};
use super::parse::{at_least, side, word};

/// Options of `malecon sgf`.
#[derive(Args)]
#[command(arg_required_else_help = true, group = ArgGroup::new("target").args(["to", "output"]).multiple(true))]
pub struct Arguments {
    /// Convert the files to this format: sgf, gogui, hgf, jsonl, moves, position, svg or tex [default: as --output
    /// ends; without that, the files are only checked]
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,
    /// Read the files as this format instead of guessing it from their content
    #[arg(long, value_name = "FORMAT", value_parser = word::<Format>)]
    from: Option<Format>,
    /// Program whose vertex names are used by lists, JSON, and SGF without a sign of its own: havannahgui, littlegolem
    /// or gogui [default: havannahgui, unless only another one fits]
    #[arg(long, value_name = "DIALECT", value_parser = word::<Dialect>)]
    read_names: Option<Dialect>,
    /// Side length of the board for lists of moves that do not name it
    #[arg(long, value_name = "N", value_parser = side)]
    side: Option<usize>,
    /// Write the result to this file instead of the standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Take only game number N of all games in the files
    #[arg(long, value_name = "N", requires = "target", value_parser = at_least::<usize>(0))]
    game: Option<usize>,
    /// For position, svg and tex: the position after N moves [default: after the last move]
    #[arg(long = "move", value_name = "N", requires = "target", value_parser = at_least::<usize>(0))]
    moves: Option<usize>,
    /// For svg and tex: write the number of its move on each stone
    #[arg(long, requires = "target")]
    numbers: bool,
    /// For svg and tex: names of vertices: havannahgui, littlegolem or, for svg, gogui
    #[arg(long, value_name = "DIALECT", value_parser = word::<Dialect>, default_value = "havannahgui", requires = "target")]
    names: Dialect,
    /// Files with one or more games each; - is the standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Every move is played on a board, including those of variations. Errors are reported with file, line and column. \
Without --to or --output, each game is described in one line. The exit status is 1 if any game is invalid; the valid \
ones are converted nonetheless, but never in place of a file that also has invalid ones.

Formats:
  sgf
      SGF in the style of HavannahGui: SZ is the side length (in older files d= and the diameter), vertices are named \
a1, i9
  gogui
      SGF in the style of GoGui: SZ is the diameter, vertices are two letters
  hgf
      SGF in the style of Little Golem: its own vertex names, swap and resign as moves, and exchanged labels in RE, PW \
and PB
  jsonl
      One JSON object per line, as malecon match saves games: side, white, black, moves, winner, by
  moves
      The moves of one game per line, as the GTP command playgame takes them, after a line '# side N'; '# no moves' is \
a game without any
  position
      The position after the last move, or after move --move N, of one game per line, as the GTP command show_position \
writes it
  svg
      A picture of the position after the last move, or after move --move N, with the markup of the SGF file. It shows \
one game: --game N picks it if there are several
  tex
      The same for LaTeX and its package havannah

The three styles of SGF keep variations, comments and markup. The other formats contain only the main line.

Examples:
  malecon sgf game.sgf
      Check a file, and print who won and how.
  malecon sgf --to sgf 1009692.hgf --output 1009692.sgf
      Convert a game from Little Golem for HavannahGui.
  malecon sgf --to jsonl games/*.sgf > games.jsonl
      Collect games for processing by a program.
  malecon sgf --to moves games.jsonl
      Print the moves, for reading or for pasting after playgame.
  malecon sgf --to position --move 12 game.sgf
      Print the position after twelve moves as one line.
  malecon sgf --to svg --move 12 --numbers game.sgf > position.svg
      Draw the position after twelve moves, with the numbers of the moves on the stones.
  malecon sgf --move 12 game.sgf -o position.tex
      The same for a paper in LaTeX, without the numbers.
";

/// What a game is converted to.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Record(Format),
    Svg,
    Tex,
}

fn target(text: &str) -> Result<Target, String> {
    match text {
        "svg" => Ok(Target::Svg),
        "tex" => Ok(Target::Tex),
        _ => word(text).map(Target::Record).map_err(|expected: String| expected.replace(" or ", ", ") + ", svg or tex"),
    }
}

impl Arguments {
    /// Whether this file is among those to convert.
    fn reads(&self, output: &Path) -> bool {
        self.files.iter().any(|file| is_same_file(file, output))
    }

    /// What `--to` says, or the end of the name in `--output`.
    fn target(&self) -> Result<Option<Target>, Failure> {
        let (None, Some(output)) = (self.to, &self.output) else { return Ok(self.to) };
        let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let extension = if extension == "txt" { "moves" } else { extension };
        match target(&extension.to_ascii_lowercase()) {
            Ok(target) => Ok(Some(target)),
            Err(_) => Err(Failure::Usage(format!(
                "the name {} does not say in which format to write (--to does; or let it end with .sgf, .hgf, .jsonl, \
                 .moves, .svg or .tex)",
                output.display()
            ))),
        }
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut reader = GameReader::default();
    let mut converted = Vec::new();
    let to = arguments.target()?;
    let hints = Hints {
        format: arguments.from,
        names: arguments.read_names.map(Dialect::notation),
        side: arguments.side,
        ..Hints::default()
    };
    for file in &arguments.files {
        let games = reader.read(file, hints);
        for (number, game) in numbered(&games) {
            warn(&format!("{}: game {number}", file.display()), game);
        }
        match to {
            Some(_) => converted.extend(games),
            None => print(&describe_all(file, &games))?,
        }
    }
    if let Some(target) = to {
        if let Some(file) = arguments.output.as_ref().filter(|output| reader.is_broken && arguments.reads(output)) {
            reader.report(format!(
                "{} stays as it is, because games that cannot be read would be lost: write to another file",
                file.display()
            ));
            return reader.end(Ok(()));
        }
        match (convert(arguments, converted, target), &arguments.output) {
            // No game could be read: what the file has is better than nothing.
            (Ok(text), Some(_)) if reader.is_broken && text.is_empty() => {}
            (Ok(text), Some(file)) => replace(file, text.as_bytes()).map_err(in_file(file))?,
            (Ok(text), None) => print_data(&text)?,
            // The errors in the files have been reported already.
            (Err(_), _) if reader.is_broken => {}
            (Err(error), _) => return Err(error),
        }
    }
    reader.end(Ok(()))
}

/// The games, or the one of `--game`, as the content of a file.
fn convert(arguments: &Arguments, games: Vec<Option<Record>>, target: Target) -> Result<String, Failure> {
    let games: Vec<Record> = pick(games, arguments.game)?.into_iter().flatten().collect();
    match target {
        Target::Record(_) if arguments.numbers => Err(Failure::usage("--numbers is for --to svg and --to tex")),
        Target::Record(Format::Position) => {
            games.iter().map(|game| Ok(position(arguments, game)?.0.position_string() + "\n")).collect()
        }
        Target::Record(_) if arguments.moves.is_some() => {
            Err(Failure::usage("--move is for --to position, svg and tex"))
        }
        Target::Record(format) => Ok(write(&games, format)),
        Target::Svg | Target::Tex => match &games[..] {
            [] => Err("there is no game to draw".into()),
            [game] => Ok(picture(arguments, game, target)?),
            _ => Err(format!("a picture shows one game, but there are {} (--game N picks one)", games.len()).into()),
        },
    }
}

/// The position that the arguments choose, and its node.
fn position(arguments: &Arguments, record: &Record) -> Result<(Game, NodeId), String> {
    let last = record.play_count();
    let count = arguments.moves.unwrap_or(last);
    let (mut game, node) = record
        .after(count)
        .ok_or_else(|| format!("the game has no position after {count} moves (expected 0..{last})"))?;
    game.allow_swap(record.has_pie_rule());
    Ok((game, node))
}

/// A picture of the position that the arguments choose.
fn picture(arguments: &Arguments, record: &Record, target: Target) -> Result<String, String> {
    let (game, node) = position(arguments, record)?;
    let mut picture = Picture::new(&game, arguments.names.notation());
    if arguments.numbers {
        picture = picture.numbered(record.move_numbers(arguments.moves.unwrap_or(usize::MAX)));
    }
    let picture = record.marks(node).into_iter().fold(picture, |picture, (v, mark)| picture.mark(v, mark));
    if target == Target::Tex { Ok(picture.to_tex()?) } else { Ok(format!("{picture}\n")) }
}

/// The games that could be read, with their numbers in the file.
fn numbered(games: &[Option<Record>]) -> impl Iterator<Item = (usize, &Record)> {
    (1..).zip(games).filter_map(|(number, game)| Some((number, game.as_ref()?)))
}

fn describe_all(file: &Path, games: &[Option<Record>]) -> String {
    let mut text = String::new();
    for (number, game) in numbered(games) {
        let which = if games.len() > 1 { format!(" game {number}:") } else { String::new() };
        text += &format!("{}:{which} {}\n", file.display(), describe(game));
    }
    text
}

fn describe(game: &Record) -> String {
    let by = match (game.by(), game.result().map(|result| result.how)) {
        (_, Some(How::Resignation)) => " by resignation".into(),
        (_, Some(How::Time)) => " on time".into(),
        (Some(by), _) if by != "full board" => format!(" by {by}"),
        _ => String::new(),
    };
    let [white, black] = &game.players;
    let name = |player: &Option<String>| player.clone().unwrap_or_else(|| "?".into());
    let players = match (white, black) {
        (None, None) => String::new(),
        _ => format!("{} - {}, ", name(white), name(black)),
    };
    let variations = match game.variation_count() {
        0 => String::new(),
        n => format!(", {}", count(n, "variation")),
    };
    let side = game.board().side();
    let moves = count(game.play_count(), "move");
    format!("{players}side {side}, {moves}{variations}, {}{by}", winner_of(game))
}
