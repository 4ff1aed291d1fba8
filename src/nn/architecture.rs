//! The shape of a network, and where its weights stand: the one description that files, inference and training share.
//!
//! A convolution reads a vertex and its six neighbours ([`TAPS`]). The first reads the features. Residual blocks of two
//! convolutions follow (He et al., *Deep residual learning for image recognition*, 2016). The policy is a linear
//! function of a vertex's channels; the value is a dense layer on the pooled channels and a linear function of that.
//!
//! With [`Pooling::Global`], each block also begins with a dense layer on the channels pooled over the board, whose outputs
//! are added at every vertex (after Wu, *Accelerating self-play learning in Go*, 2019, section 3.3), and the side length of
//! the board is an input of the first convolution and of the value head.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::convolution::{ACTIVATION_BITS, WEIGHT_BITS};
use super::error::NetworkError;
use super::features::FeatureSet;
use super::grid::TAPS;

/// The numbers of channels for which there are kernels.
pub const CHANNELS: [usize; 4] = [16, 32, 48, 64];
/// The most residual blocks.
pub const MAX_BLOCKS: usize = 64;
/// The most units in the hidden layer of the value head.
pub const MAX_HIDDEN: usize = 256;

/// Runs a block of code with the number of channels as a constant. Every number in [`CHANNELS`] has an arm here.
macro_rules! with_channels {
    ($channels:expr, $C:ident => $body:expr) => {
        with_channels!(@arms $channels, $C, $body, 16, 32, 48, 64)
    };
    (@arms $channels:expr, $C:ident, $body:expr, $($width:literal),*) => {
        match $channels {
            $($width => {
                const $C: usize = $width;
                $body
            })*
            other => unreachable!("{other} channels"),
        }
    };
}
pub(super) use with_channels;

/// How the channels of all vertices are pooled, and what reads the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The value head reads the mean over the vertices.
    Mean,
    /// Each block and the value head read the mean and the maximum over the vertices. The side length is an input.
    Global,
}

impl fmt::Display for Pooling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pooling::Mean => "mean",
            Pooling::Global => "global",
        })
    }
}

/// The integers that the convolutions of the blocks are computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arithmetic {
    /// Activations and weights of 16 bits.
    Sixteen,
    /// Activations of 7 bits without sign and weights of 8 bits, with a scale for each output: about twice as fast. The
    /// activations of the blocks must be scaled to the range from 0 to 127/8.
    Eight,
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arithmetic::Sixteen => "16-bit",
            Arithmetic::Eight => "8-bit",
        })
    }
}

/// The shape of a network: one that this version can compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    features: FeatureSet,
    blocks: usize,
    channels: usize,
    hidden: usize,
    pooling: Pooling,
    arithmetic: Arithmetic,
}

impl Default for Architecture {
    /// Three blocks of 32 channels and 32 hidden units, as in the network compiled in.
    fn default() -> Architecture {
        Architecture::new(3, 32, 32, Pooling::Mean).expect("a legal architecture")
    }
}

impl Architecture {
    /// A network of this many residual blocks and channels, and this many units in the hidden layer of the value head. It
    /// reads the features of version 1 and is computed in 16-bit arithmetic.
    ///
    /// # Errors
    /// If there are no blocks or more than [`MAX_BLOCKS`], no kernel for the number of channels (see [`CHANNELS`]), or no
    /// hidden units or more than [`MAX_HIDDEN`].
    pub fn new(blocks: usize, channels: usize, hidden: usize, pooling: Pooling) -> Result<Architecture, NetworkError> {
        let refuse =
            |what, found: usize, expected| Err(NetworkError::Unsupported { what, found: found as u64, expected });
        if !(1..=MAX_BLOCKS).contains(&blocks) {
            return refuse("number of blocks", blocks, format!("1 to {MAX_BLOCKS}"));
        }
        if !CHANNELS.contains(&channels) {
            return refuse("number of channels", channels, CHANNELS.map(|n| n.to_string()).join(" or "));
        }
        if !(1..=MAX_HIDDEN).contains(&hidden) {
            return refuse("number of hidden units", hidden, format!("1 to {MAX_HIDDEN}"));
        }
        let (features, arithmetic) = (FeatureSet::Chains, Arithmetic::Sixteen);
        Ok(Architecture { features, blocks, channels, hidden, pooling, arithmetic })
    }

    /// The same shape, but for a network that reads these features.
    pub fn with_features(self, features: FeatureSet) -> Architecture {
        Architecture { features, ..self }
    }

    /// The same shape, but for a network that is computed in this arithmetic.
    pub fn with_arithmetic(self, arithmetic: Arithmetic) -> Architecture {
        Architecture { arithmetic, ..self }
    }

    /// The arithmetic of the blocks.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// The features that the network reads.
    pub fn features(&self) -> FeatureSet {
        self.features
    }

    /// Residual blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Channels: the numbers that each layer keeps for a vertex.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Units in the hidden layer of the value head.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// How channels are pooled.
    pub fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// The number of weights, biases included.
    pub fn weight_count(&self) -> usize {
        self.range(Part::ValueBias).end
    }

