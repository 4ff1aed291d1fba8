//! Drawing moves at random by weight (paper, section 6): maps from keys to weights. A playout loads the map once, draws
//! its moves from it, and changes a few weights after every move.
//!
//! There are two implementations of [`MoveSampler`]. [`SumTree`] is the paper's: a binary tree whose nodes hold the
//! sums of their subtrees. [`BlockSums`] suits today's processors better: they do many additions at once but lose much
//! time after a mispredicted branch. Both are exact, because weights and sums are integers.

mod block_sums;
mod sum_tree;

use rand::Rng;

pub use block_sums::BlockSums;
pub use sum_tree::SumTree;

/// The number of keys that a sampler has room for: `0..CAPACITY`. No board has more vertices.
pub const CAPACITY: usize = 512;

const _: () = assert!(crate::game::MAX_VERTICES <= CAPACITY);

/// A map from keys to weights, the paper's *P*. A key *k* is drawn with the probability P(k) / Σ P(k').
///
/// A key is the index of a vertex, below [`CAPACITY`]. A weight is any `u32`. A key of weight 0 is in the map like any
/// other but is never drawn. The total is exact and cannot overflow, because 2⁹ weights below 2³² add up to less than
/// 2⁴¹.
///
/// ```
/// use malecon::engine::playout::paper::sampler::{BlockSums, MoveSampler};
/// let mut moves = BlockSums::default();
/// moves.load([Some(5), None, Some(0), Some(3)]);
/// assert_eq!((moves.len(), moves.total()), (3, 8));
/// moves.remove(3);
/// moves.update(1, 100); // not in the map, so this has no effect
/// moves.update(2, 7);
/// assert_eq!((moves.len(), moves.total()), (2, 12));
/// let counts = [0, 2].map(|key| (0..12).filter(|&x| moves.select(x) == key).count());
/// assert_eq!(counts, [5, 7]);
/// ```
///
/// # Panics
/// Every method that takes a key panics if the key is not below [`CAPACITY`].
pub trait MoveSampler: Clone + Default {
    /// Removes all keys.
    fn clear(&mut self);

    /// Replaces the contents of the map, in linear time: the items are the weights of the keys 0, 1, 2 and so on. A key
    /// whose item is `None` is left out.
    ///
    /// # Panics
    /// Panics if there are more than [`CAPACITY`] items.
    fn load(&mut self, weights: impl IntoIterator<Item = Option<u32>>);

    /// Makes this map equal to another. Unlike `clone_from`, it copies only the part that is in use.
    fn copy_from(&mut self, other: &Self);

    /// Inserts a key. If it is in the map already, it gets the new weight.
    fn insert(&mut self, key: u16, weight: u32);

    /// Changes the weight of a key. This has no effect if the key is not in the map.
    fn update(&mut self, key: u16, weight: u32);

    /// Gives the same new weight to all of `keys` that are in the map. A key may occur more than once. After a move,
    /// the keys are the neighbours of its vertex; occupied ones are not in the map.
    #[inline(always)]
    fn update_all(&mut self, keys: &[u16], weight: u32) {
        keys.iter().for_each(|&key| self.update(key, weight));
    }

    /// Removes a key. This has no effect if the key is not in the map.
    fn remove(&mut self, key: u16);

    /// The weight of a key, or `None` if it is not in the map.
    fn weight(&self, key: u16) -> Option<u32>;

    /// Whether a key is in the map.
    #[inline(always)]
    fn contains(&self, key: u16) -> bool {
        self.weight(key).is_some()
    }

    /// The number of keys in the map, including those of weight 0.
    fn len(&self) -> usize;

    /// Whether the map has no keys.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sum of all weights, the paper's S(r) of the root *r*.
    fn total(&self) -> u64;

    /// The key that the number `x` selects, the paper's procedure `select`. The numbers below the total are divided
    /// into one interval per key, as long as the key's weight. The order of the intervals depends on the
    /// implementation.
    ///
    /// # Panics
    /// Panics if `x` is not below the total. So it always panics if the map is empty or all weights are 0.
    fn select(&self, x: u64) -> u16;

    /// Draws a key, with a probability proportional to its weight. Returns `None` if the total is 0.
    #[inline(always)]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<u16> {
        let total = self.total();
        (total != 0).then(|| self.select(below(total, rng)))
    }
}

/// A random number below `bound`. All are equally likely.
///
/// The number is the high half of the product of `bound` and 64 random bits. All high halves are equally likely if
/// products with certain small low halves are rejected (Lemire, *Fast Random Integer Generation in an Interval*, 2019).
/// For a bound below 2⁴¹ this happens less than once in eight million draws.
#[inline(always)]
fn below<R: Rng + ?Sized>(bound: u64, rng: &mut R) -> u64 {
    loop {
        let product = rng.next_u64() as u128 * bound as u128;
        let high = (product >> 64) as u64;
        let low = product as u64;
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return high;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A generator that returns the given numbers.
    struct Scripted(Vec<u64>);

    impl rand::TryRng for Scripted {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!()
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.remove(0))
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!()
        }
    }

    #[test]
    fn numbers_that_would_make_a_result_too_likely_are_rejected() {
        // 2⁶⁴ mod 3 = 1, so one of the 2⁶⁴ random numbers has to be rejected: 0.
        let mut rng = Scripted(vec![0, u64::MAX]);
        assert_eq!(below(3, &mut rng), 2);
        assert_eq!(below(3, &mut Scripted(vec![1])), 0);
        assert_eq!(below(1, &mut Scripted(vec![0])), 0);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..1000 {
            let bound = rng.random_range(1..1 << 41);
            assert!(below(bound, &mut rng) < bound);
        }
    }
}
