//! Strong positional games: the players take turns taking a free point, until the points of one of them contain a
//! winning pattern.

use super::abstract_games::AbstractGame;
use super::point_set::PointSet;

/// A member of `strong_positional_games`: (points, wps1, wps2).
///
/// The winning patterns of a large board cannot be listed. So the game is given by its `winning_positions` instead.
/// [`Patterns`] is a game whose patterns are listed.
pub trait StrongPositionalGame {
    /// The number of points.
    fn point_count(&self) -> usize;

    /// Whether a set of points is in `winning_positions` of a player (0 moves first), because it contains a winning
    /// pattern.
    fn is_winning(&self, player: usize, position: PointSet) -> bool;
}

/// A member of `spg_configurations`: the points of the first player and those of the second.
pub type Configuration = [PointSet; 2];

/// Whether a pair of positions is in `spg_configurations`. The text writes `a` and `b` where it means the two
/// positions.
pub fn is_configuration<G: StrongPositionalGame>(game: &G, [ps1, ps2]: Configuration) -> bool {
    ps1.intersection(ps2).is_empty()
        && (ps1.count() == ps2.count() || ps1.count() == ps2.count() + 1)
        && !(game.is_winning(0, ps1) && game.is_winning(1, ps2))
}

/// Whether nobody has won.
pub fn is_intermediate<G: StrongPositionalGame>(game: &G, [ps1, ps2]: Configuration) -> bool {
    !game.is_winning(0, ps1) && !game.is_winning(1, ps2)
}

/// `spg_game`: every strong positional game is an abstract game.
impl<G: StrongPositionalGame> AbstractGame for G {
    type Configuration = Configuration;

    fn initial(&self) -> Configuration {
        [PointSet::EMPTY; 2]
    }

    /// `spg_transitions`. By the general text, play would go on until both players have won. By the Havannah text, and
    /// in every real game, there are no moves once one player has won.
    fn transitions(&self, p: &Configuration) -> Vec<Configuration> {
        if !is_intermediate(self, *p) {
            return Vec::new();
        }
        let free = PointSet::first(self.point_count()).difference(p[0].union(p[1]));
        let added = free.iter().flat_map(|point| [[p[0].with(point), p[1]], [p[0], p[1].with(point)]]);
        added.filter(|q| is_configuration(self, *q)).collect()
    }

    /// `spg_score`.
    fn score(&self, p: &Configuration) -> i32 {
        if self.is_winning(0, p[0]) {
            1
        } else if self.is_winning(1, p[1]) {
            -1
        } else {
            0
        }
    }

    /// The definition, without listing all transitions.
    fn is_transition(&self, p: &Configuration, q: &Configuration) -> bool {
        let all = PointSet::first(self.point_count());
        is_intermediate(self, *p)
            && is_configuration(self, *q)
            && (0..2).all(|i| p[i].is_subset(q[i]) && q[i].is_subset(all))
            && q[0].count() + q[1].count() == p[0].count() + p[1].count() + 1
    }

    /// A configuration is final if somebody has won or all points are taken.
    fn is_final(&self, p: &Configuration) -> bool {
        !is_intermediate(self, *p) || p[0].count() + p[1].count() == self.point_count()
    }
}

/// A strong positional game with its patterns listed.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// The number of points.
    pub points: usize,
    /// `wps1` and `wps2`.
    pub winning: [Vec<PointSet>; 2],
}

impl Patterns {
    /// A member of `symmetric_strong_positional_games`: both players have the same patterns.
    pub fn symmetric(points: usize, patterns: &[&[usize]]) -> Patterns {
        let patterns: Vec<PointSet> = patterns.iter().map(|pattern| pattern.iter().copied().collect()).collect();
        Patterns { points, winning: [patterns.clone(), patterns] }
    }

    /// Whether both players' patterns are in `minimal_winning_patterns`: none contains another.
    pub fn is_minimal(&self) -> bool {
        let minimal = |wps: &Vec<PointSet>| wps.iter().all(|p1| wps.iter().all(|p2| p1 == p2 || !p1.is_subset(*p2)));
        self.winning.iter().all(minimal)
    }

    /// The same game with only those patterns that contain no other.
    pub fn minimal(&self) -> Patterns {
        let minimal = |wps: &Vec<PointSet>| {
            let contains_no_other = |p1: &&PointSet| !wps.iter().any(|p2| *p1 != p2 && p2.is_subset(**p1));
            wps.iter().filter(contains_no_other).copied().collect()
        };
        Patterns { points: self.points, winning: self.winning.each_ref().map(minimal) }
    }

    /// Whether this is in `symmetric_strong_positional_games`.
    pub fn is_symmetric(&self) -> bool {
        self.winning[0] == self.winning[1]
    }

    /// Whether this is in `excluding_strong_positional_games`: if one player has a pattern, the other cannot have one.
    pub fn is_excluding(&self) -> bool {
        let [wps1, wps2] = &self.winning;
        wps1.iter().all(|wp1| wps2.iter().all(|wp2| !wp1.intersection(*wp2).is_empty()))
    }
}

impl StrongPositionalGame for Patterns {
    fn point_count(&self) -> usize {
        self.points
    }

    /// `winning_positions`: {win subset points | Exists w in wp (w subset win)}.
    fn is_winning(&self, player: usize, position: PointSet) -> bool {
        self.winning[player].iter().any(|pattern| pattern.is_subset(position))
    }
}

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

    /// The number of points.
    pub fn point_count(&self) -> usize {
        self.neighbours.len()
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

    /// All `groups`, found in the power set of the points. For tiny boards.
    pub fn groups(&self) -> impl Iterator<Item = PointSet> + '_ {
        assert!(self.point_count() < 24, "too many points to list the power set");
        (0..1 << self.point_count()).map(PointSet::of_mask).filter(|&set| self.is_group(set))
    }
}
