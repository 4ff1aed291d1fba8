//! How many stones a colour is away from a bridge or a fork through each vertex.
//!
//! A bridge through *v* is a connected set of vertices that holds *v* and two corners, a fork one that holds *v* and
//! vertices of three sides. Own stones on it cost nothing, empty vertices one stone each, and the opponent's stones
//! bar the way. The cheapest such set is a Steiner tree with weights on the vertices, found exactly by the dynamic
//! programme of Dreyfus & Wagner (*The Steiner Problem in Graphs*, Networks 1, 1971) over sets of corners or sides:
//! with c(S, v) the least cost of a tree that holds *v* and reaches every member of *S*, and w(v) the cost of *v*,
//!
//! > c(S, v) = min { c(A, v) + c(S∖A, v) − w(v) : A ⊂ S; c(S, u) + w(v) : u next to v }.
//!
//! The first alternative joins two trees at *v*; the second lengthens one by *v*, which is Dijkstra's algorithm. The sets
//! are small: 15 pairs of corners, 15 pairs and 20 triples of sides.
//!
//! Rings are left out, and so is the opponent: the distance counts stones, not moves of a fight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::board::{Color, Geometry, Position, Vertex};

/// Costs too large to be a distance; twice as much still fits.
const NEVER: u32 = u32::MAX / 4;

/// For each vertex, in order, the least number of stones that `color` has to add for a bridge or a fork whose chain
/// holds the vertex: 0 for the stones of one that is there, `None` where the opponent bars every way.
///
/// ```
/// use malecon::analysis::connection::stones_to_win;
/// use malecon::board::{Color, Geometry, Notation, Position};
/// let board = Geometry::of(3)?;
/// let mut position = Position::new(board);
/// let vertex = |name| Notation::HavannahGui.parse(board, name).unwrap();
/// position.place(Color::White, vertex("a1"));
/// let distances = stones_to_win(&position, Color::White);
/// assert_eq!(distances[vertex("a2").index()], Some(2)); // a2 and a3: the bridge from a1 to a3
/// assert_eq!(stones_to_win(&position, Color::Black)[vertex("a1").index()], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stones_to_win(position: &Position, color: Color) -> Vec<Option<u32>> {
    let network = Network::of(position, color);
    let goals: Vec<Vec<u32>> = (0..12).map(|goal| network.distances_to(goal)).collect();
    let (corners, sides) = goals.split_at(6);
    let mut least = vec![NEVER; position.geometry().vertex_count()];
    let mut take = |costs: &[u32]| least.iter_mut().zip(costs).for_each(|(least, cost)| *least = (*least).min(*cost));
    for a in 0..6 {
        for b in a + 1..6 {
            take(&network.join(&[(&corners[a], &corners[b])]));
        }
    }
    let pairs = Pairs::of(&network, sides);
    for a in 0..6 {
        for b in a + 1..6 {
            for c in b + 1..6 {
                let splits = [(pairs.at(a, b), &sides[c]), (pairs.at(a, c), &sides[b]), (pairs.at(b, c), &sides[a])];
                take(&network.join(&splits));
            }
        }
    }
    least.into_iter().map(|cost| (cost < NEVER).then_some(cost)).collect()
}

/// What it costs a colour to have each vertex.
struct Network {
    geometry: &'static Geometry,
    /// 0 for an own stone, 1 for an empty vertex, [`NEVER`] for a stone of the opponent.
    costs: Vec<u32>,
}

impl Network {
    fn of(position: &Position, color: Color) -> Network {
        let geometry = position.geometry();
        let cost = |v| match position.stone(v) {
            None => 1,
            Some(owner) if owner == color => 0,
            Some(_) => NEVER,
        };
        Network { geometry, costs: geometry.vertices().map(cost).collect() }
    }

    /// For each vertex the cost of the cheapest path from it to a corner or side (a bit of [`Geometry::rim`]).
    fn distances_to(&self, goal: usize) -> Vec<u32> {
        let there = |v: Vertex| self.geometry.rim(v) == 1 << goal;
        let starts = self.geometry.vertices().map(|v| if there(v) { self.costs[v.index()] } else { NEVER });
        self.spread(starts.collect())
    }

