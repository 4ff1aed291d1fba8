//! The trainer in `training/` against the engine: what it trains is what the engine computes. It needs Python with PyTorch:
//! that of the variable `MALECON_PYTHON`, or `python3`. Where PyTorch is missing, the test is shown as ignored.

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

fn python() -> Command {
    Command::new(std::env::var("MALECON_PYTHON").unwrap_or_else(|_| "python3".into()))
}

fn has_torch() -> bool {
    python().args(["-c", "import torch, numpy"]).output().is_ok_and(|output| output.status.success())
}

fn trainer_and_engine_agree() -> Result<(), Failed> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("training/tests");
    let output = python()
        .args(["-B", "-m", "unittest", "discover", "--start-directory"])
        .arg(directory)
        .env("MALECON", env!("CARGO_BIN_EXE_malecon"))
        .output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

fn main() -> ExitCode {
    let trial = Trial::test("trainer_and_engine_agree", trainer_and_engine_agree).with_ignored_flag(!has_torch());
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}
