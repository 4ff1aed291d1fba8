//! The hot loops over a node's moves: selection by PUCT and by RAVE, and the RAVE update. Each exists in a portable
//! form and for AVX2, chosen at run time; the two give the same results to the bit. So does selection by PUCT for
//! WebAssembly's vectors.
//!
//! The words of a node are shared between threads. Rust has no atomic vectors, so the vector forms read and write them
//! in assembly, which the language's rules on data races do not cover. This assumes that an access of 256 bits reads or
//! writes each aligned word of 32 bits whole. The manuals promise that of accesses of up to 64 bits, and with AVX of
//! aligned ones of 128 bits; a wider one may be made of several (Intel, *Software Developer's Manual*, volume 3A,
//! "Guaranteed Atomic Operations"; AMD, *Architecture Programmer's Manual*, volume 2, "Access Atomicity"). No processor
//! is known that splits one within a word; measurements find splits at 64 bits or more (Rigtorp, *Aligned AVX loads and
//! stores are atomic*, <https://rigtorp.se/isatomic/>). Stable Rust has no assembly for WebAssembly. There volatile
//! reads take its place, which WebAssembly defines also while other threads write (*Threads*, "Memory model").

use std::sync::atomic::{AtomicU16, AtomicU32, Ordering::Relaxed};

use crate::base::simd::Level;

use super::node::{DRAWN_VISITS, PAGE_VERTICES, Page, long};

/// Entries that are processed at once. The length of a node's arrays is a multiple of this.
const LANES: usize = 8;

/// Masks the visits out of a move's word, which may have [`DRAWN_VISITS`] added.
const VISITS_MASK: u32 = DRAWN_VISITS - 1;

/// The parameters of selection by PUCT in a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Puct {
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

impl Puct {
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

/// The parameters of selection by RAVE in a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rave {
    /// The number of visits that a move's RAVE estimate weighs as much as.
    pub rave: f32,
    /// The factor c of the exploration term √(ln N / (n + 1)); 0 leaves the term out.
    pub exploration: f32,
    /// ln N, where N is the node's visits.
    pub log_visits: f32,
}

/// Which form of the loops to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Portable code.
    Portable,
    /// Vectors of eight.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// WebAssembly's vectors of four. RAVE's loops are those of portable code.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Kernel {
    /// The form for the instructions in use.
    pub fn detect() -> Kernel {
        match Level::active() {
            #[cfg(target_arch = "x86_64")]
            level if level.has_avx2() => Kernel::Avx2,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::Simd128 => Kernel::Simd128,
            #[cfg(relaxed_simd)]
            Level::RelaxedSimd => Kernel::Simd128,
            _ => Kernel::Portable,
        }
    }

    /// The index of the move with the greatest value
    ///
    /// Q + c·P·√(N + 1) / (n + 1),
    ///
    /// where n is the move's visits, N those of all open moves, Q the mean result of the move, P its prior, c
    /// [`Puct::exploration`] (PUCT: Rosin, *Multi-armed bandits with episode context*, 2011; as in AlphaZero, Silver et
    /// al. 2018). For an untried move Q is the node's mean, with the network's value counted as one visit, less
    /// [`Puct::reduction`]·√T, where T is the sum of the tried moves' priors (first-play urgency as in Leela Zero).
    /// Ties go to the lowest index. The moves are those of [`super::node::Node::with_pages`].
    #[inline]
    pub fn puct(self, pages: &[&Page], priors: &[AtomicU16], puct: Puct) -> usize {
        match self {
            Kernel::Portable => portable::puct(pages, priors, puct),
            // SAFETY: this form is chosen only where AVX2 was detected.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2::puct(pages, priors, puct) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => wasm::puct(pages, priors, puct),
        }
    }

    /// The index of the move with the greatest value
    ///
    /// (w + k·(R + b)) / (n + k) + c·√(ln N / (n + 1)),
    ///
    /// where n is the move's visits, w the won ones, R its RAVE estimate, b its bias, k [`Rave::rave`], c
    /// [`Rave::exploration`]. Ties go to the lowest index. The arrays are those of
    /// [`super::node::Node::rave_selection_arrays`].
    #[inline]
    pub fn rave(self, arrays: [&[AtomicU32]; 5], rave: Rave) -> usize {
        match self {
            Kernel::Portable => portable::rave(arrays, rave),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe {
                match rave.exploration != 0.0 {
                    false => avx2::rave::<false>(arrays, rave),
                    true => avx2::rave::<true>(arrays, rave),
                }
            },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => portable::rave(arrays, rave),
        }
    }

    /// Adds `increments` to an array of floats, entry by entry.
    #[inline]
    pub fn add(self, array: &[AtomicU32], increments: &[f32]) {
        match self {
            Kernel::Portable => portable::add(array, increments),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2::add(array, increments) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => portable::add(array, increments),
        }
    }
}

