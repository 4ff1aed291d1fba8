//! The arithmetic of the network: convolutions over a vertex and its six neighbours, in 16-bit fixed-point numbers with
//! 32-bit sums. Each has a portable form and forms by vectors, chosen at run time, which give the same to the bit.

use super::features::FEATURES;
use super::grid::{Grid, TAPS};

/// Channels of a layer: numbers that it keeps for each vertex.
pub(crate) const CHANNELS: usize = 32;
/// Binary digits behind the point of channels.
pub(super) const CHANNEL_BITS: u32 = 8;
/// Binary digits behind the point of weights.
pub(super) const WEIGHT_BITS: u32 = 10;
/// Cells that a convolution works on at the same time.
const GROUP: usize = 8;

/// A number for each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub [i16; CHANNELS]);

impl Lanes {
    pub const ZERO: Lanes = Lanes([0; CHANNELS]);

    /// A layer of zeros. What is no vertex stays zero.
    pub fn layer(grid: &Board) -> Vec<Lanes> {
        vec![Lanes::ZERO; grid.cells()]
    }

    #[inline(always)]
    fn add(&mut self, other: &Lanes) {
        for (sum, x) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_add(*x);
        }
    }
}

/// The weights of two inputs for each output.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct PairWeights(pub [[i16; 2]; CHANNELS]);

/// The weights of the layer that reads features.
pub(super) struct FirstLayer {
    /// For each tap and feature.
    pub weights: [[Lanes; FEATURES]; TAPS],
    pub bias: Lanes,
}

/// The weights of a layer that reads another.
pub(super) struct Convolution {
    /// For each tap and pair of inputs.
    pub weights: [[PairWeights; CHANNELS / 2]; TAPS],
    /// With the binary digits of channels and weights together.
    pub bias: [i32; CHANNELS],
}

/// The grid of a board, ready for these convolutions.
pub(super) type Board = Grid<GROUP>;

/// Which form of the arithmetic is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Portable code.
    Portable,
    /// Vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Vectors of 512 bits, with dot products.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The forms that this processor has, the best one last.
    fn available() -> impl DoubleEndedIterator<Item = Kernel> {
        #[cfg(target_arch = "x86_64")]
        let vectors = {
            use std::arch::is_x86_feature_detected as has;
            let avx512 = has!("avx512f") && has!("avx512vnni");
            [has!("avx2").then_some(Kernel::Avx2), avx512.then_some(Kernel::Avx512)]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = [None; 0];
        std::iter::once(Kernel::Portable).chain(vectors.into_iter().flatten())
    }

    /// The best form that this processor has.
    pub fn detect() -> Kernel {
        Kernel::available().next_back().expect("there is always the portable form")
    }

    /// The first layer, from the features of each vertex that are not among those of `start`. What stands in `space` does not
    /// matter.
    pub fn read_features(
        self,
        layer: &FirstLayer,
        grid: &Board,
        start: &Start,
        features: &[u32],
        space: &mut [Lanes],
        out: &mut [Lanes],
    ) {
        match self {
            Kernel::Portable => read_features(layer, grid, start, features, space, out),
            // SAFETY: these forms are chosen only where AVX2 was detected (AVX-512 includes it).
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 | Kernel::Avx512 => unsafe { x86::read_features(layer, grid, start, features, space, out) },
        }
    }

    /// A convolution of `input`, to which `residual` is added if there is one; what is below 0 becomes 0.
    ///
    /// # Panics
    /// If the layers are not layers of the grid.
    pub fn convolve(
        self,
        layer: &Convolution,
        grid: &Board,
        input: &[Lanes],
        residual: Option<&[Lanes]>,
        out: &mut [Lanes],
    ) {
        assert_eq!(input.len(), grid.cells(), "a layer of another board");
        match self {
            Kernel::Portable => convolve(layer, grid, input, residual, out),
            // SAFETY: the processor has what the form needs where it was chosen; `input` is a layer of the grid.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { x86::convolve_avx2(layer, grid, input, residual, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => unsafe { x86::convolve_avx512(layer, grid, input, residual, out) },
        }
    }

    /// For each vertex the product of its channels in `layer` and the weights, with the binary digits of both; and returns
    /// the sum of each channel over all vertices.
    pub fn read_out(self, weights: &Lanes, grid: &Board, layer: &[Lanes], products: &mut [i32]) -> [i32; CHANNELS] {
        match self {
            Kernel::Portable => read_out(weights, grid, layer, products),
            // SAFETY: as in `read_features`.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 | Kernel::Avx512 => unsafe { x86::read_out(weights, grid, layer, products) },
        }
    }
}

