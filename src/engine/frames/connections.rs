//! Virtual connections of one colour, found by an H-search: Anshelevich, *The Game of Hex: An Automatic Theorem Proving
//! Approach to Game Programming* (AAAI 2000).
//!
//! The *ends* of a connection are sides of the board, chains of the owner, and empty vertices. An empty vertex stands
//! for a stone that the owner is still to place there. A corner is a vertex like any other. The *carrier* is a set of
//! empty vertices without the two ends.
//!
//! * A **full** connection holds although the opponent moves first.
//! * A **half** connection holds if the owner moves first.
//!
//! Both have a **depth**: the owner needs at most that many stones to connect the ends, whether the opponent plays in
//! the carrier or elsewhere.
//!
//! # The rules
//!
//! *Base.* Neighbours are connected with an empty carrier and depth 0, and so are a side and a vertex or a chain on it.
//! Two empty vertices with two empty neighbours in common are connected by these with depth 1: the owner answers a
//! stone on one with a stone on the other.
//!
//! *AND.* Let x be connected with y, and y with z, with disjoint carriers that contain none of the three. If y is a
//! chain, x and z are connected with the union of the carriers and the sum of the depths: the owner answers each stone
//! in the carrier in which it is placed. If one of the connections is half, so is the result: the owner plays there
//! first. If y is empty and both connections are full, the result is half, with y in the carrier and one more stone:
//! the owner begins with y. Nothing is joined over a side, because stones on one side need not be connected.
//!
//! *OR.* Let x and z have several half connections whose carriers have no vertex in common. Then x and z are fully
//! connected with the union of the carriers: each stone of the opponent leaves one of the half connections untouched,
//! and the owner moves first in it. If the opponent plays elsewhere, the owner may move first in any of them. So the
//! depth is the depth of the deepest of these half connections.
//!
//! *Rings.* Two connections of the same ends, joined by the AND rule, lead from a chain back to itself. They are a ring
//! if they enclose a vertex, whichever way the opponent makes the owner go. So each connection also records on which
//! side it passes the vertices outside its carrier, and connections that pass a vertex on different sides are kept
//! apart.
//!
//! Unlike in Hex, a connection that cannot be prevented need not win: the opponent may complete a structure first, or
//! gain a move by a threat. The rules claim only the connection itself, in play inside its carrier.
//!
//! # The bounds
//!
//! At least one end of each connection is a side or a chain; between empty vertices there are only base connections.
//! Connections are found in order of depth, and for each pair of ends only the first few whose carriers contain no
//! other carrier are kept.

use crate::game::{Color, Geometry, Position, Vertex};

use super::set::Set;

/// The most full connections that are kept for a pair of ends.
const MAX_FULL: usize = 3;
/// The most half connections that are kept for a pair of ends.
const MAX_HALF: usize = 10;
/// The greatest depth of a full connection with an empty vertex at one end.
const MAX_FULL_TO_EMPTY: u8 = 4;
/// The greatest depth of a half connection with an empty vertex at one end.
const MAX_HALF_TO_EMPTY: u8 = 3;
/// The greatest depth of a connection between chains and sides.
const MAX_DEPTH: u8 = 12;
/// The most half connections that the OR rule combines.
const MAX_ALTERNATIVES: usize = 5;
/// The most full connections that the OR rule makes with a new half connection.
const MAX_RESULTS: usize = 2;
/// The most rings of each kind that are kept.
const MAX_RINGS: usize = 200;
/// The most connections that are found, so that the time is bounded on every board.
const MAX_CONNECTIONS: usize = 60_000;

/// The index of a connection's end: first the sides, 0 to 5, then the chains, then the empty vertices.
pub(super) type End = usize;

/// The number of sides, which are the first ends.
pub(super) const SIDES: usize = 6;

/// A connection without its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection<const N: usize> {
    pub carrier: Set<N>,
    pub depth: u8,
    /// Which vertices the connection passes on which side: see [`Windings`].
    winding: Set<N>,
    /// Whether the winding depends on the opponent's moves, or one end is a side.
    mixed: bool,
}

impl<const N: usize> Connection<N> {
    /// A connection without a winding, such as part of a structure.
    pub fn part(carrier: Set<N>, depth: u8) -> Connection<N> {
        Connection { carrier, depth, winding: Set::EMPTY, mixed: true }
    }

