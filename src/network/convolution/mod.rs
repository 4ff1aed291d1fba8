//! The kernels of the network: the convolutions of the blocks, over a vertex and its six neighbours, with unsigned
//! 7-bit inputs, signed 8-bit weights and 32-bit sums. Each has a portable form and vector forms, which give
//! bit-identical results.
//!
//! Weights have a scale for each output. Sums stay below 2²⁴, so a 32-bit float holds them exactly, and their product
//! with the scale, rounded to the nearest integer, is the same on all platforms.
//!
//! Inputs have 7 bits so that AVX2 and NEON can add two products in 16 bits without overflow. Each block reads the
//! stream in ranges of its own, one for each channel ([`Reading`]).

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(relaxed_simd)]
mod relaxed;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

use crate::base::math;
use crate::base::simd::Level;

use super::grid::{GROUP, Grid, TAPS};
use super::stream::{ACTIVATION_BITS, Lanes};

/// Fraction bits of inputs, without ranges: they range from 0 to 127/8.
pub(super) const INPUT_BITS: u32 = 3;
/// The range of such inputs.
pub(super) const RANGE: f32 = MAX_INPUT as f32 / (1 << INPUT_BITS) as f32;
/// The largest input.
const MAX_INPUT: i16 = 127;
/// The largest weight.
const MAX_WEIGHT: f32 = 127.0;
/// Fraction bits of the multipliers of a [`Reading`].
const MULTIPLIER_BITS: u32 = 15;
/// The largest bias, with which sums stay below 2²⁴ for 64 channels.
const MAX_BIAS: f32 = (1 << 23) as f32;
/// The smallest scale of weights, with which even large biases fit.
const MIN_SCALE: f32 = 1.0 / (1 << 12) as f32;

/// One input for each of `C` channels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Inputs<const C: usize>(pub [u8; C]);

impl<const C: usize> Inputs<C> {
    pub const ZERO: Inputs<C> = Inputs([0; C]);

    /// A layer of zeros. Cells off the board stay zero.
    pub fn layer(grid: &Grid) -> Vec<Inputs<C>> {
        vec![Inputs::ZERO; grid.cells()]
    }
}

/// How a block reads the stream: for each channel, the number from 1/2^15 to 32767/2^15 by which activations are
/// multiplied, before they are rounded half up and become inputs.
pub(super) struct Reading<const C: usize> {
    /// None is negative.
    multipliers: Lanes<C>,
}

impl<const C: usize> Reading<C> {
    /// How activations are read if each channel has this range: the activation that becomes the largest input.
    pub fn new(ranges: &[f32; C]) -> Reading<C> {
        Reading { multipliers: Lanes(ranges.map(multiplier)) }
    }

    /// The weights of a convolution that reads these inputs, in rows of outputs for each tap and input, if inputs had
    /// [`INPUT_BITS`] fraction bits.
    pub fn fold(&self, rows: &[[f32; C]]) -> Vec<[f32; C]> {
        let mut folded = rows.to_vec();
        fold(folded.as_flattened_mut(), &self.multipliers.0);
        folded
    }
}

/// What a channel's activations are multiplied by so that `range` becomes the largest input.
fn multiplier(range: f32) -> i16 {
    let unit = (1 << (MULTIPLIER_BITS - ACTIVATION_BITS)) as f32;
    math::nearest(MAX_INPUT as f32 * unit / range).clamp(1, i16::MAX.into()) as i16
}

/// Multiplies each row of weights, which reads one channel, by the value of a unit of that channel's inputs.
fn fold(weights: &mut [f32], multipliers: &[i16]) {
    let one = (1 << (MULTIPLIER_BITS - ACTIVATION_BITS + INPUT_BITS)) as f32;
    let rows = weights.chunks_exact_mut(multipliers.len());
    for (row, &multiplier) in rows.zip(multipliers.iter().cycle()) {
        let factor = one / f32::from(multiplier);
        row.iter_mut().for_each(|weight| *weight *= factor);
    }
}

/// The weights from two inputs to each output, in 16 bits.
struct PairWeights<const C: usize>([[i16; 2]; C]);

/// The weights from four inputs to each output.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct QuadWeights<const C: usize>(pub [[i8; 4]; C]);

