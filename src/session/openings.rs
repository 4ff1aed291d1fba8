//! What the first stone is worth: a table for openings under the pie rule.
//!
//! The table has one first stone of each class under the symmetries of the board. `malecon learn openings` makes it
//! ([`crate::training::openings`]); `docs/levels.md` explains how.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Color, Game, Geometry, Notation, Vertex};
use crate::record::Move;
use crate::search::Verdict;

use super::choice::opens;

/// The table that the engine uses.
static TABLE: LazyLock<Vec<FirstStone>> = LazyLock::new(|| {
    let lines = include_str!("openings.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.parse().expect("the built-in table is whole")).collect()
});

/// The weight of the search's estimate in [`FirstStone::estimate`], in games.
const SEARCH_WEIGHT: f64 = 8.0;

/// A first stone is fair if the chance of its owner differs by no more than this from one half.
const FAIR: f64 = 0.06;

/// What is known of a first stone. All values are from the point of view of the player who owns the stone, with the
/// opponent to move.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstStone {
    /// The side length of the board.
    pub side: usize,
    /// The vertex with the lowest index among those that the symmetries of the board map to each other.
    pub vertex: Vertex,
    /// The games of self-play that began with this stone.
    pub games: u32,
    /// The points of the owner of the stone in them: 1 for a win, 0.5 for a draw; of a game that was broken off, the chance
    /// of winning at that point.
    pub points: f64,
    /// The estimate of one long search, in \[0, 1\].
    pub search: f64,
    /// The proven result, where there is a proof.
    pub verdict: Option<Verdict>,
}

impl FirstStone {
    /// The chance of winning in \[0, 1\]: the proven result, or else the share of points in self-play, where the estimate
    /// of the search counts as a few games more.
    pub fn value(&self) -> f64 {
        self.verdict.map_or_else(|| self.estimate(), Verdict::value)
    }

    /// The chance of winning in \[0, 1\] between players who do not know the proof.
    pub fn estimate(&self) -> f64 {
        (self.points + SEARCH_WEIGHT * self.search) / (f64::from(self.games) + SEARCH_WEIGHT)
    }
}

impl fmt::Display for FirstStone {
    /// A line of the table: side, vertex, games, points, search, verdict, value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FirstStone { side, vertex, games, points, search, verdict } = self;
        let geometry = Geometry::of(*side).map_err(|_| fmt::Error)?;
        let name = Notation::HavannahGui.name(geometry, *vertex);
        let verdict = match verdict {
            None => "open",
            Some(Verdict::Win) => "win",
            Some(Verdict::Loss) => "loss",
            Some(Verdict::Draw) => "draw",
        };
        write!(f, "{side:4} {name:>6} {games:5} {points:7.2}  {search:.4} {verdict:>7}  {:.3}", self.value())
    }
}

impl FromStr for FirstStone {
    type Err = String;

    /// Reads a line of the table. The value at its end is for people and is not read.
    fn from_str(line: &str) -> Result<FirstStone, String> {
        let error =
            || format!("invalid first stone '{line}' (expected side, vertex, games, points, search, verdict, value)");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [side, vertex, games, points, search, verdict, _value] = words[..] else { return Err(error()) };
        let side: usize = side.parse().map_err(|_| error())?;
        let geometry = Geometry::of(side).map_err(|e| e.to_string())?;
        let vertex = Notation::HavannahGui.parse(geometry, vertex).map_err(|e| e.to_string())?;
        let verdict = match verdict {
            "open" => None,
            "win" => Some(Verdict::Win),
            "loss" => Some(Verdict::Loss),
            "draw" => Some(Verdict::Draw),
            _ => return Err(error()),
        };
        let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0).ok_or_else(error);
        let (games, points, search) = (games.parse().map_err(|_| error())?, number(points)?, number(search)?);
        if points > f64::from(games) || search > 1.0 || vertex != class_of(geometry, vertex) {
            return Err(error());
        }
        Ok(FirstStone { side, vertex, games, points, search, verdict })
    }
}

/// The vertex that stands for all those that the symmetries of the board map to `v`: the one with the lowest index.
pub fn class_of(geometry: &Geometry, v: Vertex) -> Vertex {
    geometry.symmetries().iter().map(|image| image[v.index()]).min().expect("there are 12 symmetries")
}

/// One vertex of each class under the symmetries of the board, in vertex order.
pub fn classes(geometry: &Geometry) -> Vec<Vertex> {
    geometry.vertices().filter(|&v| class_of(geometry, v) == v).collect()
}

/// Whether the table has a board.
pub fn has_board(geometry: &Geometry) -> bool {
    first_stones(geometry).next().is_some()
}

/// The first stones of a board that the table has, or none if it does not have the board.
pub fn first_stones(geometry: &Geometry) -> impl Iterator<Item = &'static FirstStone> {
    let side = geometry.side();
    TABLE.iter().filter(move |first| first.side == side)
}

/// What the table says about a first stone on `v`; `None` if it does not have the board.
pub fn first_stone(geometry: &Geometry, v: Vertex) -> Option<&'static FirstStone> {
    let class = class_of(geometry, v);
    first_stones(geometry).find(|first| first.vertex == class)
}

/// The fairest first stones: those that leave both players about the same chances; if there are none, the one that
/// comes nearest to it. Empty if the table does not have the board.
///
/// Where a proof makes all stones equal, the estimates decide: they show on which stone the opponent is most likely to go
/// wrong.
pub fn fair_stones(geometry: &Geometry) -> Vec<&'static FirstStone> {
    let imbalance = |first: &FirstStone| (first.estimate() - 0.5).abs();
    let mut stones: Vec<_> = first_stones(geometry).collect();
    stones.sort_by(|a, b| imbalance(a).total_cmp(&imbalance(b)));
    let fair = stones.partition_point(|first| imbalance(first) <= FAIR);
    stones.truncate(fair.max(1));
    stones
}

/// One of the fairest stones, drawn at random; stones that are good and stones that are bad for their owner are equally
/// likely, if there are both. `None` if the table does not have the board.
fn draw_fair_stone(geometry: &Geometry, rng: &mut Xoshiro256PlusPlus) -> Option<&'static FirstStone> {
    let (good, bad): (Vec<_>, Vec<_>) = fair_stones(geometry).into_iter().partition(|first| first.estimate() > 0.5);
    let kinds: Vec<_> = [good, bad].into_iter().filter(|stones| !stones.is_empty()).collect();
    kinds.choose(rng)?.choose(rng).copied()
}

/// The move of `color` by the table, where the pie rule asks for a decision and the table has the board: one of the fair
/// stones, drawn at random, or the swap. `None` if there is nothing to decide, or the second player does not swap.
pub(super) fn decide(game: &Game, color: Color, rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let geometry = game.geometry();
    if opens(game, color) {
        let first = draw_fair_stone(geometry, rng)?;
        return Some(Move::Place(random_image(geometry, first.vertex, rng)));
    }
    let may_swap = game.can_swap() && color == game.to_move();
    let first = may_swap.then(|| game.last_stone()).flatten().and_then(|v| first_stone(geometry, v))?;
    (first.value() > 0.5).then_some(Move::Swap)
}

/// A vertex drawn at random from those that the symmetries of the board map `v` to.
pub(super) fn random_image(geometry: &Geometry, v: Vertex, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let symmetries = geometry.symmetries();
    symmetries[rng.random_range(0..symmetries.len())][v.index()]
}