    /// Both connections, one after the other.
    fn and(&self, other: &Connection<N>) -> Connection<N> {
        Connection {
            carrier: self.carrier.union(&other.carrier),
            depth: self.depth + other.depth,
            winding: self.winding.symmetric_difference(&other.winding),
            mixed: self.mixed | other.mixed,
        }
    }

    /// One of the two connections, which the opponent chooses.
    fn or(&self, other: &Connection<N>) -> Connection<N> {
        let carrier = self.carrier.union(&other.carrier);
        let differ = !self.winding.symmetric_difference(&other.winding).is_subset(&carrier);
        let mixed = self.mixed | other.mixed | differ;
        Connection { carrier, depth: self.depth.max(other.depth), winding: self.winding, mixed }
    }

    /// Whether this connection can take the place of the other.
    fn implies(&self, other: &Connection<N>) -> bool {
        self.carrier.is_subset(&other.carrier)
            && (other.mixed
                || !self.mixed && self.winding.symmetric_difference(&other.winding).is_subset(&other.carrier))
    }
}

/// The indices of the connections of a pair of ends.
#[derive(Clone, Copy)]
struct List<const M: usize> {
    len: u8,
    items: [u32; M],
}

impl<const M: usize> List<M> {
    const EMPTY: List<M> = List { len: 0, items: [0; M] };

    #[inline]
    fn as_slice(&self) -> &[u32] {
        &self.items[..self.len as usize]
    }

    #[inline]
    fn push(&mut self, item: u32) {
        self.items[self.len as usize] = item;
        self.len += 1;
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.len as usize == M
    }
}

/// A connection from some end: the other end, the depth, and the index.
#[derive(Clone, Copy)]
struct From {
    end: u16,
    depth: u8,
    index: u32,
}

/// A connection that has not been added yet, with its ends.
#[derive(Clone, Copy)]
struct Waiting<const N: usize> {
    a: u16,
    b: u16,
    full: bool,
    connection: Connection<N>,
}

/// The virtual connections of one colour in a position.
pub(super) struct Connections<const N: usize> {
    /// The number of sides and chains.
    groups: usize,
    /// The number of ends.
    ends: usize,
    /// For each end a vertex: a stone of the chain, or the empty vertex itself. The entries of the sides are unused.
    vertex: Vec<Vertex>,
    /// For each vertex its end; `NONE` for the opponent's stones.
    end: Vec<u16>,
    /// For each empty end, the base connections to other empty ends.
    links: Vec<Vec<(u16, Connection<N>)>>,
    all: Vec<Connection<N>>,
    full: Vec<List<MAX_FULL>>,
    half: Vec<List<MAX_HALF>>,
    /// For each end, its full connections, in order of depth.
    full_at: Vec<Vec<From>>,
    /// For each end, its half connections, in order of depth.
    half_at: Vec<Vec<From>>,
    /// Connections not yet added, by depth.
    waiting: Vec<Vec<Waiting<N>>>,
    windings: Windings<N>,
    /// Connections of a chain with itself that make a ring.
    pub full_rings: Vec<Connection<N>>,
    /// Half connections of a chain with itself that make a ring.
    pub half_rings: Vec<Connection<N>>,
}

/// How paths wind around vertices.
///
/// From each vertex p a ray runs along its row to the rim. The *winding* of a path is the set of the vertices whose
/// rays it crosses an odd number of times. A closed path that avoids p encloses it if p is in its winding. Two paths
/// with the same ends have different windings if a vertex lies between them.
struct Windings<const N: usize> {
    /// For each vertex, the vertices before it in its row, without the owner's stones: a step to the next row crosses
    /// their rays.
    before: Vec<Set<N>>,
    row: Vec<usize>,
    /// For each stone of the owner, the winding of a path to it from the root of its chain.
    from_root: Vec<Set<N>>,
}

impl<const N: usize> Windings<N> {
    fn new(position: &Position, color: Color) -> Windings<N> {
        let geometry = position.geometry();
        let row: Vec<usize> = geometry.vertices().map(|v| geometry.coordinates(v).1).collect();
        let mut so_far = vec![Set::EMPTY; geometry.diameter()];
        let mut before = Vec::with_capacity(row.len());
        for v in geometry.vertices() {
            let all = &mut so_far[row[v.index()]];
            before.push(*all);
            if position.stone(v) != Some(color) {
                all.insert(v.index());
            }
        }
        let mut windings = Windings { before, row, from_root: vec![Set::EMPTY; geometry.vertex_count()] };
        windings.follow_chains(position, color);
        windings
    }

