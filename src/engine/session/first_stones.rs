//! The table of first stones: what each is worth to the player who owns it.
//!
//! It holds games of the engine against itself from each first stone. `malecon learn first-stones` makes it
//! ([`crate::tools::learn::first_stones`]); `docs/levels.md` explains how.
//!
//! Stones that the symmetries of the board map to each other, here called images of one another, are equivalent under
//! the rules. They form a class, and the table has one line for each class.

use std::fmt;
use std::sync::LazyLock;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::search::Verdict;
use crate::game::{Geometry, Notation, Vertex};

use super::table::TableError;

/// The table that the engine uses: the first stones of each board that it has.
static TABLE: LazyLock<Vec<FirstStones>> =
    LazyLock::new(|| FirstStones::read(include_str!("first_stones.txt")).expect("the built-in table is valid"));

/// A first stone is fair if the estimated chance of its owner differs by no more than this from one half.
pub(super) const FAIR: f64 = 0.05;

/// If all fair stones are good for their owner, or all are bad, the fairest stone of the other kind counts as fair,
/// too, if its chance differs by no more than this from one half.
const NEARLY_FAIR: f64 = 0.13;

/// An estimate begins as if this many games had been played, with half of the points.
const PRIOR_GAMES: f64 = 2.0;

/// The games from a first stone show which player is better off if their mean is at least this many times the greatest
/// possible standard error from one half. By chance this happens for one fair stone in ten.
const CLEAR: f64 = 1.645;

/// The games of self-play that began with a first stone or one of its images.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoneScore {
    /// How many there are.
    pub games: u32,
    /// The points of the owner of the stone in them: 1 for a win, 0.5 for a draw; of a game that was broken off, the
    /// chance of winning at that point.
    pub points: f64,
}

impl StoneScore {
    /// Whether the mean is too far from one half to be an accident. A game's points deviate from it by at most 0.5.
    pub(super) fn is_clear(self) -> bool {
        (self.mean() - 0.5).abs() * f64::from(self.games).sqrt() >= CLEAR * 0.5
    }

    pub(super) fn mean(self) -> f64 {
        self.points / f64::from(self.games.max(1))
    }
}

/// What is known of the first stones of a board. All chances are from the point of view of the player who owns the
/// stone, with the opponent to move.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstStones {
    geometry: &'static Geometry,
    /// For each vertex, the index of its class.
    class: Vec<usize>,
    /// The score of each class, in the order of [`classes`].
    scores: Vec<StoneScore>,
}

impl FirstStones {
    /// A board without games.
    pub fn new(geometry: &'static Geometry) -> FirstStones {
        let classes = classes(geometry);
        let index = |v| classes.binary_search(&class_of(geometry, v)).expect("each class is listed");
        let class = geometry.vertices().map(index).collect();
        FirstStones { geometry, class, scores: vec![StoneScore::default(); classes.len()] }
    }

