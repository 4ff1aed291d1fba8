//! Pair threats: pairs of empty vertices on which two stones of one colour complete a structure, while neither stone
//! does so alone. Each vertex of a pair is the other's *partner*.
//!
//! They look two stones ahead. A stone on a vertex with two or more partners wins, because it threatens to complete a
//! structure on each of them. If the opponent has such a vertex, there are three defences: to take it, to take one of
//! its partners if there are exactly two, or to make a threat of one's own.

use super::color::Color;
use super::geometry::{Cell, MAX_CELLS, MAX_VERTICES, Vertex};
use super::position::{Joined, Position};
use super::structure::WINNING;

/// An empty vertex, and the chains that a stone of either colour would form on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub vertex: Vertex,
    cell: Cell,
    joined: [Joined; 2],
}

impl Candidate {
    /// The chain that a stone of this colour would form.
    #[inline]
    pub fn joined(&self, color: Color) -> &Joined {
        &self.joined[color.index()]
    }

    /// Whether a stone of this colour would complete a structure.
    #[inline]
    pub fn completes(&self, color: Color) -> bool {
        !self.joined(color).structures().is_empty()
    }
}

impl Position {
    /// The empty vertices, in vertex order.
    #[inline]
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.empty_vertices().map(|vertex| Candidate {
            vertex,
            cell: self.geometry().cell(vertex),
            joined: Color::ALL.map(|color| self.joined(color, vertex)),
        })
    }
}

/// What has been found out about the empty vertices of a position.
#[derive(Clone, Copy, Debug)]
pub struct Lookahead<'a> {
    /// All candidates, in vertex order.
    pub(crate) candidates: &'a [Candidate],
    /// The pair threats of both colours, if they have been looked for.
    pub(crate) pairs: Option<&'a Pairs>,
}

/// The partners of a candidate. At most three are counted, and two are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Partners {
    /// The number of partners; 3 means three or more.
    pub count: u8,
    /// The first partners, at most two, as indices of candidates.
    pub first: [u16; 2],
}

impl Partners {
    fn add(&mut self, partner: usize) {
        let partner = partner as u16;
        if self.count < 3 && !self.first[..self.count.min(2) as usize].contains(&partner) {
            if self.count < 2 {
                self.first[self.count as usize] = partner;
            }
            self.count += 1;
        }
    }
}

/// The pair threats of a position, with the working space for finding them.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// For the cell of each empty vertex, the index of its candidate.
    candidate_at: Vec<u16>,
    /// For the root of each chain, 1 + the index in `entries` of the last candidate in its list; 0 for an empty list.
    heads: Vec<u16>,
    /// For each chain, a linked list of the candidates next to it: a candidate, and 1 + the index of the previous
    /// entry.
    entries: Vec<(u16, u16)>,
    /// The roots of the chains that have a list.
    roots: Vec<Cell>,
    /// The candidates that join two or more runs of stones.
    junctions: Vec<u16>,
    /// For each colour, the partners of each candidate.
    partners: [Vec<Partners>; 2],
}

impl Pairs {
    /// Working space for any board.
    pub fn new() -> Pairs {
        Pairs {
            candidate_at: vec![0; MAX_CELLS],
            heads: vec![0; MAX_CELLS],
            entries: Vec::with_capacity(3 * MAX_VERTICES),
            roots: Vec::with_capacity(MAX_VERTICES),
            junctions: Vec::with_capacity(MAX_VERTICES),
            partners: [(); 2].map(|_| Vec::with_capacity(MAX_VERTICES)),
        }
    }

    /// The partners of each candidate for a colour, as found by the last [`Pairs::find`] for it.
    pub fn partners(&self, color: Color) -> &[Partners] {
        &self.partners[color.index()]
    }

