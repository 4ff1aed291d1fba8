//! The paper's playouts: what sections 4, 5, 6 and 8 add to uniform playouts.
//!
//! The default search uses none of this. The preset `paper` uses all of it, `malecon bench` measures it, and options of
//! the search method `rave` turn on each part alone.
//!
//! | section | in the paper | here | option |
//! |---|---|---|---|
//! | 4 | weight of a playout by its length | [`AmafWeight`] | `amaf_weight` |
//! | 5 | current playout horizon *h* of a node | [`Horizon`], [`HorizonSchedule`] | `horizon` |
//! | 6 | map *P* from moves to weights | [`sampler::MoveSampler`] | |
//! | 6 | binary tree with *K*(n), *V*(n) and *S*(n), procedure `select` | [`sampler::SumTree`] | `sampler` |
//! | 6, 9 | initial weights, and greater weights near the last move | [`Weighting`] | `initial_weights`, `locality` |
//! | 8 | rings found after the playout | [`Rings::Offline`], [`RingFinder`](crate::game::RingFinder) | `rings` |

mod amaf;
mod horizon;
mod offline_rings;
pub mod sampler;
mod weighted;

pub use amaf::AmafWeight;
pub(crate) use amaf::AmafWeights;
pub use horizon::{Horizon, HorizonSchedule};
pub(crate) use offline_rings::OfflineRings;
pub use offline_rings::Rings;
pub use weighted::{InitialWeights, SamplerKind, Weighting};
pub(crate) use weighted::{WeightedPlayouts, until};
