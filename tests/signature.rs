//! The engine's behaviour has not changed by accident.

/// The output of `malecon bench --signature` after the last intended change of the engine's behaviour.
const SIGNATURE: u64 = 13545155354041766698;

/// Fails if playouts or searches with the same seeds give different results than before. If that is not intended, there
/// is a mistake in the change. If it is, put the new output of `malecon bench --signature` above, in the same commit.
#[test]
fn playouts_and_searches_give_the_same_results_as_before() {
    assert_eq!(malecon::tools::bench::signature(), SIGNATURE);
}
