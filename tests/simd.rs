//! The engine plays the same games whichever vector instructions it uses.

use std::io::Write;
use std::process::{Command, Stdio};

use malecon::base::simd::{Level, VARIABLE};

use crate::skipped::skipped;

/// The answers of an engine that plays against itself from a fixed seed, at a level.
fn games(level: Level, arguments: &[&str], commands: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["gtp", "--seed", "7", "--memory", "16"]).args(arguments);
    command.env(VARIABLE, level.to_string()).env_remove("RUST_LOG");
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !stderr.contains(VARIABLE), "{level}: {stderr}");
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(answers.split_terminator("\n\n").count() == 9 && !answers.contains('?'), "{level}: {answers}");
    answers
}

#[test]
fn every_level_plays_the_same_games() {
    let commands = "selfplay\nwinrate\npv\nhavannah_winner\nboardsize 8\ngenmove white\ngenmove black\nwinrate\npv\n";
    for arguments in [
        &["--side", "5", "--simulations", "150"][..],
        &["--side", "4", "--simulations", "100", "--set", "leaf_playouts=1"],
        &["--side", "6", "--simulations", "300", "--preset", "rave"],
        &["--side", "5", "--simulations", "100", "--preset", "paper"],
    ] {
        let expected = games(Level::Portable, arguments, commands);
        for level in Level::available().skip(1) {
            assert!(games(level, arguments, commands) == expected, "{level} differs with {arguments:?}");
        }
    }
    for level in Level::ALL.iter().filter(|level| !Level::available().any(|other| other == **level)) {
        skipped(&format!("this processor does not have {level}"));
    }
}
