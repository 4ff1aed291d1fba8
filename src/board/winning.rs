//! The vertices that make up the structures which ended a game.

use std::collections::VecDeque;

use super::color::Color;
use super::game::{Game, Outcome};
use super::geometry::{Geometry, Vertex};
use super::position::Position;
use super::structure::Structures;

impl Game {
    /// The structures with which the game was won, each with the stones that make it up: a path between two corners,
    /// paths that join three sides, a loop. Paths are as short as they can be, and the last stone is always among them.
    /// Empty while the game goes on, and after a draw.
    ///
    /// ```
    /// use malecon::board::{Game, Geometry, Notation, Structures};
    /// let board = Geometry::of(3)?;
    /// let mut game = Game::new(board);
    /// for name in ["a1", "c3", "a2", "d4", "b2", "e5", "a3"] {
    ///     game.play(Notation::HavannahGui.parse(board, name)?)?;
    /// }
    /// let [(Structures::BRIDGE, stones)] = &game.winning_stones()[..] else { panic!() };
    /// let names: Vec<_> = stones.iter().map(|&v| Notation::HavannahGui.name(board, v)).collect();
    /// assert_eq!(names, ["a1", "a2", "a3"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn winning_stones(&self) -> Vec<(Structures, Vec<Vertex>)> {
        let (Some(Outcome::Win(color, structures)), Some(last)) = (self.outcome(), self.last_stone()) else {
            return Vec::new();
        };
        let chain = Chain { position: self.position(), color, last };
        let mut found = Vec::new();
        if structures.contains(Structures::BRIDGE) {
            found.push((Structures::BRIDGE, chain.joining(0..6, 2)));
        }
        if structures.contains(Structures::FORK) {
            found.push((Structures::FORK, chain.joining(6..12, 3)));
        }
        if structures.contains(Structures::RING) {
            found.push((Structures::RING, chain.ring()));
        }
        found
    }
}

/// The chain of the stone that ended a game.
struct Chain<'a> {
    position: &'a Position,
    color: Color,
    last: Vertex,
}

impl Chain<'_> {
    fn geometry(&self) -> &'static Geometry {
        self.position.geometry()
    }

    fn own(&self, v: Vertex) -> bool {
        self.position.stone(v) == Some(self.color)
    }

    /// Shortest paths from the last stone to the `count` nearest of these corners and sides (bits as in
    /// [`Geometry::rim`]), as one set in vertex order. Without the last stone fewer than `count` of them were joined.
    fn joining(&self, bits: std::ops::Range<u16>, count: usize) -> Vec<Vertex> {
        let (order, before) = self.search(&[self.last], None);
        let nearest = bits.filter_map(|bit| order.iter().position(|&v| self.geometry().rim(v) == 1 << bit));
        let mut nearest: Vec<usize> = nearest.collect();
        nearest.sort_unstable();
        union(nearest.into_iter().take(count).map(|i| path(&before, order[i])))
    }

    /// The shortest loop through the last stone that leaves it by two different runs of its neighbours, or, if it has
    /// none, the hexagon of six stones around one of its neighbours (see [`super::position`]).
    fn ring(&self) -> Vec<Vertex> {
        let runs = self.runs();
        let loops = runs.iter().enumerate().filter_map(|(i, run)| {
            let (order, before) = self.search(run, Some(self.last));
            let others = &runs[i + 1..];
            order.into_iter().find(|v| others.iter().any(|r| r.contains(v))).map(|end| path(&before, end))
        });
        let mut ring = loops.min_by_key(Vec::len).unwrap_or_else(|| self.filled_hexagon());
        ring.push(self.last);
        union([ring].into_iter())
    }

    /// The own neighbours of the last stone, parted into runs: what is connected among them.
    fn runs(&self) -> Vec<Vec<Vertex>> {
        let mut runs: Vec<Vec<Vertex>> = Vec::new();
        for &v in self.geometry().neighbours(self.last).iter().filter(|&&v| self.own(v)) {
            let touches = |run: &Vec<Vertex>| run.iter().any(|&w| self.geometry().distance(v, w) == 1);
            let (joined, apart): (Vec<_>, Vec<_>) = runs.into_iter().partition(touches);
            runs = apart;
            runs.push(joined.into_iter().flatten().chain([v]).collect());
        }
        runs
    }

    fn filled_hexagon(&self) -> Vec<Vertex> {
        let geometry = self.geometry();
        let filled = |v: &Vertex| geometry.neighbours(*v).iter().filter(|&&w| self.own(w)).count() == 6;
        let middle = geometry.neighbours(self.last).iter().copied().filter(|&v| self.own(v)).find(filled);
        middle.map_or_else(Vec::new, |v| geometry.neighbours(v).to_vec())
    }

    /// Breadth-first search over own stones from `starts`, never entering `barred`: the stones in the order they are
    /// reached, and for each vertex the one it was reached from.
    fn search(&self, starts: &[Vertex], barred: Option<Vertex>) -> (Vec<Vertex>, Vec<Option<Vertex>>) {
        let mut before = vec![None; self.geometry().vertex_count()];
        let mut seen = vec![false; before.len()];
        let mut queue: VecDeque<Vertex> = starts.iter().copied().collect();
        starts.iter().chain(&barred).for_each(|v| seen[v.index()] = true);
        let mut order = Vec::new();
        while let Some(v) = queue.pop_front() {
            order.push(v);
            for &w in self.geometry().neighbours(v) {
                if self.own(w) && !seen[w.index()] {
                    seen[w.index()] = true;
                    before[w.index()] = Some(v);
                    queue.push_back(w);
                }
            }
        }
        (order, before)
    }
}

