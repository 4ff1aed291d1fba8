//! Selection by PUCT: the loop over a node's moves. See [`Kernel`] for its forms.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::engine::search::kernel::{Kernel, LANES};
use crate::engine::search::node::DRAWN_VISITS;

use super::node::{PAGE_VERTICES, Page, long};

/// Masks the visits out of a move's word, which may have [`DRAWN_VISITS`] added.
const VISITS_MASK: u32 = DRAWN_VISITS - 1;

/// The parameters of selection by PUCT in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct PuctParameters {
    /// The network's value of the node for the player to move, in \[0, 1\].
    pub value: f32,
    /// The factor c of the exploration term.
    pub exploration: f32,
    /// How far the value of untried moves falls below the node's mean as the tried moves' priors approach 1.
    pub reduction: f32,
}

/// What selection by PUCT derives from the sums over a node's moves.
#[derive(Clone, Copy)]
struct Totals {
    /// The factor of P / (n + 1).
    exploration: f32,
    /// The value of untried moves.
    untried: f32,
}

impl PuctParameters {
    /// Combines sums over the tried open moves of a node, given lane by lane: of visits, of visits times means, and of
    /// priors.
    #[inline]
    fn totals(self, [visits, results, tried]: [[f32; LANES]; 3]) -> Totals {
        let sum = |lanes: [f32; LANES]| lanes.into_iter().fold(0.0, |sum: f32, x| sum + x);
        let visits = sum(visits) + 1.0;
        let mean = (sum(results) + self.value) / visits;
        Totals { exploration: self.exploration * visits.sqrt(), untried: mean - self.reduction * sum(tried).sqrt() }
    }
}

/// The index of the move with the greatest value
///
/// Q + c·P·√(N + 1) / (n + 1),
///
/// where n is the move's visits, N those of all open moves, Q the mean result of the move, P its prior, c
/// [`PuctParameters::exploration`] (PUCT: Rosin, *Multi-armed bandits with episode context*, 2011; as in AlphaZero,
/// Silver et al. 2018). For an untried move Q is the node's mean, with the network's value counted as one visit, less
/// [`PuctParameters::reduction`]·√T, where T is the sum of the tried moves' priors (first-play urgency as in Leela
/// Zero). Ties go to the lowest index. The moves are those of [`super::PuctNode::with_pages`].
#[inline]
pub(super) fn select(kernel: Kernel, pages: &[&Page], priors: &[AtomicU16], parameters: PuctParameters) -> usize {
    match kernel {
        Kernel::Portable => portable::select(pages, priors, parameters),
        // SAFETY: this form is chosen only where AVX2 was detected.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => unsafe { avx2::select(pages, priors, parameters) },
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Kernel::Simd128 => wasm::select(pages, priors, parameters),
    }
}

mod portable {
    use super::*;