    /// Reads a table: lines with side length, vertex, games and points. Lines about the same class are added up. What
    /// follows on a line, and lines that begin with `#`, are for people. The boards come in the order of their size.
    ///
    /// # Errors
    /// If a line is invalid.
    pub fn read(text: &str) -> Result<Vec<FirstStones>, TableError> {
        let mut boards: Vec<FirstStones> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (geometry, v, score) =
                parse_line(line).ok_or_else(|| TableError::new(line, "side, vertex, games and points"))?;
            let i = boards.iter().position(|board| board.geometry.side() == geometry.side()).unwrap_or_else(|| {
                boards.push(FirstStones::new(geometry));
                boards.len() - 1
            });
            boards[i].add(v, score);
        }
        boards.sort_unstable_by_key(|board| board.geometry.side());
        Ok(boards)
    }

    /// The board.
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// The games that began on `v` or one of its images.
    pub fn score(&self, v: Vertex) -> StoneScore {
        self.scores[self.class[v.index()]]
    }

    /// Adds games that began on `v`.
    pub fn add(&mut self, v: Vertex, StoneScore { games, points }: StoneScore) {
        let score = &mut self.scores[self.class[v.index()]];
        score.games += games;
        score.points += points;
    }

    /// The chance of winning in \[0, 1\] with a first stone on `v`: the proven result, or else the estimate.
    pub fn value(&self, v: Vertex) -> f64 {
        published(self.geometry).map_or_else(|| self.estimate(v), Verdict::value)
    }

    /// The chance of winning in \[0, 1\] with a first stone on `v` between players who do not know a proof: the mean of
    /// its games, and one half if it has none.
    pub fn estimate(&self, v: Vertex) -> f64 {
        let StoneScore { games, points } = self.score(v);
        (points + PRIOR_GAMES / 2.0) / (f64::from(games) + PRIOR_GAMES)
    }

    /// How far the estimate of a first stone on `v` is from one half.
    fn imbalance(&self, v: Vertex) -> f64 {
        (self.estimate(v) - 0.5).abs()
    }

    /// The fair first stones, fairest first: both players win about half of the games after them. If possible, some are
    /// good for their owner and some are bad. If no stone is fair, these are the one that comes nearest to it and its
    /// images.
    ///
    /// Where a proof makes all stones equal, the estimates decide: they show on which stone the opponent is most likely
    /// to go wrong.
    #[must_use]
    pub fn fair(&self) -> Vec<Vertex> {
        let mut stones: Vec<_> = self.geometry.vertices().map(|v| (self.imbalance(v), v)).collect();
        stones.sort_unstable_by(|(a, v), (b, w)| a.total_cmp(b).then(v.cmp(w)));
        let class = |v: Vertex| self.class[v.index()];
        let fairest = class(stones[0].1);
        let fairest_of_kind = [true, false].map(|good| {
            let stone = stones.iter().find(|&&(_, v)| self.is_good(v) == good);
            stone.map(|&(_, v)| class(v))
        });
        let is_fair = |&(imbalance, v): &(f64, Vertex)| {
            class(v) == fairest
                || imbalance <= FAIR
                || (fairest_of_kind.contains(&Some(class(v))) && imbalance <= NEARLY_FAIR)
        };
        stones.into_iter().filter(is_fair).map(|(_, v)| v).collect()
    }

    /// Whether a first stone on `v` wins more than half of the games for its owner, between players who do not know a
    /// proof.
    fn is_good(&self, v: Vertex) -> bool {
        self.estimate(v) > 0.5
    }

    /// One of the fair stones, drawn at random. Stones that are good for their owner and stones that are bad are
    /// equally likely, if there are both: so the opponent swaps in half of the games, and what the table misjudges
    /// evens out.
    pub(super) fn draw_fair(&self, rng: &mut Xoshiro256PlusPlus) -> Vertex {
        let (good, bad): (Vec<_>, Vec<_>) = self.fair().into_iter().partition(|&v| self.is_good(v));
        let kinds: Vec<_> = [good, bad].into_iter().filter(|stones| !stones.is_empty()).collect();
        let kind = kinds.choose(rng).expect("at least one stone counts as fair");
        *kind.choose(rng).expect("kinds without stones were left out")
    }
}

impl fmt::Display for FirstStones {
    /// The lines of the table: side, vertex, games, points, value. Each class is given by one of its stones. Classes
    /// without games have no line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for v in classes(self.geometry).into_iter().filter(|&v| self.score(v).games > 0) {
            let side = self.geometry.side();
            let name = Notation::HavannahGui.name(self.geometry, v);
            let StoneScore { games, points } = self.score(v);
            writeln!(f, "{side:4} {name:>6} {games:5} {points:7.2}  {:.3}", self.value(v))?;
        }
        Ok(())
    }
}

fn parse_line(line: &str) -> Option<(&'static Geometry, Vertex, StoneScore)> {
    let mut words = line.split_whitespace();
    let geometry = Geometry::with_side(words.next()?.parse().ok()?).ok()?;
    let vertex = Notation::HavannahGui.parse(geometry, words.next()?).ok()?;
    let games = words.next()?.parse().ok()?;
    let points = words.next()?.parse().ok()?;
    (0.0..=f64::from(games)).contains(&points).then_some((geometry, vertex, StoneScore { games, points }))
}

/// The value of every first stone where a solution is published: on side 4 the first player wins wherever the first
/// stone is (Ewalds, *Playing and Solving Havannah*, 2012).
pub(crate) fn published(geometry: &Geometry) -> Option<Verdict> {
    (geometry.shape().regular_side() == Some(4)).then_some(Verdict::Win)
}

/// The vertices that the symmetries of the board map `v` to, `v` included, in vertex order.
#[must_use]
pub fn images(geometry: &Geometry, v: Vertex) -> Vec<Vertex> {
    let mut images: Vec<_> = geometry.symmetries().iter().map(|image| image[v.index()]).collect();
    images.sort_unstable();
    images.dedup();
    images
}

/// The vertex that stands for all images of `v`: the one with the lowest index.
pub(super) fn class_of(geometry: &Geometry, v: Vertex) -> Vertex {
    geometry.symmetries().iter().map(|image| image[v.index()]).min().expect("there are 12 symmetries")
}

/// One vertex of each class under the symmetries of the board, in vertex order.
#[must_use]
pub fn classes(geometry: &Geometry) -> Vec<Vertex> {
    geometry.vertices().filter(|&v| class_of(geometry, v) == v).collect()
}

/// The first stones of a board; `None` if the table does not have the board.
pub fn first_stones(geometry: &Geometry) -> Option<&'static FirstStones> {
    TABLE.iter().find(|board| board.geometry == geometry)
}

/// A vertex drawn at random from those that the symmetries of the board map `v` to.
pub(super) fn random_image(geometry: &Geometry, v: Vertex, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let symmetries = geometry.symmetries();
    symmetries[rng.random_range(0..symmetries.len())][v.index()]
}
