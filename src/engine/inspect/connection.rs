//! For each vertex, the number of stones that a player has to add for a bridge or a fork through it.
//!
//! A bridge through *v* is a connected set of vertices that contains *v* and two corners; a fork through *v* contains
//! *v* and vertices of three sides. The player's own stones cost nothing, empty vertices cost one stone each, and the
//! opponent's stones cannot be used. The cheapest such set is a Steiner tree with weighted vertices. The dynamic
//! programme of Dreyfus & Wagner (*The Steiner Problem in Graphs*, Networks 1, 1971) finds it exactly. With w(v) the
//! cost of *v*, and c(S, v) the least cost of a tree that contains *v* and reaches every corner or side in *S*,
//!
//! > c(S, v) = min { c(A, v) + c(S∖A, v) − w(v) : A ⊂ S; c(S, u) + w(v) : u adjacent to v }.
//!
//! The first alternative joins two trees at *v*. The second extends a tree by *v*, which is Dijkstra's algorithm. There
//! are few sets: 15 pairs of corners, 15 pairs of sides, and 20 triples of sides.
//!
//! Neither rings nor the opponent's moves are considered: the result is a number of stones, not of moves in a real
//! game.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::game::{Color, Geometry, Position, Vertex};

/// An infinite cost. The sum of two of them does not overflow.
const INFINITE: u32 = u32::MAX / 4;

/// For each vertex, in vertex order, the least number of stones that `color` has to add for a bridge or a fork whose
/// chain contains the vertex: 0 if there is such a chain already, and `None` if the opponent's stones prevent it.
///
/// ```
/// use malecon::engine::inspect::connection::stones_to_win;
/// use malecon::game::{Color, Geometry, Notation, Position};
/// let board = Geometry::with_side(3)?;
/// let mut position = Position::new(board);
/// let vertex = |name| Notation::HavannahGui.parse(board, name).unwrap();
/// position.place(Color::White, vertex("a1"));
/// let distances = stones_to_win(&position, Color::White);
/// assert_eq!(distances[vertex("a2").index()], Some(2)); // a2 and a3, for the bridge from a1 to a3
/// assert_eq!(stones_to_win(&position, Color::Black)[vertex("a1").index()], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn stones_to_win(position: &Position, color: Color) -> Vec<Option<u32>> {
    let bridges = stones_to_bridge(position, color);
    let forks = stones_to_fork(position, color);
    let least = |(a, b): (Option<u32>, Option<u32>)| a.into_iter().chain(b).min();
    bridges.into_iter().zip(forks).map(least).collect()
}

/// Like [`stones_to_win`], but for a bridge alone.
#[must_use]
pub fn stones_to_bridge(position: &Position, color: Color) -> Vec<Option<u32>> {
    let costs = VertexCosts::new(position, color);
    let corners: [Vec<u32>; 6] = std::array::from_fn(|corner| costs.distances_to(corner));
    least(pairs().map(|[a, b]| costs.join(&[(&corners[a], &corners[b])])))
}

/// Like [`stones_to_win`], but for a fork alone.
#[must_use]
pub fn stones_to_fork(position: &Position, color: Color) -> Vec<Option<u32>> {
    let costs = VertexCosts::new(position, color);
    let sides: [Vec<u32>; 6] = std::array::from_fn(|side| costs.distances_to(6 + side));
    // The tables c(S, ·) for all pairs *S* of sides.
    let joined: HashMap<[usize; 2], Vec<u32>> =
        pairs().map(|[a, b]| ([a, b], costs.join(&[(&sides[a], &sides[b])]))).collect();
    let triples = pairs().flat_map(|[a, b]| (b + 1..6).map(move |c| [a, b, c]));
    least(triples.map(|[a, b, c]| {
        costs.join(&[(&joined[&[a, b]], &sides[c]), (&joined[&[a, c]], &sides[b]), (&joined[&[b, c]], &sides[a])])
    }))
}

/// All pairs of corners or of sides, by their numbers in ascending order.
fn pairs() -> impl Iterator<Item = [usize; 2]> {
    (0..6).flat_map(|a| (a + 1..6).map(move |b| [a, b]))
}

/// For each vertex, the least of its costs in these tables; `None` if all are infinite.
fn least(tables: impl Iterator<Item = Vec<u32>>) -> Vec<Option<u32>> {
    let least = tables.reduce(|least, costs| least.into_iter().zip(costs).map(|(a, b)| a.min(b)).collect());
    let least = least.expect("there are tables");
    least.into_iter().map(|cost| (cost < INFINITE).then_some(cost)).collect()
}

/// The stones that a player has to add to own each vertex: w(v).
struct VertexCosts {
    geometry: &'static Geometry,
    /// 0 for the player's stones, 1 for empty vertices, and [`INFINITE`] for the opponent's stones.
    costs: Vec<u32>,
}

impl VertexCosts {
    fn new(position: &Position, color: Color) -> VertexCosts {
        let geometry = position.geometry();
        let cost = |v| match position.stone(v) {
            None => 1,
            Some(owner) if owner == color => 0,
            Some(_) => INFINITE,
        };
        VertexCosts { geometry, costs: geometry.vertices().map(cost).collect() }
    }

    /// For each vertex, the cost of the cheapest path from it to one corner or side, the bit `goal` of
    /// [`Geometry::rim`].
    fn distances_to(&self, goal: usize) -> Vec<u32> {
        let is_goal = |v: Vertex| self.geometry.rim(v) == 1 << goal;
        let starts = self.geometry.vertices().map(|v| if is_goal(v) { self.costs[v.index()] } else { INFINITE });
        self.extend(starts.collect())
    }

