//! The two loops over a node's moves that a search spends its time in outside of playouts: selection and the RAVE
//! update. Each has a portable form and one for AVX2, chosen at run time, which give the same results to the bit.
//!
//! The words of a node are shared between threads. Rust knows no atomic vectors, so the vector forms read and write them
//! by assembly, to which the language's rules on data races do not reach; the processor moves aligned words whole.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What selection takes besides the node's arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'a> {
    /// What the thread adds to the bias of each move: as long as the node's arrays, or empty for nothing.
    pub leaning: &'a [f32],
    /// So many playouts of a move weigh as much as its RAVE estimate.
    pub rave: f32,
    /// The factor of the exploration term √(ln N / (n + 1)); 0 leaves it out.
    pub exploration: f32,
    /// ln N, of the node's playouts.
    pub log_playouts: f32,
}

/// Which form of the loops is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Portable code.
    Portable,
    /// Vectors of eight.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// The best form that this processor has.
    pub fn detect() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Kernel::Avx2;
        }
        Kernel::Portable
    }

    /// The index of the move with the greatest value
    ///
    /// (w + k·(R + b + l)) / (n + k) + c·√(ln N / (n + 1)),
    ///
    /// where n is the move's visits, w its won playouts, R its RAVE estimate, b its bias, l [`Selection::leaning`], k
    /// [`Selection::rave`], c [`Selection::exploration`]. Of equals the first. The arrays are those of
    /// [`super::tree::Node::selection_arrays`].
    #[inline]
    pub fn select(self, arrays: [&[AtomicU32]; 5], selection: Selection<'_>) -> usize {
        match self {
            Kernel::Portable => portable::select(arrays, selection),
            // SAFETY: this form is chosen only where AVX2 was detected.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe {
                match (selection.exploration != 0.0, !selection.leaning.is_empty()) {
                    (false, false) => avx2::select::<false, false>(arrays, selection),
                    (false, true) => avx2::select::<false, true>(arrays, selection),
                    (true, false) => avx2::select::<true, false>(arrays, selection),
                    (true, true) => avx2::select::<true, true>(arrays, selection),
                }
            },
        }
    }

    /// Adds `increments` to the words of an array of floats, entry by entry.
    #[inline]
    pub fn add(self, array: &[AtomicU32], increments: &[f32]) {
        match self {
            Kernel::Portable => portable::add(array, increments),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2::add(array, increments) },
        }
    }
}

mod portable {
    use super::*;

