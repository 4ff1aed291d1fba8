//! The board of Havannah, and its winning figures.

use super::adjacency::Adjacency;
use super::point_set::PointSet;

/// An element of `points`: (x, y, z) with x + y + z = 0.
pub type Point = (i32, i32, i32);

/// `distance`.
pub fn distance((x1, y1, z1): Point, (x2, y2, z2): Point) -> i32 {
    ((x1 - x2).abs() + (y1 - y2).abs() + (z1 - z2).abs()) / 2
}

/// A winning figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// A group with at least two corner points.
    Bridge,
    /// A group that touches at least three sides.
    Fork,
    /// A cycle, which the paper calls a ring.
    Ring,
}

impl Figure {
    /// The name used in game records.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Bridge => "bridge",
            Figure::Fork => "fork",
            Figure::Ring => "ring",
        }
    }
}

/// `Havannah_game(size)`. The text requires `size < 1`, but sizes are ≥ 1.
#[derive(Clone, Debug)]
pub struct Havannah {
    size: i32,
    points: Vec<Point>,
    /// `neighbours_of` each point, as a list.
    neighbours: Vec<Vec<usize>>,
    adjacency: Adjacency,
    corner_points: PointSet,
    side_points: PointSet,
}

impl Havannah {
    /// The game on a board of this size: the number of points on each side, including the corners.
    pub fn new(size: usize) -> Havannah {
        assert!(size >= 1);
        let size = size as i32;
        // `points`: the intersection of a plane and the cube {1-size, .., size-1}³.
        let range = 1 - size..size;
        let plane = |x| range.clone().flat_map(move |y| (1 - size..size).map(move |z| (x, y, z)));
        let points: Vec<Point> = range.clone().flat_map(plane).filter(|(x, y, z)| x + y + z == 0).collect();
        let adjacency = Adjacency::new(points.len(), |p, q| distance(points[p], points[q]) == 1);
        let with_neighbours =
            |count| (0..points.len()).filter(|&p| adjacency.neighbours_of(p).count() == count).collect();
        let (corner_points, side_points) = (with_neighbours(3), with_neighbours(4));
        let neighbours = (0..points.len()).map(|p| adjacency.neighbours_of(p).iter().collect()).collect();
        Havannah { size, points, neighbours, adjacency, corner_points, side_points }
    }

    /// `size`.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// `points`. The bits of a [`PointSet`] are in this order.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The index of a point in [`Havannah::points`], or `None` if it is not on the board.
    pub fn index_of(&self, point: Point) -> Option<usize> {
        self.points.binary_search(&point).ok()
    }

    /// The index of the point with this name, such as `a1`, as used in game records. The letter index *l* and the
    /// number index *n* run from 0 to 2·size − 2. A step to a neighbour changes one of them by 1, or both in the same
    /// direction.
    pub fn parse(&self, name: &str) -> Option<usize> {
        let l = i32::from(*name.as_bytes().first()?) - i32::from(b'a');
        let n = name.get(1..)?.parse::<i32>().ok()? - 1;
        self.index_of((l - (self.size - 1), (self.size - 1) - n, n - l))
    }

    /// `neighbour`, as a graph.
    pub fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// `corner_points`: those with three neighbours.
    pub fn corner_points(&self) -> PointSet {
        self.corner_points
    }

    /// `side_points`: those with four neighbours.
    pub fn side_points(&self) -> PointSet {
        self.side_points
    }

    /// All other points, which the paper calls inner. For size 1, the paper calls the only point a corner.
    pub fn inner_points(&self) -> PointSet {
        if self.size == 1 {
            return PointSet::EMPTY;
        }
        PointSet::first(self.points.len()).difference(self.corner_points).difference(self.side_points)
    }

    /// The sides that a set of points touches: {connected_within(s, side_points) | s in (set intersection
    /// side_points)}.
    pub fn sides_touched(&self, set: PointSet) -> Vec<PointSet> {
        let touching = set.intersection(self.side_points);
        let mut sides: Vec<_> = touching.iter().map(|s| self.adjacency.connected_within(s, self.side_points)).collect();
        sides.sort();
        sides.dedup();
        sides
    }

    /// Whether a group is one of `Havannah_bridges`: it has at least two corner points. (The general text requires
    /// exactly two. The Havannah text counts the corner points of the position instead of those of the group.)
    pub fn is_bridge(&self, group: PointSet) -> bool {
        group.intersection(self.corner_points).count() >= 2
    }

    /// Whether a group is one of `Havannah_forks`: it touches at least three sides. (Both texts require exactly three.)
    pub fn is_fork(&self, group: PointSet) -> bool {
        self.sides_touched(group).len() >= 3
    }

    /// Whether (p0, .., pn-1), n > 1, satisfies the condition of `cycles`: distance(pi, pi+1) = 1 and distance(pi,
    /// pi+2) ≥ 2 for every i, with indices mod n. (The texts leave out i = 0, so that an open path of four points would
    /// be a cycle.)
    ///
    /// It follows that n ≥ 6. A point may occur more than once in a tuple. This does not admit tuples that capture
    /// nothing. Between two visits of the same point there is a loop without repetition that has at most one sharp
    /// angle. A loop with no point inside has at least two sharp angles: if it is divided into triangles, they are at
    /// the outermost triangles.
    pub fn is_cycle(&self, tuple: &[usize]) -> bool {
        let n = tuple.len();
        let d = |i: usize, j: usize| distance(self.points[tuple[i % n]], self.points[tuple[j % n]]);
        n > 1 && (0..n).all(|i| d(i, i + 1) == 1 && d(i, i + 2) >= 2)
    }

