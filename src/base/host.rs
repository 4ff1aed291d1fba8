//! What the library needs from a browser or another WebAssembly host: the time and random bits. The host provides both
//! as functions of the import module `malecon`.

#[link(wasm_import_module = "malecon")]
unsafe extern "C" {
    /// Milliseconds since a fixed moment. Never decreases. In a browser: `performance.now()`.
    safe fn clock() -> f64;
    /// 32 random bits. In a browser: from `crypto.getRandomValues()`.
    safe fn entropy() -> u32;
}

/// The time since a fixed moment.
pub(crate) fn now() -> std::time::Duration {
    std::time::Duration::from_secs_f64(clock().max(0.0) / 1000.0)
}

/// A random number.
pub(crate) fn random() -> u64 {
    u64::from(entropy()) << 32 | u64::from(entropy())
}
