//! Tests that cannot run everywhere.

use std::io::Write;

/// Says that a test did not run, and why. The test harness would hide what `eprintln!` prints in a test that passes.
pub fn skipped(why: &str) {
    std::io::stderr().write_all(format!("SKIPPED: {why}\n").as_bytes()).unwrap();
}
