//! Havannah.

use super::point_set::PointSet;
use super::strong_positional::{Adjacency, Configuration, Patterns, StrongPositionalGame};

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
    /// A cycle: the paper's ring.
    Ring,
}

impl Figure {
    /// The name that game records use.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Bridge => "bridge",
            Figure::Fork => "fork",
            Figure::Ring => "ring",
        }
    }
}

/// `Havannah_game(size)`. The text takes sizes from `Natural | size < 1`; they are ≥ 1.
#[derive(Clone, Debug)]
pub struct Havannah {
    size: i32,
    points: Vec<Point>,
    /// `neighbours_of` each point, listed.
    around: Vec<Vec<usize>>,
    adjacency: Adjacency,
    corner_points: PointSet,
    side_points: PointSet,
}

impl Havannah {
    /// The game on a board of this size, the number of points on each side, corners included.
    pub fn new(size: usize) -> Havannah {
        assert!(size >= 1);
        let size = size as i32;
        // `points`: a plane through the cube {1-size, .., size-1}³.
        let range = 1 - size..size;
        let plane = |x| range.clone().flat_map(move |y| (1 - size..size).map(move |z| (x, y, z)));
        let points: Vec<Point> = range.clone().flat_map(plane).filter(|(x, y, z)| x + y + z == 0).collect();
        let adjacency = Adjacency::new(points.len(), |p, q| distance(points[p], points[q]) == 1);
        let with_neighbours =
            |count| (0..points.len()).filter(|&p| adjacency.neighbours_of(p).count() == count).collect();
        let (corner_points, side_points) = (with_neighbours(3), with_neighbours(4));
        let around = (0..points.len()).map(|p| adjacency.neighbours_of(p).iter().collect()).collect();
        Havannah { size, points, around, adjacency, corner_points, side_points }
    }

    /// `size`.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// `points`; sets of points have their bits in this order.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The place of a point in [`Havannah::points`], if the board has it.
    pub fn index_of(&self, point: Point) -> Option<usize> {
        self.points.binary_search(&point).ok()
    }

    /// The point that game records name by a letter and a number, such as `a1`. The letter's index *l* and the
    /// number's *n* count from 0 to 2·size − 2; a step of one of them, or of both the same way, leads to a neighbour.
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

    /// All other points; the paper calls them inner. On size 1 the one point is a corner for the paper.
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

    /// Whether a group is one of `Havannah_bridges`: it has at least two corner points. (The general text has exactly
    /// two; the Havannah text counts the corner points of the position instead of those of the group.)
    pub fn is_bridge(&self, group: PointSet) -> bool {
        group.intersection(self.corner_points).count() >= 2
    }

    /// Whether a group is one of `Havannah_forks`: it touches at least three sides. (Both texts have exactly three.)
    pub fn is_fork(&self, group: PointSet) -> bool {
        self.sides_touched(group).len() >= 3
    }

    /// Whether (p0, .., pn-1), n > 1, satisfies the condition of `cycles`: distance(pi, pi+1) = 1 and
    /// distance(pi, pi+2) ≥ 2, for every i and with indices mod n. (The texts leave out i = 0, and would have an open
    /// path of four for a cycle.)
    ///
    /// It follows that n ≥ 6. Tuples may have a point more than once, and it does not matter that they may: between
    /// two visits of a point lies a loop without repetition that has at most one sharp angle, and a loop that has no
    /// point inside has at least two (cut it into triangles: the outermost triangles are its sharp angles).
    pub fn is_cycle(&self, tuple: &[usize]) -> bool {
        let n = tuple.len();
        let d = |i: usize, j: usize| distance(self.points[tuple[i % n]], self.points[tuple[j % n]]);
        n > 1 && (0..n).all(|i| d(i, i + 1) == 1 && d(i, i + 2) >= 2)
    }

    /// A tuple of points of the position that [`Havannah::is_cycle`], if there is one.
    ///
    /// Such a tuple is a walk from one pair of neighbours (pi, pi+1) to the next, (pi+1, pi+2), that comes back to its
    /// first pair. So this is a search for a cycle in the directed graph of the pairs.
    pub fn find_cycle(&self, position: PointSet) -> Option<Vec<usize>> {
        let mut search = PairSearch { game: self, position, walk: Vec::new(), place: vec![0; 6 * self.points.len()] };
        let pairs = position.iter().flat_map(|p| (0..6).map(move |k| (p, k)));
        pairs.into_iter().find_map(|(p, k)| search.visit(p, k))
    }