/// The weights of a convolution. It reads the first inputs of each cell, up to all `C`; only its first outputs are
/// needed.
pub(super) struct Convolution<const C: usize> {
    /// For each tap, the quads of inputs.
    weights: Vec<QuadWeights<C>>,
    /// The same weights for portable code, which multiplies 16-bit numbers: for each tap, the pairs of inputs.
    pairs: Vec<PairWeights<C>>,
    /// The same weights in another order.
    #[cfg(relaxed_simd)]
    paired: relaxed::Paired<C>,
    /// How many quads of inputs are read.
    quads: usize,
    /// How many outputs are needed. A kernel may compute more.
    outputs: usize,
    /// In units of a sum.
    bias: [i32; C],
    /// For each output, the value of a weight of 1.
    scales: [f32; C],
    /// The passes of the kernels for x86-64, with their rows in order, and in sets.
    #[cfg(target_arch = "x86_64")]
    passes: [OnceLock<Vec<x86::Pass>>; 2],
    /// The steps of the kernel for AMX.
    #[cfg(target_arch = "x86_64")]
    steps: OnceLock<amx::Steps>,
}

impl<const C: usize> Convolution<C> {
    /// A convolution with these weights, in rows of outputs for each tap and input, and biases, rounded. Only the first
    /// `outputs` are needed.
    ///
    /// # Panics
    /// If the number of inputs is not a multiple of 4, or there are more inputs or outputs than `C`.
    pub fn new(weights: &[[f32; C]], bias: &[f32; C], outputs: usize) -> Convolution<C> {
        let quads = weights.len() / (4 * TAPS);
        assert!(weights.len() == 4 * TAPS * quads && 4 * quads <= C, "a row for each tap and input");
        assert!(outputs <= C, "{outputs} of {C} outputs");
        let (rows, scales) = rounded(weights);
        let quad = |rows: &[[i8; C]; 4]| QuadWeights(std::array::from_fn(|o| rows.map(|row| row[o])));
        let pair = |rows: &[[i8; C]; 2]| PairWeights(std::array::from_fn(|o| rows.map(|row| row[o].into())));
        let weights: Vec<_> = rows.as_chunks().0.iter().map(quad).collect();
        let pairs = rows.as_chunks().0.iter().map(pair).collect();
        let mut layer = Convolution {
            #[cfg(relaxed_simd)]
            paired: relaxed::Paired::new(&weights, quads),
            #[cfg(target_arch = "x86_64")]
            passes: Default::default(),
            #[cfg(target_arch = "x86_64")]
            steps: OnceLock::new(),
            weights,
            pairs,
            quads,
            outputs,
            bias: [0; C],
            scales,
        };
        layer.bias = layer.bias_with(bias);
        layer
    }

    /// For each of `C` inputs, whether it has a weight that is not rounded to 0.
    pub fn reads(weights: &[[f32; C]]) -> [bool; C] {
        let (rows, _) = rounded(weights);
        std::array::from_fn(|i| rows.iter().skip(i).step_by(C).any(|row| *row != [0; C]))
    }

    /// The layer's own bias plus `more`, in units of a sum.
    #[inline(always)]
    pub fn bias_with(&self, more: &[f32; C]) -> [i32; C] {
        let mut bias = self.bias;
        for ((bias, more), scale) in bias.iter_mut().zip(more).zip(&self.scales) {
            let fixed = math::nearest(more * (1 << INPUT_BITS) as f32 / scale);
            *bias = (*bias as f32 + fixed as f32).clamp(-MAX_BIAS, MAX_BIAS) as i32;
        }
        bias
    }

    /// The passes of the kernels for x86-64.
    #[cfg(target_arch = "x86_64")]
    fn passes(&self, in_sets: bool) -> &[x86::Pass] {
        let make = || x86::Pass::all(&self.weights, self.quads, self.outputs, in_sets);
        self.passes[usize::from(in_sets)].get_or_init(make)
    }

    /// The steps of the kernel for AMX.
    #[cfg(target_arch = "x86_64")]
    fn steps(&self) -> &amx::Steps {
        self.steps.get_or_init(|| amx::Steps::new(&self.weights, self.quads, self.outputs))
    }

    /// The factors from sums to activations with this many fraction bits.
    #[inline(always)]
    fn factors(&self, bits: u32) -> [f32; C] {
        let mut factors = self.scales;
        factors.iter_mut().for_each(|factor| *factor *= (1 << (bits - INPUT_BITS)) as f32);
        factors
    }
}