/// What the first layer makes of the features that are the same in all positions of a board.
pub(super) struct Start(Vec<Lanes>);

impl Start {
    /// From these features of each vertex.
    pub fn new(layer: &FirstLayer, grid: &Board, features: &[u32]) -> Start {
        let mut lanes = Lanes::layer(grid);
        for &place in grid.places() {
            lanes[place as usize] = layer.bias;
        }
        spread(layer, grid, features, &mut lanes);
        Start(lanes)
    }
}

/// Adds to the cells from which taps lead to a vertex what its features give them.
#[inline(always)]
fn spread(layer: &FirstLayer, grid: &Board, features: &[u32], out: &mut [Lanes]) {
    for (&features, &place) in features.iter().zip(grid.places()).filter(|(features, _)| **features != 0) {
        for (tap, weights) in layer.weights.iter().enumerate() {
            let mut sum = Lanes::ZERO;
            let mut left = features;
            while left != 0 {
                sum.add(&weights[left.trailing_zeros() as usize]);
                left &= left - 1;
            }
            out[grid.back(place, tap)].add(&sum);
        }
    }
}

#[inline(always)]
fn read_features(
    layer: &FirstLayer,
    grid: &Board,
    start: &Start,
    features: &[u32],
    space: &mut [Lanes],
    out: &mut [Lanes],
) {
    space.copy_from_slice(&start.0);
    spread(layer, grid, features, space);
    for &place in grid.places() {
        out[place as usize] = Lanes(space[place as usize].0.map(|x| x.max(0)));
    }
    // What was given to cells that are no vertices is not wanted.
    space.fill(Lanes::ZERO);
}

fn convolve(layer: &Convolution, grid: &Board, input: &[Lanes], residual: Option<&[Lanes]>, out: &mut [Lanes]) {
    for group in grid.groups() {
        let mut sums = [layer.bias; GROUP];
        for (tap, weights) in layer.weights.iter().enumerate() {
            for (&place, sums) in group.iter().zip(&mut sums) {
                let lanes = &input[grid.tap(place, tap)].0;
                for (pair, weights) in lanes.chunks_exact(2).zip(weights) {
                    for (sum, [a, b]) in sums.iter_mut().zip(weights.0) {
                        *sum = sum.wrapping_add(pair[0] as i32 * a as i32 + pair[1] as i32 * b as i32);
                    }
                }
            }
        }
        for (&place, sums) in group.iter().zip(&sums) {
            let before = before(residual, place);
            let after = &mut out[place as usize].0;
            for ((after, before), sum) in after.iter_mut().zip(before.0).zip(sums) {
                let value = (sum >> WEIGHT_BITS).clamp(i16::MIN as i32, i16::MAX as i32) as i16;
                *after = value.saturating_add(before).max(0);
            }
        }
    }
}

/// What is added to a cell's sums.
#[inline(always)]
fn before(residual: Option<&[Lanes]>, place: u16) -> Lanes {
    residual.map_or(Lanes::ZERO, |lanes| lanes[place as usize])
}

