//! Games of Havannah. It is a strong positional game: the players take free points in turn, until the points of one of
//! them contain a winning figure.

use super::havannah::Havannah;
use super::point_set::PointSet;

/// A member of `spg_configurations`: the points of the first player and those of the second.
pub type Configuration = [PointSet; 2];

impl Havannah {
    /// Whether a set of points is in `winning_positions`: it contains a cycle, a bridge or a fork.
    pub fn is_winning(&self, position: PointSet) -> bool {
        !self.figures(position).is_empty()
    }

    /// Whether a pair of positions is in `spg_configurations`. The text writes `a` and `b` where it means the two
    /// positions.
    pub fn is_configuration(&self, [ps1, ps2]: Configuration) -> bool {
        ps1.intersection(ps2).is_empty()
            && (ps1.count() == ps2.count() || ps1.count() == ps2.count() + 1)
            && !(self.is_winning(ps1) && self.is_winning(ps2))
    }

    /// Whether nobody has won.
    pub fn is_intermediate(&self, [ps1, ps2]: Configuration) -> bool {
        !self.is_winning(ps1) && !self.is_winning(ps2)
    }

    /// All *q* with (*p*, *q*) in `spg_transitions`. By the general text, play would go on until both players have won.
    /// By the Havannah text, and in every real game, there are no moves once one player has won.
    pub fn transitions(&self, p: Configuration) -> Vec<Configuration> {
        if !self.is_intermediate(p) {
            return Vec::new();
        }
        let free = PointSet::first(self.points().len()).difference(p[0].union(p[1]));
        let added = free.iter().flat_map(|point| [[p[0].with(point), p[1]], [p[0], p[1].with(point)]]);
        added.filter(|q| self.is_configuration(*q)).collect()
    }

    /// Whether (*p*, *q*) is in `spg_transitions`: the definition, without a list of all transitions.
    pub fn is_transition(&self, p: Configuration, q: Configuration) -> bool {
        let all = PointSet::first(self.points().len());
        self.is_intermediate(p)
            && self.is_configuration(q)
            && (0..2).all(|i| p[i].is_subset(q[i]) && q[i].is_subset(all))
            && q[0].count() + q[1].count() == p[0].count() + p[1].count() + 1
    }

    /// Whether a configuration is in `final_configurations`: somebody has won, or all points are taken.
    pub fn is_final(&self, p: Configuration) -> bool {
        !self.is_intermediate(p) || p[0].count() + p[1].count() == self.points().len()
    }

    /// `spg_score` of a final configuration: 1 if the first player has won, −1 if the second has, 0 for a draw.
    pub fn score(&self, p: Configuration) -> i32 {
        i32::from(self.is_winning(p[0])) - i32::from(self.is_winning(p[1]))
    }

    /// Whether (p0, .., pn) is in `valid_games`.
    pub fn is_valid_game(&self, played: &[Configuration]) -> bool {
        played.first() == Some(&[PointSet::EMPTY; 2])
            && played.last().is_some_and(|&p| self.is_final(p))
            && played.windows(2).all(|pair| self.is_transition(pair[0], pair[1]))
    }

    /// The configurations (p0, .., pn) of a game in which the players take these points in turn. The game need not be
    /// valid.
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
