//! Weighted all-moves-as-first (paper, section 4): the shorter a playout, the more it counts in the RAVE statistics.
//!
//! The paper multiplies the result of a playout (loss −1, draw 0, win 1) by its weight. The RAVE statistics here use
//! loss 0, draw ½ and win 1 instead. A move's weighted mean is then (1 + the paper's) / 2, so the order of the moves is
//! the same.

use crate::option_enum;

option_enum! {
    /// How the weight of a playout in the RAVE statistics depends on its length.
    pub enum AmafWeight {
        /// All playouts have the same weight.
        Constant = "constant",
        /// The weight is inversely proportional to the square root of the length.
        InverseSqrt = "inverse-sqrt",
        /// The weight is inversely proportional to the length. This is the paper's choice, although it mentions that it
        /// sometimes leads to short-sighted play.
        Inverse = "inverse",
    }
}

impl AmafWeight {
    /// The weight of a playout of `length` moves, if one of `typical` moves has weight 1. Weights are about 1 on
    /// average, so that priors, which are numbers of visits, keep their meaning.
    #[must_use]
    pub fn weight(self, length: usize, typical: f32) -> f32 {
        let ratio = typical / length.max(1) as f32;
        match self {
            AmafWeight::Constant => 1.0,
            AmafWeight::InverseSqrt => ratio.sqrt(),
            AmafWeight::Inverse => ratio,
        }
    }
}

/// The share of the empty vertices that a typical playout fills. For uniform playouts from the empty board it is
/// between 0.75 (side 4) and 0.66 (side 10).
const TYPICAL_SHARE: f32 = 0.7;

/// A table of the weights of playouts by their lengths, counted from the root of a search.
pub(crate) struct AmafWeights(Vec<f32>);

impl AmafWeights {
    /// The table for a search from a position with `empty` empty vertices.
    pub fn new(weight: AmafWeight, empty: usize) -> AmafWeights {
        AmafWeights((0..=empty).map(|length| weight.weight(length, TYPICAL_SHARE * empty as f32)).collect())
    }

    /// The weight of a playout that ended `length` moves after the root.
    #[inline]
    pub fn at(&self, length: usize) -> f32 {
        self.0[length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typical_playouts_have_weight_one_and_shorter_ones_more() {
        let weights = |weight| AmafWeights::new(weight, 100);
        for length in 0..=100 {
            assert_eq!(weights(AmafWeight::Constant).at(length), 1.0);
        }
        for weight in [AmafWeight::InverseSqrt, AmafWeight::Inverse] {
            let weights = weights(weight);
            assert!((weights.at(70) - 1.0).abs() < 1e-6);
            assert!((2..=100).all(|length| weights.at(length) < weights.at(length - 1)));
        }
        let ratio = |weight| weights(weight).at(10) / weights(weight).at(40);
        assert!((ratio(AmafWeight::Inverse) - 4.0).abs() < 1e-6);
        assert!((ratio(AmafWeight::InverseSqrt) - 2.0).abs() < 1e-6);
    }
}
