//! The oracle: a slow, literal implementation of the formal definition of Havannah. The engine is compared with it. The
//! oracle uses no code of the engine.
//!
//! It follows two texts by Frans Faase, *Formalisation of the game Havannah* ("the Havannah text") and *A formalization
//! of abstract strategy games* ("the general text"). Doc comments name the definition that an item implements, in
//! backquotes. The definition of a ring is also taken from Könnecke & Waldmann ("the paper").
//!
//! # Corrections
//!
//! The texts have some errors. They are corrected as follows, and mentioned again where they matter. Most corrections
//! are tested in `tests/definitions.rs`.
//!
//! | text | here |
//! |---|---|
//! | A bridge's corners are counted in the whole position (Havannah text). | The corners of the group are counted. |
//! | A bridge has *exactly* two corners, a fork *exactly* three sides. | At least two, at least three. The same positions are won, because a group with more contains a group with exactly as many. |
//! | The conditions of a cycle hold for 1 ≤ i < n. | For every index, including 0. Otherwise an open path of four points would be a cycle. |
//! | `*` is the transitive closure. | The reflexive and transitive closure. Otherwise a single point would not be a group, and boards of size 3 would have no sides. |
//! | Sizes are taken from `Natural \| size < 1`. | size ≥ 1. |
//! | `count(a) = count(b)` in the configurations, although there is no a or b. | `count(ps1) = count(ps2)`. |
//! | Transitions lead out of won configurations. | The first winning pattern ends the game. |

#![allow(dead_code, reason = "each test crate that includes this module uses only a part of it")]

pub mod adjacency;
pub mod game;
pub mod havannah;
pub mod point_set;
