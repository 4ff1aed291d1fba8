//! The shape of a network, and the order of its weights, as files and inference share it.
//!
//! A convolution reads a vertex and its six neighbours ([`TAPS`]). The first reads the features and the side length of
//! the board. Residual blocks of two convolutions follow (He et al., *Deep residual learning for image recognition*,
//! 2016). Each block begins with a dense layer on the channels pooled over the board, their means and maxima, whose
//! outputs are added at every vertex (after Wu, *Accelerating self-play learning in Go*, 2019, section 3.3). The policy
//! is a linear function of a vertex's channels. The value is a dense layer on the pooled channels and the side length,
//! and a linear function of that.

use std::fmt;
use std::ops::Range;

use super::error::NetworkError;
use super::features;
use super::grid::TAPS;
use super::stream::{ACTIVATION_BITS, POLICY_BITS};

/// The numbers of channels for which there are kernels.
pub const CHANNELS: [usize; 4] = [16, 32, 48, 64];
/// The most residual blocks.
pub const MAX_BLOCKS: usize = 64;
/// The most units in the hidden layer of the value head.
pub const MAX_HIDDEN: usize = 256;

/// The shape of a network that this version can compute.
///
/// ```
/// use malecon::network::Architecture;
/// let small = Architecture::new(3, 32, 32)?;
/// assert_eq!(small.weight_count(), 80129);
/// assert_eq!(
///     Architecture::new(3, 40, 32).unwrap_err().to_string(),
///     "unsupported number of channels 40 (expected 16 or 32 or 48 or 64)",
/// );
/// # Ok::<(), malecon::network::NetworkError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    blocks: usize,
    channels: usize,
    hidden: usize,
}

impl Architecture {
    /// A network of this many residual blocks and channels, and this many units in the hidden layer of the value head.
    ///
    /// # Errors
    /// If there are no blocks or more than [`MAX_BLOCKS`], no kernel for the number of channels (see [`CHANNELS`]), or
    /// no hidden units or more than [`MAX_HIDDEN`].
    pub fn new(blocks: usize, channels: usize, hidden: usize) -> Result<Architecture, NetworkError> {
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
        Ok(Architecture { blocks, channels, hidden })
    }

    /// The number of residual blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The number of channels: how many numbers each layer keeps for a vertex.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The number of units in the hidden layer of the value head.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The number of weights, biases and ranges included.
    pub fn weight_count(&self) -> usize {
        self.range(Part::ValueBias).end
    }

    /// All parts, in the order of their weights.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        let first = [Part::First, Part::FirstBias, Part::Size];
        let block = |b| {
            let [k, l] = [2 * b, 2 * b + 1];
            [
                Part::Ranges(b),
                Part::Pool(b),
                Part::Convolution(k),
                Part::ConvolutionBias(k),
                Part::Convolution(l),
                Part::ConvolutionBias(l),
            ]
        };
        let heads = [Part::Policy, Part::Hidden, Part::HiddenBias, Part::Value, Part::ValueBias];
        first.into_iter().chain((0..self.blocks).flat_map(block)).chain(heads)
    }

    /// Where the weights of a part stand among all weights.
    pub(super) fn range(&self, part: Part) -> Range<usize> {
        let channels = self.channels;
        let hidden = self.hidden;
        let first = TAPS * features::COUNT * channels;
        let pool = 2 * channels * channels;
        let convolution = TAPS * channels * channels;
        let blocks = first + 2 * channels;
        let block = channels + pool + 2 * (convolution + channels);
        let start = |k: usize| blocks + k / 2 * block + channels + pool + k % 2 * (convolution + channels);
        let policy = blocks + self.blocks * block;
        let dense = policy + channels;
        // The means and the maxima of the channels, and the side length.
        let pooled = 2 * channels + 1;
        let value = dense + pooled * hidden + hidden;
        let (start, length) = match part {
            Part::First => (0, first),
            Part::FirstBias => (first, channels),
            Part::Size => (first + channels, channels),
            Part::Ranges(b) => (blocks + b * block, channels),
            Part::Pool(b) => (blocks + b * block + channels, pool),
            Part::Convolution(k) => (start(k), convolution),
            Part::ConvolutionBias(k) => (start(k) + convolution, channels),
            Part::Policy => (policy, channels),
            Part::Hidden => (dense, pooled * hidden),
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
pub(super) enum Part {
    /// The convolution that reads the features.
    First,
    FirstBias,
    /// From the side length to each channel of the first convolution.
    Size,
    /// For each channel of the stream, the activation that a block reads as its largest input.
    Ranges(usize),
    /// From the pooled channels, first their means and then their maxima, to each channel of a block's first
    /// convolution.
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
    /// The least and the most that a weight of this part may be. Weights of the 16-bit stream and of the policy head
    /// must fit into their fixed-point type. Convolutions in blocks have a scale for each output; their bounds only
    /// keep sums in range, and so do those of what is computed in floating point. A range has at most what the 16-bit
    /// stream can hold, and at least so much that inputs are not finer than the stream.
    pub(super) fn limits(self) -> [f32; 2] {
        let short = |bits| i16::MAX as f32 / (1 << bits) as f32;
        let limit = match self {
            Part::Ranges(_) => return [0.5, 128.0],
            Part::First | Part::FirstBias | Part::Size => short(ACTIVATION_BITS),
            Part::Convolution(_) | Part::Policy => short(POLICY_BITS),
            Part::ConvolutionBias(_) => 8191.0,
            Part::Pool(_) | Part::Hidden | Part::HiddenBias | Part::Value | Part::ValueBias => 32768.0,
        };
        [-limit, limit]
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::First => f.write_str("the first convolution"),
            Part::FirstBias => f.write_str("the bias of the first convolution"),
            Part::Size => f.write_str("the size of the board"),
            Part::Ranges(b) => write!(f, "the ranges of block {}", b + 1),
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
            let architecture = Architecture::new(blocks, channels, hidden).unwrap();
            let mut end = 0;
            for part in architecture.parts() {
                let range = architecture.range(part);
                assert!(range.start == end && range.end > end, "{part} of {architecture:?}");
                end = range.end;
            }
            assert_eq!(end, architecture.weight_count());
        }
        assert_eq!(Architecture::new(3, 32, 32).unwrap().weight_count(), 80129);
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
            let error = Architecture::new(blocks, channels, hidden).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("expected"), "{error}");
        }
    }
}
