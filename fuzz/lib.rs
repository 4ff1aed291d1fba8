//! The properties that the fuzz targets check, which `cargo test` checks, too, and the oracle that they need.

#[path = "../tests/properties/checks/mod.rs"]
pub mod checks;
#[path = "../tests/oracle/mod.rs"]
pub mod oracle;
