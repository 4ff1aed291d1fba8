//! The integration tests, as one program that is linked once. Those that cannot share a process with others are
//! programs of their own: `allocation` counts what is allocated, `match` is also the engine that it tests, `training`
//! needs PyTorch.

mod gtp_client;
mod oracle;
#[cfg(target_os = "linux")]
mod processes;
mod recorded;
mod scratch;
mod skipped;

mod analysis;
mod analyze;
mod bench;
mod board;
mod clock;
mod definitions;
mod docs;
#[cfg(unix)]
mod examples;
mod failures;
mod faults;
mod gtp;
mod help;
mod inputs;
mod learn;
mod levels;
mod limits;
mod network;
mod panics;
mod play;
mod positions;
mod proofs;
mod properties;
mod puzzles;
mod queries;
mod records;
mod review;
mod rooms;
mod sampler;
mod scripts;
mod search;
mod selfplay;
mod serve;
mod session;
mod sgf;
mod signature;
mod simd;
mod sizes;
mod soak;
mod solve;
mod solver;
mod terminal;
mod threads;