#[inline(always)]
fn read_out(weights: &Lanes, grid: &Board, layer: &[Lanes], products: &mut [i32]) -> [i32; CHANNELS] {
    let mut sums = [0; CHANNELS];
    for (&place, product) in grid.places().iter().zip(products) {
        let channels = &layer[place as usize].0;
        let products = channels.iter().zip(&weights.0).map(|(&a, &w)| a as i32 * w as i32);
        *product = products.fold(0, i32::wrapping_add);
        for (sum, &a) in sums.iter_mut().zip(channels) {
            *sum += a as i32;
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn read_features(
        layer: &FirstLayer,
        grid: &Board,
        start: &Start,
        features: &[u32],
        space: &mut [Lanes],
        out: &mut [Lanes],
    ) {
        super::read_features(layer, grid, start, features, space, out);
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn read_out(weights: &Lanes, grid: &Board, layer: &[Lanes], products: &mut [i32]) -> [i32; CHANNELS] {
        super::read_out(weights, grid, layer, products)
    }

    /// For each cell of a group the channels at a tap, as pairs.
    ///
    /// # Safety
    /// `input` must be a layer of the grid.
    #[inline]
    unsafe fn pairs<const N: usize>(grid: &Board, group: &[u16], tap: usize, input: &[Lanes]) -> [*const i32; N] {
        // SAFETY: a tap of a vertex's cell is a cell of the grid.
        std::array::from_fn(|j| unsafe { input.as_ptr().add(grid.tap(group[j], tap)).cast() })
    }

    /// # Safety
    /// Needs AVX-512 with VNNI. `input` must be a layer of the grid.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub unsafe fn convolve_avx512(
        layer: &Convolution,
        grid: &Board,
        input: &[Lanes],
        residual: Option<&[Lanes]>,
        out: &mut [Lanes],
    ) {
        const WIDTH: usize = 16;
        for group in grid.groups() {
            // SAFETY: `bias`, weights and lanes have as many numbers as are read and written; each of the `CHANNELS / 2`
            // pairs of a cell is in its lanes.
            unsafe {
                let load = |at: *const i32| _mm512_loadu_si512(at.cast());
                let bias = [0, 1].map(|half| load(layer.bias.as_ptr().add(WIDTH * half)));
                let mut sums = [bias; GROUP];
                for (tap, weights) in layer.weights.iter().enumerate() {
                    let pairs: [_; GROUP] = pairs(grid, group, tap, input);
                    for (i, weights) in weights.iter().enumerate() {
                        let weights = [0, 1].map(|half| load(weights.0.as_ptr().add(WIDTH * half).cast()));
                        for (sums, pair) in sums.iter_mut().zip(pairs) {
                            let pair = _mm512_set1_epi32(*pair.add(i));
                            sums[0] = _mm512_dpwssd_epi32(sums[0], pair, weights[0]);
                            sums[1] = _mm512_dpwssd_epi32(sums[1], pair, weights[1]);
                        }
                    }
                }
                for (&place, sums) in group.iter().zip(sums) {
                    let (before, after) = (before(residual, place), &mut out[place as usize].0);
                    for (half, sums) in sums.into_iter().enumerate() {
                        let value = _mm512_cvtsepi32_epi16(_mm512_srai_epi32::<WEIGHT_BITS>(sums));
                        let before = _mm256_loadu_si256(before.0.as_ptr().add(WIDTH * half).cast());
                        let value = _mm256_max_epi16(_mm256_adds_epi16(value, before), _mm256_setzero_si256());
                        _mm256_storeu_si256(after.as_mut_ptr().add(WIDTH * half).cast(), value);
                    }
                }
            }
        }
    }

    /// # Safety
    /// Needs AVX2. `input` must be a layer of the grid.
    #[target_feature(enable = "avx2")]
    pub unsafe fn convolve_avx2(
        layer: &Convolution,
        grid: &Board,
        input: &[Lanes],
        residual: Option<&[Lanes]>,
        out: &mut [Lanes],
    ) {
        const WIDTH: usize = 8;
        /// Cells whose sums fit into the registers.
        const PART: usize = 2;
        const QUARTERS: [usize; 4] = [0, 1, 2, 3];
        for part in grid.groups().iter().flat_map(|group| group.chunks_exact(PART)) {
            // SAFETY: as in `convolve_avx512`.
            unsafe {
                let load = |at: *const i32| _mm256_loadu_si256(at.cast());
                let mut sums = [QUARTERS.map(|q| load(layer.bias.as_ptr().add(WIDTH * q))); PART];
                for (tap, weights) in layer.weights.iter().enumerate() {
                    let pairs: [_; PART] = pairs(grid, part, tap, input);
                    for (i, weights) in weights.iter().enumerate() {
                        let pairs = pairs.map(|pair| _mm256_set1_epi32(*pair.add(i)));
                        for q in QUARTERS {
                            let weights = load(weights.0.as_ptr().add(WIDTH * q).cast());
                            for (sums, pair) in sums.iter_mut().zip(pairs) {
                                sums[q] = _mm256_add_epi32(sums[q], _mm256_madd_epi16(pair, weights));
                            }
                        }
                    }
                }
                for (&place, sums) in part.iter().zip(sums) {
                    let (before, after) = (before(residual, place), &mut out[place as usize].0);
                    let sums = sums.map(|sums| _mm256_srai_epi32::<{ WEIGHT_BITS as i32 }>(sums));
                    for half in [0, 1] {
                        let at = 2 * WIDTH * half;
                        // Packing takes the quarters of both in turn.
                        let packed = _mm256_packs_epi32(sums[2 * half], sums[2 * half + 1]);
                        let value = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                        let before = _mm256_loadu_si256(before.0.as_ptr().add(at).cast());
                        let value = _mm256_max_epi16(_mm256_adds_epi16(value, before), _mm256_setzero_si256());
                        _mm256_storeu_si256(after.as_mut_ptr().add(at).cast(), value);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Geometry;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn lanes(rng: &mut Xoshiro256PlusPlus, least: i16, most: i16) -> Lanes {
        Lanes(std::array::from_fn(|_| rng.random_range(least..=most)))
    }

    #[test]
    fn all_forms_agree_to_the_bit() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for side in [2, 3, 4, 6, 9, 13] {
            let geometry = Geometry::of(side).unwrap();
            let grid = Board::new(geometry);
            // Weights so large that sums leave the range of 16 bits, and now and then that of 32.
            for most in [300, i16::MAX] {
                let mut numbers = || rng.random_range(-most..=most);
                let weights = std::array::from_fn(|_| {
                    std::array::from_fn(|_| PairWeights(std::array::from_fn(|_| [numbers(), numbers()])))
                });
                let layer = Convolution { weights, bias: std::array::from_fn(|_| rng.random_range(-1 << 20..1 << 20)) };
                let weights = std::array::from_fn(|_| std::array::from_fn(|_| lanes(&mut rng, -most, most)));
                let first = FirstLayer { weights, bias: lanes(&mut rng, -most, most) };
                let (mut input, mut residual) = (Lanes::layer(&grid), Lanes::layer(&grid));
                for &place in grid.places() {
                    input[place as usize] = lanes(&mut rng, 0, i16::MAX);
                    residual[place as usize] = lanes(&mut rng, 0, i16::MAX);
                }
                let features: Vec<u32> = grid.places().iter().map(|_| rng.random_range(0..1 << FEATURES)).collect();
                let fixed: Vec<u32> = grid.places().iter().map(|_| rng.random_range(0..1 << FEATURES)).collect();
                let start = Start::new(&first, &grid, &fixed);
                let run = |kernel: Kernel| {
                    let [mut a, mut b, mut c, mut space] = std::array::from_fn(|_| Lanes::layer(&grid));
                    kernel.read_features(&first, &grid, &start, &features, &mut space, &mut a);
                    kernel.convolve(&layer, &grid, &input, None, &mut b);
                    kernel.convolve(&layer, &grid, &input, Some(&residual), &mut c);
                    let mut products = vec![0; geometry.vertex_count()];
                    let sums = kernel.read_out(&first.bias, &grid, &input, &mut products);
                    ([a, b, c], products, sums)
                };
                let expected = run(Kernel::Portable);
                assert!(expected.0[1].iter().any(|lanes| *lanes != Lanes::ZERO));
                for kernel in Kernel::available() {
                    assert!(run(kernel) == expected, "{kernel:?} on side {side}");
                }
            }
        }
    }

    /// A weight of one in a single place, against the neighbours by the board's own tables.
    #[test]
    fn a_tap_leads_to_one_neighbour_and_off_the_board_to_zero() {
        let geometry = Geometry::of(4).unwrap();
        let grid = Board::new(geometry);
        let mut seen = 0;
        for tap in 0..TAPS {
            let mut layer =
                Convolution { weights: [[PairWeights([[0; 2]; CHANNELS]); CHANNELS / 2]; TAPS], bias: [0; CHANNELS] };
            layer.weights[tap][0].0[5][1] = 1 << WEIGHT_BITS;
            let mut input = Lanes::layer(&grid);
            for (v, &place) in grid.places().iter().enumerate() {
                input[place as usize].0[1] = v as i16 + 1;
            }
            let mut out = Lanes::layer(&grid);
            Kernel::detect().convolve(&layer, &grid, &input, None, &mut out);
            for (v, &place) in geometry.vertices().zip(grid.places()) {
                let there = out[place as usize].0[5];
                match geometry.vertex((there - 1).max(0) as usize) {
                    _ if there == 0 => assert!(geometry.neighbours(v).len() < 6),
                    Some(w) if tap == 0 => assert_eq!(w, v),
                    Some(w) => assert!(geometry.neighbours(v).contains(&w)),
                    None => panic!("{there} is no vertex"),
                }
                seen += (there != 0 && tap > 0) as usize;
            }
        }
        assert_eq!(seen, geometry.vertices().map(|v| geometry.neighbours(v).len()).sum::<usize>());
    }
}
