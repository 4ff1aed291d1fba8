//! The kernels of the network: convolutions over a vertex and its six neighbours, in 16-bit fixed-point numbers with 32-bit
//! sums. Each has a portable form and vector forms, which give bit-identical results.

use super::features::Bits;
use super::grid::{Grid, TAPS};
use crate::simd::Level;

/// Fraction bits of activations.
pub(super) const ACTIVATION_BITS: u32 = 8;
/// Fraction bits of weights.
pub(super) const WEIGHT_BITS: u32 = 10;
/// Vertices in a group of the grid: a multiple of the number that any kernel works on at once.
pub(super) const GROUP: usize = 8;

/// One number for each of `C` channels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lanes<const C: usize>(pub [i16; C]);

impl<const C: usize> Lanes<C> {
    pub const ZERO: Lanes<C> = Lanes([0; C]);

    /// A layer of zeros. Cells off the board stay zero.
    pub fn layer(grid: &Board) -> Vec<Lanes<C>> {
        vec![Lanes::ZERO; grid.cells()]
    }

    #[inline(always)]
    fn add(&mut self, other: &Lanes<C>) {
        for (sum, x) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_add(*x);
        }
    }
}

/// The weights from two inputs to each output.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct PairWeights<const C: usize>(pub [[i16; 2]; C]);

/// The weights of the layer that reads features.
pub(super) struct FirstLayer<const C: usize> {
    /// The number of features.
    pub features: usize,
    /// For each tap and feature.
    pub weights: Vec<Lanes<C>>,
    pub bias: Lanes<C>,
}

/// The weights of a layer that reads another.
pub(super) struct Convolution<const C: usize> {
    /// For each tap, the `C / 2` pairs of inputs.
    pub weights: Vec<PairWeights<C>>,
    /// With the fraction bits of activations and weights together.
    pub bias: [i32; C],
}

/// The grid of a board for these kernels.
pub(super) type Board = Grid<GROUP>;

/// The first layer after the features that are the same in all positions of a board.
pub(super) struct Start<const C: usize>(Vec<Lanes<C>>);

impl<const C: usize> Start<C> {
    /// From these features of each vertex, and a number for each channel that is added to all vertices.
    pub fn new<B: Bits>(layer: &FirstLayer<C>, grid: &Board, features: &[B], more: &Lanes<C>) -> Start<C> {
        let mut lanes = Lanes::layer(grid);
        for &place in grid.places() {
            lanes[place as usize] = layer.bias;
            lanes[place as usize].add(more);
        }
        spread(layer, grid, features, &mut lanes);
        Start(lanes)
    }
}

/// Computes the first layer from the features of each vertex that are not among those of `start`. The contents of `space`
/// do not matter.
pub(super) fn read_features<const C: usize, B: Bits>(
    level: Level,
    layer: &FirstLayer<C>,
    grid: &Board,
    start: &Start<C>,
    features: &[B],
    space: &mut [Lanes<C>],
    out: &mut [Lanes<C>],
) {
    match level {
        // SAFETY: these levels are in use only where AVX2 was detected.
        #[cfg(target_arch = "x86_64")]
        level if level.has_avx2() => unsafe { x86::read_features(layer, grid, start, features, space, out) },
        // The compiler uses the vectors of other architectures by itself.
        _ => portable::read_features(layer, grid, start, features, space, out),
    }
}

/// Computes a convolution of `input`, adds `bias` in place of the layer's own and `residual` if there is one, and sets what
/// is below 0 to 0.
///
/// # Panics
/// If a layer or the weights do not have the size that the grid and the number of channels require.
pub(super) fn convolve<const C: usize>(
    level: Level,
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Board,
    input: &[Lanes<C>],
    residual: Option<&[Lanes<C>]>,
    out: &mut [Lanes<C>],
) where
    Convolution<C>: VectorForms<C>,
{
    assert_eq!(input.len(), grid.cells(), "a layer of another board");
    assert_eq!(layer.weights.len(), TAPS * C / 2, "weights for each tap and pair of inputs");
    match level {
        // SAFETY: these levels are in use only where AVX2 was detected; the sizes were checked.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::AvxVnni => unsafe { layer.convolve_avx2(bias, grid, input, residual, out) },
        // SAFETY: this level is in use only where AVX-512 with VNNI was detected; the sizes were checked.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { layer.convolve_avx512(bias, grid, input, residual, out) },
        // SAFETY: the sizes were checked.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::Simd128 => unsafe { layer.convolve_simd128(bias, grid, input, residual, out) },
        _ => portable::convolve(layer, bias, grid, input, residual, out),
    }
}