    /// A tuple of points of the position that is a cycle ([`Havannah::is_cycle`]), or `None` if there is none.
    ///
    /// Such a tuple is a closed walk from one pair of neighbours (pi, pi+1) to the next, (pi+1, pi+2). So this is a
    /// search for a cycle in the directed graph of these pairs.
    pub fn find_cycle(&self, position: PointSet) -> Option<Vec<usize>> {
        let mut search = PairSearch { game: self, position, walk: Vec::new(), state: vec![0; 6 * self.points.len()] };
        let pairs = position.iter().flat_map(|p| (0..6).map(move |k| (p, k)));
        pairs.into_iter().find_map(|(p, k)| search.visit(p, k))
    }

    /// Whether the position contains a ring by the paper's definition: a chain S whose removal from the board leaves a
    /// connected component of inner points only. The component may contain any stones, even further ones of the player.
    ///
    /// Let `v` be a point of that component. It is not in S, so S is part of a chain of the position without `v`, and
    /// that whole chain captures `v`, too. So it is enough to try those chains.
    pub fn captures_a_point(&self, position: PointSet) -> bool {
        let all = PointSet::first(self.points.len());
        let inner = self.inner_points();
        inner.iter().any(|v| {
            let chains = self.adjacency.chains(position.without(v));
            chains.into_iter().any(|s| self.adjacency.connected_within(v, all.difference(s)).is_subset(inner))
        })
    }

    /// The winning figures that a position contains: those of `bridges`, `forks` and `cycles` that it belongs to.
    ///
    /// A position contains a group with two corners or three sides iff one of its maximal groups, the chains, is such a
    /// group.
    pub fn figures(&self, position: PointSet) -> Vec<Figure> {
        let chains = self.adjacency.chains(position);
        let mut figures = Vec::new();
        if chains.iter().any(|&chain| self.is_bridge(chain)) {
            figures.push(Figure::Bridge);
        }
        if chains.iter().any(|&chain| self.is_fork(chain)) {
            figures.push(Figure::Fork);
        }
        if self.find_cycle(position).is_some() {
            figures.push(Figure::Ring);
        }
        figures
    }

    /// A cycle p0, .., pn-1 through all points of `set`, each once, as in `Havannah_cycles` of the general text. This
    /// tries all orders of the points, so it is for small sets.
    pub fn cycle_through_all(&self, set: PointSet) -> Option<Vec<usize>> {
        let first = set.iter().next()?;
        self.extend_through_all(set, &mut vec![first])
    }

    fn extend_through_all(&self, set: PointSet, tuple: &mut Vec<usize>) -> Option<Vec<usize>> {
        if tuple.len() == set.count() {
            return self.is_cycle(tuple).then(|| tuple.clone());
        }
        let last = tuple[tuple.len() - 1];
        for next in self.adjacency.neighbours_of(last).intersection(set).iter() {
            let sharp = tuple.len() >= 2 && distance(self.points[tuple[tuple.len() - 2]], self.points[next]) < 2;
            if tuple.contains(&next) || sharp {
                continue;
            }
            tuple.push(next);
            let found = self.extend_through_all(set, tuple);
            tuple.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Depth-first search for a cycle in the directed graph of the pairs of neighbours.
struct PairSearch<'a> {
    game: &'a Havannah,
    position: PointSet,
    /// The pairs from the first to the present one. A pair is (first point, index of the second among its neighbours).
    walk: Vec<(usize, usize)>,
    /// The state of each pair: 0 if it has not been visited, *k* if it is the *k*-th pair of the walk (from 1), and
    /// [`PairSearch::DONE`] if it does not lead to a cycle.
    state: Vec<u32>,
}

impl PairSearch<'_> {
    const DONE: u32 = u32::MAX;

    /// Visits the pair of `p` and its neighbour with index `k`, if both are in the position, and all pairs after it.
    /// Returns a cycle if there is one.
    fn visit(&mut self, p: usize, k: usize) -> Option<Vec<usize>> {
        let q = *self.game.neighbours[p].get(k).filter(|&&q| self.position.has(q))?;
        match self.state[6 * p + k] {
            0 => {}
            PairSearch::DONE => return None,
            start => return Some(self.walk[start as usize - 1..].iter().map(|&(point, _)| point).collect()),
        }
        self.walk.push((p, k));
        self.state[6 * p + k] = self.walk.len() as u32;
        for (onward, &r) in self.game.neighbours[q].iter().enumerate() {
            if distance(self.game.points[p], self.game.points[r]) >= 2 {
                let found = self.visit(q, onward);
                if found.is_some() {
                    return found;
                }
            }
        }
        self.walk.pop();
        self.state[6 * p + k] = PairSearch::DONE;
        None
    }
}
