//! What becomes of a search that cannot be made, or that panics.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::search::{Report, Searcher};

/// Why there is nothing to search, or a search came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The game is over.
    GameOver,
    /// The search failed; it was given up and the session goes on with an empty search tree.
    Failed(String),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::GameOver => f.write_str("the game is over: there is no move to search for"),
            SearchError::Failed(reason) => write!(f, "internal error: the search failed: {reason}"),
        }
    }
}

impl std::error::Error for SearchError {}

/// Runs a search. A panic costs this search alone.
pub(super) fn caught(
    searcher: &mut Searcher,
    search: impl FnOnce(&mut Searcher) -> Report,
) -> Result<Report, SearchError> {
    catch_unwind(AssertUnwindSafe(|| search(searcher))).map_err(|panic| {
        // The tree was lost with the search that took it; options and random numbers are whole.
        searcher.clear();
        SearchError::Failed(panic_message(&*panic))
    })
}

/// What a panic says.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".into())
}

/// How a panic is told to whoever waits for an answer.
pub(crate) fn internal_error(panic: &(dyn std::any::Any + Send)) -> String {
    format!("internal error: {}", panic_message(panic))
}
