//! The hot loops over a node's moves: which form of them to use, and what the forms for AVX2 have in common.
//!
//! The loops themselves are in the folders of the methods. Each exists in a portable form and for AVX2, chosen at run
//! time; the two give the same results to the bit. So does selection by PUCT for WebAssembly's vectors.
//!
//! The words of a node are shared between threads. Rust has no atomic vectors, so the vector forms read and write them
//! in assembly, which the language's rules on data races do not cover. This assumes that an access of 256 bits reads or
//! writes each aligned word of 32 bits whole. The manuals promise that of accesses of up to 64 bits, and with AVX of
//! aligned ones of 128 bits; a wider one may be made of several (Intel, *Software Developer's Manual*, volume 3A,
//! "Guaranteed Atomic Operations"; AMD, *Architecture Programmer's Manual*, volume 2, "Access Atomicity"). No processor
//! is known that splits one within a word; measurements find splits at 64 bits or more (Rigtorp, *Aligned AVX loads and
//! stores are atomic*, <https://rigtorp.se/isatomic/>). Stable Rust has no assembly for WebAssembly. There volatile
//! reads take its place, which WebAssembly defines also while other threads write (*Threads*, "Memory model").

use crate::base::simd::Level;

/// Entries that are processed at once. The number of a node's entries is a multiple of this.
pub(crate) const LANES: usize = 8;

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
}

/// The index paired with the greatest value. Ties go to the lowest index.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
pub(crate) fn index_of_greatest<const N: usize>(values: [f32; N], indices: [u32; N]) -> usize {
    let mut lane = 0;
    for i in 1..N {
        if values[i] > values[lane] || (values[i] == values[lane] && indices[i] < indices[lane]) {
            lane = i;
        }
    }
    indices[lane] as usize
}

/// Loads, stores and the greatest of a row, for AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use super::{LANES, index_of_greatest};
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::sync::atomic::AtomicU32;

    /// # Safety
    /// Needs AVX2. `at` must be valid for reads of eight words.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn load(at: *const AtomicU32) -> __m256 {
        let out: __m256;
        // SAFETY: the caller promises eight readable words. Other threads may write them meanwhile; assembly may race.
        unsafe { asm!("vmovups {}, [{}]", out(ymm_reg) out, in(reg) at, options(readonly, nostack, preserves_flags)) };
        out
    }

    /// # Safety
    /// Needs AVX2. `at` must be valid for writes of eight words.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn store(at: *const AtomicU32, value: __m256) {
        // SAFETY: as in `load`; the words are atomic, so writing through a shared reference is allowed.
        unsafe { asm!("vmovups [{}], {}", in(reg) at, in(ymm_reg) value, options(nostack, preserves_flags)) };
    }

    /// The greatest of a row of values, and the lowest index where it stands.
    pub struct Best {
        value: __m256,
        index: __m256i,
        here: __m256i,
    }

    impl Best {
        #[inline]
        #[target_feature(enable = "avx2")]
        pub fn new() -> Best {
            let here = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            Best { value: _mm256_set1_ps(f32::NEG_INFINITY), index: _mm256_setzero_si256(), here }
        }

        /// Compares the next values.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub fn take(&mut self, value: __m256) {
            let better = _mm256_cmp_ps::<_CMP_GT_OQ>(value, self.value);
            self.value = _mm256_blendv_ps(self.value, value, better);
            self.index = _mm256_blendv_epi8(self.index, self.here, _mm256_castps_si256(better));
            self.here = _mm256_add_epi32(self.here, _mm256_set1_epi32(LANES as i32));
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        pub fn index(self) -> usize {
            let mut indices = [0u32; LANES];
            // SAFETY: there is room for eight words.
            unsafe { _mm256_storeu_si256(indices.as_mut_ptr().cast(), self.index) };
            index_of_greatest(lanes(self.value), indices)
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn lanes(vector: __m256) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        // SAFETY: there is room for eight words.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), vector) };
        lanes
    }
}
