//! The paper's sampler (section 6): a binary tree in an array, with the sum of every subtree.

use super::{CAPACITY, MoveSampler};

/// A node of the tree.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The paper's K(n).
    key: u16,
    /// The paper's V(n).
    weight: u32,
    /// The paper's S(n): the sum of the weights of this node and of all nodes below it.
    sum: u64,
}

/// The paper's nearly balanced binary tree, in an array: the root is node 1, and node *n* has the children 2*n* and
/// 2*n* + 1. Every node holds the sum of the weights in its subtree. All operations on one key take logarithmic time.
///
/// [`MoveSampler::select`] uses the preorder: a node, then its left subtree, then its right subtree. Keys are small
/// integers, so an array takes the place of the paper's hash map.
#[derive(Clone, Debug)]
pub struct SumTree {
    /// The nodes 1 to `len`. Node 0 is not used.
    nodes: [Node; CAPACITY + 1],
    /// For each key, the index of its node, or 0 if the key is not in the map.
    positions: [u16; CAPACITY],
    len: usize,
    /// All keys in the map are below this.
    extent: usize,
}

impl Default for SumTree {
    /// An empty map.
    fn default() -> SumTree {
        SumTree { nodes: [Node::default(); CAPACITY + 1], positions: [0; CAPACITY], len: 0, extent: 0 }
    }
}

impl SumTree {
    /// Adds a difference to the sums on the path from node `n` to the root. The arithmetic is modulo 2⁶⁴, so the
    /// difference may be negative.
    #[inline(always)]
    fn walk_up(&mut self, mut n: usize, difference: u64) {
        while n > 0 {
            self.nodes[n].sum = self.nodes[n].sum.wrapping_add(difference);
            n /= 2;
        }
    }

    /// Changes the weight of node `n`, and the sums above it.
    #[inline(always)]
    fn set_weight(&mut self, n: usize, weight: u32) {
        let old = std::mem::replace(&mut self.nodes[n].weight, weight);
        self.walk_up(n, (weight as u64).wrapping_sub(old as u64));
    }

    /// Appends a node, but does not add it to the sums above it.
    #[inline(always)]
    fn append(&mut self, key: u16, weight: u32) {
        self.len += 1;
        self.nodes[self.len] = Node { key, weight, sum: weight as u64 };
        self.positions[key as usize] = self.len as u16;
    }
}

impl MoveSampler for SumTree {
    fn clear(&mut self) {
        self.positions[..self.extent].fill(0);
        self.len = 0;
        self.extent = 0;
    }

    fn load(&mut self, weights: impl IntoIterator<Item = Option<u32>>) {
        self.clear();
        for weight in weights {
            assert!(self.extent < CAPACITY, "more than {CAPACITY} keys");
            if let Some(weight) = weight {
                self.append(self.extent as u16, weight);
            }
            self.extent += 1;
        }
        for n in (2..=self.len).rev() {
            self.nodes[n / 2].sum += self.nodes[n].sum;
        }
    }

    #[inline(always)]
    fn copy_from(&mut self, other: &SumTree) {
        let keys = self.extent.max(other.extent);
        let nodes = other.len + 1;
        self.positions[..keys].copy_from_slice(&other.positions[..keys]);
        self.nodes[..nodes].copy_from_slice(&other.nodes[..nodes]);
        self.len = other.len;
        self.extent = other.extent;
    }

    fn insert(&mut self, key: u16, weight: u32) {
        if self.contains(key) {
            return self.update(key, weight);
        }
        self.append(key, weight);
        self.extent = self.extent.max(key as usize + 1);
        self.walk_up(self.len / 2, weight as u64);
    }

    #[inline(always)]
    fn update(&mut self, key: u16, weight: u32) {
        let n = self.positions[key as usize];
        if n != 0 {
            self.set_weight(n as usize, weight);
        }
    }

    /// The last node takes the place of the removed one, which needs two walks to the root, as in the paper.
    #[inline(always)]
    fn remove(&mut self, key: u16) {
        let n = std::mem::take(&mut self.positions[key as usize]) as usize;
        if n == 0 {
            return;
        }
        let last = self.nodes[self.len];
        self.set_weight(self.len, 0);
        if n != self.len {
            self.nodes[n].key = last.key;
            self.positions[last.key as usize] = n as u16;
            self.set_weight(n, last.weight);
        }
        self.len -= 1;
    }

    #[inline(always)]
    fn weight(&self, key: u16) -> Option<u32> {
        let n = self.positions[key as usize];
        (n != 0).then(|| self.nodes[n as usize].weight)
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn total(&self) -> u64 {
        if self.len == 0 { 0 } else { self.nodes[1].sum }
    }

    /// The paper's procedure `select`, as a loop.
    #[inline(always)]
    fn select(&self, mut x: u64) -> u16 {
        assert!(x < self.total(), "x must be below the total");
        let mut n = 1;
        loop {
            let node = &self.nodes[n];
            if x < node.weight as u64 {
                return node.key;
            }
            x -= node.weight as u64;
            n *= 2;
            // x is below the sum of both subtrees. So there is a left one, and if x is not in it, a right one.
            let left = self.nodes[n].sum;
            if x >= left {
                x -= left;
                n += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The sum of the weights in a subtree, calculated anew.
    fn sum_below(tree: &SumTree, n: usize) -> u64 {
        if n > tree.len {
            return 0;
        }
        tree.nodes[n].weight as u64 + sum_below(tree, 2 * n) + sum_below(tree, 2 * n + 1)
    }

    fn preorder(tree: &SumTree, n: usize, order: &mut Vec<u16>) {
        if n <= tree.len {
            order.push(tree.nodes[n].key);
            preorder(tree, 2 * n, order);
            preorder(tree, 2 * n + 1, order);
        }
    }

    #[test]
    fn sums_and_positions_are_correct_after_random_operations() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let (mut tree, mut copy) = (SumTree::default(), SumTree::default());
        for step in 0..100_000 {
            let (key, weight) = (rng.random_range(0..100), rng.random());
            match rng.random_range(0..100) {
                0..40 => tree.insert(key, weight),
                40..60 => tree.update(key, weight),
                60..98 => tree.remove(key),
                98 => copy.copy_from(&tree),
                _ => tree.copy_from(&copy),
            }
            if step % 20 == 0 {
                for n in 1..=tree.len {
                    assert_eq!(tree.nodes[n].sum, sum_below(&tree, n));
                    assert_eq!(tree.positions[tree.nodes[n].key as usize] as usize, n);
                }
                assert_eq!(tree.positions.iter().filter(|&&n| n != 0).count(), tree.len);
            }
        }
    }

    #[test]
    fn keys_are_selected_in_preorder() {
        let mut tree = SumTree::default();
        tree.load((0..40).map(|key| (key % 7 != 0).then_some(key % 4)));
        (0..40).step_by(3).for_each(|key| tree.remove(key));
        let mut order = Vec::new();
        preorder(&tree, 1, &mut order);
        let expected: Vec<u16> =
            order.into_iter().flat_map(|key| vec![key; tree.weight(key).unwrap() as usize]).collect();
        assert_eq!((0..tree.total()).map(|x| tree.select(x)).collect::<Vec<_>>(), expected);
    }
}
