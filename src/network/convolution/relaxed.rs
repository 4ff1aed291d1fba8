//! Convolutions with WebAssembly's relaxed vectors, whose dot products take 8-bit numbers.
//!
//! The results of relaxed instructions may depend on the engine. Those of dot products do not if the numbers without
//! sign have 7 bits, as inputs have, and no sum of two products leaves 16 bits (WebAssembly 3.0, "Relaxed operations",
//! and the proposal *Relaxed SIMD*, "Relaxed integer dot product"): 2 · 127 · 127 is less than 2¹⁵. Those of conversions
//! do not if the numbers fit. The compiler could choose relaxed instructions of its own, too, if they were enabled
//! for the whole module; so they are enabled for these functions alone.

use std::arch::wasm32::*;
use std::hint::black_box;

use super::*;

/// Sums in a vector.
const WIDTH: usize = 4;

/// # Safety
/// `input` must be a layer of the grid.
pub unsafe fn convolve<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    output: impl Output<C>,
) {
    // SAFETY: by the caller; a module with relaxed instructions runs only where they exist.
    unsafe {
        match is_one_instruction() {
            true => convolve_with::<C, true>(layer, bias, grid, input, output),
            false => convolve_with::<C, false>(layer, bias, grid, input, output),
        }
    }
}

/// Whether the processor has an instruction for a dot product that is added to a sum, and the engine uses it. On x86
/// without AVX-VNNI engines make it of several, which are slower than the same by parts. Inputs beyond 7 bits show
/// which: with such an instruction they have a sign or not, and without it sums of two products saturate. In Node.js
/// 20, V8's first compiler also computes it wrongly.
#[target_feature(enable = "relaxed-simd")]
fn is_one_instruction() -> bool {
    let [weights, inputs, sums] = black_box([i8x16_splat(127), u8x16_splat(255), i32x4_splat(5)]);
    let sum = i32x4_extract_lane::<0>(i32x4_relaxed_dot_i8x16_i7x16_add(weights, inputs, sums));
    sum == 5 + 4 * 127 * 255 || sum == 5 - 4 * 127
}

/// # Safety
/// As [`convolve`].
#[target_feature(enable = "relaxed-simd")]
unsafe fn convolve_with<const C: usize, const FUSED: bool>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
) {
    const { assert!(C.is_multiple_of(4 * WIDTH)) };
    for places in grid.groups() {
        let mut first = 0;
        while first < layer.outputs {
            // As many outputs at once as are needed, for as many vertices as have their sums in registers.
            // SAFETY: by the caller; `C` is a multiple of 16.
            first += unsafe {
                match layer.outputs - first {
                    1..=8 => block::<C, 2, 4, FUSED>(layer, bias, grid, input, places, first, &mut output),
                    _ => block::<C, 4, 2, FUSED>(layer, bias, grid, input, places, first, &mut output),
                }
            };
        }
    }
}

/// Computes `VECTORS` vectors of outputs from `first` on for the vertices of a group. Returns the number of outputs.
///
/// # Safety
/// As [`convolve`]; there must be so many outputs from `first` on.
#[inline]
#[target_feature(enable = "relaxed-simd")]
unsafe fn block<const C: usize, const VECTORS: usize, const CELLS: usize, const FUSED: bool>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; GROUP],
    first: usize,
    output: &mut impl Output<C>,
) -> usize {
    let mut sums = [[i32x4_splat(0); VECTORS]; CELLS];
    for places in places.as_chunks::<CELLS>().0 {
        // SAFETY: by the caller.
        unsafe { add_up::<C, VECTORS, CELLS, FUSED>(layer, bias, grid, input, places, first, &mut sums) };
        for (&place, sums) in places.iter().zip(&sums) {
            for (i, pair) in sums.as_chunks::<2>().0.iter().enumerate() {
                let at = first + 2 * WIDTH * i;
                let scale = |sum: v128, at: usize| {
                    // SAFETY: four factors begin at `at`.
                    let factor = unsafe { v128_load(output.factors().as_ptr().add(at).cast()) };
                    // Less than 2³¹: a sum is below 2²⁴, and a factor at most 2⁵ · 32 / 127.
                    i32x4_relaxed_trunc_f32x4(f32x4_nearest(f32x4_mul(f32x4_convert_i32x4(sum), factor)))
                };
                let values = i16x8_narrow_i32x4(scale(pair[0], at), scale(pair[1], at + WIDTH));
                output.take_vector(place, at, values);
            }
        }
    }
    VECTORS * WIDTH
}

/// Computes the sums of `VECTORS` vectors of outputs from `first` on for some vertices. They are written where the
/// caller wants them, for engines call a function for each copy of an array.
///
/// # Safety
/// As [`block`].
#[inline(never)]
#[target_feature(enable = "relaxed-simd")]
unsafe fn add_up<const C: usize, const VECTORS: usize, const CELLS: usize, const FUSED: bool>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; CELLS],
    first: usize,
    out: &mut [[v128; VECTORS]; CELLS],
) {
    // SAFETY: bias and the weights of a quad of inputs have `C` words each, of which the vectors begin at `first`; a tap
    // of a vertex's cell is a cell of the grid, with at least as many quads of inputs as the layer reads.
    unsafe {
        let load = |at: *const i32, v: usize| v128_load(at.add(first + WIDTH * v).cast());
        let mut sums = [std::array::from_fn(|v| load(bias.as_ptr(), v)); CELLS];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<u32>());
            let rows = layer.weights.as_ptr().add(tap * layer.quads);
            for i in 0..layer.quads {
                let quads = quads.map(|quad| v128_load32_splat(quad.add(i)));
                let row = rows.add(i).cast();
                for v in 0..VECTORS {
                    let weights = load(row, v);
                    for (sums, quad) in sums.iter_mut().zip(quads) {
                        sums[v] = dot::<FUSED>(sums[v], weights, quad);
                    }
                }
            }
        }
        *out = sums;
    }
}

/// Adds to each sum the four products of its weights with the inputs of a quad, by one instruction of WebAssembly or by
/// parts.
#[inline]
#[target_feature(enable = "relaxed-simd")]
fn dot<const FUSED: bool>(sums: v128, weights: v128, quad: v128) -> v128 {
    match FUSED {
        true => i32x4_relaxed_dot_i8x16_i7x16_add(weights, quad, sums),
        // Not by `i32x4_extadd_pairwise_i16x8`, of which the compiler makes the instruction above.
        false => i32x4_add(sums, i32x4_dot_i16x8(i16x8_relaxed_dot_i8x16_i7x16(weights, quad), i16x8_splat(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also of the largest numbers, in which engines differ if inputs have more than 7 bits.
    #[test]
    fn dot_products_are_exact() {
        for input in [0, 1, 3, 64, 126, 127_i8] {
            for weight in [-127, -126, -1, 0, 1, 90, 127_i8] {
                for other in [-127, 0, 127_i8] {
                    let weights = i8x16(
                        weight, weight, other, weight, weight, weight, other, weight, weight, weight, other, weight,
                        weight, weight, other, weight,
                    );
                    let expected = 5 + i32::from(input) * (3 * i32::from(weight) + i32::from(other));
                    let (sums, quad) = (i32x4_splat(5), i8x16_splat(input));
                    let found = match is_one_instruction() {
                        true => dot::<true>(sums, weights, quad),
                        false => dot::<false>(sums, weights, quad),
                    };
                    assert_eq!(i32x4_extract_lane::<3>(found), expected, "{input} {weight} {other}");
                }
            }
        }
    }
}
