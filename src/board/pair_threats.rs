//! Pairs of empty vertices: two stones of one colour on them complete a structure that neither completes alone.
//!
//! With them a position is read two stones ahead. A vertex that has two partners or more wins in three: a stone there
//! threatens to complete a structure on either. Against such a vertex of the opponent only that vertex itself helps, or
//! its partners if there are but two, or a threat of one's own.

use super::color::Color;
use super::geometry::{Cell, MAX_CELLS, MAX_VERTICES, Vertex};
use super::position::{Joined, Position};
use super::structure::WINNING;

/// An empty vertex, and the chains that a stone of either colour on it would make.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// The vertex.
    pub vertex: Vertex,
    cell: Cell,
    joined: [Joined; 2],
}

impl Candidate {
    /// The chain that a stone of a colour would make.
    #[inline]
    pub fn joined(&self, color: Color) -> &Joined {
        &self.joined[color.index()]
    }

    /// Whether a stone of a colour completes a structure.
    #[inline]
    pub fn completes(&self, color: Color) -> bool {
        !self.joined(color).structures().is_empty()
    }
}

impl Position {
    /// The empty vertices, in order.
    #[inline]
    pub(crate) fn sites(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.empty_vertices().map(|vertex| Candidate {
            vertex,
            cell: self.geometry().cell(vertex),
            joined: Color::ALL.map(|color| self.joined(color, vertex)),
        })
    }
}

/// The partners of a vertex, up to three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Partners {
    /// How many there are; 3 stands for three and more.
    pub count: u8,
    /// The first two, as indices of sites.
    pub sites: [u16; 2],
}

impl Partners {
    fn add(&mut self, site: usize) {
        let site = site as u16;
        if self.count < 3 && !self.sites[..self.count.min(2) as usize].contains(&site) {
            if self.count < 2 {
                self.sites[self.count as usize] = site;
            }
            self.count += 1;
        }
    }
}

/// Working space for finding pairs, and those found.
pub(crate) struct Pairs {
    /// For each cell of an empty vertex its site.
    site_of: Vec<u16>,
    /// For the root of each chain the last entry of its list in `entries`, plus one.
    heads: Vec<u16>,
    /// Lists of the sites next to a chain: the site, and the entry before, plus one.
    entries: Vec<(u16, u16)>,
    roots: Vec<Cell>,
    junctions: Vec<u16>,
    /// Of each colour.
    partners: [Vec<Partners>; 2],
}

impl Pairs {
    /// Working space for any board.
    pub fn new() -> Pairs {
        Pairs {
            site_of: vec![0; MAX_CELLS],
            heads: vec![0; MAX_CELLS],
            entries: Vec::with_capacity(3 * MAX_VERTICES),
            roots: Vec::with_capacity(MAX_VERTICES),
            junctions: Vec::with_capacity(MAX_VERTICES),
            partners: [(); 2].map(|_| Vec::with_capacity(MAX_VERTICES)),
        }
    }

    /// The partners of each site for a colour, after [`Pairs::find`].
    pub fn partners(&self, color: Color) -> &[Partners] {
        &self.partners[color.index()]
    }

