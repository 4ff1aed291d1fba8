//! Panics of searches as errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::search::{SearchError, SearchReport, Searcher};

/// Runs a search, and turns a panic into an error.
pub(super) fn caught(
    searcher: &mut Searcher,
    search: impl FnOnce(&mut Searcher) -> Result<SearchReport, SearchError>,
) -> Result<SearchReport, SearchError> {
    catch_unwind(AssertUnwindSafe(|| search(searcher))).unwrap_or_else(|panic| {
        // The tree was lost with the search that took it; options and random numbers are whole.
        searcher.clear();
        Err(SearchError::Failed(panic_message(&*panic)))
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