    pub fn select(pages: &[&Page], priors: &[AtomicU16], parameters: PuctParameters) -> usize {
        let moves = || {
            let in_page = |page: &'_ Page, i: usize| {
                let n = (page[i].load(Relaxed) & VISITS_MASK) as f32;
                (n, f32::from_bits(page[PAGE_VERTICES + i].load(Relaxed)))
            };
            let at = move |i: usize| in_page(pages[i / PAGE_VERTICES], i % PAGE_VERTICES);
            priors.iter().enumerate().map(move |(i, p)| (i, (at(i).0, at(i).1, long(p.load(Relaxed)))))
        };
        let mut sums = [[0.0; LANES]; 3];
        for (i, (n, mean, p)) in moves().filter(|&(_, (n, _, p))| n > 0.0 && p >= 0.0) {
            sums.iter_mut().zip([n, n * mean, p]).for_each(|(sums, term)| sums[i % LANES] += term);
        }
        let totals = parameters.totals(sums);
        let mut best = 0;
        let mut best_value = f32::NEG_INFINITY;
        for (i, (n, mean, p)) in moves() {
            let mean = if n > 0.0 { mean } else { totals.untried };
            let value = if p >= 0.0 { mean + totals.exploration * p / (n + 1.0) } else { p };
            if value > best_value {
                (best, best_value) = (i, value);
            }
        }
        best
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use crate::engine::search::kernel::avx2::{Best, lanes, load};
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// The floats that eight numbers of 16 bits are the upper halves of.
    ///
    /// # Safety
    /// Needs AVX2. `at` must be valid for reads of eight numbers.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_short(at: *const AtomicU16) -> __m256 {
        let out: __m128i;
        // SAFETY: as in `load`.
        unsafe { asm!("vmovdqu {}, [{}]", out(xmm_reg) out, in(reg) at, options(readonly, nostack, preserves_flags)) };
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(out)))
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn select(pages: &[&Page], priors: &[AtomicU16], parameters: PuctParameters) -> usize {
        let length = priors.len();
        const { assert!(PAGE_VERTICES.is_multiple_of(LANES)) };
        assert_eq!(length, pages.len() * PAGE_VERTICES);
        let priors = priors.as_ptr();
        let zero = _mm256_setzero_ps();
        let one = _mm256_set1_ps(1.0);
        // Visits, means, priors, and masks of the moves that are tried and of those that are open or won.
        let read = |i: usize| {
            // SAFETY: there are `length` priors and moves in pages, a multiple of `LANES`.
            let (n, mean, p) = unsafe {
                let page = pages.get_unchecked(i / PAGE_VERTICES).as_ptr().add(i % PAGE_VERTICES);
                (load(page), load(page.add(PAGE_VERTICES)), load_short(priors.add(i)))
            };
            let n = _mm256_and_si256(_mm256_castps_si256(n), _mm256_set1_epi32(VISITS_MASK as i32));
            let n = _mm256_cvtepi32_ps(n);
            let tried = _mm256_cmp_ps::<_CMP_GT_OQ>(n, zero);
            let open = _mm256_cmp_ps::<_CMP_GE_OQ>(p, zero);
            (n, mean, p, tried, open)
        };
        let mut sums = [zero; 3];
        for i in (0..length).step_by(LANES) {
            let (n, mean, p, tried, open) = read(i);
            let counts = _mm256_and_ps(tried, open);
            for (sum, term) in sums.iter_mut().zip([n, _mm256_mul_ps(n, mean), p]) {
                *sum = _mm256_add_ps(*sum, _mm256_and_ps(counts, term));
            }
        }
        let totals = parameters.totals(sums.map(|sum| lanes(sum)));
        let exploration = _mm256_set1_ps(totals.exploration);
        let untried = _mm256_set1_ps(totals.untried);
        let mut best = Best::new();
        for i in (0..length).step_by(LANES) {
            let (n, mean, p, tried, open) = read(i);
            let mean = _mm256_blendv_ps(untried, mean, tried);
            let term = _mm256_div_ps(_mm256_mul_ps(exploration, p), _mm256_add_ps(n, one));
            best.take(_mm256_blendv_ps(p, _mm256_add_ps(mean, term), open));
        }
        best.index()
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::*;
    use crate::engine::search::kernel::index_of_greatest;
    use std::arch::wasm32::*;
    use std::sync::atomic::AtomicU32;

    /// Four words of a node, wherever they stand.
    #[derive(Clone, Copy)]
    #[repr(C, packed)]
    struct Words(v128);

    /// Four numbers of 16 bits of a node, wherever they stand.
    #[derive(Clone, Copy)]
    #[repr(C, packed)]
    struct Shorts(u64);

    /// Numbers in a vector. `LANES` of them are kept in `PARTS` vectors.
    const WIDTH: usize = 4;
    const PARTS: usize = LANES / WIDTH;

    /// Visits, means and priors of four moves, and masks of those that are tried and of those that are open or won.
    #[derive(Clone, Copy)]
    struct Moves {
        n: v128,
        mean: v128,
        p: v128,
        tried: v128,
        open: v128,
    }

    impl Moves {
        /// The moves starting at index `i`.
        #[inline(always)]
        fn read(pages: &[&Page], priors: &[AtomicU16], i: usize) -> Moves {
            let priors: &[AtomicU16; WIDTH] = priors[i..].first_chunk().expect("a multiple of the lanes");
            // SAFETY: the reference is to four numbers of 16 bits. Other threads may write them meanwhile.
            let Shorts(bits) = unsafe { priors.as_ptr().cast::<Shorts>().read_volatile() };
            let p = u32x4_shl(u32x4_extend_low_u16x8(u64x2_splat(bits)), 16);
            let page = pages[i / PAGE_VERTICES];
            let i = i % PAGE_VERTICES;
            let [n, mean] = [0, PAGE_VERTICES].map(|start| {
                let words: &[AtomicU32; WIDTH] = page[start + i..].first_chunk().expect("a multiple of the lanes");
                // SAFETY: the reference is to four words. Other threads may write them meanwhile.
                let Words(vector) = unsafe { words.as_ptr().cast::<Words>().read_volatile() };
                vector
            });
            let n = f32x4_convert_u32x4(v128_and(n, u32x4_splat(VISITS_MASK)));
            let zero = f32x4_splat(0.0);
            Moves { n, mean, p, tried: f32x4_gt(n, zero), open: f32x4_ge(p, zero) }
        }
    }

    pub fn select(pages: &[&Page], priors: &[AtomicU16], parameters: PuctParameters) -> usize {
        let length = priors.len();
        assert_eq!(length, pages.len() * PAGE_VERTICES);
        let mut sums = [[f32x4_splat(0.0); PARTS]; 3];
        for i in (0..length).step_by(LANES) {
            for part in 0..PARTS {
                let Moves { n, mean, p, tried, open } = Moves::read(pages, priors, i + WIDTH * part);
                let counts = v128_and(tried, open);
                for (sums, term) in sums.iter_mut().zip([n, f32x4_mul(n, mean), p]) {
                    sums[part] = f32x4_add(sums[part], v128_and(counts, term));
                }
            }
        }
        let totals = parameters.totals(sums.map(lanes));
        let exploration = f32x4_splat(totals.exploration);
        let untried = f32x4_splat(totals.untried);
        let mut best = f32x4_splat(f32::NEG_INFINITY);
        let mut index = u32x4_splat(0);
        let mut here = u32x4(0, 1, 2, 3);
        for i in (0..length).step_by(WIDTH) {
            let Moves { n, mean, p, tried, open } = Moves::read(pages, priors, i);
            let mean = v128_bitselect(mean, untried, tried);
            let term = f32x4_div(f32x4_mul(exploration, p), f32x4_add(n, f32x4_splat(1.0)));
            let value = v128_bitselect(f32x4_add(mean, term), p, open);
            let better = f32x4_gt(value, best);
            (best, index) = (v128_bitselect(value, best, better), v128_bitselect(here, index, better));
            here = u32x4_add(here, u32x4_splat(WIDTH as u32));
        }
        index_of_greatest(words(best).map(f32::from_bits), words(index))
    }

    fn words(vector: v128) -> [u32; WIDTH] {
        let mut words = [0; WIDTH];
        // SAFETY: there is room for four words.
        unsafe { v128_store(words.as_mut_ptr().cast(), vector) };
        words
    }

    fn lanes(vectors: [v128; PARTS]) -> [f32; LANES] {
        let parts = vectors.map(words);
        std::array::from_fn(|i| f32::from_bits(parts[i / WIDTH][i % WIDTH]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::node::mark;
    use crate::engine::search::puct::node::{PAGE, short};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::sync::atomic::AtomicU32;

    fn floats(values: impl Iterator<Item = f32>) -> Vec<AtomicU32> {
        values.map(|x| AtomicU32::new(x.to_bits())).collect()
    }

    fn shorts(values: impl Iterator<Item = f32>) -> Vec<AtomicU16> {
        values.map(|x| AtomicU16::new(short(x))).collect()
    }

    /// Pages of moves with these visits and means.
    fn pages(visits: &[AtomicU32], means: &[AtomicU32]) -> Vec<Page> {
        let word = |array: &[AtomicU32], i: usize| AtomicU32::new(array[i].load(Relaxed));
        let entry = |k: usize, i: usize| match i / PAGE_VERTICES {
            0 => word(visits, k * PAGE_VERTICES + i),
            1 => word(means, k * PAGE_VERTICES + i % PAGE_VERTICES),
            _ => AtomicU32::new(0),
        };
        (0..visits.len() / PAGE_VERTICES).map(|k| std::array::from_fn(|i| entry(k, i))).collect()
    }

    #[test]
    fn the_forms_agree_to_the_bit_and_follow_the_formula() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        for round in 0..2000 {
            let length = 16 * rng.random_range(1..30);
            let n: Vec<u32> = (0..length).map(|_| rng.random_range(0..[2, 1000][round % 2])).collect();
            let q: Vec<f32> = (0..length).map(|_| rng.random_range(0.0..1.0)).collect();
            let special = [mark::ILLEGAL, mark::LOST, mark::LAST_RESORT];
            let p: Vec<f32> = (0..length)
                .map(|_| {
                    if rng.random_range(0..4) == 0 {
                        special[rng.random_range(0..3)]
                    } else {
                        long(short(rng.random_range(0.0..0.1)))
                    }
                })
                .collect();
            // Some moves are drawn.
            let mut visit = |&n: &u32| AtomicU32::new(n + DRAWN_VISITS * rng.random_range(0..=1));
            let visits: Vec<_> = n.iter().map(&mut visit).collect();
            let (means, priors) = (floats(q.iter().copied()), shorts(p.iter().copied()));
            let puct = PuctParameters {
                value: rng.random_range(0.0..1.0),
                exploration: rng.random_range(0.0..3.0),
                reduction: 0.3,
            };
            let pages = pages(&visits, &means);
            let pages: Vec<&Page> = pages.iter().collect();
            let selected = select(Kernel::detect(), &pages, &priors, puct);
            assert_eq!(selected, portable::select(&pages, &priors, puct));

            let open = |i: &usize| p[*i] >= 0.0;
            let tried = |i: &usize| open(i) && n[*i] > 0;
            let sum = |x: &dyn Fn(usize) -> f64| (0..length).filter(tried).map(x).sum::<f64>();
            let all = sum(&|i| n[i].into()) + 1.0;
            let mean = (sum(&|i| f64::from(n[i]) * f64::from(q[i])) + f64::from(puct.value)) / all;
            let untried = mean - f64::from(puct.reduction) * sum(&|i| p[i].into()).sqrt();
            let value = |i: usize| {
                let q = if n[i] > 0 { q[i].into() } else { untried };
                q + f64::from(puct.exploration) * f64::from(p[i]) * all.sqrt() / f64::from(n[i] + 1)
            };
            let best = (0..length).filter(open).map(value).fold(f64::NEG_INFINITY, f64::max);
            assert!(!(0..length).any(|i| open(&i)) || best - value(selected) < 1e-5);
        }
    }

    /// Where every move is lost, the last resort is selected.
    #[test]
    fn among_lost_moves_the_last_resort_is_selected() {
        let others = [mark::LOST, mark::ILLEGAL];
        let priors = shorts((0..16).map(|i| if i == 11 { mark::LAST_RESORT } else { others[i % 2] }));
        let page = [const { AtomicU32::new(0) }; PAGE];
        let puct = PuctParameters { value: 0.5, exploration: 1.0, reduction: 0.2 };
        for kernel in [Kernel::Portable, Kernel::detect()] {
            assert_eq!(select(kernel, &[&page], &priors, puct), 11);
        }
    }
}
