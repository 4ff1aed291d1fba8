//! The directory of `--out`: a file for each game, and a line for each in `summary.jsonl`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use malecon::base::files::{self, MAX_TEXT, in_file, replace};
use malecon::base::lines::{self, LineFile};
use malecon::engine::session::EngineOptions;
use malecon::game::Color;
use malecon::game::record::{Format, Record, Winner, write};
use malecon::review::{Review, html, text};
use serde::{Deserialize, Serialize};

use super::{Arguments, Game};

/// The file with a line for each game.
pub(super) const SUMMARY: &str = "summary.jsonl";

/// A line of `summary.jsonl`.
#[derive(PartialEq, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    game: Identity,
    /// The name of the game's file.
    file: String,
    moves: usize,
    /// How many mistakes white and black made.
    mistakes: [usize; 2],
    /// The chances of winning that these lost together.
    lost: [f64; 2],
    turning_points: Vec<usize>,
    /// All of this in words.
    summary: String,
    /// What the review depends on. A directory holds reviews of one kind only.
    settings: String,
}

impl lines::Line for Line {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":"];
    const UNIT: &'static str = "review";
    const WRITER: &'static str = "malecon review";
}

impl Line {
    /// The name of the game, which is that of its file without the extension.
    fn name(&self) -> &str {
        Path::new(&self.file).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
    }
}

/// What tells a game from others, whatever the name of its file.
#[derive(PartialEq, Serialize, Deserialize)]
struct Identity {
    side: usize,
    white: Option<String>,
    black: Option<String>,
    winner: Option<Winner>,
    /// The moves as a list, as `malecon sgf --to moves` writes it. Lines of version 0.3 do not have it.
    played: Option<String>,
}

impl Identity {
    fn from_record(record: &Record) -> Identity {
        let [white, black] = record.players.clone();
        Identity {
            side: record.board().side(),
            white,
            black,
            winner: record.result().map(|result| result.winner.into()),
            // The line before it is about the board.
            played: write(std::slice::from_ref(record), Format::Moves).lines().last().map(str::to_owned),
        }
    }

    /// Whether this may be the game of a line, as far as the line says which one it is.
    fn fits(&self, line: &Line) -> bool {
        let Identity { side, white, black, winner, played } = &line.game;
        (played.is_none() || *played == self.played)
            && (side, white, black, winner) == (&self.side, &self.white, &self.black, &self.winner)
    }
}

/// Adds the games of a file, with `None` for each that cannot be read. A game is named like the file if it is the only
/// one, else by its own identifier or, without one, by its number.
pub(super) fn add(games: &mut Vec<Option<Game>>, path: &Path, records: Vec<Option<Record>>) {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("game").to_owned();
    let stem = if stem == "-" { "stdin".to_owned() } else { stem };
    let count = records.len();
    for (number, record) in (1..).zip(records) {
        let Some(record) = record else {
            games.push(None);
            continue;
        };
        let wanted = match identifier(&record) {
            _ if count == 1 => stem.clone(),
            Some(identifier) => identifier,
            None => format!("{stem}-{number:0width$}", width = count.to_string().len()),
        };
        games.push(Some(Game { wanted, name: String::new(), record }));
    }
}

/// Gives each game a name of its own.
pub(super) fn name(games: &mut [Game]) {
    let mut names = Names::default();
    for game in games {
        game.name = names.free(&game.wanted);
    }
}

/// The names that are taken, in small letters: some systems do not tell them from capital ones.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// For each name that was wanted again, the last number after it.
    copies: HashMap<String, usize>,
}

impl Names {
    fn take(&mut self, name: &str) {
        self.taken.insert(name.to_lowercase());
    }

    /// Takes the name that is wanted, or the first one with a number after it that is not taken.
    fn free(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        // index.html has the links to the pages of the games.
        while name.to_lowercase() == "index" || self.taken.contains(&name.to_lowercase()) {
            let copy = self.copies.entry(wanted.to_lowercase()).or_insert(1);
            *copy += 1;
            name = format!("{wanted}-{copy}");
        }
        self.take(&name);
        name
    }
}