    /// Finds the partners of all candidates for a colour that cannot complete a structure with one stone. `candidates`
    /// must be all candidates of `position`, in vertex order.
    pub fn find(&mut self, position: &Position, color: Color, candidates: &[Candidate]) {
        let k = color.index();
        self.partners[k].clear();
        self.partners[k].resize(candidates.len(), Partners::default());
        self.entries.clear();
        self.roots.clear();
        self.junctions.clear();
        for (i, candidate) in candidates.iter().enumerate() {
            self.candidate_at[candidate.cell.index()] = i as u16;
            let joined = candidate.joined(color);
            for root in joined.roots() {
                let head = &mut self.heads[root.index()];
                if *head == 0 {
                    self.roots.push(*root);
                }
                self.entries.push((i as u16, *head));
                *head = self.entries.len() as u16;
            }
            if joined.roots().len() >= 2 {
                self.junctions.push(i as u16);
            }
        }
        self.find_bridges_and_forks_along_chains(color, candidates);
        self.find_rings_through_two_chains(position, color, candidates);
        self.find_adjacent_pairs_and_hexagons(position, color, candidates);
        for root in &self.roots {
            self.heads[root.index()] = 0;
        }
    }

    fn add(&mut self, color: Color, i: usize, j: usize) {
        let k = color.index();
        self.partners[k][i].add(j);
        self.partners[k][j].add(i);
    }

    /// The candidate of an entry, and the link to the previous entry of its list; `None` at the end of the list. A link
    /// is 1 + the index of an entry, or 0 for none.
    fn entry(&self, link: u16) -> Option<(usize, u16)> {
        let (candidate, previous) = *self.entries.get((link as usize).checked_sub(1)?)?;
        Some((candidate as usize, previous))
    }

    /// Bridges and forks through two candidates next to the same chain.
    fn find_bridges_and_forks_along_chains(&mut self, color: Color, candidates: &[Candidate]) {
        let wins = |rim: u16| !WINNING[rim as usize & 4095].is_empty();
        for r in 0..self.roots.len() {
            let mut outer = self.heads[self.roots[r].index()];
            let mut union = 0;
            let mut next = outer;
            while let Some((i, previous)) = self.entry(next) {
                union |= candidates[i].joined(color).rim;
                next = previous;
            }
            if !wins(union) {
                continue;
            }
            while let Some((i, previous)) = self.entry(outer) {
                outer = previous;
                let mut inner = previous;
                while let Some((j, previous)) = self.entry(inner) {
                    inner = previous;
                    if wins(candidates[i].joined(color).rim | candidates[j].joined(color).rim) {
                        self.add(color, i, j);
                    }
                }
            }
        }
    }

    /// Rings through two chains that two candidates, not adjacent to each other, both join.
    fn find_rings_through_two_chains(&mut self, position: &Position, color: Color, candidates: &[Candidate]) {
        for a in 0..self.junctions.len() {
            for b in 0..a {
                let (i, j) = (self.junctions[a] as usize, self.junctions[b] as usize);
                let (one, other) = (candidates[i].joined(color).roots(), candidates[j].joined(color).roots());
                if one.iter().filter(|root| other.contains(root)).count() >= 2
                    && !adjacent(position, candidates[i].cell, candidates[j].cell)
                {
                    self.add(color, i, j);
                }
            }
        }
    }

    /// All structures through two adjacent candidates, and hexagons that two candidates fill.
    fn find_adjacent_pairs_and_hexagons(&mut self, position: &Position, color: Color, candidates: &[Candidate]) {
        let offsets = position.geometry().offsets();
        for i in 0..candidates.len() {
            let cell = candidates[i].cell;
            let joined = candidates[i].joined(color);
            if joined.rim == 0 && joined.roots().is_empty() {
                continue;
            }
            let around = position.neighbourhood(cell);
            let taken = around.around(Color::White) | around.around(Color::Black) | position.geometry().off_board(cell);
            let mut own = around.around(color);
            while own != 0 {
                let d = own.trailing_zeros() as usize;
                own &= own - 1;
                if let Some(last) = last_of_hexagon(position, color, cell, d) {
                    self.add(color, i, self.candidate_at[last.index()] as usize);
                }
            }
            for (d, &offset) in offsets[..3].iter().enumerate() {
                if taken >> d & 1 == 1 {
                    continue;
                }
                let j = self.candidate_at[cell.step(offset).index()] as usize;
                let other = candidates[j].joined(color);
                if !WINNING[(joined.rim | other.rim) as usize & 4095].is_empty()
                    || closes_ring(position, color, cell, d, other)
                {
                    self.add(color, i, j);
                }
            }
        }
    }
}

