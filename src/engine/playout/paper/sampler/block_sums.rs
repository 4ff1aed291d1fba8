//! The faster sampler: sums on three levels.

use super::{CAPACITY, MoveSampler};

/// The entry of a key.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    weight: u32,
    /// All ones if the key is in the map, 0 if not. A new weight is masked with it instead of a branch, which the
    /// processor could not predict: the neighbour of a move may be empty or not.
    present: u32,
}

/// A map with three levels: the weights, the sums of the weights of all keys with the same remainder modulo 64, and the
/// sums for the same remainder modulo 8.
///
/// [`MoveSampler::select`] finds the octal digits of a key one after the other, the last digit first; this is also the
/// order of the keys. A playout often changes adjacent keys together. They belong to different sums, so their additions
/// do not wait for one another. A change of a weight takes one addition on each level. Selection adds up to eight
/// numbers on each level and counts the partial sums that do not exceed `x`, so no branch depends on the key drawn.
///
/// Vector instructions do not make this faster on x86-64. A vector load of sums that have just been stored one at a
/// time has to wait until the stores have reached the cache, which takes longer than eight additions.
#[derive(Clone, Debug)]
pub struct BlockSums {
    entries: [Entry; CAPACITY],
    /// For each remainder modulo 64, the sum of the weights of its keys.
    middle: [u64; 64],
    /// For each remainder modulo 8, the sum of the weights of its keys.
    top: [u64; 8],
    total: u64,
    len: usize,
    /// All keys in the map are below this.
    extent: usize,
}

impl Default for BlockSums {
    /// An empty map.
    fn default() -> BlockSums {
        BlockSums { entries: [Entry::default(); CAPACITY], middle: [0; 64], top: [0; 8], total: 0, len: 0, extent: 0 }
    }
}

impl BlockSums {
    /// Replaces the entry of a key in all levels. Returns the difference that the caller has to add to `total`, modulo
    /// 2⁶⁴.
    #[inline(always)]
    fn set(&mut self, key: usize, entry: Entry) -> u64 {
        let old = std::mem::replace(&mut self.entries[key], entry);
        let difference = (entry.weight as u64).wrapping_sub(old.weight as u64);
        self.middle[key % 64] = self.middle[key % 64].wrapping_add(difference);
        self.top[key % 8] = self.top[key % 8].wrapping_add(difference);
        difference
    }
}

/// Which of eight consecutive intervals `x` lies in, and its distance from the start of that interval. `weights` gives
/// the lengths of the first seven; the last is not needed.
#[inline(always)]
fn find(weights: impl Fn(usize) -> u64, x: u64) -> (usize, u64) {
    let mut starts = [0; 8];
    let mut found = 0;
    for i in 0..7 {
        starts[i + 1] = starts[i] + weights(i);
        found += (starts[i + 1] <= x) as usize;
    }
    (found, x - starts[found])
}

impl MoveSampler for BlockSums {
    fn clear(&mut self) {
        self.entries[..self.extent].fill(Entry::default());
        self.middle = [0; 64];
        self.top = [0; 8];
        self.total = 0;
        self.len = 0;
        self.extent = 0;
    }

    fn load(&mut self, weights: impl IntoIterator<Item = Option<u32>>) {
        self.clear();
        for weight in weights {
            let key = self.extent;
            assert!(key < CAPACITY, "more than {CAPACITY} keys");
            if let Some(weight) = weight {
                self.entries[key] = Entry { weight, present: !0 };
                self.middle[key % 64] += weight as u64;
                self.len += 1;
            }
            self.extent += 1;
        }
        for (i, sum) in self.middle.iter().enumerate() {
            self.top[i % 8] += sum;
        }
        self.total = self.top.iter().sum();
    }

    #[inline(always)]
    fn copy_from(&mut self, other: &BlockSums) {
        let keys = self.extent.max(other.extent);
        self.entries[..keys].copy_from_slice(&other.entries[..keys]);
        self.middle = other.middle;
        self.top = other.top;
        self.total = other.total;
        self.len = other.len;
        self.extent = other.extent;
    }

