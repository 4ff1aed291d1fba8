//! The error of the engine's tables, which are lines of text.

use crate::base::error::message_error;

message_error! {
    /// A line of a table is invalid.
    pub struct TableError;
}

impl TableError {
    /// The error for this line; `expected` says what is right.
    pub(super) fn new(line: &str, expected: &str) -> TableError {
        format!("invalid line '{line}' (expected {expected})").into()
    }
}
