//! Why a search was not made, or failed: panics become errors.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::search::{SearchReport, Searcher};

/// Why a search was not made, or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchError {
    /// The game is over.
    GameOver,
    /// The search panicked. The session goes on with an empty search tree.
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

/// Runs a search and turns a panic into an error.
pub(super) fn caught(
    searcher: &mut Searcher,
    search: impl FnOnce(&mut Searcher) -> SearchReport,
) -> Result<SearchReport, SearchError> {
    catch_unwind(AssertUnwindSafe(|| search(searcher))).map_err(|panic| {
        // The tree was lost with the search that took it; options and random numbers are whole.
        searcher.clear();
        SearchError::Failed(panic_message(&*panic))
    })
}

/// The message of a panic.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".into())
}

/// The error message for a client whose request has panicked.
pub(crate) fn internal_error(panic: &(dyn std::any::Any + Send)) -> String {
    format!("internal error: {}", panic_message(panic))
}
