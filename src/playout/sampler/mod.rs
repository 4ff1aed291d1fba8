//! Drawing moves at random by weight (paper, section 6): maps from keys to weights that a playout loads once, draws
//! from, and changes a little after every move.
//!
//! Two implementations of one interface, [`MoveSampler`]: [`SumTree`] is the paper's, a binary tree with the sum of
//! every subtree; [`BlockSums`] is made for a processor that does many additions at once and waits long for a
//! mispredicted branch. Both are exact: weights and sums are integers.

mod block_sums;
mod sum_tree;

use rand::Rng;

pub use block_sums::BlockSums;
pub use sum_tree::SumTree;

/// The number of different keys that a sampler can hold: they are `0..CAPACITY`. No board has more vertices.
pub const CAPACITY: usize = 512;

const _: () = assert!(crate::board::MAX_VERTICES <= CAPACITY);

/// A map from keys to weights from which keys are drawn with the probability weight / total (the paper's P).
///
/// A key is a vertex's index, below [`CAPACITY`]; a weight is any `u32`. A key of weight 0 is in the map as any other,
/// but is never drawn. The total is exact and cannot overflow: 2⁹ weights below 2³² add up to less than 2⁴¹.
///
/// ```
/// use malecon::playout::sampler::{BlockSums, MoveSampler};
/// let mut moves = BlockSums::default();
/// moves.load([Some(5), None, Some(0), Some(3)]);
/// assert_eq!((moves.len(), moves.total()), (3, 8));
/// moves.remove(3);
/// moves.update(1, 100); // not in the map: nothing happens
/// moves.update(2, 7);
/// assert_eq!((moves.len(), moves.total()), (2, 12));
/// let counts = [0, 2].map(|key| (0..12).filter(|&x| moves.select(x) == key).count());
/// assert_eq!(counts, [5, 7]);
/// ```
///
/// # Panics
/// Every method that takes a key panics if it is not below [`CAPACITY`].
pub trait MoveSampler: Clone + Default {
    /// Empties the map.
    fn clear(&mut self);

    /// Replaces the map by the weights of the keys 0, 1, 2 and so on, in linear time; `None` leaves a key out.
    ///
    /// # Panics
    /// If there are more than [`CAPACITY`] items.
    fn load(&mut self, weights: impl IntoIterator<Item = Option<u32>>);

    /// Makes this map equal to another: what `clone_from` does, for the work of the keys in use alone.
    fn copy_from(&mut self, other: &Self);

    /// Puts a key into the map, or gives the key that is there already a new weight.
    fn insert(&mut self, key: u16, weight: u32);

    /// Gives a key of the map a new weight. If the key is not in the map, nothing happens.
    fn update(&mut self, key: u16, weight: u32);

    /// Gives those of `keys` that are in the map the same new weight; a key may be named more than once. This is what
    /// happens to the neighbours of a move: some are occupied, and so not in the map.
    #[inline(always)]
    fn update_all(&mut self, keys: &[u16], weight: u32) {
        keys.iter().for_each(|&key| self.update(key, weight));
    }

    /// Takes a key out of the map. If the key is not in the map, nothing happens.
    fn remove(&mut self, key: u16);

    /// The weight of a key, or `None` if it is not in the map.
    fn weight(&self, key: u16) -> Option<u32>;

    /// Whether a key is in the map.
    #[inline(always)]
    fn contains(&self, key: u16) -> bool {
        self.weight(key).is_some()
    }

    /// The number of keys in the map, those of weight 0 counted.
    fn len(&self) -> usize;

    /// Whether no key is in the map.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sum of all weights (the paper's S(r)).
    fn total(&self) -> u64;

    /// The key at `x`: of all `x` below the total, each key has as many in a row as its weight says. Which come first
    /// is the implementation's choice.
    ///
    /// # Panics
    /// If `x` is not below the total; so in any case when the map is empty or all weights are 0.
    fn select(&self, x: u64) -> u16;

    /// Draws a key, each with the probability weight / total. `None` if the total is 0.
    #[inline(always)]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<u16> {
        let total = self.total();
        (total != 0).then(|| self.select(below(total, rng)))
    }
}

/// A number below `bound`, each with the same probability.
///
/// The high half of a product with 64 random bits falls on each number equally often but for the first few values of
/// the low half; those are drawn again (Lemire, *Fast Random Integer Generation in an Interval*, 2019). With a bound
/// below 2⁴¹ that is less than one draw in eight million.
#[inline(always)]
fn below<R: Rng + ?Sized>(bound: u64, rng: &mut R) -> u64 {
    loop {
        let product = rng.next_u64() as u128 * bound as u128;
        let (high, low) = ((product >> 64) as u64, product as u64);
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

    /// A generator that gives the numbers it was made of.
    struct Script(Vec<u64>);

    impl rand::TryRng for Script {
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
    fn numbers_below_a_bound_are_drawn_again_where_one_would_be_too_likely() {
        // 2^64 mod 3 = 1: of the 2^64 random numbers the first alone is one too many.
        let mut rng = Script(vec![0, u64::MAX]);
        assert_eq!(below(3, &mut rng), 2);
        assert_eq!(below(3, &mut Script(vec![1])), 0);
        assert_eq!(below(1, &mut Script(vec![0])), 0);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..1000 {
            let bound = rng.random_range(1..1 << 41);
            assert!(below(bound, &mut rng) < bound);
        }
    }
}
