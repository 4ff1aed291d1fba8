//! `malecon review`: reviews of recorded games.

mod folder;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use malecon::base::files::{Replacement, in_file};
use malecon::base::options::OptionValue as _;
use malecon::base::text::count;
use malecon::engine::search::Limits;
use malecon::engine::session::{Session, StopFlag};
use malecon::game::record::{Format, Hints, Record, write};
use malecon::option_enum;
use malecon::protocols::gtp::Dialect;
use malecon::review::{Progress, Review, Settings, annotate, html, json, review, text};

use super::bar::Bar;
use super::failure::{Failure, unless_stopped};
use super::files::check_apart;
use super::games::{GameReader, pick, warn};
use super::options::EngineArguments;
use super::output::has_reader;
use super::parse::{at_least, positive_seconds, whole, word};
use super::terminal::Interrupter;
use folder::Folder;

/// Options of `malecon review`.
#[derive(Args)]
pub struct Arguments {
    /// Seconds to search each position [default: 1]
    #[arg(long, value_name = "S", group = "limit", value_parser = positive_seconds)]
    time: Option<Duration>,
    /// Simulations to search each position, instead of seconds
    #[arg(long, value_name = "N", group = "limit", value_parser = at_least::<u64>(1))]
    simulations: Option<u64>,
    /// What to write: text, sgf, gogui, hgf, html or json [default: as --out ends, or text]
    #[arg(long, value_name = "FORMAT", value_parser = word::<Target>)]
    to: Option<Target>,
    /// Write to this file or directory, and one line per game to the standard output
    ///
    /// A path with an extension, such as game.html, is a file. Any other path, or one that is a directory already, is a
    /// directory, in which each game gets its own file.
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// In text, list all findings, not only those that decided the game
    #[arg(long)]
    all: bool,
    /// Continue an interrupted run: skip the games already reviewed in the directory of --out
    #[arg(long, requires = "out")]
    resume: bool,
    /// Review only game number N of all games in the files
    #[arg(long, value_name = "N", value_parser = at_least::<usize>(0))]
    game: Option<usize>,
    /// Smallest drop in the chance of winning that counts as a mistake, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = whole::<u8>(1, 100))]
    mistake: u8,
    /// The games were played with the pie rule; assumed for games with a swap and for those of Little Golem
    #[arg(long)]
    swap: bool,
    /// Names of vertices: havannahgui, gogui or littlegolem
    #[arg(long, value_name = "DIALECT", value_parser = word::<Dialect>, default_value = "havannahgui")]
    names: Dialect,
    /// Threads of each search [default: 1]
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    /// Seed of the random numbers; with one thread and --simulations, the same seed gives the same review
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    #[command(flatten)]
    engine: EngineArguments,
    /// Files of games, and folders of .sgf, .hgf, .jsonl and .moves; - is the standard input
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Every position of a game is searched. Where a player's chance of winning falls by --mistake or more, the best other \
move is searched as well; the difference is the size of the mistake. Mistakes about the same point are one finding. \
The review lists White's chance of winning after each move, the findings with better lines, up to three that decided \
the game first, the moves at which the lead changed, the move after which the result is proven, and how many stones \
each player still needed for a bridge, a fork and a ring.

Formats:
  text   for reading in a terminal
  sgf    the record with comments, and the better lines as variations; gogui and hgf are the same in other styles of SGF
  html   a page with a graph of the chances, the game to step through, and a board for each finding
  json   one object per game, for programs; docs/review.md describes it

Files may be SGF, Little Golem's .hgf, lines of games.jsonl or lists of moves. If --out is a directory, \
it also gets summary.jsonl, by which --resume skips finished games, and with html an index.html. Ctrl-C ends a review; \
a single game is then reported as far as it was searched.

Examples:
  malecon review game.sgf
      A quick look, one second a position.
  malecon review --time 10 --threads 4 --out review.html game.sgf
      A thorough one, to open in a browser.
  malecon review --to sgf --names littlegolem 1009692.hgf --out reviews
      reviews/1009692.sgf, for any SGF viewer, with Little Golem's names of vertices in the comments.
  malecon review --simulations 2000 --to html --out reviews --resume games/
      All games of a folder. Run it again after an interruption: no game is reviewed twice.
";

option_enum! {
    /// What a review is written as.
    pub enum Target {
        /// Text for a terminal.
        Text = "text",
        /// The record with comments, in the style of HavannahGui.
        Sgf = "sgf",
        /// The same in the style of GoGui.
        GoGui = "gogui",
        /// The same in the style of Little Golem.
        Hgf = "hgf",
        /// A page.
        Html = "html",
        /// A line for programs.
        Json = "json",
    }
}

impl Target {
    /// The extension of its files.
    fn extension(self) -> &'static str {
        match self {
            Target::Text => "txt",
            Target::GoGui => "sgf",
            other => other.name(),
        }
    }