/// Computes for each vertex the product of its channels in `layer` with the weights, with the fraction bits of both.
/// Returns the sum of each channel over all vertices.
pub(super) fn read_out<const C: usize>(
    level: Level,
    weights: &Lanes<C>,
    grid: &Board,
    layer: &[Lanes<C>],
    products: &mut [i32],
) -> [i32; C] {
    match level {
        // SAFETY: as in `read_features`.
        #[cfg(target_arch = "x86_64")]
        level if level.has_avx2() => unsafe { x86::read_out(weights, grid, layer, products) },
        _ => portable::read_out(weights, grid, layer, products),
    }
}

/// The sum and the maximum of each channel over all vertices.
pub(super) fn pool<const C: usize>(level: Level, grid: &Board, layer: &[Lanes<C>]) -> ([i32; C], [i16; C]) {
    match level {
        // SAFETY: as in `read_features`.
        #[cfg(target_arch = "x86_64")]
        level if level.has_avx2() => unsafe { x86::pool(grid, layer) },
        _ => portable::pool(grid, layer),
    }
}

/// The vector forms of a convolution of `C` channels. A number of channels without them does not compile.
pub(super) trait VectorForms<const C: usize> {
    /// # Safety
    /// Needs AVX2. `input` must be a layer of the grid, and there must be weights for each tap and pair of inputs.
    #[cfg(target_arch = "x86_64")]
    unsafe fn convolve_avx2(
        &self,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    );

    /// # Safety
    /// Needs AVX-512 with VNNI; and as [`VectorForms::convolve_avx2`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn convolve_avx512(
        &self,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    );

    /// # Safety
    /// As [`VectorForms::convolve_avx2`], without AVX2.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    unsafe fn convolve_simd128(
        &self,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    );
}

