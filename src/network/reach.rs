//! How many stones a player still needs for a fork or a bridge through each vertex.
//!
//! Two distances count the stones from a vertex to a corner or a side, the stone on the vertex included. In both, a
//! group costs nothing, and opposing stones cannot be passed. By the *plain distance*, a vertex is within *d* + 1 if
//! one of its empty neighbours, or a group next to it, is within *d*; a group, if an empty vertex next to it is. By the
//! *two-distance*, known from programs for Hex, it takes two empty neighbours, as the opponent may occupy one: but
//! still only one group, whose stones are there already. The first stone next to a group that holds the corner or side,
//! or on it, is within 1 by both.
//!
//! The stones of a fork are the sum of the distances to the three nearest sides, where the stone on the vertex itself
//! counts once; those of a bridge are the same for the two nearest corners. Stones that two of these ways share are
//! counted twice.

use crate::game::{Candidate, Color, Geometry, MAX_CELLS, MAX_VERTICES, Position, Vertex};

use super::groups::Groups;

/// Cells that are worked on at once.
const CHUNK: usize = 16;
/// Cells of the largest board, and a chunk beyond its last cell.
const PADDED: usize = MAX_CELLS + CHUNK;
/// Distances are counted up to this one. What is farther counts as one more.
const FARTHEST: usize = 5;

/// For each set of corners and sides, as in [`Geometry::rim`]: how many of the three sides of a fork it lacks, and
/// in the upper half of the byte, how many of the two corners of a bridge.
static LACKS: [u8; 1 << 12] = {
    let mut lacks = [0; 1 << 12];
    let mut rim = 0;
    while rim < 1 << 12 {
        let (corners, sides) = ((rim & 0x3f_u16).count_ones(), (rim >> 6).count_ones());
        lacks[rim as usize] = 3_u32.saturating_sub(sides) as u8 | (2_u32.saturating_sub(corners) as u8) << 4;
        rim += 1;
    }
    lacks
};

/// The first four features, by the plain distance and by the two-distance: a fork through the vertex needs at most this
/// many stones.
const FORKS: [[u8; 4]; 2] = [[3, 4, 5, 7], [3, 4, 6, 8]];
/// The last three features, for bridges.
const BRIDGES: [[u8; 3]; 2] = [[2, 3, 4], [2, 3, 5]];
/// The feature between them: no vertex of the board needs fewer stones for a fork.
const LEAST: u8 = 1 << 4;

/// The features that each value of [`Needs`] has, but for [`LEAST`]: by both distances, each first for groups, then for
/// empty cells, which need their own stone, too.
static MARKS: [[[u8; 256]; 2]; 2] = {
    let mut marks = [[[0; 256]; 2]; 2];
    let mut i = 0;
    while i < 1024 {
        let (distance, more, needs) = (i >> 9, (i >> 8 & 1) as u8, (i & 255) as u8);
        let mut k = 0;
        while k < 4 {
            marks[distance][more as usize][needs as usize] |=
                ((Needs(needs).fork() + more <= FORKS[distance][k]) as u8) << k;
            k += 1;
        }
        k = 0;
        while k < 3 {
            let is_near = Needs(needs).bridge() + more <= BRIDGES[distance][k];
            marks[distance][more as usize][needs as usize] |= (is_near as u8) << (5 + k);
            k += 1;
        }
        i += 1;
    }
    marks
};

/// What is needed for a fork, and in the upper half for a bridge: up to 15 stones and up to 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Needs(u8);

impl Needs {
    /// Adds what the targets at one more distance leave out.
    #[inline(always)]
    fn add(&mut self, targets: u16) {
        self.0 += LACKS[targets as usize & 4095];
    }

    /// The stones of a fork.
    #[inline(always)]
    pub const fn fork(self) -> u8 {
        self.0 & 15
    }

    /// The stones of a bridge.
    #[inline(always)]
    pub const fn bridge(self) -> u8 {
        self.0 >> 4
    }
}