    /// The format of a file with this name.
    fn from_path(path: &Path) -> Option<Target> {
        match &*path.extension()?.to_str()?.to_ascii_lowercase() {
            "txt" => Some(Target::Text),
            "htm" => Some(Target::Html),
            "jsonl" => Some(Target::Json),
            extension => Target::read(extension, &()),
        }
    }

    /// The review as the content of a file.
    fn write(self, review: &Review, names: Dialect, all: bool) -> String {
        let notation = names.notation();
        let record = |format| write(&[annotate::annotated(review, notation)], format);
        match self {
            Target::Text => text::report(review, notation, all),
            Target::Sgf => record(Format::Sgf),
            Target::GoGui => record(Format::GoGui),
            Target::Hgf => record(Format::Hgf),
            Target::Html => html::page(review, notation),
            Target::Json => format!("{}\n", json::value(review)),
        }
    }
}

impl Arguments {
    fn target(&self) -> Target {
        self.to.or_else(|| Target::from_path(self.file()?)).unwrap_or(Target::Text)
    }

    /// Refuses the name of a file that sets no format if `--to` does not either.
    fn check_target(&self) -> Result<(), Failure> {
        match self.file() {
            Some(file) if self.to.is_none() && Target::from_path(file).is_none() => Err(Failure::Usage(format!(
                "the name {} does not say in which format to write (expected .txt, .sgf, .hgf, .html or .json at its \
                 end, --to FORMAT, or / at its end for a directory)",
                file.display()
            ))),
            _ => Ok(()),
        }
    }

    /// The path of `--out` if it is that of a file.
    fn file(&self) -> Option<&Path> {
        let path = self.out.as_deref()?;
        let ends_open = path.as_os_str().as_encoded_bytes().last().is_some_and(|&b| std::path::is_separator(b.into()));
        (path.extension().is_some() && !ends_open && !path.is_dir()).then_some(path)
    }

    /// The path of `--out` if it is that of a directory.
    fn directory(&self) -> Option<&Path> {
        self.out.as_deref().filter(|_| self.file().is_none())
    }

    fn write(&self, review: &Review) -> String {
        self.target().write(review, self.names, self.all)
    }
}

/// A game to review.
struct Game {
    /// The name of the file that its review gets if no other game or review has that name, without an extension.
    wanted: String,
    /// The name of the file that its review gets, without an extension.
    name: String,
    record: Record,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.check_target()?;
    let named = [("threads", arguments.threads.clone()), ("seed", arguments.seed.clone())];
    let options = arguments.engine.session_options(&named)?;
    let mut reader = GameReader::default();
    let mut games = read_games(arguments, &mut reader)?;
    let Some(first) = games.first() else {
        return reader.end(Ok(())).and(Err("there is no game to review".into()));
    };
    let session = Session::new(first.record.board(), options);
    let folder = arguments.directory().map(|path| Folder::open(path, arguments, session.options())).transpose()?;
    if let Some(folder) = &folder {
        folder.rename(&mut games);
    }
    let is_reviewed = |game: &Game| folder.as_ref().is_some_and(|folder| folder.has(&game.name));
    games.iter().filter(|game| !is_reviewed(game)).for_each(|game| warn(&game.name, &game.record));
    let stop = StopFlag::new();
    let interrupter = Interrupter::new(stop.clone());
    let mut run = Run { arguments, games: &games, session, stop: &stop };
    let done = interrupter.during(|| match (folder, arguments.file()) {
        (Some(folder), _) => run.write_folder(folder),
        (None, Some(file)) => run.write_file(file),
        (None, None) => run.print(),
    });
    unless_stopped(&stop, reader.end(done))
}

