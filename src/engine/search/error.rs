//! Why a search was not made, or failed.

use std::fmt;

/// Why a search was not made, or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchError {
    /// The game is over.
    GameOver,
    /// There is not enough memory for the smallest search tree.
    NoMemory,
    /// The search panicked. The next one begins with an empty tree.
    Failed(String),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::GameOver => f.write_str("the game is over: there is no move to search for"),
            SearchError::NoMemory => f.write_str("there is not enough memory for a search"),
            SearchError::Failed(reason) => write!(f, "internal error: the search failed: {reason}"),
        }
    }
}

impl std::error::Error for SearchError {}
