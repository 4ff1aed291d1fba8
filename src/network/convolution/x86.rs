//! Convolutions with AVX2, AVX-VNNI and AVX-512.

use std::arch::x86_64::*;

use super::*;

/// Numbers of 32 bits in a vector of 512 bits.
const WIDE: usize = 16;
/// Numbers of 32 bits in a vector of 256 bits.
const NARROW: usize = 8;

/// # Safety
/// Needs AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn round<const C: usize>(grid: &Grid, stream: &[Lanes<C>], out: &mut [Inputs<C>]) {
    portable::round(grid, stream, out);
}

/// # Safety
/// Needs AVX-512 with VNNI. `input` must be a layer of the grid, and there must be weights for each tap and four
/// inputs.
#[target_feature(enable = "avx512f,avx512vnni")]
pub unsafe fn convolve_avx512<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
) {
    const { assert!(VECTORS * WIDE == C && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        // SAFETY: by the caller; there are `C` factors, which `VECTORS` vectors cover.
        unsafe {
            let sums = sums_512::<C, VECTORS, CELLS>(layer, bias, grid, input, places);
            for (&place, sums) in places.iter().zip(sums) {
                for (v, sum) in sums.into_iter().enumerate() {
                    let factor = _mm512_loadu_ps(factors.as_ptr().add(WIDE * v));
                    let value = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), factor));
                    let mut values = [0; WIDE];
                    _mm256_storeu_si256(values.as_mut_ptr().cast(), _mm512_cvtsepi32_epi16(value));
                    output.take(place, WIDE * v, values);
                }
            }
        }
    }
}

/// The sums for `CELLS` vertices, in `VECTORS` vectors for each.
///
/// # Safety
/// As [`convolve_avx512`].
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn sums_512<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; CELLS],
) -> [[__m512i; VECTORS]; CELLS] {
    // SAFETY: bias and the weights of a quad of inputs have `C` words each, which the vectors cover; a tap of a
    // vertex's cell is a cell of the grid, with `C / 4` quads of inputs.
    unsafe {
        let load = |at: *const i32, v: usize| _mm512_loadu_si512(at.add(WIDE * v).cast());
        let mut first = [_mm512_setzero_si512(); VECTORS];
        first.iter_mut().enumerate().for_each(|(v, sum)| *sum = load(bias.as_ptr(), v));
        let mut sums = [first; CELLS];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<i32>());
            for i in 0..C / 4 {
                let mut vectors = [_mm512_setzero_si512(); VECTORS];
                let row = layer.weights.as_ptr().add(tap * C / 4 + i).cast();
                vectors.iter_mut().enumerate().for_each(|(v, x)| *x = load(row, v));
                for (sums, quads) in sums.iter_mut().zip(quads) {
                    let quad = _mm512_set1_epi32(*quads.add(i));
                    for (sum, weights) in sums.iter_mut().zip(vectors) {
                        *sum = _mm512_dpbusd_epi32(*sum, quad, weights);
                    }
                }
            }
        }
        sums
    }
}

/// # Safety
/// Needs AVX2 and AVX-VNNI. `input` must be a layer of the grid, and there must be weights for each tap and four
/// inputs.
#[target_feature(enable = "avx2,avxvnni")]
pub unsafe fn convolve_avx_vnni<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
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
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    output: impl Output<C>,
) {
    let ones = _mm256_set1_epi16(1);
    let dot = |sum, quad, weights| _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(quad, weights), ones));
    // SAFETY: by the caller.
    unsafe { convolve_256::<C, VECTORS, CELLS>(layer, bias, grid, input, output, dot) }
}

/// With the instructions `dot` that multiply the four pairs of 8-bit numbers of two words and add the products to a
/// sum.
///
/// # Safety
/// As [`convolve_avx2`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn convolve_256<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
    dot: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) {
    const { assert!(VECTORS * NARROW == C && VECTORS.is_multiple_of(2) && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        // SAFETY: as in `convolve_avx512`.
        unsafe {
            let sums = sums_256::<C, VECTORS, CELLS>(layer, bias, grid, input, places, &dot);
            for (&place, sums) in places.iter().zip(sums) {
                for (half, sums) in sums.as_chunks::<2>().0.iter().enumerate() {
                    let at = 2 * NARROW * half;
                    let scale = |sum: __m256i, at: usize| {
                        let factor = _mm256_loadu_ps(factors.as_ptr().add(at));
                        _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor))
                    };
                    // Packing interleaves the halves of its two arguments.
                    let packed = _mm256_packs_epi32(scale(sums[0], at), scale(sums[1], at + NARROW));
                    let value = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                    let mut values = [0; 2 * NARROW];
                    _mm256_storeu_si256(values.as_mut_ptr().cast(), value);
                    output.take(place, at, values);
                }
            }
        }
    }
}

/// As [`sums_512`].
///
/// # Safety
/// As [`convolve_avx2`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sums_256<const C: usize, const VECTORS: usize, const CELLS: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; CELLS],
    dot: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) -> [[__m256i; VECTORS]; CELLS] {
    // SAFETY: as in `sums_512`.
    unsafe {
        let load = |at: *const i32, v: usize| _mm256_loadu_si256(at.add(NARROW * v).cast());
        let mut first = [_mm256_setzero_si256(); VECTORS];
        first.iter_mut().enumerate().for_each(|(v, sum)| *sum = load(bias.as_ptr(), v));
        let mut sums = [first; CELLS];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<i32>());
            for i in 0..C / 4 {
                let quads = quads.map(|quads| _mm256_set1_epi32(*quads.add(i)));
                let row = layer.weights.as_ptr().add(tap * C / 4 + i).cast();
                for v in 0..VECTORS {
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