/// Weights rounded to 8 bits, and for each output the value of a weight of 1.
fn rounded<const C: usize>(weights: &[[f32; C]]) -> (Vec<[i8; C]>, [f32; C]) {
    let largest = |o: usize| weights.iter().fold(0.0, |most: f32, row| most.max(row[o].abs()));
    let scales: [f32; C] = std::array::from_fn(|o| (largest(o) / MAX_WEIGHT).max(MIN_SCALE));
    let row = |row: &[f32; C]| std::array::from_fn(|o| math::nearest(row[o] / scales[o]) as i8);
    (weights.iter().map(row).collect(), scales)
}

/// Reads the activations of the stream as inputs. None may be negative.
///
/// # Panics
/// If a layer does not have the size that the grid requires.
pub(super) fn round<const C: usize>(
    level: Level,
    grid: &Grid,
    stream: &[Lanes<C>],
    reading: &Reading<C>,
    out: &mut [Inputs<C>],
) {
    assert!([stream.len(), out.len()] == [grid.cells(); 2], "a layer of another board");
    #[cfg(target_arch = "x86_64")]
    if level.has_avx2() {
        // SAFETY: such a level is in use only where AVX2 was detected; the sizes were checked.
        unsafe { x86::round(grid, stream, &reading.multipliers, out) };
        return;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = level;
    for &place in grid.places() {
        let place = place as usize;
        read(&stream[place].0, &reading.multipliers.0, &mut out[place].0);
    }
}

/// The first convolution of a block: sets negative outputs to 0 and rounds to inputs. `bias` replaces the layer's own.
///
/// # Panics
/// If a layer does not have the size that the grid requires.
pub(super) fn convolve_inner<const C: usize>(
    level: Level,
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    out: &mut [Inputs<C>],
) {
    assert_eq!(out.len(), grid.cells(), "a layer of another board");
    let factors = layer.factors(INPUT_BITS);
    run(level, &Task { layer, bias, grid, input }, Inner { factors, out });
}

/// The second convolution of a block: adds its outputs to `before`, sets negative sums to 0, and writes the result to
/// `after` and, as inputs that are read in this way, to `out`.
///
/// # Panics
/// If a layer does not have the size that the grid requires.
pub(super) fn convolve_outer<const C: usize>(
    level: Level,
    layer: &Convolution<C>,
    grid: &Grid,
    input: &[Inputs<C>],
    before: &[Lanes<C>],
    after: &mut [Lanes<C>],
    (reading, out): (&Reading<C>, &mut [Inputs<C>]),
) {
    let sizes = [before.len(), after.len(), out.len()];
    assert!(sizes.iter().all(|&size| size == grid.cells()), "a layer of another board");
    let factors = layer.factors(ACTIVATION_BITS);
    run(level, &Task { layer, bias: &layer.bias, grid, input }, Outer { factors, before, after, reading, out });
}

/// A convolution of the inputs of a board. `bias` replaces the layer's own.
pub(super) struct Task<'a, const C: usize> {
    layer: &'a Convolution<C>,
    bias: &'a [i32; C],
    grid: &'a Grid,
    /// A layer of the grid.
    input: &'a [Inputs<C>],
}

fn run<const C: usize>(level: Level, task: &Task<'_, C>, output: impl Output<C>) {
    assert_eq!(task.input.len(), task.grid.cells(), "a layer of another board");
    assert_eq!(task.layer.weights.len(), TAPS * task.layer.quads, "weights for each tap and four inputs");
    match level {
        // SAFETY: a level is in use only where its instructions were detected; the sizes were checked.
        #[cfg(target_arch = "x86_64")]
        Level::Amx => unsafe { amx::convolve(task, output) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::convolve_avx512(task, output) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::AvxVnni => unsafe { x86::convolve_avx_vnni(task, output) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::convolve_avx2(task, output) },
        // SAFETY: this level is in use only where NEON was detected; the sizes were checked.
        #[cfg(target_arch = "aarch64")]
        Level::Neon => unsafe { neon::convolve_neon(task, output) },
        // SAFETY: this level is in use only where NEON with dot products was detected; the sizes were checked.
        #[cfg(target_arch = "aarch64")]
        Level::DotProd => unsafe { neon::convolve_dotprod(task, output) },
        // SAFETY: the sizes were checked.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::Simd128 => unsafe { wasm::convolve(task, output) },
        // SAFETY: the sizes were checked.
        #[cfg(relaxed_simd)]
        Level::RelaxedSimd => unsafe { relaxed::convolve(task, output) },
        _ => portable::convolve(task, output),
    }
}

/// Where a convolution writes its sums.
pub(super) trait Output<const C: usize> {
    /// The factor by which each sum is multiplied.
    fn factors(&self) -> &[f32; C];

    /// Takes the sums of the vertex at `place` for `N` channels, starting at channel `first`: multiplied by the factors
    /// and rounded to 16 bits.
    fn take<const N: usize>(&mut self, place: u16, first: usize, values: [i16; N]);

    /// Like [`Output::take`], for sixteen values in a vector.
    ///
    /// # Safety
    /// Needs AVX2. The place must be that of a vertex, and there must be sixteen channels, starting at `first`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn take_256(&mut self, place: u16, first: usize, values: std::arch::x86_64::__m256i);

    /// Like [`Output::take`], for 32 values in a vector.
    ///
    /// # Safety
    /// Needs AVX-512 with BW. The place must be that of a vertex, and there must be 32 channels, starting at `first`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn take_512(&mut self, place: u16, first: usize, values: std::arch::x86_64::__m512i);

    /// Like [`Output::take`], for eight values in a vector. The compiler does not vectorise that function.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn take_vector(&mut self, place: u16, first: usize, values: std::arch::wasm32::v128);
}

struct Inner<'a, const C: usize> {
    factors: [f32; C],
    out: &'a mut [Inputs<C>],
}