/// Reads all games, or the one of `--game`. Games without moves are left out, with a note, and so are the reviews in the
/// directory of `--out`, which may be one of games, too.
fn read_games(arguments: &Arguments, reader: &mut GameReader) -> Result<Vec<Game>, Failure> {
    let reviews = arguments.directory().map(folder::reviews).transpose()?.unwrap_or_default();
    let is_review = |file: &PathBuf| file.canonicalize().is_ok_and(|file| reviews.contains(&file));
    let mut games = Vec::new();
    for path in &arguments.games {
        let (left_out, files): (Vec<PathBuf>, Vec<PathBuf>) =
            reader.or_report(files(path)).into_iter().partition(is_review);
        check_apart(&files, arguments.out.iter().filter(|_| arguments.file().is_some()))?;
        if !left_out.is_empty() {
            let reviews = count(left_out.len(), "review");
            eprintln!("note: {reviews} in {} left out (this command wrote them)", path.display());
        }
        for file in files {
            folder::add(&mut games, &file, reader.read(&file, Hints::default()));
        }
    }
    let mut games: Vec<Game> = reader.or_report(pick(games, arguments.game)).into_iter().flatten().collect();
    folder::name(&mut games);
    games.retain(|game| {
        let has_moves = game.record.play_count() > 0;
        if !has_moves {
            eprintln!("note: {} has no moves", game.name);
        }
        has_moves
    });
    Ok(games)
}

/// The file itself, or the records in a folder in the order of their names. The folder may be that of --out.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let is_record = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let is_known = ["sgf", "hgf", "jsonl", "moves"].iter().any(|known| extension.eq_ignore_ascii_case(known));
        is_known && !path.ends_with(folder::SUMMARY)
    };
    let entries: Vec<PathBuf> =
        std::fs::read_dir(path).map_err(in_file(path))?.flatten().map(|entry| entry.path()).collect();
    let folders = entries.iter().filter(|path| path.is_dir()).count();
    if folders > 0 {
        let folders = count(folders, "folder");
        eprintln!("note: {folders} in {} left out (name a folder to review its games)", path.display());
    }
    let (mut files, others): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.into_iter().filter(|path| is_record(path) && !path.is_dir()).partition(|path| path.is_file());
    for other in others {
        eprintln!("note: {} left out (not a regular file)", other.display());
    }
    files.sort();
    if files.is_empty() {
        return Err(format!(
            "{}: no records in this folder (expected names with .sgf, .hgf, .jsonl or .moves)",
            path.display()
        ));
    }
    Ok(files)
}

fn settings(arguments: &Arguments) -> Settings {
    let hard = arguments.time.or_else(|| arguments.simulations.is_none().then_some(Duration::from_secs(1)));
    Settings {
        limits: Limits { simulations: arguments.simulations, soft: None, hard },
        mistake: f64::from(arguments.mistake) / 100.0,
        swap: arguments.swap,
        ..Settings::default()
    }
}

/// The games to review, and what reviews them.
struct Run<'a> {
    arguments: &'a Arguments,
    games: &'a [Game],
    session: Session,
    stop: &'a StopFlag,
}