    /// Fills in `from_root`. All paths to a stone have the same winding: in a chain that makes no ring, only stones of
    /// the owner lie between two paths, and those are in no winding.
    fn follow_chains(&mut self, position: &Position, color: Color) {
        let geometry = position.geometry();
        let is_own = |v: Vertex| position.stone(v) == Some(color);
        let mut seen = vec![false; geometry.vertex_count()];
        for v in geometry.vertices().filter(|&v| is_own(v)) {
            let root = position.chain(v).0;
            let mut stack = if std::mem::replace(&mut seen[root.index()], true) { Vec::new() } else { vec![root] };
            while let Some(v) = stack.pop() {
                for &w in geometry.neighbours(v).iter().filter(|&&w| is_own(w)) {
                    if !std::mem::replace(&mut seen[w.index()], true) {
                        self.from_root[w.index()] = self.from_root[v.index()].symmetric_difference(&self.step(v, w));
                        stack.push(w);
                    }
                }
            }
        }
    }

    /// The winding of a step between neighbours.
    fn step(&self, v: Vertex, w: Vertex) -> Set<N> {
        match self.row[v.index()].cmp(&self.row[w.index()]) {
            std::cmp::Ordering::Equal => Set::EMPTY,
            std::cmp::Ordering::Less => self.before[v.index()],
            std::cmp::Ordering::Greater => self.before[w.index()],
        }
    }
}

/// The end of a vertex that holds a stone of the opponent.
const NONE: u16 = u16::MAX;

impl<const N: usize> Connections<N> {
    /// Finds the connections of `color`.
    pub fn find(position: &Position, color: Color) -> Connections<N> {
        let mut found = Connections::with_ends(position, color);
        found.link(position);
        found.begin(position, color);
        found.search();
        found
    }

    /// Numbers the ends.
    fn with_ends(position: &Position, color: Color) -> Connections<N> {
        let geometry = position.geometry();
        let mut vertex = vec![Vertex(0); SIDES];
        let mut end = vec![NONE; geometry.vertex_count()];
        for v in geometry.vertices().filter(|&v| position.stone(v) == Some(color)) {
            let root = position.chain(v).0.index();
            if end[root] == NONE {
                end[root] = vertex.len() as u16;
                vertex.push(Vertex(root as u16));
            }
            end[v.index()] = end[root];
        }
        let groups = vertex.len();
        for v in position.empty_vertices() {
            end[v.index()] = vertex.len() as u16;
            vertex.push(v);
        }
        let ends = vertex.len();
        Connections {
            groups,
            ends,
            vertex,
            end,
            links: vec![Vec::new(); ends],
            all: Vec::with_capacity(4096),
            full: vec![List::EMPTY; groups * ends],
            half: vec![List::EMPTY; groups * ends],
            full_at: vec![Vec::new(); ends],
            half_at: vec![Vec::new(); ends],
            waiting: vec![Vec::new(); MAX_DEPTH as usize + 1],
            windings: Windings::new(position, color),
            full_rings: Vec::new(),
            half_rings: Vec::new(),
        }
    }

    /// Connects empty vertices with empty vertices.
    fn link(&mut self, position: &Position) {
        let geometry = position.geometry();
        for v in position.empty_vertices() {
            let links = &mut self.links[self.end[v.index()] as usize];
            for &w in geometry.neighbours(v).iter().filter(|&&w| position.is_empty(w)) {
                let winding = self.windings.step(v, w);
                let link = Connection { carrier: Set::EMPTY, depth: 0, winding, mixed: false };
                links.push((self.end[w.index()], link));
            }
            for (w, between) in two_bridges(geometry, v) {
                if position.is_empty(w) && between.iter().all(|&u| position.is_empty(u)) {
                    let carrier = Set::with_index(between[0].index()).union(&Set::with_index(between[1].index()));
                    let winding =
                        self.windings.step(v, between[0]).symmetric_difference(&self.windings.step(between[0], w));
                    links.push((self.end[w.index()], Connection { carrier, depth: 1, winding, mixed: false }));
                }
            }
        }
    }

