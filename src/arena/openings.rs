//! Openings: a list of the same first stones for every pairing of engines, each played twice with colours exchanged.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Color, Game, Geometry, Notation, Vertex};

/// Where the openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// So many random stones.
    Random(usize),
    /// A file with one opening a line.
    File(PathBuf),
    /// The empty board.
    None,
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Source, String> {
        match (text, text.strip_prefix("random:")) {
            ("none", _) => Ok(Source::None),
            (_, Some(plies)) => {
                let plies = plies.parse().map_err(|_| format!("'{plies}' is not a number of plies"))?;
                Ok(if plies == 0 { Source::None } else { Source::Random(plies) })
            }
            ("random", _) => Err("random:PLIES is wanted, such as random:2".into()),
            _ => Ok(Source::File(text.into())),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Random(plies) => write!(f, "random:{plies}"),
            Source::File(path) => path.display().fmt(f),
            Source::None => f.write_str("none"),
        }
    }
}

/// A list of openings, never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings(Vec<Vec<Vertex>>);

impl Openings {
    /// Makes the openings of a match of so many pairs of games. The first of them are the same however many are
    /// asked for.
    ///
    /// # Errors
    /// A line that says what is wrong: the file and the line in it, or that there are not so many openings.
    pub fn new(source: &Source, geometry: &'static Geometry, pairs: usize, seed: u64) -> Result<Openings, String> {
        match source {
            Source::None => Ok(Openings(vec![vec![]])),
            Source::Random(plies) => random(geometry, *plies, pairs, seed).map(Openings),
            Source::File(path) => {
                let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
                read(geometry, &text).map(Openings).map_err(|e| format!("{}: {e}", path.display()))
            }
        }
    }

    /// The opening of a pair; after the last comes the first again.
    pub fn of_pair(&self, pair: usize) -> &[Vertex] {
        &self.0[pair % self.0.len()]
    }

    /// The openings as text, vertices parted by spaces.
    pub fn to_text(&self, geometry: &Geometry) -> Vec<String> {
        let name = |&v: &Vertex| Notation::HavannahGui.name(geometry, v);
        self.0.iter().map(|opening| opening.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
    }
}

/// The fewest plies, at least `least`, with which there are enough random openings for so many pairs.
pub fn plies_for(geometry: &'static Geometry, least: usize, pairs: usize) -> usize {
    let most = geometry.vertex_count();
    (least..most).find(|&plies| random(geometry, plies, pairs, 0).is_ok()).unwrap_or(least)
}

/// Stones of both colours as they stand, in the one of the board's symmetries in which they compare least: equal for
/// two openings iff a symmetry maps one to the other.
fn canonical(geometry: &Geometry, opening: &[Vertex]) -> [Vec<Vertex>; 2] {
    let stones = |color: Color, symmetry: &[Vertex]| {
        let mut stones: Vec<Vertex> =
            opening.iter().skip(color.index()).step_by(2).map(|v| symmetry[v.index()]).collect();
        stones.sort_unstable();
        stones
    };
    let image = |symmetry: &Vec<Vertex>| Color::ALL.map(|color| stones(color, symmetry));
    geometry.symmetries().iter().map(image).min().expect("there are 12 symmetries")
}

/// Whether an opening's stones leave a game that goes on.
fn goes_on(geometry: &'static Geometry, opening: &[Vertex]) -> bool {
    let mut game = Game::new(geometry);
    opening.iter().all(|&v| game.play(v).is_ok()) && game.outcome().is_none()
}

/// Random openings, no two of which are symmetric to each other, none of them won: stones are drawn until there are
/// enough, or until no new opening has come up for so long that there are hardly any left.
fn random(geometry: &'static Geometry, plies: usize, count: usize, seed: u64) -> Result<Vec<Vec<Vertex>>, String> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(count);
    let mut vertices: Vec<Vertex> = geometry.vertices().collect();
    let mut misses = 0;
    while openings.len() < count.max(1) {
        if plies >= vertices.len() || misses > 20_000 + 50 * seen.len() {
            return Err(too_few(geometry, plies, seen.len(), count));
        }
        for i in 0..plies {
            let j = rng.random_range(i..vertices.len());
            vertices.swap(i, j);
        }
        let opening = &vertices[..plies];
        if goes_on(geometry, opening) && seen.insert(canonical(geometry, opening)) {
            openings.push(opening.to_vec());
            misses = 0;
        } else {
            misses += 1;
        }
    }
    Ok(openings)
}

fn too_few(geometry: &Geometry, plies: usize, found: usize, wanted: usize) -> String {
    let side = geometry.side();
    format!(
        "there are only {found} different openings of {plies} plies on side {side} (symmetric ones count once), and \
         {wanted} pairs of games want one each: ask for more plies, for at most {} games, or for none",
        2 * found
    )
}

/// Reads openings: one a line, vertices parted by spaces or commas; empty lines and what follows a `#` are skipped.
fn read(geometry: &'static Geometry, text: &str) -> Result<Vec<Vec<Vertex>>, String> {
    let mut openings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let names = line.split('#').next().unwrap_or_default();
        let names: Vec<&str> = names.split(|c: char| c.is_whitespace() || c == ',').filter(|s| !s.is_empty()).collect();
        if names.is_empty() {
            continue;
        }
        let opening = read_opening(geometry, &names).map_err(|e| format!("line {}: {e}", number + 1))?;
        openings.push(opening);
    }
    if openings.is_empty() { Err("there is no opening in it".into()) } else { Ok(openings) }
}

