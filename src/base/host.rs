//! What the library needs from a browser or another WebAssembly host: the time and random bits, unless WASI provides
//! them, and with the feature `host-networks` the files of the networks. The host provides them as functions of the
//! import module `malecon`.

#[link(wasm_import_module = "malecon")]
unsafe extern "C" {
    /// Milliseconds since a fixed moment. Never decreases. In a browser: `performance.now()`.
    #[cfg(target_os = "unknown")]
    safe fn clock() -> f64;
    /// 32 random bits. In a browser: from `crypto.getRandomValues()`.
    #[cfg(target_os = "unknown")]
    safe fn entropy() -> u32;
    /// The size in bytes of the file of a network: the one for large boards if `is_large` is 1, the other if it is 0.
    #[cfg(feature = "host-networks")]
    safe fn network_size(is_large: u32) -> usize;
    /// Writes this file to `at`, which has room for it.
    #[cfg(feature = "host-networks")]
    fn network(is_large: u32, at: *mut u8);
}

/// The time since a fixed moment.
#[cfg(target_os = "unknown")]
pub(crate) fn now() -> std::time::Duration {
    std::time::Duration::from_secs_f64(clock().max(0.0) / 1000.0)
}

/// A random number.
#[cfg(target_os = "unknown")]
pub(crate) fn random() -> u64 {
    u64::from(entropy()) << 32 | u64::from(entropy())
}

/// The file of the network for large boards, or of the one for all others.
#[cfg(feature = "host-networks")]
pub(crate) fn network_file(is_large: bool) -> Vec<u8> {
    let mut file = vec![0; network_size(is_large.into())];
    // SAFETY: the host writes as many bytes as `network_size` returned.
    unsafe { network(is_large.into(), file.as_mut_ptr()) };
    file
}
