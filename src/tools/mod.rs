//! Tools to measure and improve engines.
//!
//! | module | contents |
//! |---|---|
//! | [`bench`](mod@bench) | what `malecon bench` measures |
//! | `arena` | matches between engines (feature `match`) |
//! | `learn` | games of the engine against itself, samples for the trainer, metrics (not in WebAssembly) |
//! | [`puzzles`] | positions with one winning move, from games |

use crate::base::error::message_error;
use crate::base::files::FileError;

#[cfg(feature = "match")]
pub mod arena;
pub mod bench;
#[cfg(not(target_family = "wasm"))]
pub mod learn;
pub mod puzzles;

message_error! {
    /// Why a tool cannot do its work: one line that says what was wrong and what would be right.
    pub struct ToolError;
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> ToolError {
        String::from(error).into()
    }
}
