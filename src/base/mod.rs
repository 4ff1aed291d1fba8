//! Foundations that know nothing about Havannah.
//!
//! | module | what it holds |
//! |---|---|
//! | `error` | errors that are a line of text |
//! | [`files`] | replacing files in one step |
//! | [`encoding`] | text in any encoding: files, pipes, what is pasted |
//! | [`lines`] | files that grow by a line with each game or position |
//! | [`input`] | lines of input, bounded in length |
//! | [`sync`] | the flag that stops a search; threads; mutexes that stay usable after a panic |
//! | [`options`](mod@options) | options with names, ranges and descriptions |
//! | [`simd`] | which vector instructions the kernels use |
//! | [`html`] | what the pages that the program writes have in common |
//! | [`text`] | text broken into lines; counts, lists, capital letters |
//! | [`memory`] | how the program gets by with little memory |
//! | `hash`, `math` | functions that give the same result on every platform |
//! | `time`, `host` | the clock, also in a browser |

pub mod encoding;
pub(crate) mod error;
pub mod files;
pub(crate) mod hash;
#[cfg(all(target_family = "wasm", any(target_os = "unknown", feature = "host-networks")))]
pub(crate) mod host;
pub mod html;
#[cfg(not(target_family = "wasm"))]
pub mod input;
pub mod lines;
pub(crate) mod math;
pub mod memory;
pub mod options;
pub mod simd;
pub mod sync;
pub mod text;
pub(crate) mod time;
