//! Convolutions with AVX2, AVX-VNNI and AVX-512.

use super::*;
use crate::nn::sums;
use std::arch::x86_64::*;

/// # Safety
/// Needs AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn round<const C: usize>(grid: &Board, stream: &[Lanes<C>], out: &mut [Inputs<C>]) {
    portable::round(grid, stream, out);
}

/// # Safety
/// Needs AVX-512 with VNNI. `input` must be a layer of the grid, and there must be weights for each tap and four
/// inputs.
#[target_feature(enable = "avx512f,avx512vnni")]
pub unsafe fn convolve_avx512<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution8<C>,
    bias: &[i32; C],
    grid: &Board,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
) {
    /// Numbers of 32 bits in a vector.
    const WIDTH: usize = 16;
    const { assert!(VECTORS * WIDTH == C && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        // SAFETY: the weights of a quad of inputs are `C` quads; a tap of a vertex's cell is a cell of the grid, with `C / 4`
        // quads of inputs. There are `C` factors, which `VECTORS` vectors cover.
        unsafe {
            let input = |tap| places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast());
            let dot = |sum, quad, weights| _mm512_dpbusd_epi32(sum, quad, weights);
            let sums = sums::avx512::<VECTORS, CELLS>(bias, layer.weights.as_ptr().cast(), C / 4, input, dot);
            for (&place, sums) in places.iter().zip(sums) {
                for (v, sum) in sums.into_iter().enumerate() {
                    let factor = _mm512_loadu_ps(factors.as_ptr().add(WIDTH * v));
                    let value = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), factor));
                    let mut values = [0; WIDTH];
                    _mm256_storeu_si256(values.as_mut_ptr().cast(), _mm512_cvtsepi32_epi16(value));
                    output.take(place, WIDTH * v, values);
                }
            }
        }
    }
}

/// # Safety
/// Needs AVX2 and AVX-VNNI. `input` must be a layer of the grid, and there must be weights for each tap and four inputs.
#[target_feature(enable = "avx2,avxvnni")]
pub unsafe fn convolve_avx_vnni<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution8<C>,
    bias: &[i32; C],
    grid: &Board,
    input: &[Inputs<C>],
    output: impl Output<C>,
) {
    // SAFETY: by the caller.
    unsafe {
        convolve_256::<C, VECTORS, CELLS>(layer, bias, grid, input, output, |sum, quad, weights| {
            _mm256_dpbusd_avx_epi32(sum, quad, weights)
        })
    }
}

/// # Safety
/// Needs AVX2. `input` must be a layer of the grid, and there must be weights for each tap and four inputs.
#[target_feature(enable = "avx2")]
pub unsafe fn convolve_avx2<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution8<C>,
    bias: &[i32; C],
    grid: &Board,
    input: &[Inputs<C>],
    output: impl Output<C>,
) {
    let ones = _mm256_set1_epi16(1);
    let dot = |sum, quad, weights| _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(quad, weights), ones));
    // SAFETY: by the caller.
    unsafe { convolve_256::<C, VECTORS, CELLS>(layer, bias, grid, input, output, dot) }
}

/// With the instructions `dot` that multiply the four pairs of 8-bit numbers of two words and add the products to a sum.
///
/// # Safety
/// As [`convolve_avx2`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn convolve_256<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution8<C>,
    bias: &[i32; C],
    grid: &Board,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
    dot: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) {
    /// Numbers of 32 bits in a vector.
    const WIDTH: usize = 8;
    const { assert!(VECTORS * WIDTH == C && VECTORS.is_multiple_of(2) && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        // SAFETY: as in `convolve_avx512`.
        unsafe {
            let input = |tap| places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast());
            let sums = sums::avx2::<VECTORS, CELLS>(bias, layer.weights.as_ptr().cast(), C / 4, input, &dot);
            for (&place, sums) in places.iter().zip(sums) {
                for (half, sums) in sums.as_chunks::<2>().0.iter().enumerate() {
                    let at = 2 * WIDTH * half;
                    let scale = |sum: __m256i, at: usize| {
                        let factor = _mm256_loadu_ps(factors.as_ptr().add(at));
                        _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor))
                    };
                    // Packing interleaves the halves of its two arguments.
                    let packed = _mm256_packs_epi32(scale(sums[0], at), scale(sums[1], at + WIDTH));
                    let value = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                    let mut values = [0; 2 * WIDTH];
                    _mm256_storeu_si256(values.as_mut_ptr().cast(), value);
                    output.take(place, at, values);
                }
            }
        }
    }
}
