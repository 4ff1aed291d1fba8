//! How people and programs reach the engine: adapters of a [`session`](crate::engine::session).
//!
//! | module | what it holds |
//! |---|---|
//! | [`gtp`] | the Go Text Protocol: lines, dialects, commands, GoGui's pictures |
//! | [`html`] | what the pages that the program writes have in common |
//! | [`review`] | reviews of recorded games |
//! | [`json`] | queries and answers in JSON: what `malecon analyze` and the page speak |
//! | `server` | the page and the queries over HTTP and WebSockets (feature `serve`) |

pub mod gtp;
pub mod html;
pub mod json;
pub mod review;
#[cfg(feature = "serve")]
pub mod server;
