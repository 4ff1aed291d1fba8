//! The oracle: a slow, literal reading of the formal definitions of abstract strategy games, strong positional games
//! and Havannah, to which the engine is compared. It has its own points and its own way to every answer, and uses
//! nothing of the engine.
//!
//! Two texts are read, both by Frans Faase: *Formalisation of the game Havannah* ("the Havannah text") and *A
//! formalization of abstract strategy games* ("the general text"). Doc comments name the definition that an item
//! realises. Könnecke & Waldmann ("the paper") is read for its own definition of a ring.
//!
//! # Where the texts slip, and what is played
//!
//! Each is said again where it matters, and most are tested in `tests/definitions.rs`.
//!
//! | text | as played |
//! |---|---|
//! | A bridge's corners are counted in the whole position (Havannah text). | The corners of the group count. |
//! | A bridge has *exactly* two corners, a fork *exactly* three sides. | At least. It makes no difference to what is won: a group that has more contains one that has just as many. |
//! | A cycle's conditions hold for 1 ≤ i < n. | For every index, 0 included: otherwise an open path of four is a cycle. |
//! | `*` is the transitive closure. | And reflexive: otherwise one point is no group, and side 3 has no sides. |
//! | Sizes are taken from `Natural \| size < 1`. | size ≥ 1. |
//! | `count(a) = count(b)` in the configurations, where there is no a and b; `wp1` for `wps1`. | `count(ps1) = count(ps2)`; `wps1`. |
//! | Transitions lead out of won configurations. | The first winning pattern ends the game. |
//! | All strong positional configurations count as configurations of the abstract game. | Those that can be reached. |
//! | Patterns are required to be minimal, and those of Hex and Havannah are not. | Both are allowed, as they win the same positions. |
//! | Strategy *i* mod 2 makes the move to p*i* (general text). | Strategy (*i* − 1) mod 2: strategy 0 moves first. |
//! | A super strategy's outcome is ≥ 0 in either seat, and a strategy's quality is the sum of both outcomes. | Outcomes are the first player's; in the second seat they change their sign, as the prose has it ("never lose"). |

// Every test crate shares this module and calls its own part of it.
#![allow(dead_code)]

pub mod abstract_games;
pub mod havannah;
pub mod hex;
pub mod point_set;
pub mod strong_positional;
pub mod tic_tac_toe;
