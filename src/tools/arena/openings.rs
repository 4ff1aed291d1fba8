//! Openings: the first stones of each pair of games. Every pairing of engines plays the same list, each opening twice
//! with colours exchanged.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Mutex;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::encoding;
use crate::base::files::in_file;
use crate::base::sync::{StopFlag, lock};
use crate::game::record::{Format, Hints, Record, RecordError, read_each};
use crate::game::{Color, Distinct, Game, Geometry, MAX_SIDE, MIN_SIDE, Move, Notation, Vertex};
use crate::tools::ToolError;

/// Where the openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// This many random stones.
    Random(usize),
    /// The balanced openings that are compiled in, in random order.
    Balanced,
    /// A file with one opening per line.
    File(PathBuf),
    /// The empty board.
    None,
}

impl FromStr for Source {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Source, ToolError> {
        match (text, text.strip_prefix("random:")) {
            ("none", _) => Ok(Source::None),
            ("balanced", _) => Ok(Source::Balanced),
            (_, Some(plies)) => {
                let plies = plies.parse().map_err(|_| {
                    format!("invalid number of plies '{plies}' (expected random:PLIES, such as random:2)")
                })?;
                Ok(if plies == 0 { Source::None } else { Source::Random(plies) })
            }
            ("random", _) => Err("the number of plies is missing (expected random:PLIES, such as random:2)".into()),
            _ => Ok(Source::File(text.into())),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Random(plies) => write!(f, "random:{plies}"),
            Source::Balanced => f.write_str("balanced"),
            Source::File(path) => path.display().fmt(f),
            Source::None => f.write_str("none"),
        }
    }
}

/// Openings: a list that is not empty, or random ones, which are drawn as they are needed.
#[derive(Debug)]
pub struct Openings(Kind);

#[derive(Debug)]
enum Kind {
    List(Vec<Vec<Vertex>>),
    Random(Mutex<RandomOpenings>),
}

impl Openings {
    /// Creates the openings for `pairs` pairs of games. The same seed gives the same openings, however many there are.
    ///
    /// # Errors
    /// Returns a one-line message if the file cannot be read (with its name and the line), if there are fewer distinct
    /// random openings than pairs, or no balanced openings for the board.
    pub fn new(source: &Source, geometry: &'static Geometry, pairs: usize, seed: u64) -> Result<Openings, ToolError> {
        match source {
            Source::None => Ok(Openings(Kind::List(vec![vec![]]))),
            Source::Random(plies) => {
                let found = capacity(geometry, *plies);
                if found < pairs.max(1) as f64 {
                    return Err(too_few(geometry, *plies, found, pairs).into());
                }
                Ok(Openings(Kind::Random(Mutex::new(RandomOpenings::new(geometry, *plies, seed)))))
            }
            Source::Balanced => Ok(Openings(Kind::List(balanced(geometry, seed)?))),
            Source::File(path) if !path.exists() => Err(format!(
                "there is no file {} (expected random:PLIES, balanced, none, or a file of openings)",
                path.display()
            )
            .into()),
            Source::File(path) => Ok(Openings::parse(geometry, &encoding::read(path)?).map_err(in_file(path))?),
        }
    }

    /// Reads the text of a file: a [list of moves](Format::Moves) for each opening, on a line of its own. The line
    /// `# side N` may be missing. The side length may also stand before the moves, as `malecon learn balanced` writes
    /// it; openings of other sides are then left out.
    ///
    /// # Errors
    /// Returns a one-line message that names the line if an opening is illegal or ends the game, or if there is none
    /// for this board.
    pub fn parse(geometry: &'static Geometry, text: &str) -> Result<Openings, ToolError> {
        Ok(Openings(Kind::List(read(geometry, text)?)))
    }

    /// The opening of a pair of games. Those of all earlier pairs are drawn first; `None` if the flag is raised before
    /// that is done. A list starts over after its last opening.
    pub fn for_pair(&self, pair: usize, stop: &StopFlag) -> Option<Vec<Vertex>> {
        match &self.0 {
            Kind::List(list) => Some(list[pair % list.len()].clone()),
            Kind::Random(openings) => lock(openings).get(pair, stop),
        }
    }