    pub fn select([visits, points, rave_weight, rave_wins, bias]: [&[AtomicU32]; 5], s: Selection<'_>) -> usize {
        let float = |array: &[AtomicU32], i: usize| f32::from_bits(array[i].load(Relaxed));
        let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
        for i in 0..visits.len() {
            let n = visits[i].load(Relaxed) as i32 as f32;
            let w = points[i].load(Relaxed) as i32 as f32 * 0.5;
            let rave = float(rave_wins, i) / float(rave_weight, i);
            let leaning = s.leaning.get(i).copied().unwrap_or(0.0);
            let mut value = (w + s.rave * (rave + (float(bias, i) + leaning))) / (n + s.rave);
            if s.exploration != 0.0 {
                value += s.exploration * (s.log_playouts / (n + 1.0)).sqrt();
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

    const LANES: usize = 8;

    /// # Safety
    /// Needs AVX2. `at` must be valid for reads of eight words.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(at: *const AtomicU32) -> __m256 {
        let out: __m256;
        // SAFETY: eight words are read, by the caller's word. Other threads may write them: assembly may race.
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

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn select<const EXPLORE: bool, const LEAN: bool>(arrays: [&[AtomicU32]; 5], s: Selection<'_>) -> usize {
        let length = arrays[0].len();
        assert!(length.is_multiple_of(LANES) && arrays.iter().all(|array| array.len() == length));
        assert!(!LEAN || s.leaning.len() == length);
        let [visits, points, rave_weight, rave_wins, bias] = arrays.map(<[AtomicU32]>::as_ptr);
        let (half, one) = (_mm256_set1_ps(0.5), _mm256_set1_ps(1.0));
        let (k, c, log) = (_mm256_set1_ps(s.rave), _mm256_set1_ps(s.exploration), _mm256_set1_ps(s.log_playouts));
        let mut best_value = _mm256_set1_ps(f32::NEG_INFINITY);
        let mut best = _mm256_setzero_si256();
        let mut here = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for i in (0..length).step_by(LANES) {
            // SAFETY: all five arrays have `length` words, a multiple of `LANES`.
            let (visits, points, rave_weight, rave_wins, mut bias) = unsafe {
                let at = |array: *const AtomicU32| load(array.add(i));
                (at(visits), at(points), at(rave_weight), at(rave_wins), at(bias))
            };
            if LEAN {
                // SAFETY: `leaning` has `length` entries, too.
                bias = _mm256_add_ps(bias, unsafe { _mm256_loadu_ps(s.leaning.as_ptr().add(i)) });
            }
            let n = _mm256_cvtepi32_ps(_mm256_castps_si256(visits));
            let w = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_castps_si256(points)), half);
            let rave = _mm256_div_ps(rave_wins, rave_weight);
            let numerator = _mm256_add_ps(w, _mm256_mul_ps(k, _mm256_add_ps(rave, bias)));
            let mut value = _mm256_div_ps(numerator, _mm256_add_ps(n, k));
            if EXPLORE {
                let term = _mm256_sqrt_ps(_mm256_div_ps(log, _mm256_add_ps(n, one)));
                value = _mm256_add_ps(value, _mm256_mul_ps(c, term));
            }
            let better = _mm256_cmp_ps::<_CMP_GT_OQ>(value, best_value);
            best_value = _mm256_blendv_ps(best_value, value, better);
            best = _mm256_blendv_epi8(best, here, _mm256_castps_si256(better));
            here = _mm256_add_epi32(here, _mm256_set1_epi32(LANES as i32));
        }
        let (mut values, mut indices) = ([0f32; LANES], [0u32; LANES]);
        // SAFETY: both arrays have room for eight words.
        unsafe {
            _mm256_storeu_ps(values.as_mut_ptr(), best_value);
            _mm256_storeu_si256(indices.as_mut_ptr().cast(), best);
        }
        let mut lane = 0;
        for i in 1..LANES {
            if values[i] > values[lane] || (values[i] == values[lane] && indices[i] < indices[lane]) {
                lane = i;
            }
        }
        indices[lane] as usize
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn floats(values: impl Iterator<Item = f32>) -> Vec<AtomicU32> {
        values.map(|x| AtomicU32::new(x.to_bits())).collect()
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
            let leaning: Vec<f32> = (0..length * (round / 4 % 2)).map(|_| rng.random_range(0.0..0.1)).collect();
            let rave = rng.random_range(1.0..5000.0);
            let selection = Selection { leaning: &leaning, rave, exploration, log_playouts: 7.5 };
            assert_eq!(Kernel::detect().select(arrays, selection), portable::select(arrays, selection));

            let increments: Vec<f32> = (0..length).map(|_| rng.random_range(0.0..2.0)).collect();
            let other = floats(weight.iter().map(|w| f32::from_bits(w.load(Relaxed))));
            Kernel::detect().add(&weight, &increments);
            portable::add(&other, &increments);
            let bits = |array: &[AtomicU32]| array.iter().map(|w| w.load(Relaxed)).collect::<Vec<_>>();
            assert_eq!(bits(&weight), bits(&other));
        }
    }

    #[test]
    fn of_equal_moves_the_first_is_selected_and_illegal_ones_never() {
        let length = 32;
        let zeros = floats((0..length).map(|_| 0.0));
        let ones = floats((0..length).map(|_| 1.0));
        let bias = floats((0..length).map(|i| if i == 9 || i == 17 { 0.0 } else { f32::NEG_INFINITY }));
        let mut leaning = vec![0.0; length];
        let selected = |kernel: Kernel, leaning: &[f32]| {
            let selection = Selection { leaning, rave: 10.0, exploration: 0.0, log_playouts: 0.0 };
            kernel.select([&zeros, &zeros, &ones, &ones, &bias], selection)
        };
        let kernels = [Kernel::Portable, Kernel::detect()];
        for leaning in [&leaning[..], &[]] {
            kernels.iter().for_each(|&kernel| assert_eq!(selected(kernel, leaning), 9));
        }
        leaning[17] = 1e-3;
        leaning[20] = 1.0;
        kernels.iter().for_each(|&kernel| assert_eq!(selected(kernel, &leaning), 17));
    }
}
