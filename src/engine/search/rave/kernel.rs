//! Selection by RAVE, and the RAVE update: the loops over a node's moves. See [`Kernel`] for their forms.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::engine::search::kernel::Kernel;

/// The parameters of selection by RAVE in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct RaveParameters {
    /// The number of visits that a move's RAVE estimate weighs as much as.
    pub rave: f32,
    /// The factor c of the exploration term √(ln N / (n + 1)); 0 leaves the term out.
    pub exploration: f32,
    /// ln N, where N is the node's visits.
    pub log_visits: f32,
}

/// The index of the move with the greatest value
///
/// (w + k·(R + b)) / (n + k) + c·√(ln N / (n + 1)),
///
/// where n is the move's visits, w the won ones, R its RAVE estimate, b its bias, k [`RaveParameters::rave`], c
/// [`RaveParameters::exploration`]. Ties go to the lowest index. The arrays are the moves' visits, half points, RAVE
/// weights, RAVE wins and biases.
#[inline]
pub(super) fn select(kernel: Kernel, arrays: [&[AtomicU32]; 5], parameters: RaveParameters) -> usize {
    match kernel {
        // SAFETY: this form is chosen only where AVX2 was detected.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 if parameters.exploration == 0.0 => unsafe { avx2::select::<false>(arrays, parameters) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => unsafe { avx2::select::<true>(arrays, parameters) },
        _ => portable::select(arrays, parameters),
    }
}

/// Adds `increments` to an array of floats, entry by entry.
#[inline]
pub(super) fn add(kernel: Kernel, array: &[AtomicU32], increments: &[f32]) {
    match kernel {
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => unsafe { avx2::add(array, increments) },
        _ => portable::add(array, increments),
    }
}

/// Adds to an array of floats what is new in a thread's own one since the last merge, and takes over the sum.
pub(super) fn merge(kernel: Kernel, own: &[AtomicU32], merged: &[AtomicU32], shared: &[AtomicU32]) {
    match kernel {
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => unsafe { avx2::merge(own, merged, shared) },
        _ => portable::merge(own, merged, shared),
    }
}

mod portable {
    use super::*;

    pub fn select([visits, points, rave_weight, rave_wins, bias]: [&[AtomicU32]; 5], s: RaveParameters) -> usize {
        let float = |array: &[AtomicU32], i: usize| f32::from_bits(array[i].load(Relaxed));
        let mut best = 0;
        let mut best_value = f32::NEG_INFINITY;
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

    pub fn merge(own: &[AtomicU32], merged: &[AtomicU32], shared: &[AtomicU32]) {
        let float = |word: &AtomicU32| f32::from_bits(word.load(Relaxed));
        for ((own, merged), shared) in own.iter().zip(merged).zip(shared) {
            let sum = float(shared) + (float(own) - float(merged));
            [shared, own, merged].into_iter().for_each(|word| word.store(sum.to_bits(), Relaxed));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use crate::engine::search::kernel::LANES;
    use crate::engine::search::kernel::avx2::{Best, load, store};
    use std::arch::x86_64::*;

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn select<const EXPLORE: bool>(arrays: [&[AtomicU32]; 5], s: RaveParameters) -> usize {
        let length = arrays[0].len();
        assert!(length.is_multiple_of(LANES) && arrays.iter().all(|array| array.len() == length));
        let [visits, points, rave_weight, rave_wins, bias] = arrays.map(<[AtomicU32]>::as_ptr);
        let half = _mm256_set1_ps(0.5);
        let one = _mm256_set1_ps(1.0);
        let k = _mm256_set1_ps(s.rave);
        let c = _mm256_set1_ps(s.exploration);
        let log = _mm256_set1_ps(s.log_visits);
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
            // SAFETY: both have `LANES` entries starting at `i`.
            unsafe {
                let at = array.as_ptr().add(i);
                store(at, _mm256_add_ps(load(at), _mm256_loadu_ps(increments.as_ptr().add(i))));
            }
        }
    }

    /// # Safety
    /// Needs AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn merge(own: &[AtomicU32], merged: &[AtomicU32], shared: &[AtomicU32]) {
        let length = shared.len();
        assert!(length.is_multiple_of(LANES) && own.len() == length && merged.len() == length);
        for i in (0..length).step_by(LANES) {
            // SAFETY: all three have `LANES` entries starting at `i`.
            unsafe {
                let [own, merged, shared] = [own, merged, shared].map(|array| array.as_ptr().add(i));
                let sum = _mm256_add_ps(load(shared), _mm256_sub_ps(load(own), load(merged)));
                [shared, own, merged].into_iter().for_each(|at| store(at, sum));
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
            let rave = rng.random_range(1.0..5000.0);
            let parameters = RaveParameters { rave, exploration, log_visits: 7.5 };
            assert_eq!(select(Kernel::detect(), arrays, parameters), portable::select(arrays, parameters));

            let increments: Vec<f32> = (0..length).map(|_| rng.random_range(0.0..2.0)).collect();
            let other = floats(weight.iter().map(|w| f32::from_bits(w.load(Relaxed))));
            add(Kernel::detect(), &weight, &increments);
            portable::add(&other, &increments);
            let bits = |array: &[AtomicU32]| array.iter().map(|w| w.load(Relaxed)).collect::<Vec<_>>();
            assert_eq!(bits(&weight), bits(&other));

            let copy_of = |array: &[AtomicU32]| floats(array.iter().map(|w| f32::from_bits(w.load(Relaxed))));
            let merges = [Kernel::detect(), Kernel::Portable].map(|kernel| {
                let arrays = [&weight[..], &wins, &bias].map(copy_of);
                let [own, merged, shared] = &arrays;
                merge(kernel, own, merged, shared);
                arrays.map(|array| bits(&array))
            });
            assert_eq!(merges[0], merges[1]);
        }
    }

    #[test]
    fn ties_go_to_the_lowest_index_and_illegal_moves_are_never_selected() {
        let length = 32;
        let zeros = floats((0..length).map(|_| 0.0));
        let ones = floats((0..length).map(|_| 1.0));
        let bias = floats((0..length).map(|i| if i == 9 || i == 17 { 0.0 } else { f32::NEG_INFINITY }));
        let parameters = RaveParameters { rave: 10.0, exploration: 0.0, log_visits: 0.0 };
        for kernel in [Kernel::Portable, Kernel::detect()] {
            assert_eq!(select(kernel, [&zeros, &zeros, &ones, &ones, &bias], parameters), 9);
        }
    }
}