/// Computes what one player needs. It owns its working space, and does not allocate.
pub(super) struct Reach {
    /// The cells of the empty vertices, in vertex order.
    empty: Vec<u16>,
    /// The player's stones, each with the root of its group.
    stones: Vec<(Vertex, u16)>,
    /// The roots of the groups.
    groups: Vec<u16>,
    /// Pairs of an empty cell and a group next to it.
    borders: Vec<(u16, u16)>,
    /// All targets where a cell is empty, none elsewhere.
    open: [u16; PADDED],
    /// The targets that are within the distance of an empty cell; none elsewhere.
    within: [u16; PADDED],
    /// For the root of a group, the targets that are within the distance of one empty cell next to it; of the group.
    once: [u16; MAX_CELLS],
    reached: [u16; MAX_CELLS],
    /// What is needed besides the stone on an empty cell; what the group of a root needs.
    needs: [Needs; MAX_CELLS],
}

impl Reach {
    /// Working space for any board.
    pub fn new() -> Reach {
        Reach {
            empty: Vec::with_capacity(MAX_VERTICES),
            stones: Vec::with_capacity(MAX_VERTICES),
            groups: Vec::with_capacity(MAX_VERTICES),
            borders: Vec::with_capacity(3 * MAX_VERTICES),
            open: [0; PADDED],
            within: [0; PADDED],
            once: [0; MAX_CELLS],
            reached: [0; MAX_CELLS],
            needs: [Needs(0); MAX_CELLS],
        }
    }

    /// Calls `mark` with the features of each vertex that is empty or has a stone of this player, once by each
    /// distance: eight bits by the plain distance, and above them eight by the two-distance. They say whether a fork
    /// needs at most the stones in [`FORKS`], whether no vertex needs fewer, and whether a bridge needs at most those
    /// in [`BRIDGES`]. `candidates` are the empty vertices.
    pub fn features(
        &mut self,
        position: &Position,
        groups: &Groups,
        candidates: &[Candidate],
        color: Color,
        mut mark: impl FnMut(Vertex, u16),
    ) {
        self.begin(position, groups, candidates, color);
        for (distance, marks) in MARKS.iter().enumerate() {
            if distance == 0 {
                self.find::<false>(position.geometry(), groups, candidates);
            } else {
                self.find::<true>(position.geometry(), groups, candidates);
            }
            let empty = self.empty.iter().map(|&cell| self.needs[cell as usize].fork() + 1);
            let least = empty.chain(self.groups.iter().map(|&root| self.needs[root as usize].fork())).min();
            let least = least.unwrap_or(0);
            let bits = |needs: Needs, more: usize| {
                let is_least = needs.fork() + more as u8 == least;
                u16::from(marks[more][needs.0 as usize] | if is_least { LEAST } else { 0 }) << (8 * distance)
            };
            for (candidate, &cell) in candidates.iter().zip(&self.empty) {
                mark(candidate.vertex, bits(self.needs[cell as usize], 1));
            }
            for &(v, group) in &self.stones {
                mark(v, bits(self.needs[group as usize], 0));
            }
        }
    }

    /// Finds the empty cells and the player's groups, and which are next to each other.
    fn begin(&mut self, position: &Position, groups: &Groups, candidates: &[Candidate], color: Color) {
        let geometry = position.geometry();
        self.empty.clear();
        self.stones.clear();
        self.groups.clear();
        self.borders.clear();
        let cells = geometry.cell_count();
        self.open[..cells].fill(0);
        self.within[..cells].fill(0);
        for candidate in candidates {
            let cell = geometry.cell(candidate.vertex);
            self.empty.push(cell.0);
            self.open[cell.index()] = u16::MAX;
            let first = self.borders.len();
            for &root in candidate.joined(color).roots() {
                let pair = (cell.0, groups.root(root.0));
                if !self.borders[first..].contains(&pair) {
                    self.borders.push(pair);
                }
            }
        }
        for (_, v) in position.stones().filter(|(stone, _)| *stone == color) {
            let cell = geometry.cell(v);
            let group = groups.root(position.root(cell).0);
            self.stones.push((v, group));
            if group == cell.0 {
                self.groups.push(group);
            }
        }
    }

