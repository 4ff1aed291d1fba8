//! Online recognition of bridges and forks (paper, section 7): the disjoint-set forest of the chains.
//!
//! A vertex belongs to at most one colour, so the two forests of the paper share one table. An empty vertex is kept as
//! a chain of one with its own corner or side: placing a stone need not initialise it.
//!
//! The paper takes union by rank. Here the root with the greater index wins: *linking by index* has the bounds of
//! linking by rank when the order of the elements is random relative to the unions (Goel, Khanna, Larkin & Tarjan,
//! *Disjoint Set Union with Randomized Linking*, 2014), and with path compression never more than O(log n) amortised.
//! Stones come in no order of place, so trees stay as flat as with ranks, there is no rank to keep, and a move of a
//! random playout takes a tenth less time.

use super::geometry::{Cell, Geometry, MAX_CELLS};

/// The disjoint-set forest: linking by index, path compression.
#[derive(Clone)]
pub(crate) struct Chains {
    parents: [Cell; MAX_CELLS],
    /// At a root, the corners and sides that its chain holds, as in [`Geometry::rim`].
    masks: [u16; MAX_CELLS],
}

impl Chains {
    /// Every vertex a chain of its own.
    pub fn new(geometry: &Geometry) -> Chains {
        let mut masks = [0; MAX_CELLS];
        geometry.vertices().for_each(|v| masks[geometry.cell(v).index()] = geometry.rim(v));
        Chains { parents: std::array::from_fn(|i| Cell(i as u16)), masks }
    }

    /// Takes over the first `cells` cells of another forest of the same board.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &Chains, cells: usize) {
        self.parents[..cells].copy_from_slice(&other.parents[..cells]);
        self.masks[..cells].copy_from_slice(&other.masks[..cells]);
    }

    #[inline(always)]
    fn parent(&self, cell: Cell) -> Cell {
        debug_assert!(cell.index() < MAX_CELLS);
        // SAFETY: a `Cell` is below `MAX_CELLS`, and so are the parents, which are cells.
        unsafe { *self.parents.get_unchecked(cell.index()) }
    }

    #[inline(always)]
    fn set_parent(&mut self, cell: Cell, parent: Cell) {
        debug_assert!(cell.index() < MAX_CELLS && parent.index() < MAX_CELLS);
        // SAFETY: as in `parent`.
        unsafe { *self.parents.get_unchecked_mut(cell.index()) = parent }
    }

    /// The corners and sides that the chain with this root holds, as in [`Geometry::rim`].
    #[inline(always)]
    pub fn mask(&self, root: Cell) -> u16 {
        // SAFETY: as in `parent`.
        unsafe { *self.masks.get_unchecked(root.index()) }
    }

    /// The root of a cell's chain, leaving the forest as it is.
    #[inline(always)]
    pub fn root(&self, cell: Cell) -> Cell {
        let mut root = self.parent(cell);
        while self.parent(root) != root {
            root = self.parent(root);
        }
        root
    }

    /// The root of a cell's chain; a long path to it is made short.
    #[inline(always)]
    pub fn find(&mut self, cell: Cell) -> Cell {
        // Trees are almost always of height two or less. Two steps taken blindly (a root is its own parent) leave a
        // branch that is predicted well.
        let near = self.parent(self.parent(cell));
        if self.parent(near) == near { near } else { self.find_far(cell) }
    }

    /// Path compression for a path of three steps or more: every cell on it gets the root as parent.
    #[cold]
    fn find_far(&mut self, cell: Cell) -> Cell {
        let root = self.root(cell);
        let mut here = cell;
        while here != root {
            let next = self.parent(here);
            self.set_parent(here, root);
            here = next;
        }
        root
    }

    /// Unites the chains of the roots `a` and `b`, which may be the same, with the chain of one at `cell`, which may
    /// be either of them. Returns the union's root and the corners and sides that it holds.
    ///
    /// Without branches: which root wins is data. A find and a union that a new stone turns out not to need are done
    /// with the stone itself, which is cheaper than a branch that cannot be predicted.
    #[inline(always)]
    pub fn unite(&mut self, cell: Cell, a: Cell, b: Cell) -> (Cell, u16) {
        let mask = self.mask(a) | self.mask(b) | self.mask(cell);
        let (high, low) = (Cell(a.0.max(b.0)), Cell(a.0.min(b.0)));
        // In this order: `cell` and `low` may be the winner themselves.
        self.set_parent(cell, high);
        self.set_parent(low, high);
        // SAFETY: as in `parent`.
        unsafe { *self.masks.get_unchecked_mut(high.index()) = mask };
        (high, mask)
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
            let cells: Vec<Cell> = geometry.vertices().map(|v| geometry.cell(v)).collect();
            for _ in 0..20 {
                let mut chains = Chains::new(geometry);
                let mut label: Vec<usize> = (0..n).collect();
                let mut mask: Vec<u16> = geometry.vertices().map(|v| geometry.rim(v)).collect();
                for _ in 0..2 * n {
                    let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
                    let (ra, rb) = (chains.find(cells[a]), chains.find(cells[b]));
                    assert_eq!(ra == rb, label[a] == label[b]);
                    let (root, united) = chains.unite(ra, ra, rb);
                    let (from, to) = (label[a], label[b]);
                    mask[to] |= mask[from];
                    label.iter_mut().filter(|l| **l == from).for_each(|l| *l = to);
                    assert_eq!((united, chains.mask(root)), (mask[to], mask[to]));
                    let probe = rng.random_range(0..n);
                    let root = chains.find(cells[probe]);
                    assert_eq!(chains.mask(root), mask[label[probe]]);
                }
                for a in 0..n {
                    for b in 0..n {
                        assert_eq!(chains.root(cells[a]) == chains.root(cells[b]), label[a] == label[b]);
                    }
                }
            }
        }
    }
}