/// For each number of channels: how many vertices AVX2 and AVX-512 work on at once, as many as have their sums in
/// registers.
macro_rules! vector_forms {
    ($($C:literal: $avx2:literal, $avx512:literal;)*) => {$(
        impl VectorForms<$C> for Convolution<$C> {
            #[cfg(target_arch = "x86_64")]
            unsafe fn convolve_avx2(
                &self,
                bias: &[i32; $C],
                grid: &Board,
                input: &[Lanes<$C>],
                residual: Option<&[Lanes<$C>]>,
                out: &mut [Lanes<$C>],
            ) {
                // SAFETY: by the caller.
                unsafe { x86::convolve_avx2::<$C, { $C / 8 }, $avx2>(self, bias, grid, input, residual, out) }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn convolve_avx512(
                &self,
                bias: &[i32; $C],
                grid: &Board,
                input: &[Lanes<$C>],
                residual: Option<&[Lanes<$C>]>,
                out: &mut [Lanes<$C>],
            ) {
                // SAFETY: by the caller.
                unsafe { x86::convolve_avx512::<$C, { $C / 16 }, $avx512>(self, bias, grid, input, residual, out) }
            }

            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            unsafe fn convolve_simd128(
                &self,
                bias: &[i32; $C],
                grid: &Board,
                input: &[Lanes<$C>],
                residual: Option<&[Lanes<$C>]>,
                out: &mut [Lanes<$C>],
            ) {
                // SAFETY: by the caller.
                unsafe { wasm::convolve::<$C>(self, bias, grid, input, residual, out) }
            }
        }
    )*};
}

vector_forms! {
    16: 4, 8;
    32: 2, 8;
    48: 2, 8;
    64: 1, 4;
}

/// Adds what the features of each vertex contribute to the cells whose taps lead there.
#[inline(always)]
fn spread<const C: usize, B: Bits>(layer: &FirstLayer<C>, grid: &Board, features: &[B], out: &mut [Lanes<C>]) {
    for (&features, &place) in features.iter().zip(grid.places()).filter(|(features, _)| **features != B::ZERO) {
        for (tap, weights) in layer.weights.chunks_exact(layer.features).enumerate() {
            let mut sum = Lanes::ZERO;
            let mut left = features;
            while let Some(feature) = left.pop() {
                sum.add(&weights[feature]);
            }
            out[grid.back(place, tap)].add(&sum);
        }
    }
}

/// What is added to a cell's sums.
#[inline(always)]
fn before<const C: usize>(residual: Option<&[Lanes<C>]>, place: u16) -> Lanes<C> {
    residual.map_or(Lanes::ZERO, |lanes| lanes[place as usize])
}

mod portable {
    use super::*;

    #[inline(always)]
    pub fn read_features<const C: usize, B: Bits>(
        layer: &FirstLayer<C>,
        grid: &Board,
        start: &Start<C>,
        features: &[B],
        space: &mut [Lanes<C>],
        out: &mut [Lanes<C>],
    ) {
        space.copy_from_slice(&start.0);
        spread(layer, grid, features, space);
        for &place in grid.places() {
            out[place as usize] = Lanes(space[place as usize].0.map(|x| x.max(0)));
        }
        // Cells off the board must be zero again.
        space.fill(Lanes::ZERO);
    }

    pub fn convolve<const C: usize>(
        layer: &Convolution<C>,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    ) {
        for group in grid.groups() {
            let mut sums = [*bias; GROUP];
            for (tap, weights) in layer.weights.chunks_exact(C / 2).enumerate() {
                for (&place, sums) in group.iter().zip(&mut sums) {
                    let lanes = &input[grid.tap(place, tap)].0;
                    for (pair, weights) in lanes.chunks_exact(2).zip(weights) {
                        // About half of them, because what is below 0 was set to 0.
                        if pair == [0, 0] {
                            continue;
                        }
                        for (sum, [a, b]) in sums.iter_mut().zip(weights.0) {
                            *sum = sum.wrapping_add(pair[0] as i32 * a as i32 + pair[1] as i32 * b as i32);
                        }
                    }
                }
            }
            for (&place, sums) in group.iter().zip(&sums) {
                let before = before(residual, place);
                let after = &mut out[place as usize].0;
                for ((after, before), sum) in after.iter_mut().zip(before.0).zip(sums) {
                    let value = (sum >> WEIGHT_BITS).clamp(i16::MIN as i32, i16::MAX as i32) as i16;
                    *after = value.saturating_add(before).max(0);
                }
            }
        }
    }

    #[inline(always)]
    pub fn read_out<const C: usize>(
        weights: &Lanes<C>,
        grid: &Board,
        layer: &[Lanes<C>],
        products: &mut [i32],
    ) -> [i32; C] {
        let mut sums = [0; C];
        for (&place, product) in grid.places().iter().zip(products) {
            let channels = &layer[place as usize].0;
            let products = channels.iter().zip(&weights.0).map(|(&a, &w)| a as i32 * w as i32);
            *product = products.fold(0, i32::wrapping_add);
            for (sum, &a) in sums.iter_mut().zip(channels) {
                *sum += a as i32;
            }
        }
        sums
    }

    #[inline(always)]
    pub fn pool<const C: usize>(grid: &Board, layer: &[Lanes<C>]) -> ([i32; C], [i16; C]) {
        let (mut sums, mut most) = ([0; C], [i16::MIN; C]);
        for &place in grid.places() {
            for ((sum, most), &a) in sums.iter_mut().zip(&mut most).zip(&layer[place as usize].0) {
                *sum += a as i32;
                *most = a.max(*most);
            }
        }
        (sums, most)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use crate::nn::sums;
    use std::arch::x86_64::*;

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn read_features<const C: usize, B: Bits>(
        layer: &FirstLayer<C>,
        grid: &Board,
        start: &Start<C>,
        features: &[B],
        space: &mut [Lanes<C>],
        out: &mut [Lanes<C>],
    ) {
        portable::read_features(layer, grid, start, features, space, out);
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn read_out<const C: usize>(
        weights: &Lanes<C>,
        grid: &Board,
        layer: &[Lanes<C>],
        products: &mut [i32],
    ) -> [i32; C] {
        portable::read_out(weights, grid, layer, products)
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn pool<const C: usize>(grid: &Board, layer: &[Lanes<C>]) -> ([i32; C], [i16; C]) {
        portable::pool(grid, layer)
    }

    /// # Safety
    /// Needs AVX-512 with VNNI. `input` must be a layer of the grid, and there must be weights for each tap and pair of
    /// inputs.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub unsafe fn convolve_avx512<const C: usize, const VECTORS: usize, const CELLS: usize>(
        layer: &Convolution<C>,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    ) {
        /// Numbers of 32 bits in a vector.
        const WIDTH: usize = 16;
        const { assert!(VECTORS * WIDTH == C && GROUP.is_multiple_of(CELLS)) };
        for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
            // SAFETY: the weights of a pair of inputs are `C` pairs; a tap of a vertex's cell is a cell of the grid, with `C / 2`
            // pairs of inputs. Lanes have `C` numbers, which `VECTORS` vectors cover.
            unsafe {
                let input = |tap| places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast());
                let dot = |sum, pair, weights| _mm512_dpwssd_epi32(sum, pair, weights);
                let sums = sums::avx512::<VECTORS, CELLS>(bias, layer.weights.as_ptr().cast(), C / 2, input, dot);
                for (&place, sums) in places.iter().zip(sums) {
                    let (before, after) = (before(residual, place), &mut out[place as usize].0);
                    for (v, sums) in sums.into_iter().enumerate() {
                        let value = _mm512_cvtsepi32_epi16(_mm512_srai_epi32::<WEIGHT_BITS>(sums));
                        let before = _mm256_loadu_si256(before.0.as_ptr().add(WIDTH * v).cast());
                        let value = _mm256_max_epi16(_mm256_adds_epi16(value, before), _mm256_setzero_si256());
                        _mm256_storeu_si256(after.as_mut_ptr().add(WIDTH * v).cast(), value);
                    }
                }
            }
        }
    }

    /// # Safety
    /// Needs AVX2. `input` must be a layer of the grid, and there must be weights for each tap and pair of inputs.
    #[target_feature(enable = "avx2")]
    pub unsafe fn convolve_avx2<const C: usize, const VECTORS: usize, const CELLS: usize>(
        layer: &Convolution<C>,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    ) {
        /// Numbers of 32 bits in a vector.
        const WIDTH: usize = 8;
        const { assert!(VECTORS * WIDTH == C && VECTORS.is_multiple_of(2) && GROUP.is_multiple_of(CELLS)) };
        for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
            // SAFETY: as in `convolve_avx512`.
            unsafe {
                let input = |tap| places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast());
                let dot = |sum, pair, weights| _mm256_add_epi32(sum, _mm256_madd_epi16(pair, weights));
                let sums = sums::avx2::<VECTORS, CELLS>(bias, layer.weights.as_ptr().cast(), C / 2, input, dot);
                for (&place, sums) in places.iter().zip(sums) {
                    let (before, after) = (before(residual, place), &mut out[place as usize].0);
                    for (half, sums) in sums.as_chunks::<2>().0.iter().enumerate() {
                        let at = 2 * WIDTH * half;
                        let [low, high] = sums.map(|sum| _mm256_srai_epi32::<{ WEIGHT_BITS as i32 }>(sum));
                        // Packing interleaves the halves of its two arguments.
                        let packed = _mm256_packs_epi32(low, high);
                        let value = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                        let before = _mm256_loadu_si256(before.0.as_ptr().add(at).cast());
                        let value = _mm256_max_epi16(_mm256_adds_epi16(value, before), _mm256_setzero_si256());
                        _mm256_storeu_si256(after.as_mut_ptr().add(at).cast(), value);
                    }
                }
            }
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::*;
    use std::arch::wasm32::*;

    /// Numbers of 32 bits in a vector.
    const WIDTH: usize = 4;
    /// Vertices worked on at once.
    const CELLS: usize = 2;
    /// Vectors of sums for each of them. The outputs are computed in blocks, because engines have 16 registers on most
    /// processors.
    const VECTORS: usize = 4;

    /// # Safety
    /// `input` must be a layer of the grid, and there must be weights for each tap and pair of inputs.
    pub unsafe fn convolve<const C: usize>(
        layer: &Convolution<C>,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        residual: Option<&[Lanes<C>]>,
        out: &mut [Lanes<C>],
    ) {
        const { assert!(C.is_multiple_of(VECTORS * WIDTH) && VECTORS.is_multiple_of(2) && GROUP.is_multiple_of(CELLS)) };
        for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
            for first in (0..C).step_by(VECTORS * WIDTH) {
                // SAFETY: by the caller; `C` is a multiple of the block's outputs.
                let sums = unsafe { block(layer, bias, grid, input, places, first) };
                for (&place, sums) in places.iter().zip(sums) {
                    let (before, after) = (before(residual, place), &mut out[place as usize].0);
                    for (half, &[low, high]) in sums.as_chunks::<2>().0.iter().enumerate() {
                        let at = first + 2 * WIDTH * half;
                        let [low, high] = [low, high].map(|sum| i32x4_shr(sum, WEIGHT_BITS));
                        let value = i16x8_narrow_i32x4(low, high);
                        // SAFETY: the lanes of a cell are `C` numbers, of which eight begin at `at`.
                        unsafe {
                            let before = v128_load(before.0.as_ptr().add(at).cast());
                            let value = i16x8_max(i16x8_add_sat(value, before), i16x8_splat(0));
                            v128_store(after.as_mut_ptr().add(at).cast(), value);
                        }
                    }
                }
            }
        }
    }

    /// The sums of the outputs from `first` on for some vertices.
    ///
    /// # Safety
    /// As [`convolve`]; there must be a block of outputs from `first` on.
    #[inline(always)]
    unsafe fn block<const C: usize>(
        layer: &Convolution<C>,
        bias: &[i32; C],
        grid: &Board,
        input: &[Lanes<C>],
        places: &[u16; CELLS],
        first: usize,
    ) -> [[v128; VECTORS]; CELLS] {
        // SAFETY: bias and weights have `C` numbers each, of which a block begins at `first`; a tap of a vertex's cell is a
        // cell of the grid; each of the `C / 2` pairs of a cell is in its lanes.
        unsafe {
            let load = |at: *const i32, v: usize| v128_load(at.add(first + WIDTH * v).cast());
            let mut sums = [std::array::from_fn(|v| load(bias.as_ptr(), v)); CELLS];
            for tap in 0..TAPS {
                let pairs = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<i32>());
                let weights = layer.weights.as_ptr().add(tap * C / 2);
                for i in 0..C / 2 {
                    let pairs = pairs.map(|pair| v128_load32_splat(pair.add(i).cast()));
                    for v in 0..VECTORS {
                        let weights = load(weights.add(i).cast(), v);
                        for (sums, pair) in sums.iter_mut().zip(pairs) {
                            sums[v] = i32x4_add(sums[v], i32x4_dot_i16x8(pair, weights));
                        }
                    }
                }
            }
            sums
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Geometry;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// More than there are bits in a 64-bit word.
    const FEATURES: usize = 70;

    fn lanes<const C: usize>(rng: &mut Xoshiro256PlusPlus, least: i16, most: i16) -> Lanes<C> {
        Lanes(std::array::from_fn(|_| rng.random_range(least..=most)))
    }

    fn all_levels_agree<const C: usize>(rng: &mut Xoshiro256PlusPlus, side: usize, most: i16)
    where
        Convolution<C>: VectorForms<C>,
    {
        let geometry = Geometry::of(side).unwrap();
        let grid = Board::new(geometry);
        let mut number = || rng.random_range(-most..=most);
        let mut pair = || PairWeights(std::array::from_fn(|_| [number(), number()]));
        let weights = (0..TAPS * C / 2).map(|_| pair()).collect();
        let layer = Convolution { weights, bias: std::array::from_fn(|_| rng.random_range(-1 << 20..1 << 20)) };
        let weights = (0..TAPS * FEATURES).map(|_| lanes(rng, -most, most)).collect();
        let first = FirstLayer { features: FEATURES, weights, bias: lanes(rng, -most, most) };
        let (mut input, mut residual) = (Lanes::layer(&grid), Lanes::layer(&grid));
        for &place in grid.places() {
            input[place as usize] = lanes(rng, 0, i16::MAX);
            residual[place as usize] = lanes(rng, 0, i16::MAX);
        }
        let features: Vec<u128> = grid.places().iter().map(|_| rng.random_range(0..1 << FEATURES)).collect();
        let fixed: Vec<u32> = grid.places().iter().map(|_| rng.random()).collect();
        let start = Start::new(&first, &grid, &fixed, &lanes(rng, -most, most));
        let bias = std::array::from_fn(|_| rng.random_range(-1 << 20..1 << 20));
        let run = |level: Level| {
            let [mut a, mut b, mut c, mut space] = std::array::from_fn(|_| Lanes::layer(&grid));
            read_features(level, &first, &grid, &start, &features, &mut space, &mut a);
            convolve(level, &layer, &layer.bias, &grid, &input, None, &mut b);
            convolve(level, &layer, &bias, &grid, &input, Some(&residual), &mut c);
            let mut products = vec![0; geometry.vertex_count()];
            let sums = read_out(level, &first.bias, &grid, &input, &mut products);
            ([a, b, c], products, sums, pool(level, &grid, &input))
        };
        let expected = run(Level::Portable);
        // The last channels, which a kernel for fewer would leave out, are computed.
        let last = |lanes: &Lanes<C>| lanes.0[C - 8..].iter().any(|&x| x != 0);
        assert!(expected.0.iter().all(|layer| layer.iter().any(last)));
        for level in Level::available() {
            assert!(run(level) == expected, "{level} on side {side} with {C} channels");
        }
    }

    #[test]
    fn all_levels_agree_to_the_bit() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for side in [2, 3, 4, 6, 9, 13] {
            // Weights so large that sums leave the range of 16 bits, and now and then that of 32.
            for most in [300, i16::MAX] {
                all_levels_agree::<16>(&mut rng, side, most);
                all_levels_agree::<32>(&mut rng, side, most);
                all_levels_agree::<48>(&mut rng, side, most);
                all_levels_agree::<64>(&mut rng, side, most);
            }
        }
    }

    /// A single weight of one, against the neighbours by the board's own tables.
    #[test]
    fn a_tap_leads_to_one_neighbour_and_off_the_board_to_zero() {
        const C: usize = 32;
        let geometry = Geometry::of(4).unwrap();
        let grid = Board::new(geometry);
        let mut seen = 0;
        for tap in 0..TAPS {
            let mut layer = Convolution { weights: vec![PairWeights([[0; 2]; C]); TAPS * C / 2], bias: [0; C] };
            layer.weights[tap * C / 2].0[5][1] = 1 << WEIGHT_BITS;
            let mut input = Lanes::layer(&grid);
            for (v, &place) in grid.places().iter().enumerate() {
                input[place as usize].0[1] = v as i16 + 1;
            }
            let mut out = Lanes::layer(&grid);
            convolve(Level::active(), &layer, &layer.bias, &grid, &input, None, &mut out);
            for (v, &place) in geometry.vertices().zip(grid.places()) {
                let there = out[place as usize].0[5];
                match geometry.vertex((there - 1).max(0) as usize) {
                    _ if there == 0 => assert!(geometry.neighbours(v).len() < 6),
                    Some(w) if tap == 0 => assert_eq!(w, v),
                    Some(w) => assert!(geometry.neighbours(v).contains(&w)),
                    None => panic!("{there} is not a vertex"),
                }
                seen += (there != 0 && tap > 0) as usize;
            }
        }
        assert_eq!(seen, geometry.vertices().map(|v| geometry.neighbours(v).len()).sum::<usize>());
    }
}
