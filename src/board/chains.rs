//! Online recognition of bridges and forks (paper, section 7): the disjoint-set forest of the chains.
//!
//! A vertex belongs to at most one colour, so the two forests of the paper share one table. Each vertex has one word,
//! so that a find which reaches a root has the chain's corners and sides in hand:
//!
//! | bits | at every vertex | at a root |
//! |---|---|---|
//! | 0–8 | parent (its own index at a root) | |
//! | 9–15 | | rank, an upper bound of the tree's height |
//! | 16–27 | | corners and sides that the chain holds, as in [`Geometry::rim`] |
//!
//! An empty vertex is kept as a chain of one, with its own corner or side: placing a stone need not initialise it.

use super::geometry::{Geometry, TABLE, Vertex};

const PARENT: u32 = TABLE as u32 - 1;
const RANK_SHIFT: u32 = 9;
const MASK_SHIFT: u32 = 16;

/// A chain's root: its vertex, and the word that stands there.
#[derive(Clone, Copy)]
pub(crate) struct Root {
    index: usize,
    word: u32,
}

impl Root {
    /// The corners and sides that the chain holds.
    #[inline(always)]
    pub fn mask(self) -> u16 {
        (self.word >> MASK_SHIFT) as u16
    }

    /// The root vertex, which names the chain until its next union.
    #[inline(always)]
    pub fn vertex(self) -> Vertex {
        Vertex(self.index as u16)
    }
}

impl PartialEq for Root {
    #[inline(always)]
    fn eq(&self, other: &Root) -> bool {
        self.index == other.index
    }
}

/// The disjoint-set forest: union by rank, path compression.
#[derive(Clone)]
pub(crate) struct Chains {
    words: [u32; TABLE],
}

impl Chains {
    /// Every vertex a chain of its own.
    pub fn new(geometry: &Geometry) -> Chains {
        let mut words = [0; TABLE];
        for v in geometry.vertices() {
            words[v.index()] = v.index() as u32 | (geometry.rim(v) as u32) << MASK_SHIFT;
        }
        Chains { words }
    }

    /// Takes over the first `count` vertices of another forest of the same board.
    #[inline]
    pub fn copy_from(&mut self, other: &Chains, count: usize) {
        self.words[..count].copy_from_slice(&other.words[..count]);
    }

    #[inline(always)]
    fn parent(&self, index: usize) -> usize {
        (self.words[index & (TABLE - 1)] & PARENT) as usize
    }

    /// The root of `v`'s chain, leaving the forest as it is.
    #[inline(always)]
    pub fn root(&self, v: usize) -> Root {
        // Trees are almost always of height two or less. Two steps taken blindly (a root is its own parent) leave a
        // loop that the branch predictor knows to end at once.
        let mut index = self.parent(self.parent(v));
        loop {
            let word = self.words[index & (TABLE - 1)];
            let parent = (word & PARENT) as usize;
            if parent == index {
                return Root { index, word };
            }
            index = parent;
        }
    }

    /// The root of `v`'s chain; a long path to it is made short.
    #[inline(always)]
    pub fn find(&mut self, v: usize) -> Root {
        let near = self.parent(self.parent(v));
        let word = self.words[near & (TABLE - 1)];
        if (word & PARENT) as usize == near {
            return Root { index: near, word };
        }
        self.find_far(v, near)
    }

    /// Path compression for a path of three steps or more: every vertex on it gets the root as parent.
    #[cold]
    fn find_far(&mut self, v: usize, near: usize) -> Root {
        let root = self.root(near);
        let mut index = v;
        while index != root.index {
            let word = &mut self.words[index & (TABLE - 1)];
            let next = (*word & PARENT) as usize;
            *word = (*word & !PARENT) | root.index as u32;
            index = next;
        }
        root
    }

    /// Unites two chains, which may be one, and the chain of one at `v`, which may be either of them, and returns the
    /// root of the union.
    ///
    /// Without branches: which root wins is data. A find and a union that a new stone turns out not to need are done
    /// with the stone itself, which is cheaper than a branch that cannot be predicted.
    #[inline(always)]
    pub fn unite(&mut self, v: usize, a: Root, b: Root) -> Root {
        const RANK: u32 = (1 << MASK_SHIFT) - (1 << RANK_SHIFT);
        let (rank_a, rank_b) = (a.word & RANK, b.word & RANK);
        let (high, low) = if rank_a >= rank_b { (a.index, b.index) } else { (b.index, a.index) };
        let rank = rank_a.max(rank_b) + (((rank_a == rank_b) & (a.index != b.index)) as u32) * (1 << RANK_SHIFT);
        let mask = (a.word | b.word | self.words[v & (TABLE - 1)]) & !(RANK | PARENT);
        let word = high as u32 | rank | mask;
        // In this order: `v` and `low` may be the winner themselves.
        self.words[v & (TABLE - 1)] = high as u32;
        self.words[low & (TABLE - 1)] = high as u32;
        self.words[high & (TABLE - 1)] = word;
        Root { index: high, word }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Against labels that are rewritten at every union: the textbook's slow way.
    #[test]
    fn random_unions_agree_with_relabelling() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        for side in [2, 4, 8, 13] {
            let geometry = Geometry::of(side).unwrap();
            let n = geometry.vertex_count();
            for _ in 0..20 {
                let mut chains = Chains::new(geometry);
                let mut label: Vec<usize> = (0..n).collect();
                let mut mask: Vec<u16> = geometry.vertices().map(|v| geometry.rim(v)).collect();
                for _ in 0..2 * n {
                    let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
                    let (ra, rb) = (chains.find(a), chains.find(b));
                    assert_eq!(ra == rb, label[a] == label[b]);
                    let united = chains.unite(ra.index, ra, rb);
                    let (from, to) = (label[a], label[b]);
                    mask[to] |= mask[from];
                    label.iter_mut().filter(|l| **l == from).for_each(|l| *l = to);
                    assert_eq!(united.mask(), mask[to]);
                    let probe = rng.random_range(0..n);
                    assert_eq!(chains.find(probe).mask(), mask[label[probe]]);
                }
                for a in 0..n {
                    for b in 0..n {
                        assert_eq!(chains.root(a) == chains.root(b), label[a] == label[b]);
                    }
                }
            }
        }
    }
}