    /// The number of openings in a list, symmetric ones counted once; `None` for random openings, which are all
    /// distinct.
    pub fn distinct(&self, geometry: &Geometry) -> Option<usize> {
        match &self.0 {
            Kind::List(list) => {
                Some(list.iter().map(|opening| geometry.canonical(opening)).collect::<HashSet<_>>().len())
            }
            Kind::Random(_) => None,
        }
    }

    /// The most stones of an opening of a list; `None` for random openings.
    pub fn longest(&self) -> Option<usize> {
        match &self.0 {
            Kind::List(list) => list.iter().map(Vec::len).max(),
            Kind::Random(_) => None,
        }
    }

    /// The openings of a list as text, with spaces between vertices; `None` for random openings.
    pub fn to_text(&self, geometry: &Geometry) -> Option<Vec<String>> {
        match &self.0 {
            Kind::List(list) => {
                Some(list.iter().map(|opening| Notation::HavannahGui.names(geometry, opening).join(" ")).collect())
            }
            Kind::Random(_) => None,
        }
    }
}

/// The smallest number of plies, but at least `least`, that gives enough distinct random openings for `pairs` pairs of
/// games; `least` if there is none.
pub fn plies_needed(geometry: &'static Geometry, least: usize, pairs: usize) -> usize {
    enough_plies(geometry, least, pairs).unwrap_or(least)
}

/// Like [`plies_needed`], but `None` if there is none.
fn enough_plies(geometry: &'static Geometry, least: usize, pairs: usize) -> Option<usize> {
    (least..geometry.vertex_count()).find(|&plies| capacity(geometry, plies) >= pairs as f64)
}

/// Side length and vertices of an opening on each line, made by `malecon learn balanced`.
const BALANCED: &str = include_str!("balanced.txt");

/// The balanced openings of a board, in an order that depends on the seed.
fn balanced(geometry: &'static Geometry, seed: u64) -> Result<Vec<Vec<Vertex>>, String> {
    let side = geometry.side();
    if !BALANCED.lines().any(|line| side_and_moves(line).is_some_and(|(of, _)| of == side)) {
        return Err(format!("there are no balanced openings for side {side} (expected 4 to 10): use other openings"));
    }
    let mut openings = read(geometry, BALANCED)?;
    openings.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    Ok(openings)
}

/// Whether the game is still undecided after an opening.
fn is_undecided(geometry: &'static Geometry, opening: &[Vertex]) -> bool {
    let mut game = Game::new(geometry);
    opening.iter().all(|&v| game.play(v).is_ok()) && game.outcome().is_none()
}

/// Random openings, none of them already won and no two of them images of each other.
#[derive(Debug)]
struct RandomOpenings {
    plies: usize,
    rng: Xoshiro256PlusPlus,
    /// The vertices in the order of the last draw.
    vertices: Vec<Vertex>,
    distinct: Distinct,
    drawn: Vec<Vec<Vertex>>,
}

impl RandomOpenings {
    fn new(geometry: &'static Geometry, plies: usize, seed: u64) -> RandomOpenings {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let vertices = geometry.vertices().collect();
        RandomOpenings { plies, rng, vertices, distinct: Distinct::new(geometry), drawn: Vec::new() }
    }

    /// The opening with this number, or `None` if the flag is raised. When no others are found, they start over.
    fn get(&mut self, number: usize, stop: &StopFlag) -> Option<Vec<Vertex>> {
        while self.drawn.len() <= number && !self.distinct.is_exhausted() {
            if stop.is_stopped() {
                return None;
            }
            self.draw();
        }
        self.drawn.get(number % self.drawn.len().max(1)).cloned()
    }

    /// Draws an opening, and keeps it if it is a new one that nobody has won.
    fn draw(&mut self) {
        for i in 0..self.plies {
            let j = self.rng.random_range(i..self.vertices.len());
            self.vertices.swap(i, j);
        }
        let opening = &self.vertices[..self.plies];
        if self.distinct.keep(opening) {
            self.drawn.push(opening.to_vec());
        }
    }
}

