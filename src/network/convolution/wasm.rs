//! Convolutions with WebAssembly's vectors.

use std::arch::wasm32::*;

use super::*;

/// Vertices worked on at once.
const CELLS: usize = 2;
/// Outputs worked on at once, two in a vector: engines have 16 registers on most processors.
const OUTPUTS: usize = 8;
/// Vectors of sums for a vertex. Each output has two sums, of the first and of the last two inputs of each quad.
const VECTORS: usize = OUTPUTS / 2;

/// # Safety
/// `input` must be a layer of the grid, and there must be weights for each tap and four inputs.
pub unsafe fn convolve<const C: usize>(
    layer: &Convolution<C>,
    bias: &[i32; C],
    grid: &Grid,
    input: &[Inputs<C>],
    mut output: impl Output<C>,
) {
    const { assert!(C.is_multiple_of(OUTPUTS) && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        for first in (0..C).step_by(OUTPUTS) {
            // SAFETY: by the caller; `C` is a multiple of the block's outputs.
            let sums = unsafe { block(layer, grid, input, places, first) };
            for (&place, sums) in places.iter().zip(sums) {
                let scale = |[a, b]: [v128; 2], at: usize| {
                    let sum = i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b));
                    // SAFETY: four biases and factors begin at `at`.
                    let (bias, factor) = unsafe {
                        (v128_load(bias.as_ptr().add(at).cast()), v128_load(factors.as_ptr().add(at).cast()))
                    };
                    let value = f32x4_mul(f32x4_convert_i32x4(i32x4_add(sum, bias)), factor);
                    i32x4_trunc_sat_f32x4(f32x4_nearest(value))
                };
                let value = i16x8_narrow_i32x4(scale([sums[0], sums[1]], first), scale([sums[2], sums[3]], first + 4));
                let mut values = [0i16; OUTPUTS];
                // SAFETY: the array has the size of a vector.
                unsafe { v128_store(values.as_mut_ptr().cast(), value) };
                output.take(place, first, values);
            }
        }
    }
}

/// The sums of the outputs from `first` on for some vertices, without the bias.
///
/// # Safety
/// As [`convolve`]; there must be a block of outputs from `first` on.
#[inline(always)]
unsafe fn block<const C: usize>(
    layer: &Convolution<C>,
    grid: &Grid,
    input: &[Inputs<C>],
    places: &[u16; CELLS],
    first: usize,
) -> [[v128; VECTORS]; CELLS] {
    // SAFETY: the weights of a quad have `C` words, of which a block begins at `first`; a tap of a vertex's cell is a
    // cell of the grid; each of the `C / 4` quads of a cell is in its inputs.
    unsafe {
        let mut sums = [[i32x4_splat(0); VECTORS]; CELLS];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<u32>());
            let weights = layer.weights.as_ptr().add(tap * C / 4);
            for i in 0..C / 4 {
                let quads = quads.map(|quad| i16x8_extend_low_u8x16(v128_load32_splat(quad.add(i))));
                for v in 0..VECTORS {
                    let weights = i16x8_load_extend_i8x8(weights.add(i).cast::<i8>().add(4 * (first + 2 * v)));
                    for (sums, quad) in sums.iter_mut().zip(quads) {
                        sums[v] = i32x4_add(sums[v], i32x4_dot_i16x8(quad, weights));
                    }
                }
            }
        }
        sums
    }
}
