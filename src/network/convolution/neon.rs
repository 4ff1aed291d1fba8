//! Convolutions with NEON, on 64-bit ARM processors.

use std::arch::aarch64::*;
use std::arch::asm;

use super::*;

/// Vertices worked on at once.
const CELLS: usize = 4;
/// Vectors of sums for each of them. The outputs are computed in blocks, so that all sums of a block are in registers.
const VECTORS: usize = 4;
/// Sums in a vector.
const WIDTH: usize = 4;
/// Outputs in a block.
const OUTPUTS: usize = VECTORS * WIDTH;
/// Inputs in a vector.
const INPUTS: usize = 16;

/// # Safety
/// Needs NEON. The input must be a layer of the grid.
#[target_feature(enable = "neon")]
pub unsafe fn convolve_neon<const C: usize>(task: &Task<'_, C>, output: impl Output<C>) {
    // SAFETY: by the caller.
    unsafe { convolve::<C, Widening>(task, output) }
}

/// # Safety
/// Needs NEON with dot products. The input must be a layer of the grid.
#[target_feature(enable = "neon,dotprod")]
pub unsafe fn convolve_dotprod<const C: usize>(task: &Task<'_, C>, output: impl Output<C>) {
    // SAFETY: by the caller.
    unsafe { convolve::<C, DotProducts>(task, output) }
}

/// How four pairs of 8-bit numbers are multiplied, and the products added to a sum.
trait Dot {
    /// Adds to each sum the four products of its weights with the inputs of the quad `LANE`.
    ///
    /// # Safety
    /// Needs the instructions of the implementation. Inputs range from 0 to 127, weights from -127 to 127.
    unsafe fn dot<const LANE: i32>(sums: int32x4_t, weights: int8x16_t, inputs: int8x16_t) -> int32x4_t;
}

/// With plain NEON: by products of 16 bits.
struct Widening;

impl Dot for Widening {
    #[inline(always)]
    unsafe fn dot<const LANE: i32>(sums: int32x4_t, weights: int8x16_t, inputs: int8x16_t) -> int32x4_t {
        // SAFETY: NEON by the caller.
        unsafe {
            let quad = vreinterpretq_s8_s32(vdupq_laneq_s32::<LANE>(vreinterpretq_s32_s8(inputs)));
            let low = vmull_s8(vget_low_s8(weights), vget_low_s8(quad));
            // Two products fit into 16 bits.
            vpadalq_s16(sums, vpaddq_s16(low, vmull_high_s8(weights, quad)))
        }
    }
}

/// With the instruction for dot products, for which the standard library has no stable function.
struct DotProducts;

impl Dot for DotProducts {
    #[inline(always)]
    unsafe fn dot<const LANE: i32>(mut sums: int32x4_t, weights: int8x16_t, inputs: int8x16_t) -> int32x4_t {
        // SAFETY: dot products by the caller. The instruction changes the register of the sums alone.
        unsafe {
            asm!(
                "sdot {sums:v}.4s, {weights:v}.16b, {inputs:v}.4b[{lane}]",
                sums = inout(vreg) sums,
                weights = in(vreg) weights,
                inputs = in(vreg) inputs,
                lane = const LANE,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

/// # Safety
/// Needs the instructions of `D`. The input must be a layer of the grid.
#[inline(always)]
unsafe fn convolve<const C: usize, D: Dot>(task: &Task<'_, C>, mut output: impl Output<C>) {
    const { assert!(C.is_multiple_of(OUTPUTS) && C.is_multiple_of(INPUTS) && GROUP.is_multiple_of(CELLS)) };
    let factors = *output.factors();
    for places in task.grid.groups().as_flattened().as_chunks::<CELLS>().0 {
        for first in (0..task.layer.outputs).step_by(OUTPUTS) {
            // SAFETY: by the caller; `C` is a multiple of the block's outputs.
            let sums = unsafe { block::<C, D>(task, places, first) };
            for (&place, sums) in places.iter().zip(sums) {
                let mut values = [0i16; OUTPUTS];
                for (v, sum) in sums.into_iter().enumerate() {
                    let at = WIDTH * v;
                    // SAFETY: four factors begin at `first + at`, and four values at `at`.
                    unsafe {
                        let factor = vld1q_f32(factors.as_ptr().add(first + at));
                        let value = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sum), factor));
                        vst1_s16(values.as_mut_ptr().add(at), vqmovn_s32(value));
                    }
                }
                output.take(place, first, values);
            }
        }
    }
}

/// The sums of a block of outputs, starting at `first`, for some vertices.
///
/// # Safety
/// As for [`convolve`]; there must be a block of outputs, starting at `first`.
#[inline(always)]
unsafe fn block<const C: usize, D: Dot>(
    task: &Task<'_, C>,
    places: &[u16; CELLS],
    first: usize,
) -> [[int32x4_t; VECTORS]; CELLS] {
    let Task { layer, bias, grid, input } = *task;
    // SAFETY: bias and the weights of a quad have `C` words each, of which a block begins at `first`; a tap of a
    // vertex's cell is a cell of the grid; each four quads of a cell are a vector of its inputs.
    unsafe {
        let mut sums = [std::array::from_fn(|v| vld1q_s32(bias.as_ptr().add(first + WIDTH * v))); CELLS];
        for tap in 0..TAPS {
            let cells = places.map(|place| input.as_ptr().add(grid.tap(place, tap)).cast::<i8>());
            for i in (0..layer.quads).step_by(INPUTS / 4) {
                let inputs = cells.map(|cell| vld1q_s8(cell.add(4 * i)));
                let quads = layer.weights.as_ptr().add(tap * layer.quads + i);
                let weights = |lane: usize| quads.add(lane).cast::<i8>().add(4 * first);
                let left = layer.quads - i;
                add::<D, 0>(&mut sums, weights(0), inputs);
                if left > 1 {
                    add::<D, 1>(&mut sums, weights(1), inputs);
                }
                if left > 2 {
                    add::<D, 2>(&mut sums, weights(2), inputs);
                }
                if left > 3 {
                    add::<D, 3>(&mut sums, weights(3), inputs);
                }
            }
        }
        sums
    }
}

/// Adds the products of the quad `LANE` of each vertex with a block of weights.
///
/// # Safety
/// Needs the instructions of `D`. There must be a block of weights.
#[inline(always)]
unsafe fn add<D: Dot, const LANE: i32>(
    sums: &mut [[int32x4_t; VECTORS]; CELLS],
    weights: *const i8,
    inputs: [int8x16_t; CELLS],
) {
    for v in 0..VECTORS {
        // SAFETY: by the caller.
        unsafe {
            let weights = vld1q_s8(weights.add(4 * WIDTH * v));
            for (sums, inputs) in sums.iter_mut().zip(inputs) {
                sums[v] = D::dot::<LANE>(sums[v], weights, inputs);
            }
        }
    }
}