/// The number of openings of this many plies, symmetric ones counted once and those already won left out. It is exact
/// while there are too few stones for a win, and otherwise estimated from a sample.
fn capacity(geometry: &'static Geometry, plies: usize) -> f64 {
    if plies >= geometry.vertex_count() {
        return 0.0;
    }
    let colors = [plies.div_ceil(2), plies / 2];
    // By the lemma that is not Burnside's, the number of classes is the mean number of openings that a symmetry maps to
    // themselves.
    let symmetries = geometry.symmetries();
    let classes =
        symmetries.iter().map(|symmetry| fixed_openings(symmetry, colors)).sum::<f64>() / symmetries.len() as f64;
    // A bridge joins two corners, and other structures take no fewer stones.
    if colors[0] < geometry.side() {
        return classes;
    }
    const SAMPLE: u32 = 2_000;
    let mut openings = RandomOpenings::new(geometry, plies, 0);
    let undecided = (0..SAMPLE).filter(|_| {
        openings.draw();
        is_undecided(geometry, &openings.vertices[..plies])
    });
    (classes * undecided.count() as f64 / f64::from(SAMPLE)).floor()
}

/// How many sets of white and of black stones of these sizes a symmetry maps to themselves: they consist of its cycles.
fn fixed_openings(symmetry: &[Vertex], [white, black]: [usize; 2]) -> f64 {
    let mut sets = vec![vec![0.0; black + 1]; white + 1];
    sets[0][0] = 1.0;
    let mut visited = vec![false; symmetry.len()];
    for start in 0..symmetry.len() {
        let mut at = start;
        let mut length = 0;
        while !std::mem::replace(&mut visited[at], true) {
            at = symmetry[at].index();
            length += 1;
        }
        if length == 0 {
            continue;
        }
        for w in (0..=white).rev() {
            for b in (0..=black).rev() {
                let with_white = if w >= length { sets[w - length][b] } else { 0.0 };
                let with_black = if b >= length { sets[w][b - length] } else { 0.0 };
                sets[w][b] += with_white + with_black;
            }
        }
    }
    sets[white][black]
}

fn too_few(geometry: &'static Geometry, plies: usize, found: f64, wanted: usize) -> String {
    let side = geometry.side();
    let enough = enough_plies(geometry, 1, wanted).map(|plies| format!("--openings random:{plies}, "));
    let games = (found > 0.0).then(|| format!("at most {} games, ", 2.0 * found));
    format!(
        "side {side} has only {found} distinct openings of {plies} plies (symmetric ones count once), but {wanted} pairs \
         of games need one each: use {}{}or --openings none",
        enough.unwrap_or_default(),
        games.unwrap_or_default()
    )
}

/// The side length at the beginning of a line, and the moves after it. A list of moves never begins with a number alone,
/// unless that is 1.
fn side_and_moves(line: &str) -> Option<(usize, &str)> {
    let (side, moves) = line.trim_start().split_once(char::is_whitespace)?;
    let side = side.parse().ok().filter(|side| (MIN_SIDE..=MAX_SIDE).contains(side))?;
    Some((side, moves))
}

/// The lists of moves in a text that are for this side length. All lines keep their numbers.
fn lists_for(side: usize, text: &str) -> String {
    let list = |line| match side_and_moves(line) {
        Some((of, moves)) if of == side => moves,
        Some(_) => "",
        None => line,
    };
    text.lines().flat_map(|line| [list(line), "\n"]).collect()
}

fn read(geometry: &'static Geometry, text: &str) -> Result<Vec<Vec<Vertex>>, String> {
    let side = geometry.side();
    let hints = Hints { format: Some(Format::Moves), side: Some(side), ..Hints::default() };
    let text = lists_for(side, text);
    let lists = match read_each(text.as_bytes(), hints) {
        Err(_) if text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#')) => {
            return Err(format!(
                "the file contains no opening for side {side} (expected lines such as 'b2 c3' or '{side} b2 c3')"
            ));
        }
        lists => lists.map_err(|error| at_line(&error, &error.reason))?,
    };
    let mut openings = Vec::new();
    for (number, list) in (1..).zip(lists) {
        let opening = list.map_err(|error| at_line(&error, &error.reason))?;
        openings.push(vertices(geometry, &opening).map_err(|error| format!("opening {number}: {error}"))?);
    }
    Ok(openings)
}

fn at_line(error: &RecordError, reason: &str) -> String {
    format!("line {}: {reason}", error.place.line)
}

