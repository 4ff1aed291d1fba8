//! The trainer in `training/` against the engine: what it trains is what the engine computes. Also the loop of
//! generations, and the script that trains a teacher and students. All need Python, that of the variable
//! `MALECON_PYTHON` or `python3`, and the trainer needs PyTorch. Where these are missing, a test is shown as ignored.
//! Without PyTorch, a script takes the trainer's part in the loop.

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

fn python() -> Command {
    Command::new(std::env::var("MALECON_PYTHON").unwrap_or_else(|_| "python3".into()))
}

/// Whether Python can run this line.
fn can_run(line: &str) -> bool {
    python().args(["-c", line]).output().is_ok_and(|output| output.status.success())
}

/// Runs a file of `training/tests`.
fn run_tests(file: &str) -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("training/tests").join(file);
    let output = python().arg("-B").arg(path).env("MALECON", env!("CARGO_BIN_EXE_malecon")).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

fn main() -> ExitCode {
    let has_torch = can_run("import torch, numpy");
    // The loop relies on signals and on processes of Unix.
    let has_python = cfg!(unix) && can_run("import sys; sys.exit(sys.version_info < (3, 11))");
    let trials = vec![
        Trial::test("trainer_and_engine_agree", || run_tests("test_training.py")).with_ignored_flag(!has_torch),
        Trial::test("a_loop_of_generations", || run_tests("test_loop.py")).with_ignored_flag(!has_python),
        Trial::test("teacher_and_students", || run_tests("test_teacher.py")).with_ignored_flag(!has_python),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
