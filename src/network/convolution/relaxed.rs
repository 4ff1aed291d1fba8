//! Convolutions with WebAssembly's relaxed vectors, whose dot products take 8-bit numbers.
//!
//! The results of relaxed instructions may depend on the WebAssembly engine. Those of dot products do not if the
//! unsigned numbers have 7 bits, as inputs have, and the sums of two products fit into 16 bits (WebAssembly 3.0,
//! "Relaxed operations", and the proposal *Relaxed SIMD*, "Relaxed integer dot product"): 2 · 127 · 127 is less than
//! 2¹⁵. Those of conversions do not if the numbers fit. If relaxed instructions were enabled for the whole module, the
//! compiler might use them elsewhere, so they are enabled for these functions only.

use std::arch::wasm32::*;
use std::hint::black_box;

use super::*;

/// Sums in a vector.
const WIDTH: usize = 4;

/// The most quads of inputs that a layer reads at all taps.
const MAX_QUADS: usize = TAPS * 16;

/// The weights of a layer, first those of pairs of quads whose products fit into 16 bits when added up, whatever the
/// inputs are. That saves a widening addition for each pair if a dot product is not a single instruction.
pub(super) struct Paired<const C: usize> {
    weights: Vec<QuadWeights<C>>,
    /// For each of them, the tap and the quad that it reads there.
    places: Vec<(u8, u8)>,
    /// How many pairs come first. Single ones follow.
    pairs: usize,
}

impl<const C: usize> Paired<C> {
    /// Pairs the weights of each tap and quad.
    pub fn new(weights: &[QuadWeights<C>], quads: usize) -> Paired<C> {
        assert!(weights.len() <= MAX_QUADS);
        let (mut left, mut paired, mut single): (Vec<usize>, _, _) = ((0..weights.len()).collect(), vec![], vec![]);
        while !left.is_empty() {
            let one = left.remove(0);
            match left.iter().position(|&other| fit([&weights[one], &weights[other]])) {
                Some(at) => paired.extend([one, left.remove(at)]),
                None => single.push(one),
            }
        }
        let pairs = paired.len() / 2;
        let order = [paired, single].concat();
        let places = order.iter().map(|i| ((i / quads) as u8, (i % quads) as u8)).collect();
        Paired { weights: order.iter().map(|&i| weights[i]).collect(), places, pairs }
    }

    /// For each quad, its offset from the inputs of a cell, in bytes.
    fn offsets(&self, grid: &Grid) -> [isize; MAX_QUADS] {
        let mut offsets = [0; MAX_QUADS];
        for (offset, &(tap, quad)) in offsets.iter_mut().zip(&self.places) {
            *offset = grid.offset(tap as usize) * size_of::<Inputs<C>>() as isize + 4 * quad as isize;
        }
        offsets
    }
}

/// Whether the sums of the products with the weights of two quads fit into 16 bits, for each half of the quads.
fn fit<const C: usize>(quads: [&QuadWeights<C>; 2]) -> bool {
    let fits = |output: usize, half: usize| {
        let weights = || quads.iter().flat_map(|quad| &quad.0[output][2 * half..2 * half + 2]).map(|&w| w as i32);
        let (most, least): (i32, i32) = (weights().map(|w| w.max(0)).sum(), weights().map(|w| w.min(0)).sum());
        most.max(-least) * MAX_INPUT as i32 <= i16::MAX as i32
    };
    (0..C).all(|output| fits(output, 0) && fits(output, 1))
}

/// # Safety
/// The input must be a layer of the grid.
pub unsafe fn convolve<const C: usize>(task: &Task<'_, C>, output: impl Output<C>) {
    // SAFETY: by the caller; a module with relaxed instructions runs only where they exist.
    unsafe {
        if is_one_instruction() {
            convolve_with::<C, true>(task, output);
        } else {
            convolve_with::<C, false>(task, output);
        }
    }
}

/// Whether the processor has an instruction that adds a dot product to a sum, and the WebAssembly engine uses it. On
/// x86 without AVX-VNNI, engines use several instructions, which are slower than computing the same in parts. Inputs
/// beyond 7 bits show which: with such an instruction they are taken as signed or unsigned, and without it sums of two
/// products saturate. In Node.js 20, V8's baseline compiler also computes it wrongly.
#[target_feature(enable = "relaxed-simd")]
fn is_one_instruction() -> bool {
    let [weights, inputs, sums] = black_box([i8x16_splat(127), u8x16_splat(255), i32x4_splat(5)]);
    let sum = i32x4_extract_lane::<0>(i32x4_relaxed_dot_i8x16_i7x16_add(weights, inputs, sums));
    sum == 5 + 4 * 127 * 255 || sum == 5 - 4 * 127
}

/// # Safety
/// As for [`convolve`].
#[target_feature(enable = "relaxed-simd")]
unsafe fn convolve_with<const C: usize, const FUSED: bool>(task: &Task<'_, C>, mut output: impl Output<C>) {
    const { assert!(C.is_multiple_of(4 * WIDTH)) };
    let Task { layer, grid, .. } = *task;
    let offsets = layer.paired.offsets(grid);
    for places in grid.groups() {
        let mut first = 0;
        while first < layer.outputs {
            // As many outputs at once as are needed, for as many vertices as have room for their sums in registers.
            // SAFETY: by the caller; `C` is a multiple of 16.
            first += unsafe {
                match layer.outputs - first {
                    1..=8 => block::<C, 2, 4, FUSED>(task, &offsets, places, first, &mut output),
                    _ => block::<C, 4, 2, FUSED>(task, &offsets, places, first, &mut output),
                }
            };
        }
    }
}

