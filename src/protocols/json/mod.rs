//! Queries and answers in JSON: the protocol of `malecon analyze`, `malecon serve` and the page in the browser.
//! `docs/analysis.md` describes every field.
//!
//! | module | contents |
//! |---|---|
//! | [`query`], [`line`](mod@line) | queries as typed values; the game of a query |
//! | [`answer`] | answers, which serialize to JSON |
//! | `read`, `fields` | reading queries and their fields from JSON |
//! | [`settings`] | the options under which queries are answered |
//! | [`analyst`] | answering one query after the other, on any platform |
//! | `parts` | parts of answers, made from values of the engine |
//! | `board` | where the vertices of a board lie |
//! | `proof` | walking through a proof |
//! | `tree` | recorded games in queries and answers |
//! | `scheduler` | several searches at once: priorities, cancelling, several clients; not in a browser |
//! | `streams` | queries and answers over a pair of streams; not in a browser |
//!
//! ```
//! use malecon::protocols::json::{Analyst, QuerySettings};
//! use malecon::engine::session::{EngineOptions, StopFlag};
//!
//! let mut options = EngineOptions::default();
//! options.search.memory = 16;
//! let mut analyst = Analyst::new(QuerySettings::new(options));
//! let mut answers = Vec::new();
//! let query = r#"{"id": "first", "side": 5, "moves": ["e5"], "simulations": 100, "seed": 1}"#;
//! analyst.answer_line(query, &StopFlag::new(), &mut |answer| answers.push(answer.to_json()));
//! assert!(answers[0].starts_with(r#"{"id":"first","turn":1,"to_move":"black","simulations":100,"#));
//! ```

pub mod analyst;
pub mod answer;
mod board;
mod fields;
mod first_stones;
pub mod line;
mod parts;
mod proof;
pub mod query;
mod read;
#[cfg(not(target_family = "wasm"))]
pub mod scheduler;
pub mod settings;
#[cfg(not(target_family = "wasm"))]
pub mod streams;
mod tree;

pub use analyst::{Analyst, warnings};
pub use answer::{Answer, ErrorAnswer};
pub use line::GameLine;
pub use query::{Action, AnalysisQuery, Effort, Query, Task, Want};
pub use settings::QuerySettings;
