//! For each structure, the fewest stones that a player has to add to complete it.
//!
//! Like in [`connection`](super::connection), the opponent's moves are not considered: it may be impossible to complete
//! a structure that lacks two stones, or impossible to stop it.
//!
//! Bridges and forks are Steiner trees, which `connection` finds. A ring is a cycle that encloses a vertex *c*. Draw a
//! ray from *c* to the rim: a cycle that avoids *c* encloses it if it crosses the ray an odd number of times. So the
//! cheapest ring around *c* through a vertex is the shortest path from that vertex, in an even state, to the same
//! vertex in an odd state, where each crossing changes the state.

use std::collections::VecDeque;

use crate::game::{Color, Geometry, Position, Structures, Vertex};

use super::connection::{stones_to_bridge, stones_to_fork};

/// A smallest set of empty vertices on which stones of `color` would complete the structure, in the order in which they
/// were found: empty if the player has it already, `None` if the opponent's stones prevent it.
///
/// # Panics
/// If `structure` is not a single bridge, fork or ring.
///
/// ```
/// use malecon::engine::inspect::missing::missing_stones;
/// use malecon::game::{Color, Geometry, Notation, Position, Structures};
/// let board = Geometry::with_side(4)?;
/// let mut position = Position::new(board);
/// let vertex = |name| Notation::HavannahGui.parse(board, name).unwrap();
/// for name in ["c3", "d3", "e4", "e5", "d5"] {
///     position.place(Color::White, vertex(name));
/// }
/// let missing = |color| missing_stones(&position, color, Structures::RING);
/// assert_eq!(missing(Color::White), Some(vec![vertex("c4")]));
/// assert_eq!(missing(Color::Black).map(|stones| stones.len()), Some(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn missing_stones(position: &Position, color: Color, structure: Structures) -> Option<Vec<Vertex>> {
    match structure {
        Structures::BRIDGE => fewest(position, color, stones_to_bridge),
        Structures::FORK => fewest(position, color, stones_to_fork),
        Structures::RING => Rings::new(position, color).cheapest(u32::MAX),
        other => panic!("{other} is not a single structure"),
    }
}

/// The fewest stones of `color` that would complete the structure: the length of [`missing_stones`], in much less time.
/// `None` if the opponent's stones prevent it, or if it takes more than `most` stones.
///
/// # Panics
/// If `structure` is not a single bridge, fork or ring.
#[must_use]
pub fn missing_count(position: &Position, color: Color, structure: Structures, most: usize) -> Option<usize> {
    let least = |distances: Vec<Option<u32>>| Some(distances.into_iter().flatten().min()? as usize);
    let count = match structure {
        Structures::BRIDGE => least(stones_to_bridge(position, color)),
        Structures::FORK => least(stones_to_fork(position, color)),
        Structures::RING => {
            let limit = u32::try_from(most).map_or(u32::MAX, |most| most.saturating_add(1));
            Rings::new(position, color).cheapest(limit).map(|stones| stones.len())
        }
        other => panic!("{other} is not a single structure"),
    };
    count.filter(|count| *count <= most)
}

/// Adds stones one by one, each where `distances` says that a cheapest structure lies.
fn fewest(
    position: &Position,
    color: Color,
    distances: fn(&Position, Color) -> Vec<Option<u32>>,
) -> Option<Vec<Vertex>> {
    let mut position = position.clone();
    let mut added = Vec::new();
    loop {
        let distances = distances(&position, color);
        let least = distances.iter().flatten().min().copied()?;
        let is_near = |v: &Vertex| distances[v.index()] == Some(least);
        let next = position.empty_vertices().find(is_near);
        match next {
            Some(v) if least > 0 => {
                position.place(color, v);
                added.push(v);
            }
            _ => return Some(added),
        }
    }
}

/// A vertex, and whether the path to it has crossed the ray an odd number of times.
type State = (Vertex, bool);

struct Rings {
    geometry: &'static Geometry,
    /// The stones that the player has to add to own each vertex: 0 or 1, and `None` for the opponent's stones.
    costs: Vec<Option<u32>>,
}

/// The cheapest paths that a search has found from its start.
struct Paths {
    /// For each state that was reached, the cost and the state before.
    reached: Vec<Option<(u32, State)>>,
}

impl Paths {
    fn slot((v, odd): State) -> usize {
        2 * v.index() + usize::from(odd)
    }
}

impl Rings {
    fn new(position: &Position, color: Color) -> Rings {
        let cost = |v| match position.stone(v) {
            None => Some(1),
            Some(owner) => (owner == color).then_some(0),
        };
        let geometry = position.geometry();
        Rings { geometry, costs: geometry.vertices().map(cost).collect() }
    }

    /// The stones that a cheapest ring lacks, if they are fewer than `limit`.
    fn cheapest(&self, limit: u32) -> Option<Vec<Vertex>> {
        let mut best: Option<(u32, Vec<Vertex>)> = None;
        for (center, start) in self.geometry.vertices().filter_map(|v| Some((v, self.start(v)?))) {
            let limit = best.as_ref().map_or(limit, |(cost, _)| *cost);
            if limit == 0 {
                break;
            }
            best = self.ring(center, start, limit).or(best);
        }
        best.map(|(_, ring)| ring.into_iter().filter(|v| self.costs[v.index()] == Some(1)).collect())
    }

    /// The first vertex on the ray from `center` in the direction of the letters, if the player has or could have it.
    /// Every ring passes through it for some center that it encloses: the last vertex before the ring on the ray from
    /// any vertex that it encloses.
    fn start(&self, center: Vertex) -> Option<Vertex> {
        let (l, n) = self.geometry.coordinates(center);
        self.geometry.vertex_at(l + 1, n).filter(|v| self.costs[v.index()].is_some())
    }