    #[inline(always)]
    fn insert(&mut self, key: u16, weight: u32) {
        self.len += !self.contains(key) as usize;
        self.extent = self.extent.max(key as usize + 1);
        let difference = self.set(key as usize, Entry { weight, present: !0 });
        self.total = self.total.wrapping_add(difference);
    }

    #[inline(always)]
    fn update(&mut self, key: u16, weight: u32) {
        self.update_all(&[key], weight);
    }

    #[inline(always)]
    fn update_all(&mut self, keys: &[u16], weight: u32) {
        let mut total = self.total;
        for &key in keys {
            let present = self.entries[key as usize].present;
            total = total.wrapping_add(self.set(key as usize, Entry { weight: weight & present, present }));
        }
        self.total = total;
    }

    #[inline(always)]
    fn remove(&mut self, key: u16) {
        self.len -= self.contains(key) as usize;
        let difference = self.set(key as usize, Entry::default());
        self.total = self.total.wrapping_add(difference);
    }

    #[inline(always)]
    fn weight(&self, key: u16) -> Option<u32> {
        let entry = self.entries[key as usize];
        (entry.present != 0).then_some(entry.weight)
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn total(&self) -> u64 {
        self.total
    }

    #[inline(always)]
    fn select(&self, x: u64) -> u16 {
        assert!(x < self.total, "x must be below the total");
        let (last_digit, x) = find(|i| self.top[i], x);
        let (digit, x) = find(|i| self.middle[(i * 8 + last_digit) % 64], x);
        let remainder = digit * 8 + last_digit;
        // Like `find`, but only over the entries that are in use.
        let mut start = 0;
        let mut quotient = 0;
        for i in 0..(self.extent - 1) / 64 {
            start += self.entries[(i * 64 + remainder) % CAPACITY].weight as u64;
            quotient += (start <= x) as usize;
        }
        (quotient * 64 + remainder) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn sums_are_correct_after_random_operations() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let (mut sums, mut copy) = (BlockSums::default(), BlockSums::default());
        for step in 0..100_000 {
            let (key, weight) = (rng.random_range(0..300), rng.random());
            match rng.random_range(0..100) {
                0..40 => sums.insert(key, weight),
                40..50 => sums.update(key, weight),
                50..60 => sums.update_all(&[key, (key + 1) % 300, key, 511], weight),
                60..98 => sums.remove(key),
                98 => copy.copy_from(&sums),
                _ => sums.copy_from(&copy),
            }
            if step % 20 == 0 {
                let over = |keep: &dyn Fn(usize) -> bool| -> u64 {
                    (0..CAPACITY).filter(|&key| keep(key)).map(|key| sums.entries[key].weight as u64).sum()
                };
                assert_eq!(sums.total, over(&|_| true));
                (0..8).for_each(|i| assert_eq!(sums.top[i], over(&|key| key % 8 == i)));
                (0..64).for_each(|i| assert_eq!(sums.middle[i], over(&|key| key % 64 == i)));
                assert_eq!(sums.len, sums.entries.iter().filter(|e| e.present != 0).count());
                assert!(sums.entries.iter().all(|e| e.present == !0 || (e.present, e.weight) == (0, 0)));
                assert!(sums.entries[sums.extent..].iter().all(|e| e.present == 0));
            }
        }
    }

    #[test]
    fn keys_are_ordered_by_their_octal_digits_the_last_digit_first() {
        let mut sums = BlockSums::default();
        sums.load((0..CAPACITY as u32).map(|key| (key % 7 != 0).then_some(key % 4)));
        let mut order: Vec<u16> = (0..CAPACITY as u16).filter(|&key| sums.contains(key)).collect();
        order.sort_by_key(|key| (key % 8, key / 8 % 8, key / 64));
        let expected: Vec<u16> =
            order.into_iter().flat_map(|key| vec![key; sums.weight(key).unwrap() as usize]).collect();
        assert_eq!((0..sums.total()).map(|x| sums.select(x)).collect::<Vec<_>>(), expected);
    }
}
