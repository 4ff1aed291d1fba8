//! Knowledge of good moves, learned from games.

mod features;
mod prediction;

pub use features::{FEATURES, Features, GROUPS, Viewer};
pub use prediction::root_strength;
