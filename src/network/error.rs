//! Why bytes are not a network that this program can use.

use std::fmt;
use std::io;

/// The longest description of a network, in bytes.
pub const MAX_DESCRIPTION: usize = 4096;

/// Why bytes are not a network that this program can use.
#[derive(Debug)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file cannot be read.
    Io(io::Error),
    /// The first bytes are not those of a network.
    Foreign,
    /// The bytes end too early.
    Truncated {
        /// The length found, in bytes.
        found: u64,
        /// The length expected, in bytes.
        expected: u64,
    },
    /// There are bytes after the end.
    TooLong {
        /// The length found, in bytes.
        found: u64,
        /// The length expected, in bytes.
        expected: u64,
    },
    /// This program does not support the value of a field of the header.
    Unsupported {
        /// The field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// The values that are supported.
        expected: String,
    },
    /// The checksum does not match.
    Damaged {
        /// The checksum of the bytes.
        found: u64,
        /// The checksum in the header.
        expected: u64,
    },
    /// The description is too long, not UTF-8, or has control characters other than line feeds.
    Description,
    /// The number of weights is not that of the architecture.
    Count {
        /// The number of weights given.
        found: usize,
        /// The number that the architecture has.
        expected: usize,
    },
    /// A weight is not finite, or outside the range of its part.
    Weight {
        /// The part of the network that it belongs to.
        part: String,
        /// The weight.
        value: f32,
        /// The least value allowed.
        least: f32,
        /// The largest value allowed.
        most: f32,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Io(error) => error.fmt(f),
            NetworkError::Foreign => f.write_str("not a Malecon network (wrong magic bytes at the start)"),
            NetworkError::Truncated { found, expected } => {
                write!(f, "truncated network: {found} bytes (expected {expected})")
            }
            NetworkError::TooLong { found, expected } => {
                write!(f, "extra bytes after the network: {found} bytes (expected {expected})")
            }
            NetworkError::Unsupported { what, found, expected } => {
                write!(f, "unsupported {what} {found} (expected {expected})")
            }
            NetworkError::Damaged { found, expected } => {
                write!(f, "damaged network: checksum {found:016x} (expected {expected:016x})")
            }
            NetworkError::Description => write!(
                f,
                "invalid description (expected at most {MAX_DESCRIPTION} bytes of UTF-8 without control characters)"
            ),
            NetworkError::Count { found, expected } => write!(f, "{found} weights (expected {expected})"),
            NetworkError::Weight { part, value, least, most } => {
                write!(f, "weight {value} in {part} is out of range (expected {least} to {most})")
            }
        }
    }
}

impl std::error::Error for NetworkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NetworkError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for NetworkError {
    fn from(error: io::Error) -> NetworkError {
        NetworkError::Io(error)
    }
}
