//! What the fuzz targets check: the properties that `cargo test` checks too, and the oracle that they need.

#[path = "../tests/properties/checks/mod.rs"]
pub mod checks;
#[path = "../tests/oracle/mod.rs"]
pub mod oracle;
