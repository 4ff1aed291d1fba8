//! Points that are neighbours, and groups of points.

use super::point_set::PointSet;

/// A neighbour relation on points, by which the groups of `connection_games` are defined.
#[derive(Clone, Debug)]
pub struct Adjacency {
    neighbours: Vec<PointSet>,
}

impl Adjacency {
    /// The relation on the points 0 to `count` − 1 in which two points are neighbours if `are_neighbours` says so.
    pub fn new(count: usize, are_neighbours: impl Fn(usize, usize) -> bool) -> Adjacency {
        assert!(count <= PointSet::CAPACITY);
        let neighbours_of = |p| (0..count).filter(|&q| are_neighbours(p, q)).collect();
        Adjacency { neighbours: (0..count).map(neighbours_of).collect() }
    }

    /// `neighbours_of` a point.
    pub fn neighbours_of(&self, p: usize) -> PointSet {
        self.neighbours[p]
    }

    /// `connected_within`: the points related to `p`, a point of the position, by (neighbour intersection position²)*.
    /// The closure has to be reflexive as well as transitive, or a single point would not be a group.
    pub fn connected_within(&self, p: usize, position: PointSet) -> PointSet {
        let mut connected = PointSet::EMPTY.with(p);
        let mut to_visit = vec![p];
        while let Some(q) = to_visit.pop() {
            for r in self.neighbours[q].intersection(position).difference(connected).iter() {
                connected = connected.with(r);
                to_visit.push(r);
            }
        }
        connected
    }

    /// Whether a set of points is in `groups`: any two of its points are connected within it, which is the case if one
    /// point is connected with all. The empty set is a group.
    pub fn is_group(&self, group: PointSet) -> bool {
        group.iter().next().is_none_or(|a| self.connected_within(a, group) == group)
    }

    /// The maximal groups that a position contains. Every other group is a subset of one of them.
    pub fn chains(&self, position: PointSet) -> Vec<PointSet> {
        let mut chains = Vec::new();
        let mut rest = position;
        while let Some(p) = rest.iter().next() {
            let chain = self.connected_within(p, position);
            rest = rest.difference(chain);
            chains.push(chain);
        }
        chains
    }
}
