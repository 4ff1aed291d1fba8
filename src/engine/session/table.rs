//! The error of the engine's tables, which are lines of text.

use std::fmt;

/// A line of a table is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    line: String,
    expected: &'static str,
}

impl TableError {
    /// The error for this line, in whose place this was expected.
    pub(super) fn new(line: &str, expected: &'static str) -> TableError {
        TableError { line: line.to_owned(), expected }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid line '{}' (expected {})", self.line, self.expected)
    }
}

impl std::error::Error for TableError {}