    /// For each vertex the cost of the cheapest tree that joins two trees, of any of these pairs of tables of costs, at
    /// some vertex, and reaches from there to this one.
    fn join(&self, pairs: &[(&Vec<u32>, &Vec<u32>)]) -> Vec<u32> {
        let joined = |i: usize| pairs.iter().map(|(a, b)| a[i] + b[i] - self.costs[i]).min();
        let there = |i: usize| if self.costs[i] < NEVER { joined(i).unwrap_or(NEVER).min(NEVER) } else { NEVER };
        self.spread((0..self.costs.len()).map(there).collect())
    }

    /// Lengthens trees by further vertices wherever that is cheaper (Dijkstra's algorithm).
    fn spread(&self, mut costs: Vec<u32>) -> Vec<u32> {
        let starts = self.geometry.vertices().map(|v| Reverse((costs[v.index()], v)));
        let mut queue: BinaryHeap<_> = starts.filter(|Reverse((cost, _))| *cost < NEVER).collect();
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

/// The tables of costs for the pairs of sides.
struct Pairs(Vec<Vec<u32>>);

impl Pairs {
    fn of(network: &Network, sides: &[Vec<u32>]) -> Pairs {
        let pairs = (0..6).flat_map(|a| (0..6).map(move |b| (a, b)));
        Pairs(pairs.map(|(a, b)| if a < b { network.join(&[(&sides[a], &sides[b])]) } else { Vec::new() }).collect())
    }

    /// The table of the sides `a` and `b`, of which `a` is the lower.
    fn at(&self, a: usize, b: usize) -> &Vec<u32> {
        &self.0[6 * a + b]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Structures};
    use rand::rngs::StdRng;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};

    /// By definition, for small boards: tries all sets of empty vertices, the smallest first, and sees whose chain then
    /// holds enough.
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
    fn distances_are_those_of_the_definition() {
        let mut rng = StdRng::seed_from_u64(3);
        for case in 0..60 {
            let (side, most_empty) = if case % 4 == 0 { (2, 7) } else { (3, 12) };
            let mut position = Position::new(Geometry::of(side).unwrap());
            while position.empty_vertices().count() > rng.random_range(3..=most_empty) {
                let v = position.empty_vertices().choose(&mut rng).unwrap();
                position.place(Color::ALL[rng.random_range(0..2)], v);
            }
            for color in Color::ALL {
                assert_eq!(stones_to_win(&position, color), by_definition(&position, color));
            }
        }
    }

    /// Side 4 has forks that are cheaper than any bridge.
    #[test]
    fn forks_of_larger_boards_are_those_of_the_definition() {
        let mut rng = StdRng::seed_from_u64(4);
        for _ in 0..12 {
            let mut position = Position::new(Geometry::of(4).unwrap());
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
    fn what_wins_at_once_is_one_stone_away_and_what_has_won_none() {
        let mut rng = StdRng::seed_from_u64(5);
        let joins = |s: Structures| s.contains(Structures::BRIDGE) || s.contains(Structures::FORK);
        for side in crate::board::MIN_SIDE..=crate::board::MAX_SIDE {
            let mut game = Game::new(Geometry::of(side).unwrap());
            while game.outcome().is_none() {
                let color = game.to_move();
                let distances = stones_to_win(game.position(), color);
                for v in game.position().empty_vertices() {
                    let at_once = joins(game.position().completes(color, v));
                    assert_eq!(at_once, distances[v.index()] == Some(1), "{game:?}");
                }
                let v = game.position().empty_vertices().choose(&mut rng).unwrap();
                let won = joins(game.play(v).unwrap());
                assert_eq!(won, stones_to_win(game.position(), color)[v.index()] == Some(0));
            }
        }
    }

    #[test]
    fn on_an_empty_board_the_nearest_way_leads_along_a_side() {
        for side in crate::board::MIN_SIDE..=crate::board::MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            let distances = stones_to_win(&Position::new(geometry), Color::Black);
            assert_eq!(distances.iter().min().unwrap(), &Some(side as u32));
            let nearest = geometry.vertices().filter(|v| distances[v.index()] == Some(side as u32));
            assert!(nearest.clone().all(|v| geometry.rim_distance(v) == 0) || side <= 3);
            assert!(nearest.count() >= 6 * (side - 1));
        }
    }
}
