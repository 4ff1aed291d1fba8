//! Properties that hold for every input, whatever its bytes. `cargo test` and the fuzzers in `fuzz/` check the same
//! ones.
//!
//! A check takes the input, and panics if the program does not do what it should.

mod bytes;
mod commands;
mod games;
mod gtp;
mod model;
mod networks;
mod openings;
mod positions;
mod proofs;
mod queries;
mod records;
mod server;
mod vertices;

/// A property of the input.
pub type Check = fn(&[u8]);

/// All checks. A check, its fuzz target and the directory of its corpus have the same name.
pub const ALL: &[(&str, Check)] = &[
    ("commands", commands::check),
    ("games", games::check),
    ("gtp", gtp::check),
    ("hgf", records::check_hgf),
    ("json_lines", records::check_json_lines),
    ("networks", networks::check),
    ("openings", openings::check),
    ("positions", positions::check),
    ("proofs", proofs::check),
    ("queries", queries::check),
    ("server", server::check),
    ("sgf", records::check_sgf),
    ("vertices", vertices::check),
];

/// Runs the check with this name.
pub fn run(name: &str, input: &[u8]) {
    let (_, check) = ALL.iter().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("no check named {name}"));
    check(input);
}
