//! The innermost loops of convolutions on x86, which 16-bit and 8-bit arithmetic share: for some vertices at once, the sums
//! of products of inputs and weights. Both are read in words of 32 bits, a pair of 16-bit numbers or a quad of 8-bit numbers.
//! Only the instruction that multiplies two words and adds the products to a sum differs.

use super::grid::TAPS;
use std::arch::x86_64::*;

/// The sums for `CELLS` vertices, in `VECTORS` vectors for each. `bias` is where they begin. `weights` has, for each tap and
/// each of the `words` words of inputs, a word for each output. `input` leads to the inputs of each vertex at a tap.
///
/// # Safety
/// Needs AVX-512 with VNNI. The pointers must lead to as many words as that.
///
/// # Panics
/// If the vectors do not cover the outputs.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) unsafe fn avx512<const VECTORS: usize, const CELLS: usize>(
    bias: &[i32],
    weights: *const i32,
    words: usize,
    input: impl Fn(usize) -> [*const i32; CELLS],
    dot: impl Fn(__m512i, __m512i, __m512i) -> __m512i,
) -> [[__m512i; VECTORS]; CELLS] {
    /// Words in a vector.
    const WIDTH: usize = 16;
    assert_eq!(bias.len(), VECTORS * WIDTH);
    // SAFETY: the bias has as many words as the vectors; for the rest by the caller.
    unsafe {
        let load = |at: *const i32, v: usize| _mm512_loadu_si512(at.add(WIDTH * v).cast());
        let mut first = [_mm512_setzero_si512(); VECTORS];
        first.iter_mut().enumerate().for_each(|(v, sum)| *sum = load(bias.as_ptr(), v));
        let mut sums = [first; CELLS];
        for tap in 0..TAPS {
            let input = input(tap);
            for i in 0..words {
                let mut vectors = [_mm512_setzero_si512(); VECTORS];
                let row = weights.add((tap * words + i) * VECTORS * WIDTH);
                vectors.iter_mut().enumerate().for_each(|(v, x)| *x = load(row, v));
                for (sums, input) in sums.iter_mut().zip(input) {
                    let word = _mm512_set1_epi32(*input.add(i));
                    for (sum, weights) in sums.iter_mut().zip(vectors) {
                        *sum = dot(*sum, word, weights);
                    }
                }
            }
        }
        sums
    }
}

/// As [`avx512`], with AVX2.
///
/// # Safety
/// Needs AVX2; and as [`avx512`].
///
/// # Panics
/// If the vectors do not cover the outputs.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn avx2<const VECTORS: usize, const CELLS: usize>(
    bias: &[i32],
    weights: *const i32,
    words: usize,
    input: impl Fn(usize) -> [*const i32; CELLS],
    dot: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) -> [[__m256i; VECTORS]; CELLS] {
    /// Words in a vector.
    const WIDTH: usize = 8;
    assert_eq!(bias.len(), VECTORS * WIDTH);
    // SAFETY: as in `avx512`.
    unsafe {
        let load = |at: *const i32, v: usize| _mm256_loadu_si256(at.add(WIDTH * v).cast());
        let mut first = [_mm256_setzero_si256(); VECTORS];
        first.iter_mut().enumerate().for_each(|(v, sum)| *sum = load(bias.as_ptr(), v));
        let mut sums = [first; CELLS];
        for tap in 0..TAPS {
            let input = input(tap);
            for i in 0..words {
                let words_of_inputs = input.map(|input| _mm256_set1_epi32(*input.add(i)));
                let row = weights.add((tap * words + i) * VECTORS * WIDTH);
                for v in 0..VECTORS {
                    let weights = load(row, v);
                    for (sums, word) in sums.iter_mut().zip(words_of_inputs) {
                        sums[v] = dot(sums[v], word, weights);
                    }
                }
            }
        }
        sums
    }
}