    /// The base connections of chains and sides.
    fn begin(&mut self, position: &Position, color: Color) {
        let geometry = position.geometry();
        let on_side = Connection::part(Set::EMPTY, 0);
        for v in geometry.vertices() {
            let Some(end) = self.end(v) else { continue };
            for side in (0..SIDES).filter(|side| geometry.rim(v) >> (6 + side) & 1 == 1) {
                self.offer(side, end, true, on_side);
            }
            if position.stone(v) == Some(color) {
                for &w in geometry.neighbours(v).iter().filter(|&&w| position.is_empty(w)) {
                    let winding = self.windings.from_root[v.index()].symmetric_difference(&self.windings.step(v, w));
                    let base = Connection { carrier: Set::EMPTY, depth: 0, winding, mixed: false };
                    self.offer(end, self.end[w.index()] as usize, true, base);
                }
            }
        }
    }

    /// Adds the waiting connections, and what follows from them, in order of depth.
    fn search(&mut self) {
        for depth in 0..self.waiting.len() {
            while let Some(next) = self.waiting[depth].pop() {
                if self.all.len() >= MAX_CONNECTIONS {
                    return;
                }
                self.add(next);
            }
        }
    }

    #[inline]
    fn is_chain(&self, end: End) -> bool {
        (SIDES..self.groups).contains(&end)
    }

    /// The index of a pair in `full` and `half`. At least one end is a side or a chain.
    #[inline]
    fn pair(&self, a: End, b: End) -> usize {
        a.min(b) * self.ends + a.max(b)
    }

    /// Whether an end is an empty vertex in the set.
    #[inline]
    fn holds(&self, set: &Set<N>, end: End) -> bool {
        end >= self.groups && set.contains(self.vertex[end].index())
    }

    /// The greatest depth of connections with this end.
    #[inline]
    fn greatest_depth(&self, end: End, full: bool) -> u8 {
        if end < self.groups {
            MAX_DEPTH
        } else if full {
            MAX_FULL_TO_EMPTY
        } else {
            MAX_HALF_TO_EMPTY
        }
    }

    /// Whether a connection of these two ends would be within the bounds of depth and number.
    #[inline]
    fn is_wanted(&self, a: End, b: End, full: bool, depth: u8) -> bool {
        let (a, b) = (a.min(b), a.max(b));
        let most = self.greatest_depth(b, full);
        if b < SIDES || a >= self.groups || depth > most {
            return false;
        }
        let pair = a * self.ends + b;
        if full { !self.full[pair].is_full() } else { !self.half[pair].is_full() }
    }

    /// Queues a connection, unless it is not wanted or follows from another one.
    fn offer(&mut self, a: End, b: End, full: bool, connection: Connection<N>) {
        let (a, b) = (a.min(b), a.max(b));
        if self.is_wanted(a, b, full, connection.depth) && !self.is_implied(self.pair(a, b), full, &connection) {
            self.waiting[connection.depth as usize].push(Waiting { a: a as u16, b: b as u16, full, connection });
        }
    }

    /// Whether the pair has a connection at least as good, or enough of them.
    fn is_implied(&self, pair: usize, full: bool, connection: &Connection<N>) -> bool {
        let known = |&i: &u32| self.all[i as usize].implies(connection);
        let fulls = &self.full[pair];
        (full && fulls.is_full())
            || fulls.as_slice().iter().any(known)
            || !full && (self.half[pair].is_full() || self.half[pair].as_slice().iter().any(known))
    }

    /// Adds a connection, unless it follows from another one, and what the rules make of it.
    fn add(&mut self, Waiting { a, b, full, connection }: Waiting<N>) {
        let ends = [(a as usize, b as usize), (b as usize, a as usize)];
        let pair = self.pair(ends[0].0, ends[0].1);
        if self.is_implied(pair, full, &connection) {
            return;
        }
        let index = self.all.len() as u32;
        self.all.push(connection);
        if full {
            self.full[pair].push(index);
        } else {
            self.either(ends[0].0, ends[0].1, connection);
            self.half[pair].push(index);
        }
        for (from, to) in ends {
            let at = if full { &mut self.full_at } else { &mut self.half_at };
            at[from].push(From { end: to as u16, depth: connection.depth, index });
        }
        for (far, near) in ends {
            if self.is_chain(near) {
                self.through_chain(far, near, full, connection);
            } else if full && near >= self.groups {
                self.through_empty(far, near, connection);
            }
        }
    }

    /// The AND rule over a chain: `far` is connected with `chain`, and therefore with everything that `chain` is
    /// connected with.
    fn through_chain(&mut self, far: End, chain: End, full: bool, connection: Connection<N>) {
        self.join_all(far, full, &connection, |connections| &connections.full_at[chain]);
        if full {
            self.join_all(far, false, &connection, |connections| &connections.half_at[chain]);
        }
    }