/// The name of a game in its record, if it can be the name of a file.
fn identifier(record: &Record) -> Option<String> {
    let name = record.name()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!name.is_empty() && name.len() <= 64 && name.chars().all(is_plain)).then_some(name)
}

/// The reviews in a directory, which are not games to review.
pub(super) fn reviews(directory: &Path) -> Result<HashSet<PathBuf>, String> {
    let summary = directory.join(SUMMARY);
    let lines: Vec<Line> = if summary.is_file() { lines::read(&summary)? } else { Vec::new() };
    Ok(lines.iter().filter_map(|line| directory.join(&line.file).canonicalize().ok()).collect())
}

pub(super) struct Folder {
    pub(super) directory: PathBuf,
    summary: LineFile,
    settings: String,
    lines: Vec<Line>,
    names: HashSet<String>,
    extension: &'static str,
}

impl Folder {
    /// Opens or creates the directory.
    ///
    /// Fails if it has reviews already and `--resume` is not given, or if they were made with other settings.
    pub(super) fn open(directory: &Path, arguments: &Arguments, options: &EngineOptions) -> Result<Folder, String> {
        if directory.exists() && !directory.is_dir() {
            return Err(format!("{} is a file (reviews of several games get a directory)", directory.display()));
        }
        fs::create_dir_all(directory).map_err(in_file(directory))?;
        let (summary, lines) = LineFile::open::<Line>(&directory.join(SUMMARY), arguments.resume)?;
        let settings = settings(arguments, options);
        if let Some(other) = lines.iter().find(|line| line.settings != settings) {
            let directory = directory.display();
            return Err(format!(
                "cannot resume the reviews in {directory}: they were made with '{}', not '{settings}'",
                other.settings
            ));
        }
        let mut folder = Folder {
            directory: directory.to_owned(),
            summary,
            settings,
            lines: Vec::new(),
            names: HashSet::new(),
            extension: arguments.target().extension(),
        };
        lines.into_iter().for_each(|line| folder.keep(line));
        Ok(folder)
    }

    /// Keeps a line, in the place of an earlier one of the same game.
    fn keep(&mut self, line: Line) {
        match self.lines.iter_mut().find(|earlier| earlier.file == line.file) {
            Some(earlier) => *earlier = line,
            None => {
                self.names.insert(line.file.clone());
                self.lines.push(line);
            }
        }
    }

    /// Gives each game that was reviewed before the name of its review, and each other one a name that is not taken.
    ///
    /// The games may have had other names at that time: files may have come and gone, and a file may have had fewer
    /// games, so that their numbers had fewer digits.
    pub(super) fn rename(&self, games: &mut [Game]) {
        let identities: Vec<Identity> = games.iter().map(|game| Identity::from_record(&game.record)).collect();
        let mut reviewed = vec![None; games.len()];
        for line in &self.lines {
            let name = line.name();
            let mut rest = (0..games.len()).filter(|&i| reviewed[i].is_none());
            // Of several copies of a game, the one of this name.
            let named = |name_of: fn(&Game) -> &str| {
                rest.clone().find(|&i| name_of(&games[i]) == name && identities[i].fits(line))
            };
            let same = named(|game| &game.name).or_else(|| named(|game| &game.wanted));
            if let Some(i) = same.or_else(|| rest.find(|&i| identities[i] == line.game)) {
                reviewed[i] = Some(name);
            }
        }
        let mut names = Names::default();
        self.lines.iter().for_each(|line| names.take(line.name()));
        for (game, reviewed) in games.iter_mut().zip(reviewed) {
            game.name = reviewed.map_or_else(|| names.free(&game.wanted), str::to_owned);
        }
    }

    fn file(&self, name: &str) -> String {
        format!("{name}.{}", self.extension)
    }