    /// All parts, in the order of their weights.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> {
        let is_global = self.pooling == Pooling::Global;
        let block = move |b| {
            let layers = [2 * b, 2 * b + 1].map(|k| [Part::Convolution(k), Part::ConvolutionBias(k)]);
            is_global.then_some(Part::Pool(b)).into_iter().chain(layers.into_iter().flatten())
        };
        let first = [Part::First, Part::FirstBias].into_iter().chain(is_global.then_some(Part::Size));
        let heads = [Part::Policy, Part::Hidden, Part::HiddenBias, Part::Value, Part::ValueBias];
        first.chain((0..self.blocks).flat_map(block)).chain(heads)
    }

    /// The inputs of the value head: the means of the channels, or their means and maxima and the side length.
    pub(crate) fn pooled(&self) -> usize {
        match self.pooling {
            Pooling::Mean => self.channels,
            Pooling::Global => 2 * self.channels + 1,
        }
    }

    /// Where the weights of a part stand among all weights.
    ///
    /// # Panics
    /// If the architecture does not have this part.
    pub(crate) fn range(&self, part: Part) -> Range<usize> {
        let (channels, hidden) = (self.channels, self.hidden);
        let is_global = self.pooling == Pooling::Global;
        assert!(is_global || !matches!(part, Part::Size | Part::Pool(_)), "{part}");
        let first = TAPS * self.features.count() * channels;
        let (size, pool) = if is_global { (channels, 2 * channels * channels) } else { (0, 0) };
        let convolution = TAPS * channels * channels;
        let blocks = first + channels + size;
        let block = pool + 2 * (convolution + channels);
        let start = |k: usize| blocks + k / 2 * block + pool + k % 2 * (convolution + channels);
        let policy = blocks + self.blocks * block;
        let dense = policy + channels;
        let value = dense + self.pooled() * hidden + hidden;
        let (start, length) = match part {
            Part::First => (0, first),
            Part::FirstBias => (first, channels),
            Part::Size => (first + channels, size),
            Part::Pool(b) => (blocks + b * block, pool),
            Part::Convolution(k) => (start(k), convolution),
            Part::ConvolutionBias(k) => (start(k) + convolution, channels),
            Part::Policy => (policy, channels),
            Part::Hidden => (dense, self.pooled() * hidden),
            Part::HiddenBias => (value - hidden, hidden),
            Part::Value => (value, hidden),
            Part::ValueBias => (value + hidden, 1),
        };
        start..start + length
    }
}

/// A part of a network that has weights. A part that reads an input has, for each tap and input, one weight for each
/// output; the outputs vary fastest, the taps slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The convolution that reads the features.
    First,
    FirstBias,
    /// From the side length to each channel of the first convolution.
    Size,
    /// From the pooled channels, first their means and then their maxima, to each channel of a block's first convolution.
    Pool(usize),
    /// A convolution in a residual block, counted from 0 through all blocks.
    Convolution(usize),
    ConvolutionBias(usize),
    /// The linear function of a vertex's channels.
    Policy,
    /// The hidden layer of the value head.
    Hidden,
    HiddenBias,
    Value,
    ValueBias,
}

impl Part {
    /// The largest magnitude that a weight of this part may have: for what is computed in integers, what fits into its
    /// fixed-point type.
    pub(crate) fn limit(self) -> f32 {
        let short = |bits| i16::MAX as f32 / (1 << bits) as f32;
        match self {
            Part::First | Part::FirstBias | Part::Size => short(ACTIVATION_BITS),
            Part::Convolution(_) | Part::Policy => short(WEIGHT_BITS),
            // One less than what fits into 32 bits, which a float rounds up.
            Part::ConvolutionBias(_) => ((1 << (31 - ACTIVATION_BITS - WEIGHT_BITS)) - 1) as f32,
            // In floating point: a bound that keeps sums finite.
            Part::Pool(_) | Part::Hidden | Part::HiddenBias | Part::Value | Part::ValueBias => 32768.0,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::First => f.write_str("the first convolution"),
            Part::FirstBias => f.write_str("the bias of the first convolution"),
            Part::Size => f.write_str("the size of the board"),
            Part::Pool(b) => write!(f, "the pooling of block {}", b + 1),
            Part::Convolution(k) => write!(f, "convolution {} of block {}", k % 2 + 1, k / 2 + 1),
            Part::ConvolutionBias(k) => write!(f, "the bias of convolution {} of block {}", k % 2 + 1, k / 2 + 1),
            Part::Policy => f.write_str("the policy head"),
            Part::Hidden => f.write_str("the hidden layer of the value head"),
            Part::HiddenBias => f.write_str("the bias of the hidden layer of the value head"),
            Part::Value => f.write_str("the value head"),
            Part::ValueBias => f.write_str("the bias of the value head"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_without_gaps() {
        for (blocks, channels, hidden) in [(1, 16, 1), (3, 32, 32), (6, 64, 48), (MAX_BLOCKS, 48, MAX_HIDDEN)] {
            for (pooling, features) in [(Pooling::Mean, FeatureSet::Chains), (Pooling::Global, FeatureSet::Groups)] {
                let architecture =
                    Architecture::new(blocks, channels, hidden, pooling).unwrap().with_features(features);
                let mut end = 0;
                for part in architecture.parts() {
                    let range = architecture.range(part);
                    assert!(range.start == end && range.end > end, "{part} of {architecture:?}");
                    end = range.end;
                }
                assert_eq!(end, architecture.weight_count());
            }
        }
        assert_eq!(Architecture::default().weight_count(), 49729);
    }

    #[test]
    fn every_listed_width_is_dispatched() {
        for channels in CHANNELS {
            assert_eq!(with_channels!(channels, C => C), channels);
        }
    }

    #[test]
    fn shapes_that_cannot_be_computed_are_refused() {
        for (blocks, channels, hidden, word) in [
            (0, 32, 32, "blocks"),
            (65, 32, 32, "blocks"),
            (3, 40, 32, "channels"),
            (3, 32, 0, "hidden"),
            (3, 32, 257, "hidden"),
        ] {
            let error = Architecture::new(blocks, channels, hidden, Pooling::Mean).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("expected"), "{error}");
        }
    }
}
