//! Convolutions with AVX2, AVX-VNNI and AVX-512.

use std::arch::x86_64::*;

use super::*;

/// Numbers of 32 bits in a vector of 512 bits.
const WIDE: usize = 16;
/// Numbers of 32 bits in a vector of 256 bits.
const NARROW: usize = 8;
/// Vertices worked on at once with vectors of 256 bits: as many as have two vectors of sums each in registers.
const CELLS: usize = 4;

/// # Safety
/// Needs AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn round<const C: usize>(grid: &Grid, stream: &[Lanes<C>], out: &mut [Inputs<C>]) {
    portable::round(grid, stream, out);
}

/// # Safety
/// Needs AVX-512 with VNNI. `input` must be a layer of the grid.
#[target_feature(enable = "avx512f,avx512vnni")]
pub unsafe fn convolve_avx512<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
) {
    const { assert!(C.is_multiple_of(WIDE)) };
    for places in grid.groups() {
        let mut first = 0;
        while first < layer.outputs {
            // Two vectors of outputs share the loads of the inputs. SAFETY: by the caller; `C` is a multiple of a vector.
            if layer.outputs - first > WIDE {
                unsafe { block_512::<C, 2>(layer, bias, grid, input, places, first, &mut output) };
                first += 2 * WIDE;
            } else {
                unsafe { block_512::<C, 1>(layer, bias, grid, input, places, first, &mut output) };
                first += WIDE;
            }
        }
    }
}

/// Computes `VECTORS` vectors of outputs from `first` on for the vertices of a group.
///
/// # Safety
/// As [`convolve_avx512`]; there must be so many outputs from `first` on.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn block_512<const C: usize, const VECTORS: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; GROUP],
    first: usize,
    output: &mut impl Output<C>,
) {
    // SAFETY: bias, factors and the weights of a quad of inputs have `C` words each, of which the vectors begin at
    // `first`; a tap of a vertex's cell is a cell of the grid, with at least as many quads of inputs as the layer reads.
    unsafe {
        let load = |at: *const i32, v: usize| _mm512_loadu_si512(at.add(first + WIDE * v).cast());
        let mut start = [_mm512_setzero_si512(); VECTORS];
        start.iter_mut().enumerate().for_each(|(v, sum)| *sum = load(bias.as_ptr(), v));
        let mut sums = [start; GROUP];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<i32>());
            for i in 0..layer.quads {
                let mut vectors = [_mm512_setzero_si512(); VECTORS];
                let row = layer.weights.as_ptr().add(tap * layer.quads + i).cast();
                vectors.iter_mut().enumerate().for_each(|(v, x)| *x = load(row, v));
                for (sums, quads) in sums.iter_mut().zip(quads) {
                    let quad = _mm512_set1_epi32(*quads.add(i));
                    for (sum, weights) in sums.iter_mut().zip(vectors) {
                        *sum = _mm512_dpbusd_epi32(*sum, quad, weights);
                    }
                }
            }
        }
        for (&place, sums) in places.iter().zip(sums) {
            for (v, sum) in sums.into_iter().enumerate() {
                let at = first + WIDE * v;
                let factor = _mm512_loadu_ps(output.factors().as_ptr().add(at));
                let value = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), factor));
                let mut values = [0; WIDE];
                _mm256_storeu_si256(values.as_mut_ptr().cast(), _mm512_cvtsepi32_epi16(value));
                output.take(place, at, values);
            }
        }
    }
}

/// # Safety
/// Needs AVX2 and AVX-VNNI. `input` must be a layer of the grid.
#[target_feature(enable = "avx2,avxvnni")]
pub unsafe fn convolve_avx_vnni<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    output: impl Output<C>,
) {
    // SAFETY: by the caller.
    unsafe {
        convolve_256(layer, bias, grid, input, output, |sum, quad, weights| _mm256_dpbusd_avx_epi32(sum, quad, weights))
    }
}

/// # Safety
/// Needs AVX2. `input` must be a layer of the grid.
#[target_feature(enable = "avx2")]
pub unsafe fn convolve_avx2<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    output: impl Output<C>,
) {
    let ones = _mm256_set1_epi16(1);
    let dot = |sum, quad, weights| _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(quad, weights), ones));
    // SAFETY: by the caller.
    unsafe { convolve_256(layer, bias, grid, input, output, dot) }
}

/// With the instructions `dot` that multiply the four pairs of 8-bit numbers of two words and add the products to a
/// sum.
///
/// # Safety
/// As [`convolve_avx2`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn convolve_256<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
    dot: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) {
    const { assert!(C.is_multiple_of(2 * NARROW) && GROUP.is_multiple_of(CELLS)) };
    for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        for first in (0..layer.outputs).step_by(2 * NARROW) {
            // SAFETY: as in `convolve_avx512`.
            unsafe {
                let sums = sums_256(layer, bias, grid, input, places, first, &dot);
                for (&place, sums) in places.iter().zip(sums) {
                    let scale = |sum: __m256i, at: usize| {
                        let factor = _mm256_loadu_ps(output.factors().as_ptr().add(at));
                        _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor))
                    };
                    // Packing interleaves the halves of its two arguments.
                    let packed = _mm256_packs_epi32(scale(sums[0], first), scale(sums[1], first + NARROW));
                    let value = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                    let mut values = [0; 2 * NARROW];
                    _mm256_storeu_si256(values.as_mut_ptr().cast(), value);
                    output.take(place, first, values);
                }
            }
        }
    }
}

/// The sums of two vectors of outputs from `first` on for some vertices.
///
/// # Safety
/// As [`convolve_avx2`]; there must be so many outputs from `first` on.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sums_256<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; CELLS],
    first: usize,
    dot: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) -> [[__m256i; 2]; CELLS] {
    // SAFETY: as in `block_512`.
    unsafe {
        let load = |at: *const i32, v: usize| _mm256_loadu_si256(at.add(first + NARROW * v).cast());
        let mut sums = [[0, 1].map(|v| load(bias.as_ptr(), v)); CELLS];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<i32>());
            for i in 0..layer.quads {
                let quads = quads.map(|quads| _mm256_set1_epi32(*quads.add(i)));
                let row = layer.weights.as_ptr().add(tap * layer.quads + i).cast();
                for v in 0..2 {
                    let weights = load(row, v);
                    for (sums, quad) in sums.iter_mut().zip(quads) {
                        sums[v] = dot(sums[v], quad, weights);
                    }
                }
            }
        }
        sums
    }
}
