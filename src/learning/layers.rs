//! The network's layers in floating point, forwards and backwards.

use crate::board::Geometry;
use crate::knowledge::{CHANNELS, Grid, Row, TAPS};

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
    #[inline(always)]
    pub fn convolve<const BACK: bool>(&self, weights: &[Row], input: &[Row], out: &mut [Row]) {
        for group in self.grid.groups() {
            let mut sums = [[0.0; CHANNELS]; GROUP];
            for (tap, weights) in weights.chunks_exact(CHANNELS).take(TAPS).enumerate() {
                let rows =
                    group.map(|cell| &input[if BACK { self.grid.back(cell, tap) } else { self.grid.tap(cell, tap) }]);
                for (i, weights) in weights.iter().enumerate() {
                    for (sums, row) in sums.iter_mut().zip(rows) {
                        add_product(sums, row[i], weights);
                    }
                }
            }
            for (&cell, sums) in group.iter().zip(sums) {
                out[cell as usize] = sums;
            }
        }
    }

    /// Adds to `gradient` that of the weights of a convolution of `input`, with `out` that of what came out.
    #[inline(always)]
    pub fn weight_gradient(&self, input: &[Row], out: &[Row], gradient: &mut [Row]) {
        /// Inputs that are worked on at the same time.
        const PART: usize = 2;
        for tap in 0..TAPS {
            for part in (0..CHANNELS).step_by(PART) {
                let mut sums = [[0.0; CHANNELS]; PART];
                for &cell in self.grid.places() {
                    let row = &input[self.grid.tap(cell, tap)];
                    for (j, sums) in sums.iter_mut().enumerate() {
                        add_product(sums, row[part + j], &out[cell as usize]);
                    }
                }
                for (total, sum) in gradient[tap * CHANNELS + part..].iter_mut().zip(&sums) {
                    add_product(total, 1.0, sum);
                }
            }
        }
    }
}

/// Adds `factor` times `row` to `sums`.
#[inline(always)]
pub(super) fn add_product(sums: &mut Row, factor: f32, row: &Row) {
    for (sum, x) in sums.iter_mut().zip(row) {
        *sum += factor * x;
    }
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
