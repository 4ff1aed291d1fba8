//! The clock that the library reads. `std::time::Instant` panics in a browser, where `web-time` asks the page instead.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;
