//! The network's layers in floating point, forwards and backwards.

use crate::board::Geometry;
use crate::nn::{CHANNELS, Grid, Row, TAPS};

/// Cells that are worked on at the same time.
const GROUP: usize = 3;

/// A board, and where its vertices lie among the cells of a layer.
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

    pub fn layer(&self) -> Vec<Row> {
        vec![[0.0; CHANNELS]; self.grid.cells()]
    }

    /// For each vertex the sum over taps and inputs of weights times `input`; `BACK` goes along the taps backwards.
    pub fn convolve<const BACK: bool>(&self, weights: &[Row], input: &[Row], out: &mut [Row]) {
        #[cfg(target_arch = "x86_64")]
        if has_vectors() {
            // SAFETY: AVX2 and FMA were detected.
            return unsafe { self.convolve_avx2::<BACK>(weights, input, out) };
        }
        self.convolve_inlined::<BACK, false>(weights, input, out);
    }

    /// Adds to `gradient` that of the weights of a convolution of `input`, with `out` that of what came out.
    pub fn weight_gradient(&self, input: &[Row], out: &[Row], gradient: &mut [Row]) {
        #[cfg(target_arch = "x86_64")]
        if has_vectors() {
            // SAFETY: AVX2 and FMA were detected.
            return unsafe { self.weight_gradient_avx2(input, out, gradient) };
        }
        self.weight_gradient_inlined::<false>(input, out, gradient);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn convolve_avx2<const BACK: bool>(&self, weights: &[Row], input: &[Row], out: &mut [Row]) {
        self.convolve_inlined::<BACK, true>(weights, input, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn weight_gradient_avx2(&self, input: &[Row], out: &[Row], gradient: &mut [Row]) {
        self.weight_gradient_inlined::<true>(input, out, gradient);
    }

    #[inline(always)]
    fn convolve_inlined<const BACK: bool, const FUSED: bool>(&self, weights: &[Row], input: &[Row], out: &mut [Row]) {
        for group in self.grid.groups() {
            let mut sums = [[0.0; CHANNELS]; GROUP];
            for (tap, weights) in weights.as_chunks::<CHANNELS>().0.iter().take(TAPS).enumerate() {
                let rows =
                    group.map(|cell| &input[if BACK { self.grid.back(cell, tap) } else { self.grid.tap(cell, tap) }]);
                for i in 0..CHANNELS {
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
    fn weight_gradient_inlined<const FUSED: bool>(&self, input: &[Row], out: &[Row], gradient: &mut [Row]) {
        /// Inputs that are worked on at the same time.
        const PART: usize = 2;
        for tap in 0..TAPS {
            for part in (0..CHANNELS).step_by(PART) {
                let mut sums = [[0.0; CHANNELS]; PART];
                for &cell in self.grid.places() {
                    let (row, out) = (&input[self.grid.tap(cell, tap)], &out[cell as usize]);
                    for j in 0..PART {
                        add_scaled::<FUSED>(&mut sums[j], row[part + j], out);
                    }
                }
                for j in 0..PART {
                    add_product(&mut gradient[tap * CHANNELS + part + j], 1.0, &sums[j]);
                }
            }
        }
    }
}

/// Whether this processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
fn has_vectors() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// Adds `factor` times `row` to `sums`, in one rounding if `FUSED`.
#[inline(always)]
fn add_scaled<const FUSED: bool>(sums: &mut Row, factor: f32, row: &Row) {
    for o in 0..CHANNELS {
        sums[o] = if FUSED { factor.mul_add(row[o], sums[o]) } else { sums[o] + factor * row[o] };
    }
}

/// Adds `factor` times `row` to `sums`.
#[inline(always)]
pub(super) fn add_product(sums: &mut Row, factor: f32, row: &Row) {
    add_scaled::<false>(sums, factor, row);
}

#[inline(always)]
pub(super) fn dot(a: &Row, b: &Row) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The weights of a convolution with inputs and outputs exchanged.
pub(super) fn transposed(weights: &[Row]) -> Vec<Row> {
    let mut out = vec![[0.0; CHANNELS]; TAPS * CHANNELS];
    for (tap, weights) in weights.chunks_exact(CHANNELS).take(TAPS).enumerate() {
        for (i, row) in weights.iter().enumerate() {
            for (o, &weight) in row.iter().enumerate() {
                out[tap * CHANNELS + o][i] = weight;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn vector_and_portable_forms_agree_but_for_rounding() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut rows = |count: usize| (0..count).map(|_| [(); CHANNELS].map(|_| rng.random_range(-1.0..1.0))).collect();
        for side in [2, 4, 7] {
            let board = Board::new(Geometry::of(side).unwrap());
            let mut layer = || {
                let mut layer = board.layer();
                let values: Vec<Row> = rows(board.cells().len());
                board.cells().zip(values).for_each(|(cell, row)| layer[cell] = row);
                layer
            };
            let (input, back) = (layer(), layer());
            let weights: Vec<Row> = rows(TAPS * CHANNELS);
            let agree = |a: &[Row], b: &[Row]| {
                let pairs = a.as_flattened().iter().zip(b.as_flattened());
                assert!(a.len() == b.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-3 * a.abs().max(1.0)));
            };
            let [mut fast, mut slow] = [board.layer(), board.layer()];
            board.convolve::<false>(&weights, &input, &mut fast);
            board.convolve_inlined::<false, false>(&weights, &input, &mut slow);
            agree(&fast, &slow);
            assert!(board.cells().any(|cell| fast[cell][0].abs() > 1.0));
            board.convolve::<true>(&weights, &input, &mut fast);
            board.convolve_inlined::<true, false>(&weights, &input, &mut slow);
            agree(&fast, &slow);
            let [mut fast, mut slow] = [weights.clone(), weights.clone()];
            board.weight_gradient(&input, &back, &mut fast);
            board.weight_gradient_inlined::<false>(&input, &back, &mut slow);
            agree(&fast, &slow);
            assert!(fast != weights);
        }
    }
}
