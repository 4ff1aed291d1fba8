//! Which vector instructions the program uses, detected once for all kernels of the search and the network. Every
//! kernel gives the same result at every level.

use std::fmt;
use std::sync::OnceLock;

/// The environment variable that selects a level other than the processor's highest, for tests and bug reports.
pub const VARIABLE: &str = "MALECON_SIMD";

/// A level of vector instructions. Later ones are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// No instructions beyond those the program was compiled for.
    Portable,
    /// AVX2: vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX2 and AVX-VNNI: vectors of 256 bits, with dot products of integers.
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    /// AVX2, and AVX-512 F, BW, VL and VNNI: vectors of 512 bits, with dot products of integers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// All of [`Level::Avx512`], and AMX: products of matrices of 8-bit integers.
    #[cfg(target_arch = "x86_64")]
    Amx,
    /// NEON, which nearly every 64-bit ARM processor has: vectors of 128 bits.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// NEON with dot products of integers.
    #[cfg(target_arch = "aarch64")]
    DotProd,
    /// WebAssembly's vectors of 128 bits. A module compiled with them runs only where they exist, so it always uses
    /// them.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    /// WebAssembly's vectors with its relaxed instructions, among them dot products of integers. A module compiled with
    /// them always uses them, too.
    #[cfg(relaxed_simd)]
    RelaxedSimd,
}

impl Level {
    /// All levels of this architecture, the lowest first.
    pub const ALL: &[Level] = &[
        Level::Portable,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        Level::AvxVnni,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Amx,
        #[cfg(target_arch = "aarch64")]
        Level::Neon,
        #[cfg(target_arch = "aarch64")]
        Level::DotProd,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::Simd128,
        #[cfg(relaxed_simd)]
        Level::RelaxedSimd,
    ];

    /// The level in use: the highest of the processor, or the one that [`VARIABLE`] asks for. It stays the same while
    /// the program runs. An invalid or unsupported value of the variable is ignored with a warning in the log.
    pub fn active() -> Level {
        static ACTIVE: OnceLock<Level> = OnceLock::new();
        *ACTIVE.get_or_init(|| {
            let available: Vec<Level> = Level::available().collect();
            let highest = available.last().copied().unwrap_or(Level::Portable);
            match std::env::var_os(VARIABLE) {
                None => highest,
                Some(value) => forced(&value.to_string_lossy(), &available).unwrap_or_else(|reason| {
                    log::warn!("{VARIABLE} is ignored: {reason}");
                    highest
                }),
            }
        })
    }

    /// The levels that this processor has, the lowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.iter().copied().filter(|level| level.is_available())
    }

    /// Whether the level includes AVX2.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_avx2(self) -> bool {
        self >= Level::Avx2
    }

    /// Whether this processor has the level.
    fn is_available(self) -> bool {
        #[cfg(target_arch = "aarch64")]
        use std::arch::is_aarch64_feature_detected as has;
        #[cfg(target_arch = "x86_64")]
        use std::arch::is_x86_feature_detected as has;
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => has!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Level::AvxVnni => Level::Avx2.is_available() && has!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                let basic = Level::Avx2.is_available() && has!("avx512f") && has!("avx512bw") && has!("avx512vl");
                basic && has!("avx512vnni")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Amx => Level::Avx512.is_available() && may_use_amx(),
            #[cfg(target_arch = "aarch64")]
            Level::Neon => has!("neon"),
            #[cfg(target_arch = "aarch64")]
            Level::DotProd => Level::Neon.is_available() && has!("dotprod"),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::Simd128 => true,
            #[cfg(relaxed_simd)]
            Level::RelaxedSimd => true,
        }
    }
}

/// Whether the processor has AMX for 8-bit integers, and the system lets this process use it, which Linux does on
/// request.
#[cfg(target_arch = "x86_64")]
fn may_use_amx() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    /// The bits of `AMX-TILE` and `AMX-INT8` in EDX, of leaf 7.
    const AMX: u32 = 1 << 24 | 1 << 25;
    if !cfg!(target_os = "linux") || __cpuid(0).eax < 7 || __cpuid_count(7, 0).edx & AMX != AMX {
        return false;
    }
    /// `arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)`.
    const CALL: [u64; 3] = [158, 0x1023, 18];
    let answer: i64;
    // SAFETY: this call only asks for a permission. A kernel that does not know the call refuses it.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") CALL[0] => answer,
            in("rdi") CALL[1],
            in("rsi") CALL[2],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer == 0
}

/// The level of this name, if it is among `available`; else what is wrong.
fn forced(name: &str, available: &[Level]) -> Result<Level, String> {
    let names = |levels: &[Level]| levels.iter().map(Level::to_string).collect::<Vec<_>>();
    match Level::ALL.iter().find(|level| level.to_string() == name) {
        Some(level) if available.contains(level) => Ok(*level),
        Some(level) => Err(format!("this processor does not have {level} (it has {})", names(available).join(", "))),
        None => Err(format!("invalid level '{name}' (expected {})", names(Level::ALL).join(" or "))),
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::AvxVnni => "avxvnni",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Amx => "amx",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "neon",
            #[cfg(target_arch = "aarch64")]
            Level::DotProd => "dotprod",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::Simd128 => "simd128",
            #[cfg(relaxed_simd)]
            Level::RelaxedSimd => "relaxed-simd",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_level_is_always_available() {
        assert_eq!(Level::available().next(), Some(Level::Portable));
        assert!(Level::available().any(|level| level == Level::active()));
    }

    #[test]
    fn a_level_that_the_processor_lacks_is_refused() {
        assert!(forced("sse9", Level::ALL).unwrap_err().starts_with("invalid level 'sse9' (expected portable"));
        for &level in Level::ALL {
            let name = level.to_string();
            assert_eq!(forced(&name, Level::ALL), Ok(level));
            let others: Vec<Level> = Level::ALL.iter().copied().filter(|&other| other != level).collect();
            assert!(
                forced(&name, &others).unwrap_err().starts_with(&format!("this processor does not have {level} ("))
            );
        }
    }
}
