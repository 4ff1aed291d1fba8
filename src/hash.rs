//! The hash function of identifiers.

/// The 64-bit FNV-1a hash of bytes (Fowler, Noll and Vo). It is fast and the same everywhere, but easily forged.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
