//! Sets of vertices as bits.

use crate::game::Vertex;

/// A set of vertices of a board with at most 64 × `N` vertices. Bit *i* is the vertex with index *i*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set<const N: usize>([u64; N]);

impl<const N: usize> Set<N> {
    pub const EMPTY: Set<N> = Set([0; N]);

    /// The set that contains one vertex.
    pub fn with_index(index: usize) -> Set<N> {
        let mut set = Set::EMPTY;
        set.insert(index);
        set
    }

    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    pub fn union(&self, other: &Set<N>) -> Set<N> {
        Set(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline]
    pub fn intersection(&self, other: &Set<N>) -> Set<N> {
        Set(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The vertices that are in one of the sets, but not in both.
    #[inline]
    pub fn symmetric_difference(&self, other: &Set<N>) -> Set<N> {
        Set(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    /// Whether no vertex is in both sets.
    #[inline]
    pub fn is_disjoint(&self, other: &Set<N>) -> bool {
        self.intersection(other).is_empty()
    }

    /// Whether every vertex of this set is in the other.
    #[inline]
    pub fn is_subset(&self, other: &Set<N>) -> bool {
        (0..N).fold(0, |outside, i| outside | self.0[i] & !other.0[i]) == 0
    }

    /// The indices of the vertices, in ascending order.
    pub fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            // The step after the last vertex is computed too.
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| 64 * i + rest.trailing_zeros() as usize)
        })
    }

    /// The vertices, in vertex order.
    pub fn vertices(&self) -> Vec<Vertex> {
        self.indices().map(|i| Vertex(i as u16)).collect()
    }
}