    /// Joins `connection`, which leads from `far` to some end, with those in a list of that end that are not too deep.
    fn join_all(&mut self, far: End, full: bool, connection: &Connection<N>, list: impl Fn(&Self) -> &[From]) {
        let most = self.greatest_depth(far, full);
        let mut i = 0;
        while let Some(&other) = list(self).get(i).filter(|other| connection.depth + other.depth <= most) {
            self.join(far, other, full, connection);
            i += 1;
        }
    }

    /// Joins `connection`, which leads from `far` to some end, with `other`, which starts there.
    #[inline]
    fn join(&mut self, far: End, other: From, full: bool, connection: &Connection<N>) {
        let end = other.end as usize;
        if end != far && !self.is_wanted(far, end, full, connection.depth + other.depth) {
            return;
        }
        let other = &self.all[other.index as usize];
        if !connection.carrier.is_disjoint(&other.carrier) {
            return;
        }
        let joined = connection.and(other);
        if end == far {
            self.close_ring(far, full, joined);
        } else if !self.holds(&joined.carrier, end) && !self.holds(&joined.carrier, far) {
            self.offer(far, end, full, joined);
        }
    }

    /// Keeps a connection of a chain with itself if it makes a ring: if it encloses a vertex outside its carrier.
    fn close_ring(&mut self, end: End, full: bool, connection: Connection<N>) {
        if !self.is_chain(end) || connection.mixed || connection.winding.is_subset(&connection.carrier) {
            return;
        }
        let rings = if full { &mut self.full_rings } else { &mut self.half_rings };
        if rings.len() < MAX_RINGS && !rings.iter().any(|r| r.carrier.is_subset(&connection.carrier)) {
            rings.push(connection);
        }
    }

    /// The AND rule over an empty vertex, which the owner takes first.
    fn through_empty(&mut self, far: End, empty: End, connection: Connection<N>) {
        let Connection { carrier, depth, .. } = connection;
        let taken = carrier.union(&Set::with_index(self.vertex[empty].index()));
        let taken = Connection { carrier: taken, depth: depth + 1, ..connection };
        for i in 0..self.full_at[empty].len() {
            let other = self.full_at[empty][i];
            self.join(far, other, false, &taken);
        }
        for i in 0..self.links[empty].len() {
            let (end, link) = self.links[empty][i];
            if carrier.is_disjoint(&link.carrier) && !self.holds(&carrier, end as usize) {
                self.offer(far, end as usize, false, taken.and(&link));
            }
        }
    }

    /// The OR rule, for sets of half connections of a pair that include a new one.
    fn either(&mut self, a: End, b: End, connection: Connection<N>) {
        let half = self.half[self.pair(a, b)];
        let mut alternatives = Alternatives { all: &self.all, results: [None; MAX_RESULTS], count: 0 };
        alternatives.find(half.as_slice(), &connection.carrier, &connection, MAX_ALTERNATIVES - 1);
        let results = alternatives.results;
        for full in results.into_iter().flatten() {
            self.offer(a, b, true, full);
        }
    }

    /// The ends that are chains.
    pub fn chains(&self) -> std::ops::Range<End> {
        SIDES..self.groups
    }

    /// The ends that are empty vertices.
    pub fn empty_ends(&self) -> std::ops::Range<End> {
        self.groups..self.ends
    }

    /// A stone of a chain, or the empty vertex itself; `None` for a side.
    pub fn vertex(&self, end: End) -> Option<Vertex> {
        (end >= SIDES).then(|| self.vertex[end])
    }

    /// The end that a vertex is or belongs to; `None` if it holds a stone of the opponent.
    pub fn end(&self, v: Vertex) -> Option<End> {
        Some(self.end[v.index()]).filter(|&end| end != NONE).map(usize::from)
    }

    /// The full connections of two ends, in order of depth. At least one end must be a side or a chain.
    pub fn full(&self, a: End, b: End) -> impl Iterator<Item = &Connection<N>> {
        self.full[self.pair(a, b)].as_slice().iter().map(|&i| &self.all[i as usize])
    }

    /// The half connections of two ends, in order of depth. At least one end must be a side or a chain.
    pub fn half(&self, a: End, b: End) -> impl Iterator<Item = &Connection<N>> {
        self.half[self.pair(a, b)].as_slice().iter().map(|&i| &self.all[i as usize])
    }

