//! The hash function of identifiers and checksums.

/// The 64-bit FNV-1a hash of bytes (Fowler, Noll and Vo). It is fast and the same everywhere, but easily forged.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let mut hash = Fnv1a::new();
    hash.add(bytes);
    hash.value()
}

/// The same hash, computed piece by piece.
pub(crate) struct Fnv1a(u64);

impl Fnv1a {
    /// The hash of no bytes.
    pub fn new() -> Fnv1a {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.0 = bytes.into_iter().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    }

    /// The hash of the bytes so far.
    pub fn value(&self) -> u64 {
        self.0
    }
}