/// The path from where the search began to `end`.
fn path(before: &[Option<Vertex>], end: Vertex) -> Vec<Vertex> {
    std::iter::successors(Some(end), |v| before[v.index()]).collect()
}

fn union(paths: impl Iterator<Item = Vec<Vertex>>) -> Vec<Vertex> {
    let mut all: Vec<Vertex> = paths.flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{MAX_SIDE, MIN_SIDE};
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn random_game(geometry: &'static Geometry, rng: &mut Xoshiro256PlusPlus) -> Game {
        let mut order: Vec<Vertex> = geometry.vertices().collect();
        order.shuffle(rng);
        let mut game = Game::new(geometry);
        for v in order {
            if game.outcome().is_none() {
                game.play(v).unwrap();
            }
        }
        game
    }

    /// The stones named, placed alone and the last one last, complete the structure that they are named for, and of a
    /// bridge or a ring none can be left out.
    #[test]
    fn the_named_stones_alone_are_the_structure_and_all_are_needed() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            for _ in 0..60 {
                let game = random_game(geometry, &mut rng);
                let Some(Outcome::Win(color, structures)) = game.outcome() else { continue };
                let found = game.winning_stones();
                assert_eq!(found.iter().fold(Structures::NONE, |all, (s, _)| all | *s), structures);
                for (structure, stones) in found {
                    check(&game, color, structure, &stones);
                }
            }
        }
    }

    fn check(game: &Game, color: Color, structure: Structures, stones: &[Vertex]) {
        let last = game.last_stone().unwrap();
        assert!(stones.contains(&last) && stones.iter().all(|&v| game.position().stone(v) == Some(color)));
        let complete = |omitted: Option<Vertex>| {
            let mut position = Position::new(game.geometry());
            for &v in stones.iter().filter(|&&v| v != last && Some(v) != omitted) {
                assert!(position.place(Color::White, v).is_empty(), "complete before the last stone");
            }
            position.place(Color::White, last).contains(structure)
        };
        assert!(complete(None), "{structure} by {stones:?}");
        for &v in stones.iter().filter(|&&v| v != last && structure != Structures::FORK) {
            assert!(!complete(Some(v)), "{structure} by {stones:?} without {v:?}");
        }
    }

    #[test]
    fn a_filled_hexagon_is_shown_as_the_six_stones_around_its_middle() {
        let geometry = Geometry::of(4).unwrap();
        let middle = geometry.vertex_at(3, 3).unwrap();
        let rim = geometry.neighbours(middle);
        let mut game = Game::new(geometry);
        for &v in [middle].iter().chain(rim) {
            game.place(Color::White, v).unwrap();
        }
        let mut expected = rim.to_vec();
        expected.sort();
        assert_eq!(game.winning_stones(), [(Structures::RING, expected)]);
    }
}
