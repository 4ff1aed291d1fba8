//! The network: a small convolutional network that predicts the move and the winner. It is trained on the engine's own
//! games ([`crate::tools::learn`]) and guides [`crate::engine::search`].
//!
//! | module | contents |
//! |---|---|
//! | `evaluator` | what the search needs from a network: [`Backend`], [`Evaluator`] |
//! | `builtin` | the networks compiled in: [`Networks`] |
//! | `model`, `format`, `error` | networks, their files, and what can be wrong with them |
//! | `architecture` | shape, and the order of the weights |
//! | [`features`] | what a network sees of a position |
//! | `groups`, `reach` | for the features: chains that two-bridges connect; how far a fork or a bridge is |
//! | `inference` | a network on this processor: its weights as the kernels read them, and the evaluator |
//! | `grid`, `stream`, `convolution` | the cells of a layer, and the kernels with 16-bit and with 8-bit arithmetic |

mod architecture;
mod builtin;
mod convolution;
mod error;
mod evaluator;
pub mod features;
mod format;
mod grid;
mod groups;
mod inference;
mod model;
mod reach;
mod stream;

pub use architecture::{Architecture, CHANNELS, MAX_BLOCKS, MAX_HIDDEN};
pub use builtin::{LARGE_SIDE, Networks};
pub use error::{MAX_DESCRIPTION, NetworkError};
pub use evaluator::{Backend, Evaluation, Evaluator, Input, SYMMETRIES};
pub use format::FORMAT_VERSION;
pub use model::{Network, NetworkInfo};
