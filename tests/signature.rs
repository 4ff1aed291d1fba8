//! The engine behaves as it did.

/// What `malecon bench --signature` printed when the engine's behaviour was last changed on purpose.
const SIGNATURE: u64 = 3194901423953496260;

/// Fails when playouts or searches come out differently from the same seeds. If a change was meant to make the engine
/// faster and nothing else, it does more than that. If the engine was to behave differently, put the number that
/// `malecon bench --signature` now prints above, in the same commit.
#[test]
fn playouts_and_searches_come_out_as_before() {
    assert_eq!(malecon::bench::signature(), SIGNATURE);
}
