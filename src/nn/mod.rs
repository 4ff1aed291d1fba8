//! The network: a small convolutional network that predicts the move and the winner. It is trained on the engine's own
//! games ([`crate::training`]) and guides [`crate::search`].
//!
//! | module | contents |
//! |---|---|
//! | `evaluator` | what the search needs from a network: [`Backend`], [`Evaluator`] |
//! | `builtin` | the networks compiled in: [`Networks`] |
//! | `network`, `format`, `error` | networks, their files, and what can be wrong with them |
//! | `architecture` | shape, and the order of the weights |
//! | `features` | what a network sees of a position, in two versions |
//! | `fixed_point`, `convolution`, `eight_bit`, `sums`, `grid` | its arithmetic on this processor |

mod architecture;
mod builtin;
mod convolution;
mod eight_bit;
mod error;
mod evaluator;
mod features;
mod fixed_point;
mod format;
mod grid;
mod network;
#[cfg(target_arch = "x86_64")]
mod sums;

pub use architecture::{Architecture, Arithmetic, CHANNELS, MAX_BLOCKS, MAX_HIDDEN, Pooling};
pub use builtin::{LARGE_SIDE, Networks};
pub use error::{MAX_DESCRIPTION, NetworkError};
pub use evaluator::{Backend, Evaluation, Evaluator, Input, SYMMETRIES};
pub use features::FeatureSet;
pub use format::FORMAT_VERSION;
pub use network::{Network, NetworkInfo};