    /// Whether this game was reviewed, and its file is still there.
    pub(super) fn has(&self, name: &str) -> bool {
        let file = self.file(name);
        self.names.contains(&file) && self.directory.join(file).exists()
    }

    /// Checks that the review of this game would not replace a file that is not a review, such as the game itself.
    pub(super) fn check_free(&self, name: &str) -> Result<(), String> {
        let file = self.file(name);
        let path = self.directory.join(&file);
        if path.exists() && !self.names.contains(&file) { Err(occupied(&path)) } else { Ok(()) }
    }

    /// Checks that [`Folder::write_index`] would not replace a page that is not a list of reviews.
    pub(super) fn check_index(&self) -> Result<(), String> {
        let path = self.index();
        if !path.exists() {
            return Ok(());
        }
        let page = files::read(&path, MAX_TEXT).map_err(in_file(&path))?;
        if html::is_index(&String::from_utf8_lossy(&page)) { Ok(()) } else { Err(occupied(&path)) }
    }

    /// Writes the line of a game, and then its file: a file without a line may be anything, and would not be replaced.
    /// Returns what to say about it.
    pub(super) fn add(&mut self, name: &str, review: &Review, arguments: &Arguments) -> Result<String, String> {
        let file = self.file(name);
        let path = self.directory.join(&file);
        let mistakes = [Color::White, Color::Black].map(|color| review.mistakes_of(color));
        let line = Line {
            game: Identity::from_record(&review.record),
            file,
            moves: review.moves.len(),
            mistakes: mistakes.map(|(count, _)| count),
            lost: mistakes.map(|(_, lost)| lost),
            turning_points: review.turning_points.iter().map(|i| i + 1).collect(),
            summary: text::summary(review),
            settings: self.settings.clone(),
        };
        let said = format!("{name}: {}", line.summary);
        if !self.lines.contains(&line) {
            self.summary.add(&line)?;
            self.keep(line);
        }
        replace(&path, arguments.write(review).as_bytes()).map_err(in_file(&path))?;
        Ok(said)
    }

    /// The page with links to all others.
    fn index(&self) -> PathBuf {
        self.directory.join("index.html")
    }

    /// Writes the page with links to all others.
    pub(super) fn write_index(&self) -> Result<(), String> {
        let games: Vec<(String, String)> =
            self.lines.iter().map(|line| (line.file.clone(), line.summary.clone())).collect();
        let path = self.index();
        replace(&path, html::index(&games).as_bytes()).map_err(in_file(&path))
    }
}

/// The error for a file that would be replaced although it is not a review.
fn occupied(path: &Path) -> String {
    format!("{} already exists and is not a review (use another --out)", path.display())
}

/// What reviews depend on, except the games and the number of threads.
fn settings(arguments: &Arguments, options: &EngineOptions) -> String {
    let mut parts = Vec::new();
    match arguments.simulations {
        Some(simulations) => parts.push(format!("--simulations {simulations}")),
        None => parts.push(format!("--time {}", arguments.time.map_or(1.0, |time| time.as_secs_f64()))),
    }
    parts.push(format!("--mistake {}", arguments.mistake));
    parts.extend(arguments.swap.then(|| "--swap".to_owned()));
    parts.push(format!("--to {}", arguments.target().name()));
    parts.extend(arguments.all.then(|| "--all".to_owned()));
    parts.push(format!("--names {}", arguments.names.name()));
    let changed = options.list().into_iter().filter(|option| option.value != option.default);
    parts.extend(changed.filter(|o| o.name != "threads").map(|option| format!("{}={}", option.name, option.value)));
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If each were compared with all others, this would take hours.
    #[test]
    fn any_number_of_games_have_names_of_their_own() {
        let mut names = Names::default();
        let mut found = HashSet::new();
        for i in 0..30_000 {
            assert!(found.insert(names.free(["Havannah", "havannah", "index"][i % 3]).to_lowercase()));
        }
        assert!(!found.contains("index") && found.contains("index-2") && found.contains("havannah"));
    }
}
