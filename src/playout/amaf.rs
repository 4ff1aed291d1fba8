//! Weighted all-moves-as-first (paper, section 4): how much a playout counts in the RAVE tables, by its length.
//!
//! The paper adds the playout's result, loss −1, draw 0, win 1, times its weight to a move's sum and divides by the sum
//! of the weights. The tables here hold wins instead, loss 0, draw ½, win 1: the mean is (1 + the paper's) / 2, and a
//! move is ahead of another in the one if and only if it is in the other.

use crate::option_enum;

option_enum! {
    /// How the weight of a playout falls with its length.
    pub enum AmafWeight {
        /// All playouts count the same.
        Constant = "constant",
        /// By the root of the length.
        InverseSqrt = "inverse-sqrt",
        /// By the length: the paper's, which it found short-sighted at times.
        Inverse = "inverse",
    }
}

impl AmafWeight {
    /// What a playout of `length` moves counts, where one of `usual` moves counts 1: so playouts count about 1 in the
    /// mean, and the priors, which are given in playouts, keep their meaning.
    pub fn of(self, length: usize, usual: f32) -> f32 {
        let ratio = usual / length.max(1) as f32;
        match self {
            AmafWeight::Constant => 1.0,
            AmafWeight::InverseSqrt => ratio.sqrt(),
            AmafWeight::Inverse => ratio,
        }
    }
}

/// The share of the empty vertices that a playout fills in the mean: ¾ on side 4, 0.66 on side 10 (uniform playouts
/// from the empty board).
const USUAL_SHARE: f32 = 0.7;

/// The weights of all lengths, counted from the root of a search.
pub(crate) struct AmafWeights(Vec<f32>);

impl AmafWeights {
    /// For a search from a position with so many empty vertices.
    pub fn new(schedule: AmafWeight, empty: usize) -> AmafWeights {
        AmafWeights((0..=empty).map(|length| schedule.of(length, USUAL_SHARE * empty as f32)).collect())
    }

    /// The weight of a playout that ended so many moves after the root.
    #[inline]
    pub fn of(&self, length: usize) -> f32 {
        self.0[length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_playouts_count_one_and_shorter_ones_more_by_each_schedule() {
        let weights = |schedule| AmafWeights::new(schedule, 100);
        for length in 0..=100 {
            assert_eq!(weights(AmafWeight::Constant).of(length), 1.0);
        }
        for schedule in [AmafWeight::InverseSqrt, AmafWeight::Inverse] {
            let weights = weights(schedule);
            assert!((weights.of(70) - 1.0).abs() < 1e-6);
            assert!((2..=100).all(|length| weights.of(length) < weights.of(length - 1)));
        }
        let ratio = |schedule| weights(schedule).of(10) / weights(schedule).of(40);
        assert!((ratio(AmafWeight::Inverse) - 4.0).abs() < 1e-6);
        assert!((ratio(AmafWeight::InverseSqrt) - 2.0).abs() < 1e-6);
    }
}