    /// Whether the position contains a ring as the paper has it: a chain S, the removal of which from the board leaves
    /// a connected component of inner points only. The component may hold any stones, further own ones included.
    ///
    /// A point `v` of that component is not in S, so S is part of one of the chains of the position without `v`; that
    /// whole chain then does what S does, as far as `v` is concerned. So the chains to be tried are these.
    pub fn captures_a_point(&self, position: PointSet) -> bool {
        let all = PointSet::first(self.points.len());
        let inner = self.inner_points();
        inner.iter().any(|v| {
            let chains = self.adjacency.chains(position.without(v));
            chains.into_iter().any(|s| self.adjacency.connected_within(v, all.difference(s)).is_subset(inner))
        })
    }

    /// The winning figures that a position contains: which of `bridges`, `forks` and `cycles` it is in.
    ///
    /// A position contains a group with two corners, or three sides, iff one of its largest groups is such a group.
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

    /// The game as a list of patterns, from the power set of the points. For the tiniest boards.
    pub fn patterns(&self) -> Patterns {
        let is_pattern =
            |&group: &PointSet| self.is_bridge(group) || self.is_fork(group) || self.cycle_through_all(group).is_some();
        let wps: Vec<PointSet> = self.adjacency.groups().filter(is_pattern).collect();
        Patterns { points: self.points.len(), winning: [wps.clone(), wps] }
    }

    /// A cycle p0, .., pn-1 without repetition whose points are just those of `set`: the set {p0, .., pn-1} of
    /// `Havannah_cycles` in the general text. By trying all orders; for small sets.
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

    /// The configurations (p0, .., pn) of a game in which the first player takes the first point, the second the
    /// second, and so on. Whether it is a valid game is another question.
    pub fn configurations_of(&self, moves: &[usize]) -> Vec<Configuration> {
        let mut played = vec![[PointSet::EMPTY; 2]];
        for (i, &point) in moves.iter().enumerate() {
            let mut next = played[i];
            next[i % 2] = next[i % 2].with(point);
            played.push(next);
        }
        played
    }
}

impl StrongPositionalGame for Havannah {
    fn point_count(&self) -> usize {
        self.points.len()
    }

    /// `winning`: cycles union bridges union forks.
    fn is_winning(&self, _player: usize, position: PointSet) -> bool {
        !self.figures(position).is_empty()
    }
}

/// Depth-first search for a cycle in the directed graph of the pairs of neighbours.
struct PairSearch<'a> {
    game: &'a Havannah,
    position: PointSet,
    /// The pairs on the way from the first one, as (first point, place of the second among the neighbours of the first).
    walk: Vec<(usize, usize)>,
    /// For each pair: 0 not visited, *k* the *k*-th of the walk (from 1), or [`PairSearch::LEFT`] no way leads back to
    /// it.
    place: Vec<u32>,
}

impl PairSearch<'_> {
    const LEFT: u32 = u32::MAX;

    /// Visits the pair of `p` and its neighbour at place `k`, if both are in the position, and all that follow.
    fn visit(&mut self, p: usize, k: usize) -> Option<Vec<usize>> {
        let q = *self.game.around[p].get(k).filter(|&&q| self.position.has(q))?;
        match self.place[6 * p + k] {
            0 => {}
            PairSearch::LEFT => return None,
            place => return Some(self.walk[place as usize - 1..].iter().map(|&(point, _)| point).collect()),
        }
        self.walk.push((p, k));
        self.place[6 * p + k] = self.walk.len() as u32;
        for (onward, &r) in self.game.around[q].iter().enumerate() {
            if distance(self.game.points[p], self.game.points[r]) >= 2 {
                let found = self.visit(q, onward);
                if found.is_some() {
                    return found;
                }
            }
        }
        self.walk.pop();
        self.place[6 * p + k] = PairSearch::LEFT;
        None
    }
}
