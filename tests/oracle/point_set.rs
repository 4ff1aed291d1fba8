//! Sets of points of a board.

use std::fmt;

const WORDS: usize = 8;

/// An element of `powerset(points)`: one bit for each point, in the order in which the game lists its points.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointSet([u64; WORDS]);

impl PointSet {
    /// The most points that a game may have.
    pub const CAPACITY: usize = 64 * WORDS;
    /// The empty set.
    pub const EMPTY: PointSet = PointSet([0; WORDS]);

    /// The points 0 to `count` − 1.
    pub fn first(count: usize) -> PointSet {
        (0..count).collect()
    }

    /// The set whose bits are those of `mask`.
    pub fn of_mask(mask: u64) -> PointSet {
        let mut words = [0; WORDS];
        words[0] = mask;
        PointSet(words)
    }

    /// Whether the point is in the set.
    pub fn has(self, point: usize) -> bool {
        self.0[point / 64] >> (point % 64) & 1 == 1
    }

    /// The set with this point added.
    pub fn with(mut self, point: usize) -> PointSet {
        self.0[point / 64] |= 1 << (point % 64);
        self
    }

    /// The set with this point removed.
    pub fn without(mut self, point: usize) -> PointSet {
        self.0[point / 64] &= !(1 << (point % 64));
        self
    }

    fn zip(self, other: PointSet, f: impl Fn(u64, u64) -> u64) -> PointSet {
        PointSet(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// The points that are in either set.
    pub fn union(self, other: PointSet) -> PointSet {
        self.zip(other, |a, b| a | b)
    }

    /// The points that are in both sets.
    pub fn intersection(self, other: PointSet) -> PointSet {
        self.zip(other, |a, b| a & b)
    }

    /// The points of this set that are not in the other.
    pub fn difference(self, other: PointSet) -> PointSet {
        self.zip(other, |a, b| a & !b)
    }

    /// Whether all points of this set are in the other.
    pub fn is_subset(self, other: PointSet) -> bool {
        self.difference(other).is_empty()
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self == PointSet::EMPTY
    }

    /// The number of points.
    pub fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The points, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * i + bit)
            })
        })
    }
}

impl FromIterator<usize> for PointSet {
    fn from_iter<I: IntoIterator<Item = usize>>(points: I) -> PointSet {
        points.into_iter().fold(PointSet::EMPTY, PointSet::with)
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