    /// Whether a step crosses the ray, which runs a little above its vertices.
    fn crosses(&self, center: Vertex, v: Vertex, w: Vertex) -> bool {
        let (l, n) = self.geometry.coordinates(center);
        let [(vl, vn), (wl, wn)] = [v, w].map(|v| self.geometry.coordinates(v));
        (vn == n && wn == n + 1 && vl > l) || (wn == n && vn == n + 1 && wl > l)
    }

    /// The cheapest ring around `center` through `start`, the first vertex of the ray, if it costs less than `limit`.
    ///
    /// Breadth-first search in which steps to own stones, which cost nothing, come first.
    fn ring(&self, center: Vertex, start: Vertex, limit: u32) -> Option<(u32, Vec<Vertex>)> {
        let own_cost = self.costs[start.index()]?;
        let mut paths = Paths { reached: vec![None; 2 * self.geometry.vertex_count()] };
        paths.reached[Paths::slot((start, false))] = Some((own_cost, (start, false)));
        let mut queue = VecDeque::from([((start, false), own_cost)]);
        while let Some((state @ (v, odd), cost)) = queue.pop_front() {
            if state == (start, true) {
                return Some((cost, self.way_back(&paths, state)));
            }
            if paths.reached[Paths::slot(state)].is_some_and(|(known, _)| known < cost) {
                continue;
            }
            for &w in self.geometry.neighbours(v).iter().filter(|&&w| w != center) {
                let next = (w, odd != self.crosses(center, v, w));
                // The start was paid for already.
                let Some(step) = (if w == start { Some(0) } else { self.costs[w.index()] }) else { continue };
                let through = cost + step;
                let slot = &mut paths.reached[Paths::slot(next)];
                if through < limit && slot.is_none_or(|(known, _)| through < known) {
                    *slot = Some((through, state));
                    if step == 0 { queue.push_front((next, through)) } else { queue.push_back((next, through)) }
                }
            }
        }
        None
    }

    /// The vertices of a path that led to this state.
    fn way_back(&self, paths: &Paths, end: State) -> Vec<Vertex> {
        let before =
            |&state: &State| paths.reached[Paths::slot(state)].map(|(_, before)| before).filter(|&b| b != state);
        let mut ring: Vec<Vertex> = std::iter::successors(Some(end), before).map(|(v, _)| v).collect();
        ring.sort_unstable();
        ring.dedup();
        ring
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};

    const ALL: [Structures; 3] = [Structures::BRIDGE, Structures::FORK, Structures::RING];

    /// The literal definition, for small boards: tries all sets of empty vertices. The position has no structure yet.
    fn by_definition(position: &Position, color: Color, structure: Structures) -> Option<u32> {
        let empty: Vec<Vertex> = position.empty_vertices().collect();
        let completes = |set: &u32| {
            let mut filled = position.clone();
            let added = empty.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            added.fold(Structures::NONE, |all, (_, &v)| all | filled.place(color, v)).contains(structure)
        };
        (0u32..1 << empty.len()).filter(completes).map(u32::count_ones).min()
    }

    /// A random position in which nobody has a structure.
    fn position(side: usize, most_empty: usize, rng: &mut StdRng) -> Position {
        let geometry = Geometry::with_side(side).unwrap();
        loop {
            let mut position = Position::new(geometry);
            let mut all = Structures::NONE;
            while position.empty_vertices().count() > most_empty {
                let v = position.empty_vertices().choose(rng).unwrap();
                all |= position.place(Color::ALL[rng.random_range(0..2)], v);
            }
            if all.is_empty() {
                return position;
            }
        }
    }

    #[test]
    fn the_fewest_stones_are_those_of_the_definition_and_complete_the_structure() {
        let mut rng = StdRng::seed_from_u64(7);
        for case in 0..40 {
            let position = if case % 4 == 0 { position(4, 11, &mut rng) } else { position(3, 12, &mut rng) };
            for (color, structure) in Color::ALL.into_iter().flat_map(|color| ALL.map(|s| (color, s))) {
                let missing = missing_stones(&position, color, structure);
                let count = missing.as_ref().map(|stones| stones.len() as u32);
                assert_eq!(count, by_definition(&position, color, structure), "{color} {structure}");
                for most in [2, 4, usize::MAX] {
                    let within = missing.as_ref().map(Vec::len).filter(|count| *count <= most);
                    assert_eq!(missing_count(&position, color, structure, most), within, "{color} {structure} {most}");
                }
                let mut filled = position.clone();
                let place = |all, v| all | filled.place(color, v);
                let completed = missing.into_iter().flatten().fold(Structures::NONE, place);
                assert!(count.is_none() || completed.contains(structure), "{color} {structure}");
            }
        }
    }

    #[test]
    fn a_ring_may_be_large_or_filled() {
        let board = Geometry::with_side(6).unwrap();
        let middle = board.vertex_at(5, 5).unwrap();
        let mut position = Position::new(board);
        // Black in the middle and around it: the ring has to go around these seven.
        position.place(Color::Black, middle);
        board.neighbours(middle).iter().for_each(|&v| _ = position.place(Color::Black, v));
        for v in board.vertices().filter(|&v| board.distance(v, middle) > 2) {
            position.place(Color::Black, v);
        }
        assert_eq!(missing_stones(&position, Color::White, Structures::RING).map(|stones| stones.len()), Some(12));
        let mut position = Position::new(board);
        position.place(Color::White, middle);
        let around = board.neighbours(middle);
        around[1..].iter().for_each(|&v| _ = position.place(Color::White, v));
        assert_eq!(missing_stones(&position, Color::White, Structures::RING), Some(vec![around[0]]));
    }
}
