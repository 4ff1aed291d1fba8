//! The oracle: a slow, literal implementation of the formal definitions of abstract strategy games, strong positional
//! games and Havannah. The engine is compared with it. The oracle uses no code of the engine.
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
//! | `count(a) = count(b)` in the configurations, although there is no a or b; `wp1` instead of `wps1`. | `count(ps1) = count(ps2)`; `wps1`. |
//! | Transitions lead out of won configurations. | The first winning pattern ends the game. |
//! | All strong positional configurations are configurations of the abstract game. | Only those that can be reached. |
//! | Patterns must be minimal, but those of Hex and Havannah are not. | Both are allowed, because they win the same positions. |
//! | Strategy *i* mod 2 makes the move to p*i* (general text). | Strategy (*i* − 1) mod 2, so that strategy 0 moves first. |
//! | A super strategy has outcomes ≥ 0 in both seats, and the quality of a strategy is the sum of both outcomes. | Outcomes are those of the first player. In the second seat the sign is changed, as the prose implies ("never lose"). |

// Each test crate that includes this module uses only a part of it.
pub mod abstract_games;
pub mod havannah;
pub mod hex;
pub mod point_set;
pub mod strong_positional;
pub mod tic_tac_toe;