mod portable {
    use super::*;

    pub fn puct(pages: &[&Page], priors: &[AtomicU16], puct: Puct) -> usize {
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
        let totals = puct.totals(sums);
        let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
        for (i, (n, mean, p)) in moves() {
            let mean = if n > 0.0 { mean } else { totals.untried };
            let value = if p >= 0.0 { mean + totals.exploration * p / (n + 1.0) } else { p };
            if value > best_value {
                (best, best_value) = (i, value);
            }
        }
        best
    }

    pub fn rave([visits, points, rave_weight, rave_wins, bias]: [&[AtomicU32]; 5], s: Rave) -> usize {
        let float = |array: &[AtomicU32], i: usize| f32::from_bits(array[i].load(Relaxed));
        let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
        for i in 0..visits.len() {
            let n = visits[i].load(Relaxed) as i32 as f32;
            let w = points[i].load(Relaxed) as i32 as f32 * 0.5;
            let rave = float(rave_wins, i) / float(rave_weight, i);
            let mut value = (w + s.rave * (rave + float(bias, i))) / (n + s.rave);
            if s.exploration != 0.0 {
                value += s.exploration * (s.log_visits / (n + 1.0)).sqrt();
            }
            if value > best_value {
                (best, best_value) = (i, value);
            }
        }
        best
    }