    /// For each vertex, the cost of the cheapest tree that contains it and consists of two trees with a vertex in
    /// common. `pairs` are the possible pairs of tables c(A, ·) and c(S∖A, ·), and the result is the table c(S, ·).
    fn join(&self, pairs: &[(&Vec<u32>, &Vec<u32>)]) -> Vec<u32> {
        let joined = |i: usize| pairs.iter().map(|(a, b)| a[i] + b[i] - self.costs[i]).min();
        let cost =
            |i: usize| if self.costs[i] < INFINITE { joined(i).unwrap_or(INFINITE).min(INFINITE) } else { INFINITE };
        self.extend((0..self.costs.len()).map(cost).collect())
    }

    /// Extends trees by further vertices where that is cheaper (Dijkstra's algorithm).
    fn extend(&self, mut costs: Vec<u32>) -> Vec<u32> {
        let starts = self.geometry.vertices().map(|v| Reverse((costs[v.index()], v)));
        let mut queue: BinaryHeap<_> = starts.filter(|Reverse((cost, _))| *cost < INFINITE).collect();
        while let Some(Reverse((cost, v))) = queue.pop() {
            if cost > costs[v.index()] {
                continue;
            }
            for &w in self.geometry.neighbours(v) {
                let through = cost + self.costs[w.index()];
                if through < costs[w.index()] {
                    costs[w.index()] = through;
                    queue.push(Reverse((through, w)));
                }
            }
        }
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Structures};
    use rand::rngs::StdRng;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};

    /// The literal definition, for small boards: tries all sets of empty vertices, and sees which chains then hold
    /// enough corners or sides.
    fn by_definition(position: &Position, color: Color) -> Vec<Option<u32>> {
        let geometry = position.geometry();
        let empty: Vec<Vertex> = position.empty_vertices().collect();
        let mut least = vec![None; geometry.vertex_count()];
        for set in 0u32..1 << empty.len() {
            let mut filled = position.clone();
            let added = empty.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            added.for_each(|(_, &v)| _ = filled.place(color, v));
            for v in geometry.vertices().filter(|&v| filled.stone(v) == Some(color)) {
                let rim = filled.chain(v).1;
                if (rim & 0x3f).count_ones() >= 2 || (rim >> 6).count_ones() >= 3 {
                    let cost = set.count_ones();
                    least[v.index()] = Some(least[v.index()].map_or(cost, |known: u32| known.min(cost)));
                }
            }
        }
        least
    }

    #[test]
    fn distances_agree_with_the_definition() {
        let mut rng = StdRng::seed_from_u64(3);
        for case in 0..60 {
            let (side, most_empty) = if case % 4 == 0 { (2, 7) } else { (3, 12) };
            let mut position = Position::new(Geometry::with_side(side).unwrap());
            while position.empty_vertices().count() > rng.random_range(3..=most_empty) {
                let v = position.empty_vertices().choose(&mut rng).unwrap();
                position.place(Color::ALL[rng.random_range(0..2)], v);
            }
            for color in Color::ALL {
                assert_eq!(stones_to_win(&position, color), by_definition(&position, color));
            }
        }
    }

    /// On side 4 some forks are cheaper than any bridge.
    #[test]
    fn distances_agree_with_the_definition_where_forks_are_cheapest() {
        let mut rng = StdRng::seed_from_u64(4);
        for _ in 0..12 {
            let mut position = Position::new(Geometry::with_side(4).unwrap());
            while position.empty_vertices().count() > 11 {
                let v = position.empty_vertices().choose(&mut rng).unwrap();
                position.place(Color::ALL[rng.random_range(0..2)], v);
            }
            for color in Color::ALL {
                assert_eq!(stones_to_win(&position, color), by_definition(&position, color));
            }
        }
    }

    #[test]
    #[ignore = "takes long: run by .ci/run"]
    fn winning_moves_are_at_distance_one_and_winning_chains_at_zero() {
        let mut rng = StdRng::seed_from_u64(5);
        let wins = |s: Structures| s.contains(Structures::BRIDGE) || s.contains(Structures::FORK);
        for side in crate::game::MIN_SIDE..=crate::game::MAX_SIDE {
            let mut game = Game::new(Geometry::with_side(side).unwrap());
            while game.outcome().is_none() {
                let color = game.to_move();
                let distances = stones_to_win(game.position(), color);
                for v in game.position().empty_vertices() {
                    let wins_at_once = wins(game.position().completes(color, v));
                    assert_eq!(wins_at_once, distances[v.index()] == Some(1), "{game:?}");
                }
                let v = game.position().empty_vertices().choose(&mut rng).unwrap();
                let won = wins(game.play(v).unwrap());
                assert_eq!(won, stones_to_win(game.position(), color)[v.index()] == Some(0));
            }
        }
    }

    #[test]
    fn on_an_empty_board_the_cheapest_bridge_runs_along_a_side() {
        for side in crate::game::MIN_SIDE..=crate::game::MAX_SIDE {
            let geometry = Geometry::with_side(side).unwrap();
            let distances = stones_to_win(&Position::new(geometry), Color::Black);
            assert_eq!(distances.iter().min().unwrap(), &Some(side as u32));
            let nearest = geometry.vertices().filter(|v| distances[v.index()] == Some(side as u32));
            assert!(nearest.clone().all(|v| geometry.rim_distance(v) == 0) || side <= 3);
            assert!(nearest.count() >= 6 * (side - 1));
        }
    }
}
