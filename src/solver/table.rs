//! The table of what the solver has found about positions.

/// How much work it seems to be to prove a position, from the point of view of the player to move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// To prove that the player to move reaches the goal: 0 if that is proven, [`NEVER`] if it cannot be.
    pub win: u32,
    /// To prove that the opponent does.
    pub loss: u32,
}

/// More work than there can be.
pub(super) const NEVER: u32 = 1 << 30;

/// As [`NEVER`], but for a proof in which the defender is content with a draw.
pub(super) const NEVER_OR_DRAW: u32 = NEVER + 1;

impl Work {
    /// Proven for the player to move.
    pub const WON: Work = Work { win: 0, loss: NEVER };
    /// Proven for the opponent.
    pub const LOST: Work = Work { win: NEVER, loss: 0 };

    /// Whether it is proven either way.
    pub fn is_proven(self) -> bool {
        self.win == 0 || self.loss == 0
    }
}

/// A position and the work on it; a key of 0 marks a place that is not taken.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    work: Work,
}

/// Places where a position may stand, together in one cache line.
const WAYS: usize = 4;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// A table of fixed size. Where there is no room, what seems to have taken least work goes.
pub(super) struct Table {
    buckets: Vec<Bucket>,
}

impl Table {
    /// An empty table of no more than `bytes`, but of one bucket at least.
    pub fn new(bytes: usize) -> Table {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let free = Entry { key: 0, work: Work { win: 0, loss: 0 } };
        Table { buckets: vec![Bucket([free; WAYS]); 1 << count.ilog2()] }
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Work> {
        let Bucket(entries) = &self.buckets[self.bucket(key)];
        entries.iter().find(|entry| entry.key == key).map(|entry| entry.work)
    }

    /// Keeps what is known of a position. Proofs stay longest: they are what saves work.
    #[inline]
    pub fn put(&mut self, key: u64, work: Work) {
        let bucket = self.bucket(key);
        let Bucket(entries) = &mut self.buckets[bucket];
        let worth = |entry: &Entry| match entry {
            Entry { key: other, .. } if *other == key => (0, 0),
            Entry { key: 0, .. } => (1, 0),
            Entry { work, .. } if work.is_proven() => (3, 0),
            Entry { work, .. } => (2, work.win + work.loss),
        };
        let least = entries.iter_mut().min_by_key(|entry| worth(entry)).expect("a bucket has entries");
        *least = Entry { key, work };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_gives_up_what_took_least_work() {
        let mut table = Table::new(0);
        let work = |n: u32| Work { win: n, loss: n };
        for n in [9, 3, 7] {
            table.put(n as u64, work(n));
        }
        table.put(5, Work::WON);
        assert_eq!(table.get(3), Some(work(3)));
        table.put(4, work(4));
        assert_eq!(
            [9, 3, 7, 5, 4].map(|key| table.get(key)),
            [Some(work(9)), None, Some(work(7)), Some(Work::WON), Some(work(4))]
        );
        table.put(7, Work::LOST);
        assert_eq!((table.get(7), table.get(4)), (Some(Work::LOST), Some(work(4))));
    }
}