fn read_opening(geometry: &'static Geometry, names: &[&str]) -> Result<Vec<Vertex>, String> {
    let mut game = Game::new(geometry);
    let mut opening = Vec::new();
    for name in names {
        let v = Notation::HavannahGui.parse(geometry, name).map_err(|e| e.to_string())?;
        game.play(v).map_err(|e| format!("{name}: {e}"))?;
        opening.push(v);
    }
    if game.outcome().is_some() { Err("the game is over after it".into()) } else { Ok(opening) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(side: usize) -> &'static Geometry {
        Geometry::of(side).unwrap()
    }

    /// The different openings of two plies, by trying all.
    fn classes_of_two(side: usize) -> HashSet<[Vec<Vertex>; 2]> {
        let board = board(side);
        let pairs = board.vertices().flat_map(|v| board.vertices().map(move |w| [v, w]));
        pairs.filter(|[v, w]| v != w).map(|pair| canonical(board, &pair)).collect()
    }

    #[test]
    fn symmetric_openings_are_one() {
        let board = board(4);
        for symmetry in board.symmetries() {
            let opening: Vec<Vertex> = [3, 17, 8, 30].map(|i| symmetry[i]).to_vec();
            let exchanged: Vec<Vertex> = [8, 17, 3, 30].map(|i| symmetry[i]).to_vec();
            let original = [3, 17, 8, 30].map(|i| board.vertex(i).unwrap());
            assert_eq!(canonical(board, &opening), canonical(board, &original));
            assert_eq!(canonical(board, &exchanged), canonical(board, &original), "the order of stones is no matter");
        }
    }

    #[test]
    fn random_openings_are_distinct_and_all_are_found() {
        let classes = classes_of_two(4);
        let openings = random(board(4), 2, classes.len(), 1).unwrap();
        let found: HashSet<_> = openings.iter().map(|o| canonical(board(4), o)).collect();
        assert_eq!(found, classes);
        let error = random(board(4), 2, classes.len() + 1, 1).unwrap_err();
        assert!(error.contains(&format!("only {} different", classes.len())), "{error}");
    }

    #[test]
    fn random_openings_are_never_won_and_depend_on_the_seed_alone() {
        let openings = random(board(3), 9, 200, 5).unwrap();
        assert!(openings.iter().all(|o| o.len() == 9 && goes_on(board(3), o)));
        assert_eq!(random(board(3), 9, 50, 5).unwrap(), openings[..50]);
        assert_ne!(random(board(3), 9, 50, 6).unwrap(), openings[..50]);
        assert!(random(board(2), 7, 1, 1).is_err(), "a full board is over");
    }

    #[test]
    fn the_default_plies_suffice_for_the_match() {
        assert_eq!(plies_for(board(4), 2, 20), 2);
        assert_eq!(plies_for(board(4), 2, 500), 3);
        assert_eq!(plies_for(board(8), 2, 500), 2);
    }

    #[test]
    fn files_have_an_opening_a_line() {
        let openings = read(board(4), "# two\n\nd4, a1\nA2\tb3 c3 # three\n").unwrap();
        assert_eq!(openings.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3]);
        let openings = Openings(openings);
        assert_eq!(openings.of_pair(3), openings.of_pair(1));
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, line, reason) in [
            ("d4\nh9", "line 2", "h9"),
            ("d4 d4", "line 1", "occupied"),
            ("a1 b2 a2 b3 a3 b4 a4", "line 1", "over"),
            ("d4 e", "line 1", "'e'"),
        ] {
            let error = read(board(4), text).unwrap_err();
            assert!(error.contains(line) && error.contains(reason), "{error}");
        }
        assert!(read(board(4), "# nothing\n").is_err());
    }

    #[test]
    fn sources_are_read_and_printed() {
        for text in ["random:3", "none", "book.txt"] {
            assert_eq!(text.parse::<Source>().unwrap().to_string(), text);
        }
        assert!("random:x".parse::<Source>().is_err() && "random".parse::<Source>().is_err());
    }
}