    /// The connections of an end: the other end, whether it is a full one, and the connection. Between empty vertices
    /// these are the base connections.
    pub fn at(&self, end: End) -> impl Iterator<Item = (End, bool, &Connection<N>)> {
        let known = |full| move |from: &From| (from.end as End, full, &self.all[from.index as usize]);
        let links = self.links[end].iter().map(|(end, link)| (*end as End, true, link));
        self.full_at[end].iter().map(known(true)).chain(self.half_at[end].iter().map(known(false))).chain(links)
    }
}

/// The vertices at distance 2 that have two common neighbours with `v`, each with these neighbours.
fn two_bridges(geometry: &Geometry, v: Vertex) -> impl Iterator<Item = (Vertex, [Vertex; 2])> + '_ {
    let around = geometry.neighbours(v);
    let pairs = around.iter().enumerate().flat_map(|(i, &a)| around[i + 1..].iter().map(move |&b| (a, b)));
    pairs.filter(move |&(a, b)| geometry.distance(a, b) == 1).filter_map(move |(a, b)| {
        let far = |&&w: &&Vertex| w != v && geometry.neighbours(b).contains(&w) && geometry.distance(v, w) == 2;
        geometry.neighbours(a).iter().find(far).map(|&w| (w, [a, b]))
    })
}

/// The search for half connections that have no vertex in common.
struct Alternatives<'a, const N: usize> {
    all: &'a [Connection<N>],
    results: [Option<Connection<N>>; MAX_RESULTS],
    count: usize,
}

impl<const N: usize> Alternatives<'_, N> {
    /// Finds unions of `so_far` with at most `most` of the connections `others`. `common` is the intersection of the
    /// carriers united in `so_far`.
    fn find(&mut self, others: &[u32], common: &Set<N>, so_far: &Connection<N>, most: usize) {
        let carrier = |i: u32| &self.all[i as usize].carrier;
        if !others.iter().fold(*common, |common, &i| common.intersection(carrier(i))).is_empty() {
            return;
        }
        for (i, &other) in others.iter().enumerate() {
            let other = &self.all[other as usize];
            let still_common = common.intersection(&other.carrier);
            if self.count == MAX_RESULTS {
                return;
            }
            if still_common.is_empty() {
                self.results[self.count] = Some(so_far.or(other));
                self.count += 1;
            } else if most > 1 && still_common != *common {
                self.find(&others[i + 1..], &still_common, &so_far.or(other), most - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::exhaustive::{Claim, Target};
    use super::*;
    use crate::engine::frames::random_games::random_open_game;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Compares random connections of sides 4 to 8 with exhaustive play on their carriers. Returns how many were
    /// compared, and how many had carriers that were too large.
    fn compare(count: usize, seed: u64) -> [usize; 2] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut compared = [0; 2];
        while compared[0] < count {
            let side = rng.random_range(4..=8);
            let position = random_open_game(&mut rng, side).position().clone();
            let color = Color::ALL[rng.random_range(0..2)];
            let connections = Connections::<3>::find(&position, color);
            let pairs = (0..connections.groups).flat_map(|a| (a + 1..connections.ends).map(move |b| (a, b)));
            let all = pairs.flat_map(|(a, b)| {
                let full = connections.full(a, b).map(move |connection| (a, b, true, connection));
                full.chain(connections.half(a, b).map(move |connection| (a, b, false, connection)))
            });
            for (a, b, full, connection) in all.sample(&mut rng, 10) {
                let target = |end| connections.vertex(end).map_or(Target::Side(end), Target::Vertex);
                let carrier = connection.carrier.vertices();
                let depth = connection.depth.into();
                let claim =
                    Claim { position: &position, color, targets: [target(a), target(b)], carrier: &carrier, depth };
                match claim.holds(if full { 0 } else { -1 }) {
                    Some(holds) => {
                        assert!(holds, "{color} {:?} {carrier:?} {full} {depth}", claim.targets);
                        compared[0] += 1;
                    }
                    None => compared[1] += 1,
                }
            }
        }
        compared
    }

    #[test]
    #[ignore = "takes long: run by .ci/run"]
    fn connections_hold_in_exhaustive_play_on_their_carriers() {
        compare(300, 1);
    }

    #[test]
    #[ignore = "takes minutes: run by .ci/nightly"]
    fn ten_thousand_connections_hold_in_exhaustive_play_on_their_carriers() {
        let [compared, too_large] = compare(10_000, 2);
        println!("{compared} connections hold; {too_large} more had carriers that were too large");
    }
}
