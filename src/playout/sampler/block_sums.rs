//! The fast sampler: three levels of sums, eight at a time.

use super::{CAPACITY, MoveSampler};

/// What is known of a key.
#[derive(Clone, Copy, Default)]
struct Entry {
    weight: u32,
    /// All bits set if the key is in the map, none if not. A weight that is to be given to a key, wherever it is, is
    /// given by `&`, without a branch: whether the neighbour of a move is still empty cannot be predicted.
    present: u32,
}

/// The weights, their sums over all keys with the same remainder modulo 64, and the sums of those over all keys with
/// the same remainder modulo 8.
///
/// Written in octal, a key's last digit is its place in the top level, the digit before its place in the middle level,
/// the rest its place in the bottom level; [`MoveSampler::select`] finds them in this order, and goes by it. So
/// neighbouring keys, which a playout changes together, have different sums, and the additions do not wait for each
/// other. A new weight costs one addition on each level; selection adds up to eight numbers on each level and counts
/// how many of the running sums are passed: no branch depends on what was drawn.
///
/// On x86-64 vector instructions do not make this faster: a vector load of sums that have just been stored one by one
/// waits for the stores to leave the processor, and that is longer than all eight additions take.
#[derive(Clone)]
pub struct BlockSums {
    entries: [Entry; CAPACITY],
    /// Of the keys with each remainder modulo 64.
    middle: [u64; 64],
    /// Of the keys with each remainder modulo 8.
    top: [u64; 8],
    total: u64,
    len: usize,
    /// All keys from here on are not in the map.
    extent: usize,
}

impl Default for BlockSums {
    /// The empty map.
    fn default() -> BlockSums {
        BlockSums { entries: [Entry::default(); CAPACITY], middle: [0; 64], top: [0; 8], total: 0, len: 0, extent: 0 }
    }
}

impl BlockSums {
    /// Replaces the entry of a key and says what that adds to the total, modulo 2⁶⁴; `total` itself is left to the
    /// caller.
    #[inline(always)]
    fn set(&mut self, key: usize, entry: Entry) -> u64 {
        let old = std::mem::replace(&mut self.entries[key], entry);
        let difference = (entry.weight as u64).wrapping_sub(old.weight as u64);
        self.middle[key % 64] = self.middle[key % 64].wrapping_add(difference);
        self.top[key % 8] = self.top[key % 8].wrapping_add(difference);
        difference
    }
}

/// Where among eight weights `x` falls, and how far it is from that weight's beginning. The last weight is not asked
/// for: what is not in the others is in it.
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
        (self.middle, self.top) = ([0; 64], [0; 8]);
        (self.total, self.len, self.extent) = (0, 0, 0);
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
        (self.middle, self.top) = (other.middle, other.top);
        (self.total, self.len, self.extent) = (other.total, other.len, other.extent);
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
        assert!(x < self.total, "x is not below the total");
        let (last_digit, x) = find(|i| self.top[i], x);
        let (digit, x) = find(|i| self.middle[(i * 8 + last_digit) % 64], x);
        let remainder = digit * 8 + last_digit;
        // As in `find`, but only as far as there are keys.
        let (mut start, mut quotient) = (0, 0);
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
    fn every_stored_sum_is_right_after_random_operations() {
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
    fn keys_are_selected_by_their_octal_digits_the_last_one_first() {
        let mut sums = BlockSums::default();
        sums.load((0..CAPACITY as u32).map(|key| (key % 7 != 0).then_some(key % 4)));
        let mut order: Vec<u16> = (0..CAPACITY as u16).filter(|&key| sums.contains(key)).collect();
        order.sort_by_key(|key| (key % 8, key / 8 % 8, key / 64));
        let expected: Vec<u16> =
            order.into_iter().flat_map(|key| vec![key; sums.weight(key).unwrap() as usize]).collect();
        assert_eq!((0..sums.total()).map(|x| sums.select(x)).collect::<Vec<_>>(), expected);
    }
}
