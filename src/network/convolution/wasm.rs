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
/// The input must be a layer of the grid.
pub unsafe fn convolve<const C: usize>(task: &Task<'_, C>, mut output: impl Output<C>) {
    const { assert!(C.is_multiple_of(OUTPUTS) && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in task.grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        for first in (0..task.layer.outputs).step_by(OUTPUTS) {
            // SAFETY: by the caller; `C` is a multiple of the block's outputs.
            let sums = unsafe { block(task, places, first) };
            for (&place, sums) in places.iter().zip(&sums) {
                let scale = |[a, b]: [v128; 2], at: usize| {
                    let sum = i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b));
                    // SAFETY: four biases and factors begin at `at`.
                    let (bias, factor) = unsafe {
                        (v128_load(task.bias.as_ptr().add(at).cast()), v128_load(factors.as_ptr().add(at).cast()))
                    };
                    let value = f32x4_mul(f32x4_convert_i32x4(i32x4_add(sum, bias)), factor);
                    i32x4_trunc_sat_f32x4(f32x4_nearest(value))
                };
                let values = i16x8_narrow_i32x4(scale([sums[0], sums[1]], first), scale([sums[2], sums[3]], first + 4));
                output.take_vector(place, first, values);
            }
        }
    }
}

/// The sums of a block of outputs, starting at `first`, for some vertices, without the bias.
///
/// # Safety
/// As for [`convolve`]; there must be a block of outputs, starting at `first`.
#[inline(always)]
unsafe fn block<const C: usize>(task: &Task<'_, C>, places: &[u16; CELLS], first: usize) -> [[v128; VECTORS]; CELLS] {
    let Task { layer, grid, input, .. } = *task;
    // SAFETY: the weights of a quad have `C` words, of which a block begins at `first`; a tap of a vertex's cell is a
    // cell of the grid; a cell has at least as many quads of inputs as the layer reads.
    unsafe {
        let mut sums = [[i32x4_splat(0); VECTORS]; CELLS];
        for tap in 0..TAPS {
            let quads = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<u32>());
            let weights = layer.weights.as_ptr().add(tap * layer.quads);
            for i in 0..layer.quads {
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

/// [`Inner`]'s [`Output::take_vector`], for the channels of these slices.
#[inline(always)]
pub fn write_inner(out: &mut [u8], values: v128) {
    write_inputs(out, i16x8_max(values, i16x8_splat(0)));
}

/// [`Outer`]'s [`Output::take_vector`], for the channels of these slices.
#[inline(always)]
pub fn write_outer(before: &[i16], after: &mut [i16], (multipliers, out): (&[i16], &mut [u8]), values: v128) {
    let [before, multipliers]: [&[i16; 8]; 2] =
        [before, multipliers].map(|channels| channels.first_chunk().expect("eight channels"));
    let after: &mut [i16; 8] = after.first_chunk_mut().expect("eight channels");
    // SAFETY: the arrays have the size of a vector.
    unsafe {
        let sums = i16x8_max(i16x8_add_sat(v128_load(before.as_ptr().cast()), values), i16x8_splat(0));
        v128_store(after.as_mut_ptr().cast(), sums);
        write_inputs(out, i16x8_q15mulr_sat(sums, v128_load(multipliers.as_ptr().cast())));
    }
}

/// Writes eight numbers, none of them negative, as inputs.
#[inline(always)]
fn write_inputs(out: &mut [u8], values: v128) {
    const { assert!(MAX_INPUT == i8::MAX as i16) };
    let out: &mut [u8; 8] = out.first_chunk_mut().expect("eight channels");
    // SAFETY: the array has the size of half a vector.
    unsafe { v128_store64_lane::<0>(i8x16_narrow_i16x8(values, values), out.as_mut_ptr().cast()) };
}
