//! The engine's behaviour has not changed by accident.

use malecon::tools::bench::{SIGNATURE, signature};

/// Fails if playouts or searches with the same seeds give different results than before. If that is not intended, there
/// is a mistake in the change. If it is, put the new output of `malecon bench --signature` into
/// `src/tools/bench/signature.rs`, in the same commit.
#[test]
fn playouts_and_searches_give_the_same_results_as_before() {
    assert_eq!(signature(), Ok(SIGNATURE));
}