/// Computes `VECTORS` vectors of outputs, starting at `first`, for the vertices of a group. Returns the number of
/// outputs.
///
/// # Safety
/// As for [`convolve`]; there must be `VECTORS` vectors of outputs, starting at `first`.
#[inline]
#[target_feature(enable = "relaxed-simd")]
unsafe fn block<const C: usize, const VECTORS: usize, const CELLS: usize, const FUSED: bool>(
    task: &Task<'_, C>,
    offsets: &[isize; MAX_QUADS],
    places: &[u16; GROUP],
    first: usize,
    output: &mut impl Output<C>,
) -> usize {
    let mut sums = [[i32x4_splat(0); VECTORS]; CELLS];
    for places in places.as_chunks::<CELLS>().0 {
        // SAFETY: by the caller.
        unsafe { add_up::<C, VECTORS, CELLS, FUSED>(task, offsets, places, first, &mut sums) };
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

/// Writes the sums of `VECTORS` vectors of outputs, starting at `first`, for some vertices to `out`. Returning them
/// would be slower, because WebAssembly engines call a function to copy an array.
///
/// # Safety
/// As for [`block`].
#[inline(never)]
#[target_feature(enable = "relaxed-simd")]
unsafe fn add_up<const C: usize, const VECTORS: usize, const CELLS: usize, const FUSED: bool>(
    task: &Task<'_, C>,
    offsets: &[isize; MAX_QUADS],
    places: &[u16; CELLS],
    first: usize,
    out: &mut [[v128; VECTORS]; CELLS],
) {
    let Task { layer, bias, input, .. } = *task;
    let Paired { weights, pairs, .. } = &layer.paired;
    // One instruction adds up four products and the sum.
    let paired = if FUSED { 0 } else { 2 * pairs };
    let (pairs, single) = offsets[..weights.len()].split_at(paired);
    // SAFETY: bias and the weights of a quad of inputs have `C` words each, of which the vectors begin at `first`; the
    // offsets lead from a vertex's cell to quads of inputs of its taps, which are cells of the grid.
    unsafe {
        let load = |at: *const i32, v: usize| v128_load(at.add(WIDTH * v).cast());
        let mut sums = [std::array::from_fn(|v| load(bias.as_ptr().add(first), v)); CELLS];
        let cells = places.map(|place| input.as_ptr().add(place as usize).cast::<u8>());
        let read = |cell: *const u8, offset: isize| v128_load32_splat(cell.offset(offset).cast());
        let mut row = weights.as_ptr().cast::<i32>().add(first);
        for pair in pairs.as_chunks::<2>().0 {
            let quads = cells.map(|cell| pair.map(|offset| read(cell, offset)));
            for v in 0..VECTORS {
                let weights = [load(row, v), load(row.add(C), v)];
                for (sums, quads) in sums.iter_mut().zip(quads) {
                    let [one, other] = [0, 1].map(|i| i16x8_relaxed_dot_i8x16_i7x16(weights[i], quads[i]));
                    sums[v] = widen(sums[v], i16x8_add(one, other));
                }
            }
            row = row.add(2 * C);
        }
        for &offset in single {
            let quads = cells.map(|cell| read(cell, offset));
            for v in 0..VECTORS {
                let weights = load(row, v);
                for (sums, quad) in sums.iter_mut().zip(quads) {
                    sums[v] = dot::<FUSED>(sums[v], weights, quad);
                }
            }
            row = row.add(C);
        }
        *out = sums;
    }
}

/// Adds to each sum the four products of its weights with the inputs of a quad, by one WebAssembly instruction or in
/// parts.
#[inline]
#[target_feature(enable = "relaxed-simd")]
fn dot<const FUSED: bool>(sums: v128, weights: v128, quad: v128) -> v128 {
    if FUSED {
        i32x4_relaxed_dot_i8x16_i7x16_add(weights, quad, sums)
    } else {
        widen(sums, i16x8_relaxed_dot_i8x16_i7x16(weights, quad))
    }
}

/// Adds two sums of 16 bits to each sum of 32. Does not use `i32x4_extadd_pairwise_i16x8`, which the compiler would
/// turn into the slow instruction for a whole dot product.
#[inline]
#[target_feature(enable = "relaxed-simd")]
fn widen(sums: v128, parts: v128) -> v128 {
    i32x4_add(sums, i32x4_dot_i16x8(parts, i16x8_splat(1)))
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
                    let sums = i32x4_splat(5);
                    let quad = i8x16_splat(input);
                    let found = if is_one_instruction() {
                        dot::<true>(sums, weights, quad)
                    } else {
                        dot::<false>(sums, weights, quad)
                    };
                    assert_eq!(i32x4_extract_lane::<3>(found), expected, "{input} {weight} {other}");
                }
            }
        }
    }
}
