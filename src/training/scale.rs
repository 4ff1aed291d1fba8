//! Scaling of trained weights into the range of fixed-point numbers.
//!
//! Inference keeps activations in 16 bits with 8 fraction bits, which end at 128. Rectifiers commute with positive factors,
//! so a channel can be made smaller, and what reads it can make up for it: the network's function stays the same. Each
//! channel of the residual stream, which all blocks read and add to, has a factor; so has each channel of a block's inner
//! layer.

use crate::nn::{Architecture, Part};

/// Activations are scaled so that those measured do not exceed this: an eighth less than what fixed-point numbers hold,
/// because positions in play go a little beyond those in training.
pub(super) const TARGET: f32 = 112.0;

/// A number for each channel of the residual stream and of the inner layer of each block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PerChannel {
    pub stream: Vec<f32>,
    pub inner: Vec<Vec<f32>>,
}

impl PerChannel {
    pub fn new(architecture: Architecture, x: f32) -> PerChannel {
        let row = vec![x; architecture.channels()];
        PerChannel { inner: vec![row.clone(); architecture.blocks()], stream: row }
    }

    pub fn map(&self, f: impl Fn(f32) -> f32) -> PerChannel {
        let row = |row: &Vec<f32>| row.iter().copied().map(&f).collect();
        PerChannel { stream: row(&self.stream), inner: self.inner.iter().map(row).collect() }
    }

    pub fn all(&self) -> impl Iterator<Item = f32> {
        self.stream.iter().chain(self.inner.iter().flatten()).copied()
    }
}

/// Raises the entries of `largest` to the magnitudes in the rows; to infinity for what is not a number.
pub(super) fn add_largest<const C: usize>(largest: &mut [f32], rows: &[[f32; C]]) {
    for row in rows {
        for (most, x) in largest.iter_mut().zip(row) {
            *most = if x.is_nan() { f32::INFINITY } else { most.max(x.abs()) };
        }
    }
}

/// The factors that bring these largest activations down to [`TARGET`]; what is below it keeps its size. Where weights that
/// read the smaller stream would become too large, the channel of the inner layer that they lead to is made smaller too.
pub(super) fn factors(architecture: Architecture, weights: &[f32], largest: &PerChannel) -> PerChannel {
    let PerChannel { stream, mut inner } = largest.map(|most| if most > TARGET { TARGET / most } else { 1.0 });
    for (block, inner) in inner.iter_mut().enumerate() {
        let part = Part::Convolution(2 * block);
        let rows = weights[architecture.range(part)].chunks_exact(architecture.channels());
        for (row, stream) in rows.zip(stream.iter().cycle()) {
            for (factor, weight) in inner.iter_mut().zip(row) {
                *factor = factor.min(0.999 * part.limit() * stream / weight.abs());
            }
        }
    }
    PerChannel { stream, inner }
}

/// Scales weights. What the network computes stays the same, up to rounding.
pub(super) fn scale(architecture: Architecture, weights: &mut [f32], factors: &PerChannel) {
    let mut columns = |part, factors: &[f32]| {
        for row in weights[architecture.range(part)].chunks_exact_mut(factors.len()) {
            row.iter_mut().zip(factors).for_each(|(weight, factor)| *weight *= factor);
        }
    };
    columns(Part::First, &factors.stream);
    columns(Part::FirstBias, &factors.stream);
    for (block, inner) in factors.inner.iter().enumerate() {
        columns(Part::Convolution(2 * block), inner);
        columns(Part::ConvolutionBias(2 * block), inner);
        columns(Part::Convolution(2 * block + 1), &factors.stream);
        columns(Part::ConvolutionBias(2 * block + 1), &factors.stream);
    }
    let mut rows = |part, outputs: usize, factors: &[f32]| {
        let rows = weights[architecture.range(part)].chunks_exact_mut(outputs);
        for (row, factor) in rows.zip(factors.iter().cycle()) {
            row.iter_mut().for_each(|weight| *weight /= factor);
        }
    };
    for (block, inner) in factors.inner.iter().enumerate() {
        rows(Part::Convolution(2 * block), architecture.channels(), &factors.stream);
        rows(Part::Convolution(2 * block + 1), architecture.channels(), inner);
    }
    rows(Part::Policy, 1, &factors.stream);
    rows(Part::Hidden, architecture.hidden(), &factors.stream);
}
