//! Online recognition of bridges and forks (paper, section 7): the chains as a disjoint-set forest.
//!
//! The paper keeps one forest for each player. A vertex holds a stone of at most one colour, so both forests share one
//! table here. An empty vertex is kept as a chain of one with its own corner or side, so that placing a stone needs no
//! initialisation.
//!
//! The paper uses union by rank. Here the root with the greater index becomes the root of the union. *Linking by index*
//! has the bounds of linking by rank if the order of the elements is random relative to the unions (Goel, Khanna,
//! Larkin & Tarjan, *Disjoint Set Union with Randomized Linking*, 2014), and with path compression it is never worse
//! than O(log n) amortised. In a playout the order of the stones has little to do with their indices, so the trees stay
//! as flat as with ranks.

use super::geometry::{Cell, Geometry, MAX_CELLS};

/// A disjoint-set forest with linking by index and path compression.
#[derive(Clone)]
pub(crate) struct Chains {
    parents: [Cell; MAX_CELLS],
    /// For each root, the corners and sides that its chain holds, as in [`Geometry::rim`].
    masks: [u16; MAX_CELLS],
}

impl Chains {
    /// The forest of the empty board: every vertex is a chain of its own.
    pub fn new(geometry: &Geometry) -> Chains {
        let mut masks = [0; MAX_CELLS];
        geometry.vertices().for_each(|v| masks[geometry.cell(v).index()] = geometry.rim(v));
        Chains { parents: std::array::from_fn(|i| Cell(i as u16)), masks }
    }

    /// Copies the first `cells` cells of another forest of the same board.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &Chains, cells: usize) {
        self.parents[..cells].copy_from_slice(&other.parents[..cells]);
        self.masks[..cells].copy_from_slice(&other.masks[..cells]);
    }

    #[inline(always)]
    fn parent(&self, cell: Cell) -> Cell {
        debug_assert!(cell.index() < MAX_CELLS);
        // SAFETY: every `Cell` is below `MAX_CELLS`, and the parents are cells, too.
        unsafe { *self.parents.get_unchecked(cell.index()) }
    }

    #[inline(always)]
    fn set_parent(&mut self, cell: Cell, parent: Cell) {
        debug_assert!(cell.index() < MAX_CELLS && parent.index() < MAX_CELLS);
        // SAFETY: see `parent`.
        unsafe { *self.parents.get_unchecked_mut(cell.index()) = parent }
    }

    /// The corners and sides that the chain of this root holds, as in [`Geometry::rim`].
    #[inline(always)]
    pub fn mask(&self, root: Cell) -> u16 {
        debug_assert!(root.index() < MAX_CELLS);
        // SAFETY: see `parent`.
        unsafe { *self.masks.get_unchecked(root.index()) }
    }

    /// The root of a cell's chain, without path compression.
    #[inline(always)]
    pub fn root(&self, cell: Cell) -> Cell {
        let mut root = self.parent(cell);
        while self.parent(root) != root {
            root = self.parent(root);
        }
        root
    }

    /// The root of a cell's chain. A path of three steps or more to it is compressed.
    #[inline(always)]
    pub fn find(&mut self, cell: Cell) -> Cell {
        // Almost all trees have height two or less. Two unconditional steps (a root is its own parent) leave one
        // branch, which is easy to predict.
        let grandparent = self.parent(self.parent(cell));
        if self.parent(grandparent) == grandparent { grandparent } else { self.find_and_compress(cell) }
    }

    /// Path compression: every cell on the path to the root gets the root as its parent.
    #[cold]
    fn find_and_compress(&mut self, cell: Cell) -> Cell {
        let root = self.root(cell);
        let mut here = cell;
        while here != root {
            let next = self.parent(here);
            self.set_parent(here, root);
            here = next;
        }
        root
    }

    /// Adds the single stone at `cell` to the chain that `neighbour` belongs to, without the corner or side of `cell`.
    #[inline(always)]
    pub fn append(&mut self, cell: Cell, neighbour: Cell) {
        self.set_parent(cell, self.parent(neighbour));
    }

    /// Unites the chains of the roots `a` and `b`, which may be the same, and adds the corners and sides in `rim`.
    /// Returns the root of the union, and the corners and sides that the union holds.
    ///
    /// There are no branches, because the processor could not predict them.
    #[inline(always)]
    pub fn unite(&mut self, a: Cell, b: Cell, rim: u16) -> (Cell, u16) {
        let mask = self.mask(a) | self.mask(b) | rim;
        let (high, low) = (Cell(a.0.max(b.0)), Cell(a.0.min(b.0)));
        // `low` may be `high` itself, which then becomes its own parent, as a root must be.
        self.set_parent(low, high);
        // SAFETY: see `parent`.
        unsafe { *self.masks.get_unchecked_mut(high.index()) = mask };
        (high, mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The slow textbook method keeps a label for each vertex and relabels one chain at every union.
    #[test]
    fn random_unions_agree_with_relabelling() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        // Miri takes minutes for a large board.
        let (sides, repetitions): (&[usize], usize) = if cfg!(miri) { (&[2, 4], 2) } else { (&[2, 4, 8, 13], 20) };
        for &side in sides {
            let geometry = Geometry::with_side(side).unwrap();
            let n = geometry.vertex_count();
            let cells: Vec<Cell> = geometry.vertices().map(|v| geometry.cell(v)).collect();
            for _ in 0..repetitions {
                let mut chains = Chains::new(geometry);
                let mut label: Vec<usize> = (0..n).collect();
                let mut mask: Vec<u16> = geometry.vertices().map(|v| geometry.rim(v)).collect();
                for _ in 0..2 * n {
                    let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
                    let (ra, rb) = (chains.find(cells[a]), chains.find(cells[b]));
                    assert_eq!(ra == rb, label[a] == label[b]);
                    let (root, united) = chains.unite(ra, rb, 0);
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
