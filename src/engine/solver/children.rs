//! The children of a position in the search, and which of them to search next.

use super::guide;
use super::table::{INFINITE, ProofNumbers};

/// A move, and the proof numbers of the position after it, in which the opponent is to move.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub key: u64,
    pub numbers: ProofNumbers,
    /// Roughly how many positions were visited below it.
    pub effort: u32,
    /// How often a move on this cell had won before.
    pub wins: u32,
    /// What is added to δ because this thread came back without a result, while others were at work there.
    pub penalty: u32,
    pub cell: u8,
    /// The factor of δ that the network advises, in units of 1/[`guide::UNIT`].
    pub weight: u8,
}

impl Child {
    /// The cell of the move.
    pub fn cell(&self) -> usize {
        self.cell.into()
    }

    /// Takes over what a search of this child has found. `effort` is the number of positions that it visited.
    #[inline(always)]
    pub fn take(&mut self, found: ProofNumbers, effort: u64) {
        self.numbers = found;
        self.effort = self.effort.saturating_add(effort.try_into().unwrap_or(u32::MAX));
    }

    /// δ times the weight, unless the position is proven.
    #[inline(always)]
    pub fn cost(&self) -> u32 {
        match self.numbers.delta {
            delta @ (0 | INFINITE..) => delta,
            delta => weighted(delta, self.weight),
        }
    }
}

/// A number below [`INFINITE`] times a weight. The product is kept below [`INFINITE`].
#[inline(always)]
fn weighted(delta: u32, weight: u8) -> u32 {
    (u64::from(delta) * u64::from(weight) / u64::from(guide::UNIT)).min(u64::from(INFINITE - 1)) as u32
}

/// The least number whose product with this weight is at least `cost`, or infinity.
pub(super) fn unweighted(cost: u32, weight: u8) -> u32 {
    match cost {
        INFINITE.. => INFINITE,
        _ => (u64::from(cost) * u64::from(guide::UNIT)).div_ceil(weight.into()).min(INFINITE.into()) as u32,
    }
}

/// The child to search next, and what the position's proof numbers are computed from.
pub(super) struct Choice {
    /// The index of the child with the least rank. The rank is the cost, and more while other threads work on the
    /// child.
    pub best: usize,
    /// The least rank, and the second least.
    pub rank: u32,
    pub second: u32,
    /// The least cost of a child.
    pub least: u32,
    /// The sum of the children's φ.
    pub sum: u32,
}

impl Choice {
    /// Chooses one of these children by `rank`, then by φ, then by how often the move has won. The least rank counts as
    /// the least cost.
    #[inline(always)]
    pub fn new(children: &[Child], rank: impl Fn(&Child) -> u32) -> Choice {
        let mut best = 0;
        let mut least = u64::MAX;
        let mut second = u32::MAX;
        let mut sum = 0;
        for (i, child) in children.iter().enumerate() {
            let rank = rank(child);
            let phi = child.numbers.phi;
            let order = u64::from(rank) << 32 | u64::from(phi);
            if order < least || order == least && child.wins > children[best].wins {
                (second, least, best) = ((least >> 32) as u32, order, i);
            } else {
                second = second.min(rank);
            }
            sum = (sum + phi.min(INFINITE)).min(INFINITE - 1);
        }
        let rank = (least >> 32) as u32;
        Choice { best, rank, second, least: rank, sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A child that has reached its threshold must have the required cost, or the search of its parent would not end.
    #[test]
    fn thresholds_of_children_reach_the_required_cost() {
        for weight in guide::UNIT..=u8::MAX {
            for cost in (1..1000).chain([INFINITE / 9, INFINITE - 1]) {
                let threshold = unweighted(cost, weight);
                assert!(
                    weighted(threshold, weight) >= cost && weighted(threshold - 1, weight) < cost,
                    "{cost}, {weight}"
                );
            }
            assert_eq!(unweighted(INFINITE, weight), INFINITE);
            assert!(weighted(INFINITE - 1, weight) < INFINITE);
        }
    }
}