/// The vertices of an opening, which White and Black occupied in turn.
fn vertices(geometry: &'static Geometry, opening: &Record) -> Result<Vec<Vertex>, String> {
    if opening.board() != geometry {
        let [theirs, ours] = [opening.board(), geometry].map(Geometry::side);
        return Err(format!("it is for side {theirs}, but the match is on side {ours}"));
    }
    if opening.play_count() == 0 {
        return Err("it has no moves".into());
    }
    if opening.result().is_some() {
        return Err("the game is over after this opening".into());
    }
    let colors = [Color::White, Color::Black].into_iter().cycle();
    let vertex = |((color, m), turn)| match m {
        Move::Place(v) if color == turn => Ok(v),
        _ => Err("expected stones of White and Black in turn".to_owned()),
    };
    opening.moves().into_iter().zip(colors).map(vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(side: usize) -> &'static Geometry {
        Geometry::with_side(side).unwrap()
    }

    /// The first random openings.
    fn random(geometry: &'static Geometry, plies: usize, count: usize, seed: u64) -> Result<Vec<Vec<Vertex>>, String> {
        let openings = Openings::new(&Source::Random(plies), geometry, count, seed)?;
        Ok((0..count).map(|pair| openings.for_pair(pair, &StopFlag::new()).unwrap()).collect())
    }

    /// The distinct openings of two plies, found by trying them all.
    fn distinct_pairs(side: usize) -> HashSet<[Vec<Vertex>; 2]> {
        let board = board(side);
        let pairs = board.vertices().flat_map(|v| board.vertices().map(move |w| [v, w]));
        pairs.filter(|[v, w]| v != w).map(|pair| board.canonical(&pair)).collect()
    }

    #[test]
    fn symmetric_openings_count_as_one() {
        let board = board(4);
        for symmetry in board.symmetries() {
            let opening: Vec<Vertex> = [3, 17, 8, 30].map(|i| symmetry[i]).to_vec();
            let exchanged: Vec<Vertex> = [8, 17, 3, 30].map(|i| symmetry[i]).to_vec();
            let original = [3, 17, 8, 30].map(|i| board.vertex(i).unwrap());
            assert_eq!(board.canonical(&opening), board.canonical(&original));
            assert_eq!(
                board.canonical(&exchanged),
                board.canonical(&original),
                "the order of the stones does not matter"
            );
        }
    }

    #[test]
    fn random_openings_are_distinct_and_exhaustive() {
        let classes = distinct_pairs(4);
        let openings = random(board(4), 2, classes.len(), 1).unwrap();
        let found: HashSet<_> = openings.iter().map(|o| board(4).canonical(o)).collect();
        assert_eq!(found, classes);
        let error = random(board(4), 2, classes.len() + 1, 1).unwrap_err();
        assert!(error.contains(&format!("only {} distinct", classes.len())), "{error}");
        for side in [2, 3, 5] {
            assert_eq!(capacity(board(side), 2), distinct_pairs(side).len() as f64, "side {side}");
        }
    }

    #[test]
    fn the_error_about_too_few_openings_says_what_would_be_enough() {
        for (plies, pairs, advice) in [
            (1, 30, "use --openings random:2, at most 8 games, or --openings none"),
            (99, 30, "use --openings random:2, or --openings none"),
            (2, usize::MAX, "use at most 70 games, or --openings none"),
        ] {
            let error = random(board(3), plies, pairs, 1).unwrap_err();
            assert!(error.ends_with(&format!(": {advice}")), "{error}");
        }
    }

    /// Beyond the last one the openings start over, and no number takes memory in advance.
    #[test]
    fn openings_are_drawn_as_they_are_needed() {
        let openings = Openings::new(&Source::Random(4), board(8), 10_000_000, 1).unwrap();
        let Kind::Random(drawn) = &openings.0 else { panic!("random openings are drawn") };
        assert_eq!(lock(drawn).drawn.len(), 0);
        openings.for_pair(9, &StopFlag::new()).unwrap();
        assert_eq!(lock(drawn).drawn.len(), 10);
        let stopped = StopFlag::new();
        stopped.stop();
        assert_eq!((openings.for_pair(10, &stopped), lock(drawn).drawn.len()), (None, 10));
        let all = capacity(board(3), 1) as usize;
        let few = Openings::new(&Source::Random(1), board(3), all, 1).unwrap();
        assert_eq!(few.for_pair(all + 1, &StopFlag::new()), few.for_pair(1, &StopFlag::new()));
        let error = Openings::new(&Source::Random(2), board(3), usize::MAX, 1).unwrap_err().to_string();
        assert!(error.starts_with("side 3 has only "), "{error}");
    }

    #[test]
    fn random_openings_are_undecided_and_depend_only_on_the_seed() {
        let openings = random(board(3), 9, 200, 5).unwrap();
        assert!(openings.iter().all(|o| o.len() == 9 && is_undecided(board(3), o)));
        assert_eq!(random(board(3), 9, 50, 5).unwrap(), openings[..50]);
        assert_ne!(random(board(3), 9, 50, 6).unwrap(), openings[..50]);
        assert!(random(board(2), 7, 1, 1).is_err(), "a full board is over");
    }

    #[test]
    fn enough_plies_are_chosen_for_the_match() {
        assert_eq!(plies_needed(board(4), 2, 20), 2);
        assert_eq!(plies_needed(board(4), 2, 500), 3);
        assert_eq!(plies_needed(board(8), 2, 500), 2);
    }

    #[test]
    fn files_have_one_opening_per_line() {
        let openings = read(board(4), "# two\n\nd4, a1\nA2\tb3 c3 # three\n").unwrap();
        assert_eq!(openings.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3]);
        let openings = Openings(Kind::List(openings));
        assert_eq!(openings.for_pair(3, &StopFlag::new()), openings.for_pair(1, &StopFlag::new()));
    }

    /// The file of `malecon learn balanced`.
    #[test]
    fn the_side_may_stand_before_the_moves() {
        let text = "# Balanced openings: side length and vertices.\n4 d4 a1 b2\n5 e5 a1 c2\n 4\td3 d1 f4\n1 d4 2 a1\n";
        let names = |opening: &Vec<Vertex>| Notation::HavannahGui.names(board(4), opening).join(" ");
        let openings = |side| read(board(side), text);
        assert_eq!(openings(4).unwrap().iter().map(names).collect::<Vec<_>>(), ["d4 a1 b2", "d3 d1 f4", "d4 a1"]);
        let text = "4 d4 a1\n5 e5 z9\n4 h9\n";
        assert!(read(board(4), text).unwrap_err().starts_with("line 3: "));
        assert!(read(board(5), text).unwrap_err().starts_with("line 2: "));
        let none = "the file contains no opening for side 6 (expected lines such as 'b2 c3' or '6 b2 c3')";
        assert_eq!(read(board(6), text).unwrap_err(), none);
        assert!(read(board(4), "14 d4 a1").unwrap_err().contains("'14'"));
    }

    #[test]
    fn the_error_names_the_bad_line() {
        for (text, line, reason) in [
            ("d4\nh9", "line 2", "h9"),
            ("d4 c3 c3", "line 1", "occupied"),
            ("d4 d4", "opening 1", "in turn"),
            ("d4\na1 b2 a2 b3 a3 b4 a4", "opening 2", "over"),
            ("d4 resign", "opening 1", "over"),
            ("d4 e", "line 1", "'e'"),
            ("# side 5\nd4 c3", "opening 1", "it is for side 5, but the match is on side 4"),
            ("d4 white:c3", "opening 1", "in turn"),
        ] {
            let error = read(board(4), text).unwrap_err();
            assert!(error.contains(line) && error.contains(reason), "{error}");
        }
        assert!(read(board(4), "# nothing\n").is_err());
    }

    #[test]
    fn balanced_openings_are_distinct_and_undecided_on_every_side() {
        for side in 4..=10 {
            let openings = balanced(board(side), 1).unwrap();
            assert!(openings.len() >= 80, "side {side} has {}", openings.len());
            assert!(openings.iter().all(|opening| (3..=6).contains(&opening.len())));
            let classes: HashSet<_> = openings.iter().map(|opening| board(side).canonical(opening)).collect();
            assert_eq!(classes.len(), openings.len());
            let mut others = balanced(board(side), 2).unwrap();
            assert_ne!(others, openings, "the order depends on the seed");
            others.sort_unstable();
            let mut sorted = openings.clone();
            sorted.sort_unstable();
            assert_eq!(others, sorted);
        }
        for side in [3, 11] {
            assert!(balanced(board(side), 1).unwrap_err().contains(&format!("side {side}")));
        }
    }

    #[test]
    fn sources_round_trip_through_text() {
        for text in ["random:3", "none", "balanced", "book.txt"] {
            assert_eq!(text.parse::<Source>().unwrap().to_string(), text);
        }
        assert!("random:x".parse::<Source>().is_err() && "random".parse::<Source>().is_err());
    }
}
