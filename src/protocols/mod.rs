//! Protocols for programs: adapters of a [`Session`](crate::engine::session::Session).
//!
//! | module | contents |
//! |---|---|
//! | [`gtp`] | the Go Text Protocol: lines, dialects, commands, GoGui's pictures |
//! | [`json`] | queries and answers in JSON: what `malecon analyze` and the page speak |
//! | `server` | the page and the queries over HTTP and WebSockets (feature `serve`) |

pub mod gtp;
pub mod json;
#[cfg(feature = "serve")]
pub mod server;