    /// Finds the partners of all `sites`, which must be all empty vertices of `position`, for a colour that completes
    /// nothing with one stone.
    pub fn find(&mut self, position: &Position, color: Color, sites: &[Candidate]) {
        let k = color.index();
        self.partners[k].clear();
        self.partners[k].resize(sites.len(), Partners::default());
        self.entries.clear();
        self.roots.clear();
        self.junctions.clear();
        for (i, site) in sites.iter().enumerate() {
            self.site_of[site.cell.index()] = i as u16;
            let joined = site.joined(color);
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
        self.around_chains(color, sites);
        self.across_chains(position, color, sites);
        self.side_by_side(position, color, sites);
        for root in &self.roots {
            self.heads[root.index()] = 0;
        }
    }

    fn add(&mut self, color: Color, i: usize, j: usize) {
        let k = color.index();
        self.partners[k][i].add(j);
        self.partners[k][j].add(i);
    }

    /// The site of an entry, by its number plus one, and the entry before it; `None` for 0.
    fn entry(&self, number: u16) -> Option<(usize, u16)> {
        let (site, before) = *self.entries.get((number as usize).checked_sub(1)?)?;
        Some((site as usize, before))
    }

    /// Bridges and forks by two sites next to the same chain.
    fn around_chains(&mut self, color: Color, sites: &[Candidate]) {
        let wins = |rim: u16| !WINNING[rim as usize & 4095].is_empty();
        for r in 0..self.roots.len() {
            let mut outer = self.heads[self.roots[r].index()];
            let (mut union, mut next) = (0, outer);
            while let Some((i, before)) = self.entry(next) {
                union |= sites[i].joined(color).rim;
                next = before;
            }
            if !wins(union) {
                continue;
            }
            while let Some((i, before)) = self.entry(outer) {
                outer = before;
                let mut inner = before;
                while let Some((j, before)) = self.entry(inner) {
                    inner = before;
                    if wins(sites[i].joined(color).rim | sites[j].joined(color).rim) {
                        self.add(color, i, j);
                    }
                }
            }
        }
    }

    /// Rings through two chains that two sites join apart from each other.
    fn across_chains(&mut self, position: &Position, color: Color, sites: &[Candidate]) {
        for a in 0..self.junctions.len() {
            for b in 0..a {
                let (i, j) = (self.junctions[a] as usize, self.junctions[b] as usize);
                let (one, other) = (sites[i].joined(color).roots(), sites[j].joined(color).roots());
                if one.iter().filter(|root| other.contains(root)).count() >= 2
                    && !adjacent(position, sites[i].cell, sites[j].cell)
                {
                    self.add(color, i, j);
                }
            }
        }
    }

    /// Structures by two sites next to each other, and hexagons that two sites fill.
    fn side_by_side(&mut self, position: &Position, color: Color, sites: &[Candidate]) {
        let offsets = position.geometry().offsets();
        for i in 0..sites.len() {
            let (cell, joined) = (sites[i].cell, sites[i].joined(color));
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
                    self.add(color, i, self.site_of[last.index()] as usize);
                }
            }
            for (d, &offset) in offsets[..3].iter().enumerate() {
                if taken >> d & 1 == 1 {
                    continue;
                }
                let j = self.site_of[cell.step(offset).index()] as usize;
                let other = sites[j].joined(color);
                if !WINNING[(joined.rim | other.rim) as usize & 4095].is_empty()
                    || closes_ring(position, color, cell, d, other)
                {
                    self.add(color, i, j);
                }
            }
        }
    }
}

/// Whether a stone on `cell` closes a ring once one stands on the empty neighbour in direction `d`, which `beside`
/// tells of.
fn closes_ring(position: &Position, color: Color, cell: Cell, d: usize, beside: &Joined) -> bool {
    if beside.roots().is_empty() {
        return false;
    }
    // The runs that the neighbour's stone would not be part of.
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
        if beside.roots().contains(&position.root(cell.step(position.geometry().offsets()[e]))) {
            return true;
        }
    }
    false
}

/// The cell which, with `cell`, is all that is missing around the own stone in direction `d`.
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
    use crate::board::{Geometry, Vertex};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// In random positions of several sides the pairs are those found by placing the stones.
    #[test]
    fn pairs_are_those_found_by_placing_two_stones() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let (mut pairs, mut seen) = (Pairs::new(), 0);
        for round in 0..3000 {
            let geometry = Geometry::of(3 + round % 5).unwrap();
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
            let sites: Vec<Candidate> = position.sites().collect();
            for color in Color::ALL {
                if empty.iter().any(|&v| !position.completes(color, v).is_empty()) {
                    continue;
                }
                pairs.find(&position, color, &sites);
                for (i, &v) in empty.iter().enumerate() {
                    let mut after = position.clone();
                    after.place(color, v);
                    let others = (0..empty.len()).filter(|&j| j != i && !after.completes(color, empty[j]).is_empty());
                    let expected: Vec<u16> = others.map(|j| j as u16).collect();
                    let found = pairs.partners(color)[i];
                    assert_eq!(found.count as usize, expected.len().min(3), "{expected:?} {found:?}");
                    assert!(found.sites[..found.count.min(2) as usize].iter().all(|site| expected.contains(site)));
                    seen += found.count as usize;
                }
            }
        }
        assert!(seen > 5000, "only {seen} pairs were looked at");
    }
}