    pub fn add(array: &[AtomicU32], increments: &[f32]) {
        for (word, increment) in array.iter().zip(increments) {
            word.store((f32::from_bits(word.load(Relaxed)) + increment).to_bits(), Relaxed);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// # Safety
    /// Needs AVX2. `at` must be valid for reads of eight words.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(at: *const AtomicU32) -> __m256 {
        let out: __m256;
        // SAFETY: the caller promises eight readable words. Other threads may write them meanwhile; assembly may race.
        unsafe { asm!("vmovups {}, [{}]", out(ymm_reg) out, in(reg) at, options(readonly, nostack, preserves_flags)) };
        out
    }

    /// # Safety
    /// Needs AVX2. `at` must be valid for writes of eight words.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store(at: *const AtomicU32, value: __m256) {
        // SAFETY: as in `load`; the words are atomic, so writing through a shared reference is allowed.
        unsafe { asm!("vmovups [{}], {}", in(reg) at, in(ymm_reg) value, options(nostack, preserves_flags)) };
    }

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
    pub unsafe fn puct(pages: &[&Page], priors: &[AtomicU16], puct: Puct) -> usize {
        let length = priors.len();
        const { assert!(PAGE_VERTICES.is_multiple_of(LANES)) };
        assert_eq!(length, pages.len() * PAGE_VERTICES);
        let priors = priors.as_ptr();
        let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
        // Visits, means, priors, and masks of the moves that are tried and of those that are open or won.
        let read = |i: usize| {
            // SAFETY: there are `length` priors and moves in pages, a multiple of `LANES`.
            let (n, mean, p) = unsafe {
                let page = pages.get_unchecked(i / PAGE_VERTICES).as_ptr().add(i % PAGE_VERTICES);
                (load(page), load(page.add(PAGE_VERTICES)), load_short(priors.add(i)))
            };
            let n = _mm256_and_si256(_mm256_castps_si256(n), _mm256_set1_epi32(VISITS_MASK as i32));
            let n = _mm256_cvtepi32_ps(n);
            let (tried, open) = (_mm256_cmp_ps::<_CMP_GT_OQ>(n, zero), _mm256_cmp_ps::<_CMP_GE_OQ>(p, zero));
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
        let totals = puct.totals(sums.map(|sum| lanes(sum)));
        let (exploration, untried) = (_mm256_set1_ps(totals.exploration), _mm256_set1_ps(totals.untried));
        let mut best = Best::new();
        for i in (0..length).step_by(LANES) {
            let (n, mean, p, tried, open) = read(i);
            let mean = _mm256_blendv_ps(untried, mean, tried);
            let term = _mm256_div_ps(_mm256_mul_ps(exploration, p), _mm256_add_ps(n, one));
            best.take(_mm256_blendv_ps(p, _mm256_add_ps(mean, term), open));
        }
        best.index()
    }

    /// The greatest of a row of values, and the lowest index where it stands.
    struct Best {
        value: __m256,
        index: __m256i,
        here: __m256i,
    }

    impl Best {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn new() -> Best {
            let here = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            Best { value: _mm256_set1_ps(f32::NEG_INFINITY), index: _mm256_setzero_si256(), here }
        }

        /// Compares the next values.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn take(&mut self, value: __m256) {
            let better = _mm256_cmp_ps::<_CMP_GT_OQ>(value, self.value);
            self.value = _mm256_blendv_ps(self.value, value, better);
            self.index = _mm256_blendv_epi8(self.index, self.here, _mm256_castps_si256(better));
            self.here = _mm256_add_epi32(self.here, _mm256_set1_epi32(LANES as i32));
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn index(self) -> usize {
            let (values, mut indices) = (lanes(self.value), [0u32; LANES]);
            // SAFETY: there is room for eight words.
            unsafe { _mm256_storeu_si256(indices.as_mut_ptr().cast(), self.index) };
            let mut lane = 0;
            for i in 1..LANES {
                if values[i] > values[lane] || (values[i] == values[lane] && indices[i] < indices[lane]) {
                    lane = i;
                }
            }
            indices[lane] as usize
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lanes(vector: __m256) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        // SAFETY: there is room for eight words.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), vector) };
        lanes
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn rave<const EXPLORE: bool>(arrays: [&[AtomicU32]; 5], s: Rave) -> usize {
        let length = arrays[0].len();
        assert!(length.is_multiple_of(LANES) && arrays.iter().all(|array| array.len() == length));
        let [visits, points, rave_weight, rave_wins, bias] = arrays.map(<[AtomicU32]>::as_ptr);
        let (half, one) = (_mm256_set1_ps(0.5), _mm256_set1_ps(1.0));
        let (k, c, log) = (_mm256_set1_ps(s.rave), _mm256_set1_ps(s.exploration), _mm256_set1_ps(s.log_visits));
        let mut best = Best::new();
        for i in (0..length).step_by(LANES) {
            // SAFETY: all five arrays have `length` words, a multiple of `LANES`.
            let (visits, points, rave_weight, rave_wins, bias) = unsafe {
                let at = |array: *const AtomicU32| load(array.add(i));
                (at(visits), at(points), at(rave_weight), at(rave_wins), at(bias))
            };
            let n = _mm256_cvtepi32_ps(_mm256_castps_si256(visits));
            let w = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_castps_si256(points)), half);
            let rave = _mm256_div_ps(rave_wins, rave_weight);
            let numerator = _mm256_add_ps(w, _mm256_mul_ps(k, _mm256_add_ps(rave, bias)));
            let mut value = _mm256_div_ps(numerator, _mm256_add_ps(n, k));
            if EXPLORE {
                let term = _mm256_sqrt_ps(_mm256_div_ps(log, _mm256_add_ps(n, one)));
                value = _mm256_add_ps(value, _mm256_mul_ps(c, term));
            }
            best.take(value);
        }
        best.index()
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn add(array: &[AtomicU32], increments: &[f32]) {
        assert!(array.len().is_multiple_of(LANES) && array.len() <= increments.len());
        for i in (0..array.len()).step_by(LANES) {
            // SAFETY: both have `LANES` entries from `i` on.
            unsafe {
                let at = array.as_ptr().add(i);
                store(at, _mm256_add_ps(load(at), _mm256_loadu_ps(increments.as_ptr().add(i))));
            }
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::*;
    use std::arch::wasm32::*;

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
        /// The moves from index `i` on.
        #[inline(always)]
        fn read(pages: &[&Page], priors: &[AtomicU16], i: usize) -> Moves {
            let priors: &[AtomicU16; WIDTH] = priors[i..].first_chunk().expect("a multiple of the lanes");
            // SAFETY: the reference is to four numbers of 16 bits. Other threads may write them meanwhile.
            let Shorts(bits) = unsafe { priors.as_ptr().cast::<Shorts>().read_volatile() };
            let p = u32x4_shl(u32x4_extend_low_u16x8(u64x2_splat(bits)), 16);
            let (page, i) = (pages[i / PAGE_VERTICES], i % PAGE_VERTICES);
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

    pub fn puct(pages: &[&Page], priors: &[AtomicU16], puct: Puct) -> usize {
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
        let totals = puct.totals(sums.map(lanes));
        let (exploration, untried) = (f32x4_splat(totals.exploration), f32x4_splat(totals.untried));
        let (mut best, mut index) = (f32x4_splat(f32::NEG_INFINITY), u32x4_splat(0));
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
        greatest(best, index)
    }

    /// The index that belongs to the greatest value. Ties go to the lowest index.
    fn greatest(values: v128, indices: v128) -> usize {
        let values = [
            f32x4_extract_lane::<0>(values),
            f32x4_extract_lane::<1>(values),
            f32x4_extract_lane::<2>(values),
            f32x4_extract_lane::<3>(values),
        ];
        let indices = [
            u32x4_extract_lane::<0>(indices),
            u32x4_extract_lane::<1>(indices),
            u32x4_extract_lane::<2>(indices),
            u32x4_extract_lane::<3>(indices),
        ];
        let mut lane = 0;
        for i in 1..WIDTH {
            if values[i] > values[lane] || (values[i] == values[lane] && indices[i] < indices[lane]) {
                lane = i;
            }
        }
        indices[lane] as usize
    }

    fn lanes(vectors: [v128; PARTS]) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        for (lanes, vector) in lanes.as_chunks_mut::<WIDTH>().0.iter_mut().zip(vectors) {
            // SAFETY: there is room for four numbers.
            unsafe { v128_store(lanes.as_mut_ptr().cast(), vector) };
        }
        lanes
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::{PAGE, bias, short};
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

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
    fn vector_and_portable_forms_agree_to_the_bit() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for round in 0..2000 {
            let length = 16 * rng.random_range(1..30);
            let visits: Vec<u32> = (0..length).map(|_| rng.random_range(0..[2, 1000][round % 2])).collect();
            let points = visits.iter().map(|&n| AtomicU32::new(rng.random_range(0..=2 * n))).collect::<Vec<_>>();
            let visits = visits.into_iter().map(AtomicU32::new).collect::<Vec<_>>();
            let weight = floats((0..length).map(|_| rng.random_range(1..100) as f32));
            let wins = floats(weight.iter().map(|w| f32::from_bits(w.load(Relaxed)) * rng.random_range(0.0..1.0)));
            let biases = [f32::NEG_INFINITY, -1e9, 0.0, 0.01, 0.0, 0.0, 0.25];
            let bias = floats((0..length).map(|_| biases[rng.random_range(0..biases.len())]));
            let arrays = [&visits[..], &points, &weight, &wins, &bias];
            let exploration = [0.0, 0.7][round / 2 % 2];
            let rave = rng.random_range(1.0..5000.0);
            let selection = Rave { rave, exploration, log_visits: 7.5 };
            assert_eq!(Kernel::detect().rave(arrays, selection), portable::rave(arrays, selection));

            let increments: Vec<f32> = (0..length).map(|_| rng.random_range(0.0..2.0)).collect();
            let other = floats(weight.iter().map(|w| f32::from_bits(w.load(Relaxed))));
            Kernel::detect().add(&weight, &increments);
            portable::add(&other, &increments);
            let bits = |array: &[AtomicU32]| array.iter().map(|w| w.load(Relaxed)).collect::<Vec<_>>();
            assert_eq!(bits(&weight), bits(&other));
        }
    }

    #[test]
    fn forms_of_puct_agree_to_the_bit_and_follow_the_formula() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        for round in 0..2000 {
            let length = 16 * rng.random_range(1..30);
            let n: Vec<u32> = (0..length).map(|_| rng.random_range(0..[2, 1000][round % 2])).collect();
            let q: Vec<f32> = (0..length).map(|_| rng.random_range(0.0..1.0)).collect();
            let special = [bias::ILLEGAL, bias::LOST, bias::LAST_RESORT];
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
            let puct =
                Puct { value: rng.random_range(0.0..1.0), exploration: rng.random_range(0.0..3.0), reduction: 0.3 };
            let pages = pages(&visits, &means);
            let pages: Vec<&Page> = pages.iter().collect();
            let selected = Kernel::detect().puct(&pages, &priors, puct);
            assert_eq!(selected, portable::puct(&pages, &priors, puct));

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
        let others = [bias::LOST, bias::ILLEGAL];
        let priors = shorts((0..16).map(|i| if i == 11 { bias::LAST_RESORT } else { others[i % 2] }));
        let page = [const { AtomicU32::new(0) }; PAGE];
        let puct = Puct { value: 0.5, exploration: 1.0, reduction: 0.2 };
        for kernel in [Kernel::Portable, Kernel::detect()] {
            assert_eq!(kernel.puct(&[&page], &priors, puct), 11);
        }
    }

    #[test]
    fn ties_go_to_the_lowest_index_and_illegal_moves_are_never_selected() {
        let length = 32;
        let zeros = floats((0..length).map(|_| 0.0));
        let ones = floats((0..length).map(|_| 1.0));
        let bias = floats((0..length).map(|i| if i == 9 || i == 17 { 0.0 } else { f32::NEG_INFINITY }));
        let selection = Rave { rave: 10.0, exploration: 0.0, log_visits: 0.0 };
        for kernel in [Kernel::Portable, Kernel::detect()] {
            assert_eq!(kernel.rave([&zeros, &zeros, &ones, &ones, &bias], selection), 9);
        }
    }
}