    /// Finds what is needed by the plain distance or, if `IS_SAFE`, by the two-distance.
    fn find<const IS_SAFE: bool>(&mut self, geometry: &Geometry, groups: &Groups, candidates: &[Candidate]) {
        for (candidate, &cell) in candidates.iter().zip(&self.empty) {
            self.within[cell as usize] = geometry.rim(candidate.vertex);
            self.needs[cell as usize] = Needs(0);
        }
        for &root in &self.groups {
            self.needs[root as usize] = Needs(0);
            self.needs[root as usize].add(groups.held_by(root));
        }
        for &(cell, group) in &self.borders {
            self.within[cell as usize] |= groups.held_by(group);
        }
        for _ in 1..FARTHEST {
            self.add_needs();
            self.reach_groups::<IS_SAFE>(groups);
            self.spread::<IS_SAFE>(geometry);
            for &(cell, group) in &self.borders {
                self.within[cell as usize] |= self.reached[group as usize];
            }
        }
        self.add_needs();
    }

    fn add_needs(&mut self) {
        for &cell in &self.empty {
            self.needs[cell as usize].add(self.within[cell as usize]);
        }
    }

    /// The targets within the distance of each group, from those of the empty cells next to it.
    fn reach_groups<const IS_SAFE: bool>(&mut self, groups: &Groups) {
        for &root in &self.groups {
            self.once[root as usize] = 0;
            self.reached[root as usize] = groups.held_by(root);
        }
        for &(cell, group) in &self.borders {
            let within = self.within[cell as usize];
            let once = &mut self.once[group as usize];
            self.reached[group as usize] |= if IS_SAFE { *once & within } else { within };
            *once |= within;
        }
        for &root in &self.groups {
            self.needs[root as usize].add(self.reached[root as usize]);
        }
    }