impl<const C: usize> Output<C> for Inner<'_, C> {
    #[inline(always)]
    fn factors(&self) -> &[f32; C] {
        &self.factors
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self, place: u16, first: usize, values: [i16; N]) {
        let out = &mut self.out[place as usize].0[first..first + N];
        for (out, value) in out.iter_mut().zip(values) {
            *out = value.clamp(0, MAX_INPUT) as u8;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn take_256(&mut self, place: u16, first: usize, values: std::arch::x86_64::__m256i) {
        // SAFETY: by the caller; a layer has a cell for each vertex.
        unsafe { x86::write_inner_256(&mut self.out.get_unchecked_mut(place as usize).0, first, values) };
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn take_512(&mut self, place: u16, first: usize, values: std::arch::x86_64::__m512i) {
        // SAFETY: as above.
        unsafe { x86::write_inner_512(&mut self.out.get_unchecked_mut(place as usize).0, first, values) };
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(always)]
    fn take_vector(&mut self, place: u16, first: usize, values: std::arch::wasm32::v128) {
        wasm::write_inner(&mut self.out[place as usize].0[first..], values);
    }
}

struct Outer<'a, const C: usize> {
    factors: [f32; C],
    before: &'a [Lanes<C>],
    after: &'a mut [Lanes<C>],
    reading: &'a Reading<C>,
    out: &'a mut [Inputs<C>],
}

impl<const C: usize> Output<C> for Outer<'_, C> {
    #[inline(always)]
    fn factors(&self) -> &[f32; C] {
        &self.factors
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self, place: u16, first: usize, values: [i16; N]) {
        let channels = first..first + N;
        let before = &self.before[place as usize].0[channels.clone()];
        let after = &mut self.after[place as usize].0[channels.clone()];
        let multipliers = &self.reading.multipliers.0[channels.clone()];
        let out = &mut self.out[place as usize].0[channels];
        for ((before, after), value) in before.iter().zip(&mut *after).zip(values) {
            *after = before.saturating_add(value).max(0);
        }
        read(after, multipliers, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn take_256(&mut self, place: u16, first: usize, values: std::arch::x86_64::__m256i) {
        let place = place as usize;
        // SAFETY: by the caller; layers have a cell for each vertex.
        unsafe {
            let (before, after) = (self.before.get_unchecked(place), self.after.get_unchecked_mut(place));
            let out = (&self.reading.multipliers.0, &mut self.out.get_unchecked_mut(place).0);
            x86::write_outer_256(&before.0, &mut after.0, out, first, values);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn take_512(&mut self, place: u16, first: usize, values: std::arch::x86_64::__m512i) {
        let place = place as usize;
        // SAFETY: as above.
        unsafe {
            let (before, after) = (self.before.get_unchecked(place), self.after.get_unchecked_mut(place));
            let out = (&self.reading.multipliers.0, &mut self.out.get_unchecked_mut(place).0);
            x86::write_outer_512(&before.0, &mut after.0, out, first, values);
        }
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(always)]
    fn take_vector(&mut self, place: u16, first: usize, values: std::arch::wasm32::v128) {
        let before = &self.before[place as usize].0[first..];
        let after = &mut self.after[place as usize].0[first..];
        let multipliers = &self.reading.multipliers.0[first..];
        wasm::write_outer(before, after, (multipliers, &mut self.out[place as usize].0[first..]), values);
    }
}

/// Reads the activations of some channels, none of them negative, as inputs.
#[inline]
fn read(activations: &[i16], multipliers: &[i16], out: &mut [u8]) {
    for ((input, &activation), &multiplier) in out.iter_mut().zip(activations).zip(multipliers) {
        *input = nearest(activation, multiplier);
    }
}

/// The input for an activation that is not negative. The vector forms have instructions for the rounded product.
#[inline(always)]
fn nearest(activation: i16, multiplier: i16) -> u8 {
    let product = i32::from(activation) * i32::from(multiplier);
    let rounded = (product + (1 << (MULTIPLIER_BITS - 1))) >> MULTIPLIER_BITS;
    (rounded as i16).min(MAX_INPUT) as u8
}

mod portable {
    use super::*;

    pub fn convolve<const C: usize>(task: &Task<'_, C>, mut output: impl Output<C>) {
        let Task { layer, bias, grid, input } = *task;
        let factors = *output.factors();
        for group in grid.groups() {
            let mut sums = [*bias; GROUP];
            for (tap, weights) in layer.pairs.chunks_exact(2 * layer.quads).enumerate() {
                for (&place, sums) in group.iter().zip(&mut sums) {
                    let pairs = input[grid.tap(place, tap)].0.as_chunks::<2>().0;
                    for (&pair, weights) in pairs.iter().zip(weights) {
                        // True of about half of the pairs, because negative values were set to 0.
                        if pair == [0, 0] {
                            continue;
                        }
                        for (sum, [a, b]) in sums[..layer.outputs].iter_mut().zip(weights.0) {
                            *sum += pair[0] as i32 * a as i32 + pair[1] as i32 * b as i32;
                        }
                    }
                }
            }
            for (&place, sums) in group.iter().zip(&sums) {
                let value = |o: usize| (sums[o] as f32 * factors[o]).round_ties_even();
                let fit = |x: f32| (x as i32).clamp(i16::MIN as i32, i16::MAX as i32) as i16;
                output.take(place, 0, std::array::from_fn::<i16, C, _>(|o| fit(value(o))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Geometry;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn row<const C: usize>(rng: &mut Xoshiro256PlusPlus, most: f32) -> [f32; C] {
        std::array::from_fn(|_| rng.random_range(-most..=most))
    }

    fn layer<const C: usize>(
        rng: &mut Xoshiro256PlusPlus,
        inputs: usize,
        outputs: usize,
        most: f32,
        bias: f32,
    ) -> Convolution<C> {
        let weights: Vec<[f32; C]> = (0..TAPS * inputs).map(|_| row(rng, most)).collect();
        Convolution::new(&weights, &row(rng, bias), outputs)
    }

    fn all_levels_agree<const C: usize>(rng: &mut Xoshiro256PlusPlus, side: usize, [most, bias]: [f32; 2]) {
        // All channels, or some of them.
        let inputs = if rng.random() { C } else { 4 * rng.random_range(1..=C / 4) };
        let outputs = if rng.random() { C } else { rng.random_range(8..=C) };
        let layer = &layer::<C>(rng, inputs, outputs, most, bias);
        let grid = Grid::new(Geometry::with_side(side).unwrap());
        let mut input = Inputs::layer(&grid);
        let mut before = Lanes::layer(&grid);
        for &place in grid.places() {
            input[place as usize] = Inputs(std::array::from_fn(|_| rng.random_range(0..=MAX_INPUT as u8)));
            // Many of them small, so that not all inputs are the largest.
            before[place as usize] =
                Lanes(std::array::from_fn(|_| rng.random_range(0..=i16::MAX) >> rng.random_range(0..8)));
        }
        // All kinds of multipliers, also the least and the largest.
        let multiplier = |_| (rng.random_range(0..=i16::MAX) >> rng.random_range(0..16)).max(1);
        let mut reading = Reading { multipliers: Lanes(std::array::from_fn(multiplier)) };
        reading.multipliers.0[rng.random_range(0..outputs)] = 1;
        reading.multipliers.0[rng.random_range(0..outputs)] = i16::MAX;
        let bias = layer.bias_with(&row(rng, 1e4));
        let go = |level: Level| {
            let [mut read, mut inner, mut outer] = std::array::from_fn(|_| Inputs::layer(&grid));
            let mut after = Lanes::layer(&grid);
            round(level, &grid, &before, &reading, &mut read);
            convolve_inner(level, layer, &bias, &grid, &input, &mut inner);
            convolve_outer(level, layer, &grid, &input, &before, &mut after, (&reading, &mut outer));
            // What has no meaning.
            for place in 0..grid.cells() {
                [&mut inner, &mut outer].into_iter().for_each(|layer| layer[place].0[outputs..].fill(0));
                after[place].0[outputs..].fill(0);
            }
            (inner, outer, after, read)
        };
        let expected = go(Level::Portable);
        assert!(expected.0.iter().any(|inputs| inputs.0[outputs - 8..].iter().any(|&x| x != 0)));
        for level in Level::available() {
            assert!(go(level) == expected, "{level} on side {side} with {inputs} and {outputs} of {C} channels");
        }
    }

    #[test]
    fn all_levels_agree_to_the_bit() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
        for side in [2, 3, 4, 6, 9, 13] {
            // Up to the largest weights and biases that a file may have.
            for most in [[0.3, 1.0], [0.0, 8000.0], [31.9, 8000.0]] {
                all_levels_agree::<16>(&mut rng, side, most);
                all_levels_agree::<32>(&mut rng, side, most);
                all_levels_agree::<48>(&mut rng, side, most);
                all_levels_agree::<64>(&mut rng, side, most);
            }
        }
    }

    /// Without ranges, inputs are activations with fewer fraction bits, rounded half up.
    #[test]
    fn ranges_of_a_power_of_two_shift_activations() {
        let shift = ACTIVATION_BITS - INPUT_BITS;
        let rows = [[0.37; 16]; 32];
        for (range, shift) in [(RANGE, shift), (2.0 * RANGE, shift + 1), (RANGE / 4.0, shift - 2)] {
            let reading = Reading::new(&[range; 16]);
            for activation in 0..=i16::MAX {
                let expected = ((i32::from(activation) + (1 << (shift - 1))) >> shift).min(127);
                assert_eq!(i32::from(nearest(activation, reading.multipliers.0[0])), expected, "{activation}");
            }
            assert!(range != RANGE || reading.fold(&rows) == rows);
        }
        // The limits of a file.
        assert_eq!(Reading::new(&[0.5; 16]).multipliers.0[0], 32512);
        assert_eq!(Reading::new(&[128.0; 16]).multipliers.0[0], 127);
    }

    /// The largest sum fits into what a float holds exactly.
    #[test]
    fn sums_are_exact_in_floating_point() {
        let widest = crate::network::CHANNELS.into_iter().max().unwrap();
        let products = (TAPS * widest) as f32 * MAX_INPUT as f32 * MAX_WEIGHT;
        assert!(products + MAX_BIAS < (1 << 24) as f32);
    }

    /// Against the same convolution in floating point.
    #[test]
    fn outputs_are_close_to_those_of_real_numbers() {
        const C: usize = 32;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(13);
        let geometry = Geometry::with_side(5).unwrap();
        let grid = Grid::new(geometry);
        let weights: Vec<[f32; C]> = (0..TAPS * C).map(|_| row(&mut rng, 0.2)).collect();
        let bias = row(&mut rng, 1.0);
        let mut stream = Lanes::layer(&grid);
        for &place in grid.places() {
            stream[place as usize] = Lanes(std::array::from_fn(|_| rng.random_range(0..8 << ACTIVATION_BITS)));
        }
        let number = |x: i16| x as f32 / (1 << ACTIVATION_BITS) as f32;
        let (mut input, mut inner) = (Inputs::layer(&grid), Inputs::layer(&grid));
        // Up to what the stream has.
        let reading = Reading::new(&std::array::from_fn(|_| rng.random_range(8.0..16.0)));
        let layer = Convolution::new(&reading.fold(&weights), &bias, C);
        round(Level::active(), &grid, &stream, &reading, &mut input);
        convolve_inner(Level::active(), &layer, &layer.bias, &grid, &input, &mut inner);
        let mut errors = 0.0;
        for &place in grid.places() {
            for o in 0..C {
                let products = (0..TAPS).flat_map(|tap| {
                    let inputs = stream[grid.tap(place, tap)].0;
                    let weights = &weights[tap * C..];
                    (0..C).map(move |i| number(inputs[i]) * weights[i][o])
                });
                let expected = (bias[o] + products.sum::<f32>()).clamp(0.0, MAX_INPUT as f32 / 8.0);
                let found = inner[place as usize].0[o] as f32 / 8.0;
                errors += (found - expected).abs();
            }
        }
        let mean = errors / (grid.places().len() * C) as f32;
        assert!(mean < 0.06, "{mean}");
    }
}
