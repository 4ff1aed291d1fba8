//! Tests of `malecon match` as a user runs it, with scripted engines.
//!
//! This program is also the scripted engine (see [`scripted`]) and therefore has its own test harness.

mod conduct;
mod keeping;
#[cfg(target_os = "linux")]
#[path = "../processes.rs"]
#[expect(dead_code, reason = "the other tests need more of it")]
mod processes;
mod reporting;
#[path = "../scratch.rs"]
#[expect(dead_code, reason = "the other tests need more of it")]
mod scratch;
mod scripted;
#[path = "../skipped.rs"]
mod skipped;
mod vectors;

use std::process::{Command, ExitCode, Output, Stdio};

use libtest_mimic::{Arguments, Trial};
use serde_json::Value;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some("scripted") = arguments.first().map(String::as_str) {
        scripted::run(&arguments[1..]);
        return ExitCode::SUCCESS;
    }
    let trials = [conduct::trials(), keeping::trials(), reporting::trials(), vectors::trials()];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}

/// Creates a list of trials from functions.
macro_rules! trials {
    ($($name:ident),+ $(,)?) => {
        pub fn trials() -> Vec<libtest_mimic::Trial> {
            vec![$($crate::trial(concat!(module_path!(), "::", stringify!($name)), $name)),+]
        }
    };
}
pub(crate) use trials;

/// A trial that fails when its function panics.
fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name.trim_start_matches("r#match::").trim_start_matches("match::"), move || {
        test();
        Ok(())
    })
}

/// `malecon match` on side 4, with engines of these names and characters.
fn match_of(engines: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["match", "--side", "4"]).stdin(Stdio::null());
    for (name, character) in engines {
        command.arg("--engine").arg(format!("{name}={}", scripted::command(character)));
    }
    command
}

/// The output of a command on stdout and stderr.
fn texts(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs a command that must succeed, and returns its JSON report.
fn report(command: &mut Command) -> Value {
    let output = command.arg("--json").output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success(), "{stdout}{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Runs a command that must fail, and returns its error message.
fn error_message(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(!output.status.success() && stdout.is_empty(), "{stdout}{stderr}");
    stderr
}

/// The engine of this name in a report.
fn engine<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["engines"].as_array().unwrap().iter().find(|engine| engine["name"] == name).unwrap()
}
