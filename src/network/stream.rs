//! The residual stream: for each vertex, a 16-bit activation of each channel. The first layer writes it from the
//! features, each block adds to it, and the heads read it. The functions are plain loops, inlined into their callers,
//! so that the compiler uses the vector instructions that the caller is compiled for. All forms give bit-identical
//! results.

use super::features;
use super::grid::Grid;

/// Fraction bits of activations.
pub(super) const ACTIVATION_BITS: u32 = 8;
/// Fraction bits of the weights of the policy head.
pub(super) const POLICY_BITS: u32 = 10;

/// The activations of a vertex, or a weight for each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lanes<const C: usize>(pub [i16; C]);

impl<const C: usize> Lanes<C> {
    pub const ZERO: Lanes<C> = Lanes([0; C]);

    /// A layer of zeros.
    pub fn layer(grid: &Grid) -> Vec<Lanes<C>> {
        vec![Lanes::ZERO; grid.cells()]
    }

    #[inline(always)]
    fn add(&mut self, other: &Lanes<C>) {
        for (sum, x) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_add(*x);
        }
    }
}

/// The weights of the layer that reads features.
pub(super) struct FirstLayer<const C: usize> {
    /// For each tap and feature.
    pub weights: Vec<Lanes<C>>,
    pub bias: Lanes<C>,
}

impl<const C: usize> FirstLayer<C> {
    /// The contribution of the features that never change on a board, plus the bias, plus `more` at each vertex. Cells
    /// off the board have no meaning.
    pub fn start(&self, grid: &Grid, features: &[u128], more: &Lanes<C>) -> Vec<Lanes<C>> {
        let mut lanes = Lanes::layer(grid);
        for &place in grid.places() {
            lanes[place as usize] = self.bias;
            lanes[place as usize].add(more);
        }
        self.spread(grid, features, &mut lanes);
        lanes
    }

    /// Adds the contribution of the features of each vertex to the cells whose taps lead to it.
    #[inline(always)]
    fn spread(&self, grid: &Grid, features: &[u128], out: &mut [Lanes<C>]) {
        for (&features, &place) in features.iter().zip(grid.places()).filter(|(features, _)| **features != 0) {
            let mut list = [0; features::COUNT];
            let mut count = 0;
            let mut left = features;
            while left != 0 {
                list[count] = left.trailing_zeros() as u8;
                count += 1;
                left &= left - 1;
            }
            for (tap, weights) in self.weights.chunks_exact(features::COUNT).enumerate() {
                let mut sum = Lanes::ZERO;
                // Not `for_each`: if that is not inlined, its closure is compiled without these vector instructions.
                for &feature in &list[..count] {
                    sum.add(&weights[feature as usize]);
                }
                out[grid.back(place, tap)].add(&sum);
            }
        }
    }
}

/// Computes the first layer. `start` is from [`FirstLayer::start`], and `features` are the other features of each
/// vertex.
#[inline(always)]
pub(super) fn read_features<const C: usize>(
    layer: &FirstLayer<C>,
    grid: &Grid,
    start: &[Lanes<C>],
    features: &[u128],
    stream: &mut [Lanes<C>],
) {
    stream.copy_from_slice(start);
    layer.spread(grid, features, stream);
    for &place in grid.places() {
        stream[place as usize].0.iter_mut().for_each(|x| *x = (*x).max(0));
    }
}

/// The sum and the maximum of each channel over all vertices.
#[inline(always)]
pub(super) fn pool<const C: usize>(grid: &Grid, stream: &[Lanes<C>]) -> ([i32; C], [i16; C]) {
    let mut sums = [0; C];
    let mut most = [i16::MIN; C];
    for &place in grid.places() {
        for ((sum, most), &a) in sums.iter_mut().zip(&mut most).zip(&stream[place as usize].0) {
            *sum += a as i32;
            *most = a.max(*most);
        }
    }
    (sums, most)
}

/// Computes for each vertex the product of its channels with the weights, with the fraction bits of both.
#[inline(always)]
pub(super) fn read_policy<const C: usize>(weights: &Lanes<C>, grid: &Grid, stream: &[Lanes<C>], products: &mut [i32]) {
    for (&place, product) in grid.places().iter().zip(products) {
        let channels = &stream[place as usize].0;
        let products = channels.iter().zip(&weights.0).map(|(&a, &w)| a as i32 * w as i32);
        *product = products.fold(0, i32::wrapping_add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::base::simd::Level;
    use crate::game::Geometry;
    use crate::network::grid::TAPS;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn lanes<const C: usize>(rng: &mut Xoshiro256PlusPlus, least: i16, most: i16) -> Lanes<C> {
        Lanes(std::array::from_fn(|_| rng.random_range(least..=most)))
    }

    fn all_forms_agree<const C: usize>(rng: &mut Xoshiro256PlusPlus, side: usize, most: i16) {
        let grid = Grid::new(Geometry::with_side(side).unwrap());
        let weights = (0..TAPS * features::COUNT).map(|_| lanes(rng, -most, most)).collect();
        let first: FirstLayer<C> = FirstLayer { weights, bias: lanes(rng, -most, most) };
        let mut stream = Lanes::layer(&grid);
        grid.places().iter().for_each(|&place| stream[place as usize] = lanes(rng, 0, i16::MAX));
        let mut features = || grid.places().iter().map(|_| rng.random_range(0..1 << features::COUNT)).collect();
        let [fixed, changing]: [Vec<u128>; 2] = [features(), features()];
        let start = first.start(&grid, &fixed, &lanes(rng, -most, most));
        let layer = Layer { first, grid, start, changing, stream };
        let expected = layer.run();
        // The last channels, which a loop for fewer would leave out, are computed.
        assert!(expected.0.iter().any(|lanes| lanes.0[C - 8..].iter().any(|&x| x != 0)));
        #[cfg(target_arch = "x86_64")]
        if Level::available().any(Level::has_avx2) {
            // SAFETY: AVX2 was detected.
            assert!(unsafe { layer.run_avx2() } == expected, "side {side} with {C} channels");
        }
    }

    /// What the functions compute: the stream, the products, the sums and maxima.
    type Results<const C: usize> = (Vec<Lanes<C>>, Vec<i32>, ([i32; C], [i16; C]));

    /// The arguments of all functions.
    struct Layer<const C: usize> {
        first: FirstLayer<C>,
        grid: Grid,
        start: Vec<Lanes<C>>,
        changing: Vec<u128>,
        stream: Vec<Lanes<C>>,
    }

    impl<const C: usize> Layer<C> {
        #[inline(always)]
        fn run(&self) -> Results<C> {
            let Layer { first, grid, start, changing, stream } = self;
            let mut written = Lanes::layer(grid);
            read_features(first, grid, start, changing, &mut written);
            let mut products = vec![0; grid.places().len()];
            read_policy(&first.bias, grid, stream, &mut products);
            (written, products, pool(grid, stream))
        }

        /// # Safety
        /// Needs AVX2.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        unsafe fn run_avx2(&self) -> Results<C> {
            self.run()
        }
    }

    #[test]
    fn all_forms_agree_to_the_bit() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for side in [2, 3, 4, 6, 9, 13] {
            // Weights so large that sums leave the range of 16 bits, and now and then that of 32.
            for most in [300, i16::MAX] {
                all_forms_agree::<16>(&mut rng, side, most);
                all_forms_agree::<32>(&mut rng, side, most);
                all_forms_agree::<48>(&mut rng, side, most);
                all_forms_agree::<64>(&mut rng, side, most);
            }
        }
    }
}
