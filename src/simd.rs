//! Which vector instructions the program uses. Detected once, for all kernels: those of the search, of the network and of
//! training. Every kernel gives the same result at every level, those of training up to rounding.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// The environment variable that forces a level below the processor's own, for tests and bug reports.
pub const VARIABLE: &str = "MALECON_SIMD";

/// A level of vector instructions. Each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No instructions beyond those the program was compiled for.
    Portable,
    /// AVX2 and FMA: vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F and VNNI: vectors of 512 bits, with dot products of integers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// WebAssembly's vectors of 128 bits. A module that contains them runs only where there are some, so programs that are
    /// compiled with them always use them.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Level {
    /// All levels of this architecture, the lowest first.
    pub const ALL: &[Level] = &[
        Level::Portable,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::Simd128,
    ];

    /// The level in use: the processor's own, or the lower one that [`VARIABLE`] asks for. It stays the same while the
    /// program runs. An invalid or unsupported value of the variable is ignored with a warning in the log.
    pub fn active() -> Level {
        static ACTIVE: OnceLock<Level> = OnceLock::new();
        *ACTIVE.get_or_init(|| match std::env::var_os(VARIABLE) {
            None => Level::detect(),
            Some(value) => forced(&value.to_string_lossy(), Level::detect()).unwrap_or_else(|reason| {
                log::warn!("{VARIABLE} is ignored: {reason}");
                Level::detect()
            }),
        })
    }

    /// The levels that this processor has, the lowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        let highest = Level::detect();
        Level::ALL.iter().copied().filter(move |&level| level <= highest)
    }

    /// The highest level of this processor.
    fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("fma") {
                let wide = has!("avx512f") && has!("avx512vnni");
                return if wide { Level::Avx512 } else { Level::Avx2 };
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Level::Simd128;
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Level::Portable
    }
}

/// The level of this name, unless it is above `highest`.
fn forced(name: &str, highest: Level) -> Result<Level, String> {
    match name.parse()? {
        level if level <= highest => Ok(level),
        level => Err(format!("this processor does not have {level} (its level is {highest})")),
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::Simd128 => "simd128",
        })
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Level, String> {
        Level::ALL.iter().copied().find(|level| level.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = Level::ALL.iter().map(Level::to_string).collect();
            format!("invalid level '{name}' (expected {})", names.join(" or "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_printed() {
        for &level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("sse9".parse::<Level>().unwrap_err().starts_with("invalid level 'sse9' (expected portable"));
    }

    #[test]
    fn the_portable_level_is_always_available() {
        assert_eq!(Level::available().next(), Some(Level::Portable));
        assert!(Level::available().any(|level| level == Level::active()));
    }

    #[test]
    fn a_level_above_the_processors_is_refused() {
        for (i, &highest) in Level::ALL.iter().enumerate() {
            for (k, level) in Level::ALL.iter().enumerate() {
                assert_eq!(forced(&level.to_string(), highest).is_ok(), k <= i, "{level} on {highest}");
            }
        }
    }
}
