//! Convolutions in floating point, forwards and backwards.

use crate::board::Geometry;
use crate::nn::{Grid, TAPS};
use crate::simd::Level;

/// Vertices that are worked on at once.
const GROUP: usize = 3;

/// The channels of a vertex.
pub(super) type Row<const C: usize> = [f32; C];

/// A board, and where its vertices stand among the cells of a layer.
pub(super) struct Board {
    pub geometry: &'static Geometry,
    pub grid: Grid<GROUP>,
}

impl Board {
    pub fn new(geometry: &'static Geometry) -> Board {
        Board { geometry, grid: Grid::new(geometry) }
    }

    /// The cells of the vertices, in vertex order.
    #[inline(always)]
    pub fn cells(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.grid.places().iter().map(|&place| place as usize)
    }

    /// A layer of zeros.
    pub fn layer<const C: usize>(&self) -> Vec<Row<C>> {
        vec![[0.0; C]; self.grid.cells()]
    }

    /// Computes for each vertex the sum over taps and inputs of `weights` times `input`. With `BACK`, taps lead backwards:
    /// given the transposed weights, this is the gradient of a convolution's input.
    pub fn convolve<const C: usize, const BACK: bool>(&self, weights: &[f32], input: &[Row<C>], out: &mut [Row<C>]) {
        match Level::active() {
            // SAFETY: these levels are in use only where AVX2 and FMA were detected.
            #[cfg(target_arch = "x86_64")]
            level if level.has_avx2() => unsafe { self.convolve_avx2::<C, BACK>(weights, input, out) },
            _ => self.convolve_inlined::<C, BACK, false>(weights, input, out),
        }
    }

    /// Adds to `gradient` that of the weights of a convolution, given its input and the gradient `out` of its output.
    pub fn weight_gradient<const C: usize>(&self, input: &[Row<C>], out: &[Row<C>], gradient: &mut [f32]) {
        match Level::active() {
            // SAFETY: as in `convolve`.
            #[cfg(target_arch = "x86_64")]
            level if level.has_avx2() => unsafe { self.weight_gradient_avx2::<C>(input, out, gradient) },
            _ => self.weight_gradient_inlined::<C, false>(input, out, gradient),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn convolve_avx2<const C: usize, const BACK: bool>(&self, weights: &[f32], input: &[Row<C>], out: &mut [Row<C>]) {
        self.convolve_inlined::<C, BACK, true>(weights, input, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn weight_gradient_avx2<const C: usize>(&self, input: &[Row<C>], out: &[Row<C>], gradient: &mut [f32]) {
        self.weight_gradient_inlined::<C, true>(input, out, gradient);
    }

    #[inline(always)]
    fn convolve_inlined<const C: usize, const BACK: bool, const FUSED: bool>(
        &self,
        weights: &[f32],
        input: &[Row<C>],
        out: &mut [Row<C>],
    ) {
        for group in self.grid.groups() {
            let mut sums = [[0.0; C]; GROUP];
            for (tap, weights) in weights.as_chunks::<C>().0.as_chunks::<C>().0.iter().take(TAPS).enumerate() {
                let rows =
                    group.map(|cell| &input[if BACK { self.grid.back(cell, tap) } else { self.grid.tap(cell, tap) }]);
                for i in 0..C {
                    for k in 0..GROUP {
                        add_scaled::<FUSED>(&mut sums[k], rows[k][i], &weights[i]);
                    }
                }
            }
            for k in 0..GROUP {
                out[group[k] as usize] = sums[k];
            }
        }
    }

    #[inline(always)]
    fn weight_gradient_inlined<const C: usize, const FUSED: bool>(
        &self,
        input: &[Row<C>],
        out: &[Row<C>],
        gradient: &mut [f32],
    ) {
        /// Inputs that are worked on at once.
        const PART: usize = 2;
        let (gradient, _) = gradient.as_chunks_mut::<C>();
        for tap in 0..TAPS {
            for part in (0..C).step_by(PART) {
                let mut sums = [[0.0; C]; PART];
                for &cell in self.grid.places() {
                    let (row, out) = (&input[self.grid.tap(cell, tap)], &out[cell as usize]);
                    for j in 0..PART {
                        add_scaled::<FUSED>(&mut sums[j], row[part + j], out);
                    }
                }
                for j in 0..PART {
                    add_product(&mut gradient[tap * C + part + j], 1.0, &sums[j]);
                }
            }
        }
    }
}

/// Adds `factor` times `row` to `sums`, with a single rounding if `FUSED`.
#[inline(always)]
fn add_scaled<const FUSED: bool>(sums: &mut [f32], factor: f32, row: &[f32]) {
    for (sum, &x) in sums.iter_mut().zip(row) {
        *sum = if FUSED { factor.mul_add(x, *sum) } else { *sum + factor * x };
    }
}

/// Adds `factor` times `row` to `sums`.
#[inline(always)]
pub(super) fn add_product(sums: &mut [f32], factor: f32, row: &[f32]) {
    add_scaled::<false>(sums, factor, row);
}

#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The weights of a convolution with inputs and outputs exchanged.
pub(super) fn transposed<const C: usize>(weights: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; weights.len()];
    for (weights, out) in weights.chunks_exact(C * C).zip(out.chunks_exact_mut(C * C)) {
        for (i, row) in weights.chunks_exact(C).enumerate() {
            row.iter().enumerate().for_each(|(o, &weight)| out[o * C + i] = weight);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn forms_agree<const C: usize>(board: &Board, rng: &mut Xoshiro256PlusPlus) {
        let mut layer = || {
            let mut layer = board.layer::<C>();
            board.cells().for_each(|cell| layer[cell] = [(); C].map(|_| rng.random_range(-1.0..1.0)));
            layer
        };
        let (input, back) = (layer(), layer());
        let weights: Vec<f32> = (0..TAPS * C * C).map(|_| rng.random_range(-1.0..1.0)).collect();
        let agree = |a: &[f32], b: &[f32]| {
            assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3 * a.abs().max(1.0)));
        };
        let [mut fast, mut slow] = [board.layer::<C>(), board.layer::<C>()];
        board.convolve::<C, false>(&weights, &input, &mut fast);
        board.convolve_inlined::<C, false, false>(&weights, &input, &mut slow);
        agree(fast.as_flattened(), slow.as_flattened());
        assert!(board.cells().any(|cell| fast[cell][0].abs() > 1.0));
        board.convolve::<C, true>(&weights, &input, &mut fast);
        board.convolve_inlined::<C, true, false>(&weights, &input, &mut slow);
        agree(fast.as_flattened(), slow.as_flattened());
        let [mut fast, mut slow] = [weights.clone(), weights.clone()];
        board.weight_gradient::<C>(&input, &back, &mut fast);
        board.weight_gradient_inlined::<C, false>(&input, &back, &mut slow);
        agree(&fast, &slow);
        assert!(fast != weights);
    }

    #[test]
    fn vector_and_portable_forms_agree_up_to_rounding() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for side in [2, 4, 7] {
            let board = Board::new(Geometry::of(side).unwrap());
            forms_agree::<16>(&board, &mut rng);
            forms_agree::<32>(&board, &mut rng);
            forms_agree::<48>(&board, &mut rng);
            forms_agree::<64>(&board, &mut rng);
        }
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let weights: Vec<f32> = (0..TAPS * 16 * 16).map(|i| i as f32).collect();
        let once = transposed::<16>(&weights);
        assert_eq!((once[1], once[16 * 16 + 2]), (16.0, 16.0 * 16.0 + 32.0));
        assert_eq!(transposed::<16>(&once), weights);
    }
}
