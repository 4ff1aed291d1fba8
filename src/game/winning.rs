//! The stones that make up the structures with which a game was won.

use std::collections::VecDeque;

use super::color::Color;
use super::game::{Game, Outcome};
use super::geometry::{Geometry, Vertex};
use super::position::Position;
use super::structure::Structures;

impl Game {
    /// The structures with which the game was won, each with the stones that make it up, in vertex order. There are
    /// none while the game goes on and after a draw.
    ///
    /// A bridge is shown as two shortest paths from the last stone to corners, a fork as three to sides, and a ring as
    /// a shortest loop through the last stone.
    ///
    /// ```
    /// use malecon::game::{Game, Geometry, Notation, Structures};
    /// let board = Geometry::with_side(3)?;
    /// let mut game = Game::new(board);
    /// for name in ["a1", "c3", "a2", "d4", "b2", "e5", "a3"] {
    ///     game.play(Notation::HavannahGui.parse(board, name)?)?;
    /// }
    /// let [(Structures::BRIDGE, stones)] = &game.winning_stones()[..] else { panic!() };
    /// let names: Vec<_> = stones.iter().map(|&v| Notation::HavannahGui.name(board, v)).collect();
    /// assert_eq!(names, ["a1", "a2", "a3"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn winning_stones(&self) -> Vec<(Structures, Vec<Vertex>)> {
        let (Some(Outcome::Win(color, structures)), Some(last)) = (self.outcome(), self.last_stone()) else {
            return Vec::new();
        };
        let chain = WinningChain { position: self.position(), color, last };
        let mut found = Vec::new();
        if structures.contains(Structures::BRIDGE) {
            found.push((Structures::BRIDGE, chain.paths_to(0..6, 2)));
        }
        if structures.contains(Structures::FORK) {
            found.push((Structures::FORK, chain.paths_to(6..12, 3)));
        }
        if structures.contains(Structures::RING) {
            found.push((Structures::RING, chain.ring()));
        }
        found
    }
}

/// The chain that the last stone of a game belongs to.
struct WinningChain<'a> {
    position: &'a Position,
    color: Color,
    last: Vertex,
}

impl WinningChain<'_> {
    fn geometry(&self) -> &'static Geometry {
        self.position.geometry()
    }

    fn is_own(&self, v: Vertex) -> bool {
        self.position.stone(v) == Some(self.color)
    }

    /// The union of shortest paths from the last stone to the `count` nearest of the corners and sides `bits` (as in
    /// [`Geometry::rim`]), in vertex order. The last stone belongs to every structure that it completed, because
    /// without it no chain held `count` of them.
    fn paths_to(&self, bits: std::ops::Range<u16>, count: usize) -> Vec<Vertex> {
        let (order, previous) = self.search(&[self.last], None);
        let nearest = bits.filter_map(|bit| order.iter().position(|&v| self.geometry().rim(v) == 1 << bit));
        let mut nearest: Vec<usize> = nearest.collect();
        nearest.sort_unstable();
        union(nearest.into_iter().take(count).map(|i| path(&previous, order[i])))
    }

    /// A shortest loop through the last stone and two different runs of its neighbours. If there is none, the six
    /// stones around the middle of a filled hexagon. [`super::position`] explains why these are the only two cases.
    fn ring(&self) -> Vec<Vertex> {
        let runs = self.runs();
        let loops = runs.iter().enumerate().filter_map(|(i, run)| {
            let (order, previous) = self.search(run, Some(self.last));
            let others = &runs[i + 1..];
            order.into_iter().find(|v| others.iter().any(|r| r.contains(v))).map(|end| path(&previous, end))
        });
        let mut ring = loops.min_by_key(Vec::len).unwrap_or_else(|| self.filled_hexagon());
        ring.push(self.last);
        union([ring].into_iter())
    }

    /// The stones of the same colour next to the last stone, divided into runs: connected components.
    fn runs(&self) -> Vec<Vec<Vertex>> {
        let mut runs: Vec<Vec<Vertex>> = Vec::new();
        for &v in self.geometry().neighbours(self.last).iter().filter(|&&v| self.is_own(v)) {
            let touches = |run: &Vec<Vertex>| run.iter().any(|&w| self.geometry().distance(v, w) == 1);
            let (joined, apart): (Vec<_>, Vec<_>) = runs.into_iter().partition(touches);
            runs = apart;
            runs.push(joined.into_iter().flatten().chain([v]).collect());
        }
        runs
    }

    /// The six stones around a neighbour of the last stone, if they and the neighbour are of the same colour.
    fn filled_hexagon(&self) -> Vec<Vertex> {
        let geometry = self.geometry();
        let filled = |v: &Vertex| geometry.neighbours(*v).iter().filter(|&&w| self.is_own(w)).count() == 6;
        let middle = geometry.neighbours(self.last).iter().copied().filter(|&v| self.is_own(v)).find(filled);
        middle.map_or_else(Vec::new, |v| geometry.neighbours(v).to_vec())
    }

    /// Breadth-first search over stones of the same colour from `starts`, without entering `excluded`. Returns the
    /// stones in the order in which they are reached, and for each vertex its predecessor on the path.
    fn search(&self, starts: &[Vertex], excluded: Option<Vertex>) -> (Vec<Vertex>, Vec<Option<Vertex>>) {
        let mut previous = vec![None; self.geometry().vertex_count()];
        let mut seen = vec![false; previous.len()];
        let mut queue: VecDeque<Vertex> = starts.iter().copied().collect();
        starts.iter().chain(&excluded).for_each(|v| seen[v.index()] = true);
        let mut order = Vec::new();
        while let Some(v) = queue.pop_front() {
            order.push(v);
            for &w in self.geometry().neighbours(v) {
                if self.is_own(w) && !seen[w.index()] {
                    seen[w.index()] = true;
                    previous[w.index()] = Some(v);
                    queue.push_back(w);
                }
            }
        }
        (order, previous)
    }
}

/// The path from `end` back to where the search began.
fn path(previous: &[Option<Vertex>], end: Vertex) -> Vec<Vertex> {
    std::iter::successors(Some(end), |v| previous[v.index()]).collect()
}

/// The vertices on any of the paths, in vertex order.
fn union(paths: impl Iterator<Item = Vec<Vertex>>) -> Vec<Vertex> {
    let mut all: Vec<Vertex> = paths.flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_hexagon_is_shown_as_the_six_stones_around_its_middle() {
        let geometry = Geometry::with_side(4).unwrap();
        let middle = geometry.vertex_at(3, 3).unwrap();
        let around = geometry.neighbours(middle);
        let mut game = Game::new(geometry);
        for &v in [middle].iter().chain(around) {
            game.place(Color::White, v).unwrap();
        }
        let mut expected = around.to_vec();
        expected.sort();
        assert_eq!(game.winning_stones(), [(Structures::RING, expected)]);
    }
}