impl Run<'_> {
    /// Prints the review of each game.
    fn print(&mut self) -> Result<(), Failure> {
        let target = self.arguments.target();
        self.review_in_turn(&mut |bar, _, text| match target {
            Target::Text => bar.print(text),
            _ => bar.print_data(text),
        })
    }

    /// Writes the reviews to a file, and prints a line about each.
    fn write_file(&mut self, path: &Path) -> Result<(), Failure> {
        if self.arguments.resume {
            let reason = format!("{} is a file (--resume continues the reviews in a directory)", path.display());
            return Err(Failure::Usage(reason));
        }
        let mut file = Replacement::new(path).map_err(in_file(path))?;
        self.review_in_turn(&mut |bar, said, text| {
            file.write_all(text.as_bytes()).map_err(in_file(path))?;
            bar.print(&format!("{said}\n"))
        })?;
        Ok(file.finish().map_err(in_file(path))?)
    }

    /// Reviews one game after the other, and passes on the line about each and its review.
    fn review_in_turn(&mut self, put: &mut dyn FnMut(&Bar, &str, &str) -> Result<(), Failure>) -> Result<(), Failure> {
        let target = self.arguments.target();
        if target == Target::Html && self.games.len() > 1 {
            return Err(format!(
                "a page shows one game, but there are {} (--out DIR writes one page for each, --game N picks one)",
                self.games.len()
            )
            .into());
        }
        let bar = bar(self.games);
        for (i, game) in self.games.iter().enumerate() {
            let review = self.review(&bar, game)?;
            let gap = if i > 0 && target == Target::Text { "\n" } else { "" };
            let said = format!("{}: {}", game.name, text::summary(&review));
            put(&bar, &said, &(gap.to_owned() + &self.arguments.write(&review)))?;
            if self.stop.is_stopped() || (self.arguments.out.is_none() && !has_reader()) {
                break;
            }
        }
        Ok(())
    }

    /// Writes the review of each game to its directory, and prints a line about each.
    fn write_folder(&mut self, mut folder: Folder) -> Result<(), Failure> {
        let arguments = self.arguments;
        let games = self.games;
        let missing: Vec<&Game> = games.iter().filter(|game| !folder.has(&game.name)).collect();
        missing.iter().try_for_each(|game| folder.check_free(&game.name))?;
        let has_index = arguments.target() == Target::Html;
        if has_index {
            folder.check_index()?;
        }
        let bar = bar(missing.iter().copied());
        for game in missing {
            let review = self.review(&bar, game)?;
            if self.stop.is_stopped() {
                break;
            }
            let line = folder.add(&game.name, &review, arguments)?;
            bar.print(&format!("{line}\n"))?;
        }
        bar.clear();
        if has_index {
            folder.write_index()?;
        }
        let done = games.iter().filter(|game| folder.has(&game.name)).count();
        let more = if done < games.len() { " (--resume continues)" } else { "" };
        eprintln!("{done} of {} games reviewed in {}{more}", games.len(), folder.directory.display());
        Ok(())
    }

    /// Reviews a game.
    fn review(&mut self, bar: &Bar, game: &Game) -> Result<Review, String> {
        let before = bar.position();
        bar.set_message(&game.name);
        let mut show = |progress: Progress<'_>| match progress {
            Progress::Searched { .. } => bar.inc(1),
            Progress::Checked { turn, .. } => bar.set_message(&format!("{}: checking move {turn}", game.name)),
        };
        let reviewed = review(&mut self.session, &game.record, &settings(self.arguments), self.stop, &mut show);
        bar.set_position(before + game.record.play_count() as u64 + 1);
        reviewed.map_err(|error| format!("{}: {error}", game.name))
    }
}

/// A bar for the positions of all these games.
fn bar<'a>(games: impl IntoIterator<Item = &'a Game>) -> Bar {
    let positions: usize = games.into_iter().map(|game| game.record.play_count() + 1).sum();
    Bar::new(positions as u64, "positions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_without_comments_are_refused() {
        assert_eq!(word("gogui"), Ok(Target::GoGui));
        for text in ["jsonl", "moves", "pdf", ""] {
            let expected = "expected text, sgf, gogui, hgf, html or json";
            assert_eq!(word::<Target>(text), Err(expected.to_owned()), "{text}");
        }
    }
}