/// Whether a stone on `cell` closes a ring if there is another on the empty neighbour in direction `d`. `neighbour` is
/// the chain that the other stone forms.
fn closes_ring(position: &Position, color: Color, cell: Cell, d: usize, neighbour: &Joined) -> bool {
    if neighbour.roots().is_empty() {
        return false;
    }
    // The runs around `cell` that the other stone does not belong to.
    let mut apart = position.neighbourhood(cell).around(color);
    for turn in [1, 5] {
        let mut e = (d + turn) % 6;
        while apart >> e & 1 == 1 {
            apart &= !(1 << e);
            e = (e + turn) % 6;
        }
    }
    while apart != 0 {
        let e = apart.trailing_zeros() as usize;
        apart &= apart - 1;
        if neighbour.roots().contains(&position.root(cell.step(position.geometry().offsets()[e]))) {
            return true;
        }
    }
    false
}

/// The one empty cell that, together with `cell`, completes the hexagon around the stone of `color` in direction `d`.
#[inline]
fn last_of_hexagon(position: &Position, color: Color, cell: Cell, d: usize) -> Option<Cell> {
    let offsets = position.geometry().offsets();
    let middle = cell.step(offsets[d]);
    let around = position.neighbourhood(middle);
    let missing = !around.around(color) & 63 & !(1 << ((d + 3) % 6));
    let blocked = around.around(!color) | position.geometry().off_board(middle);
    (missing.count_ones() == 1 && missing & blocked == 0)
        .then(|| middle.step(offsets[missing.trailing_zeros() as usize]))
}

fn adjacent(position: &Position, a: Cell, b: Cell) -> bool {
    position.geometry().offsets().iter().any(|&offset| a.step(offset) == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Geometry, Vertex};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// In random positions on several board sizes.
    #[test]
    fn pairs_are_those_found_by_placing_two_stones() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut pairs = Pairs::new();
        let mut checked = 0;
        // Miri takes a second for each round.
        for round in 0..if cfg!(miri) { 20 } else { 3000 } {
            let geometry = Geometry::with_side(3 + round % 5).unwrap();
            let mut position = Position::new(geometry);
            let mut color = Color::White;
            let stones = rng.random_range(0..geometry.vertex_count() * 3 / 4);
            for _ in 0..stones {
                let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                if position.is_empty(v) && position.completes(color, v).is_empty() {
                    position.place(color, v);
                    color = if round % 2 == 0 { !color } else { color };
                }
            }
            let empty: Vec<Vertex> = position.empty_vertices().collect();
            let candidates: Vec<Candidate> = position.candidates().collect();
            for color in Color::ALL {
                if empty.iter().any(|&v| !position.completes(color, v).is_empty()) {
                    continue;
                }
                pairs.find(&position, color, &candidates);
                for (i, &v) in empty.iter().enumerate() {
                    let mut after = position.clone();
                    after.place(color, v);
                    let others = (0..empty.len()).filter(|&j| j != i && !after.completes(color, empty[j]).is_empty());
                    let expected: Vec<u16> = others.map(|j| j as u16).collect();
                    let found = pairs.partners(color)[i];
                    assert_eq!(found.count as usize, expected.len().min(3), "{expected:?} {found:?}");
                    assert!(found.first[..found.count.min(2) as usize].iter().all(|j| expected.contains(j)));
                    checked += found.count as usize;
                }
            }
        }
        assert!(checked > if cfg!(miri) { 10 } else { 5000 }, "only {checked} partners were checked");
    }
}
