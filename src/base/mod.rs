//! What everything else stands on, and what knows nothing of the game.
//!
//! | module | what it holds |
//! |---|---|
//! | [`files`] | replacing files in one step |
//! | [`sync`] | the flag that stops a search; mutexes that stay usable after a panic |
//! | [`options`](mod@options) | options with names, ranges and descriptions |
//! | [`simd`] | which vector instructions the kernels use |
//! | `hash`, `math` | functions that give the same result on every platform |
//! | `memory`, `time`, `host` | memory that may be refused; the clock, also in a browser |

pub mod files;
pub(crate) mod hash;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) mod host;
pub(crate) mod math;
pub(crate) mod memory;
pub mod options;
pub mod simd;
pub mod sync;
pub(crate) mod time;