    /// One distance more, through empty neighbours.
    fn spread<const IS_SAFE: bool>(&mut self, geometry: &Geometry) {
        let offsets = geometry.offsets();
        let cells = geometry.cell_count();
        let margin = offsets.iter().copied().max().expect("six offsets") as usize;
        let before = self.within;
        let chunk = |from: &[u16; PADDED], at: usize| *from[at..].first_chunk::<CHUNK>().expect("padding");
        let mut at = margin;
        while at < cells - margin {
            let (mut once, mut twice) = ([0; CHUNK], chunk(&before, at));
            for offset in offsets {
                let neighbour = chunk(&before, at.wrapping_add_signed(*offset as isize));
                for i in 0..CHUNK {
                    twice[i] |= if IS_SAFE { once[i] & neighbour[i] } else { neighbour[i] };
                    once[i] |= neighbour[i];
                }
            }
            let open = chunk(&self.open, at);
            for (i, to) in self.within[at..][..CHUNK].iter_mut().enumerate() {
                *to = twice[i] & open[i];
            }
            at += CHUNK;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::{BTreeMap, BTreeSet};

    /// The features of empty vertices and of the player's stones, straight from the definitions.
    fn expected(position: &Position, groups: &Groups, color: Color) -> BTreeMap<Vertex, u16> {
        let geometry = position.geometry();
        let group =
            |v: Vertex| (position.stone(v) == Some(color)).then(|| groups.root(position.root(geometry.cell(v)).0));
        let empty: Vec<Vertex> = position.empty_vertices().collect();
        let mut beside: BTreeMap<u16, BTreeSet<Vertex>> = BTreeMap::new();
        for v in geometry.vertices() {
            if let Some(group) = group(v) {
                let free = geometry.neighbours(v).iter().filter(|w| position.is_empty(**w));
                beside.entry(group).or_default().extend(free);
            }
        }
        let mut features = BTreeMap::new();
        for (distance, enough) in [1, 2].into_iter().enumerate() {
            // For each target, the distances of empty vertices and of groups.
            let mut vertices = vec![BTreeMap::new(); 12];
            let mut chains = vec![BTreeMap::new(); 12];
            for target in 0..12 {
                let holds = |group: u16| groups.held_by(group) >> target & 1 == 1;
                let (vertices, chains) = (&mut vertices[target], &mut chains[target]);
                chains.extend(beside.keys().filter(|group| holds(**group)).map(|&group| (group, 0)));
                for d in 1..=FARTHEST {
                    let is_within = |v: Vertex| {
                        let around = geometry.neighbours(v);
                        let by_group = around.iter().filter_map(|&w| group(w)).any(|group| chains.contains_key(&group));
                        let by_vertices = around.iter().filter(|w| vertices.contains_key(*w)).count() >= enough;
                        geometry.rim(v) >> target & 1 == 1 || by_group || by_vertices
                    };
                    let new: Vec<Vertex> = empty.iter().copied().filter(|&v| is_within(v)).collect();
                    new.into_iter().for_each(|v| _ = vertices.entry(v).or_insert(d));
                    for (&group, free) in &beside {
                        if free.iter().filter(|v| vertices.contains_key(*v)).count() >= enough {
                            chains.entry(group).or_insert(d);
                        }
                    }
                }
            }
            let needs = |distances: &dyn Fn(usize) -> usize| {
                let nearest = |targets: std::ops::Range<usize>, count| {
                    let mut all: Vec<usize> = targets.map(distances).collect();
                    all.sort_unstable();
                    all[..count].iter().sum::<usize>()
                };
                [nearest(6..12, 3), nearest(0..6, 2)]
            };
            let mut found: BTreeMap<Vertex, [usize; 2]> = BTreeMap::new();
            for v in geometry.vertices() {
                if position.is_empty(v) {
                    let [fork, bridge] = needs(&|t| *vertices[t].get(&v).unwrap_or(&(FARTHEST + 1)));
                    found.insert(v, [fork - 2, bridge - 1]);
                } else if let Some(group) = group(v) {
                    found.insert(v, needs(&|t| (*chains[t].get(&group).unwrap_or(&FARTHEST)).min(FARTHEST)));
                }
            }
            let least = found.values().map(|needs| needs[0]).min().unwrap();
            for (v, [fork, bridge]) in found {
                let forks = FORKS[distance].iter().enumerate().map(|(k, &most)| u16::from(fork <= most.into()) << k);
                let bridges = BRIDGES[distance].iter().enumerate();
                let bridges = bridges.map(|(k, &most)| u16::from(bridge <= most.into()) << (5 + k));
                let bits = forks.chain(bridges).sum::<u16>() | u16::from(fork == least) << 4;
                *features.entry(v).or_default() |= bits << (8 * distance);
            }
        }
        features
    }

    #[test]
    fn needs_are_those_of_the_definitions() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(15);
        let mut seen = [0; 2];
        for side in [2, 3, 5, 5, 5, 7, 8, 8, 13] {
            let geometry = Geometry::with_side(side).unwrap();
            let mut game = Game::new(geometry);
            let (mut groups, mut reach) = (Groups::new(), Reach::new());
            while game.outcome().is_none() {
                let position = game.position();
                groups.find(position);
                let candidates: Vec<Candidate> = position.candidates().collect();
                for color in Color::ALL {
                    let mut found = BTreeMap::new();
                    reach.features(position, &groups, &candidates, color, |v, bits| {
                        *found.entry(v).or_default() |= bits;
                    });
                    assert_eq!(found, expected(position, &groups, color), "side {side}: {position:?}");
                    seen[0] |= found.values().fold(0, |all, bits| all | bits);
                    seen[1] |= found.values().fold(0, |all, bits: &u16| all | !bits);
                }
                // Several moves at once: the slow definitions take most of the time.
                for _ in 0..rng.random_range(1..8) {
                    let free: Vec<Vertex> = game.position().empty_vertices().collect();
                    if game.outcome().is_none() {
                        game.play(free[rng.random_range(0..free.len())]).unwrap();
                    }
                }
            }
        }
        assert_eq!(seen, [u16::MAX; 2], "each feature is there in some places and not in others");
    }
}
